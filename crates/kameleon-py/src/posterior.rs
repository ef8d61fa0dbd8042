//! A posterior as a dictionary of plain values and arrays, and back.

use crate::diagnose::summary_texts;
use crate::{array, error, json, words};
use kameleon::Outcome;
use kameleon::record::{Draws, Jumps};
use kameleon_runs::output::{ChainDraws, Format, PopulationSummary, Posterior, ProposalEllipse, Variable, report_html};
use kameleon_runs::store::Files;
use kameleon_runs::{RunError, Status};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::path::PathBuf;

/// The posterior as a dictionary.
pub fn to_dict(py: Python<'_>, mut posterior: Posterior) -> PyResult<Bound<'_, PyDict>> {
    if let Some(jumps) = &mut posterior.jumps {
        jumps.evidence.why = words::of_python(&jumps.evidence.why);
    }
    if let Some(caution) = posterior.population.as_mut().and_then(|population| population.caution.as_mut()) {
        *caution = words::of_python(caution);
    }
    let dim = posterior.dim();
    let dict = PyDict::new(py);
    let chains = PyList::empty(py);
    for chain in posterior.chains {
        chains.append(chain_to_dict(py, chain, dim)?)?;
    }
    dict.set_item("chains", chains)?;
    dict.set_item("target", posterior.target)?;
    dict.set_item("sampler", posterior.sampler)?;
    dict.set_item("periods", posterior.periods)?;
    dict.set_item("names", posterior.names)?;
    let variables: Vec<_> = posterior.variables.into_iter().map(|v| (v.name, v.shape)).collect();
    dict.set_item("variables", variables)?;
    dict.set_item("seed", posterior.seed)?;
    dict.set_item("warmup", posterior.warmup)?;
    dict.set_item("thin", posterior.thin)?;
    dict.set_item("noisy", posterior.noisy)?;
    dict.set_item("sd_log_estimate", posterior.sd_log_estimate)?;
    dict.set_item("seconds", posterior.seconds)?;
    dict.set_item("settings", posterior.settings)?;
    dict.set_item("until", json::write(&posterior.until)?)?;
    dict.set_item("remarks", words::all_of_python(posterior.remarks))?;
    dict.set_item("warnings", words::all_of_python(posterior.warnings))?;
    dict.set_item("learned", json::write(&posterior.learned)?)?;
    dict.set_item("jumps", json::write(&posterior.jumps)?)?;
    dict.set_item("stein", json::write(&posterior.stein)?)?;
    dict.set_item("kept", json::write(&posterior.kept)?)?;
    let labels = posterior.population.as_ref().map_or(&[][..], |population| &population.labels);
    let labels = labels.iter().map(|chain| PyArray1::from_iter(py, chain.iter().map(|mode| *mode as i64)));
    dict.set_item("modes", PyList::new(py, labels.collect::<Vec<_>>())?)?;
    dict.set_item("population", json::write(&posterior.population)?)?;
    Ok(dict)
}

fn chain_to_dict(py: Python<'_>, chain: ChainDraws, dim: usize) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("index", chain.index)?;
    dict.set_item("warmup", kept_to_dict(py, chain.warmup, dim)?)?;
    dict.set_item("draws", kept_to_dict(py, chain.draws, dim)?)?;
    dict.set_item("statistics", json::write(&chain.statistics)?)?;
    let proposals = PyList::empty(py);
    for ellipse in chain.proposals {
        let covariance = array::rows(py, &ellipse.covariance, dim)?;
        proposals.append((PyArray1::from_vec(py, ellipse.centre), covariance))?;
    }
    dict.set_item("proposals", proposals)?;
    Ok(dict)
}

fn kept_to_dict(py: Python<'_>, kept: Draws, dim: usize) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("points", array::rows(py, &kept.points, dim)?)?;
    dict.set_item("log_density", PyArray1::from_vec(py, kept.log_density))?;
    dict.set_item("acceptance", PyArray1::from_vec(py, kept.acceptance))?;
    let Jumps { draw, points, log_ratio, part, log_weight } = kept.jumps;
    let jumps = PyDict::new(py);
    jumps.set_item("draw", PyArray1::from_iter(py, draw.into_iter().map(|draw| draw as i64)))?;
    jumps.set_item("points", array::rows(py, &points, dim)?)?;
    jumps.set_item("log_ratio", PyArray1::from_vec(py, log_ratio))?;
    jumps.set_item("part", PyArray1::from_vec(py, part))?;
    jumps.set_item("log_weight", PyArray1::from_vec(py, log_weight))?;
    dict.set_item("jumps", jumps)?;
    let codes = kept.outcome.iter().map(|outcome| outcome.code());
    dict.set_item("outcome", PyArray1::from_iter(py, codes))?;
    Ok(dict)
}

/// An entry of a dictionary that was made by [`to_dict`].
macro_rules! get {
    ($dict:expr, $name:expr) => {
        $dict.as_any().get_item($name)?.extract()?
    };
}

fn from_dict(dict: &Bound<'_, PyDict>) -> PyResult<Posterior> {
    let variables: Vec<(String, Vec<usize>)> = get!(dict, "variables");
    let chains: Vec<Bound<'_, PyDict>> = get!(dict, "chains");
    let [learned, until, jumps, stein, kept, population]: [String; 6] = [
        get!(dict, "learned"),
        get!(dict, "until"),
        get!(dict, "jumps"),
        get!(dict, "stein"),
        get!(dict, "kept"),
        get!(dict, "population"),
    ];
    let labels: Vec<PyReadonlyArray1<'_, i64>> = get!(dict, "modes");
    let labels = labels.iter().map(|chain| chain.as_array().iter().map(|mode| *mode as usize).collect()).collect();
    let population: Option<PopulationSummary> = json::read(&population)?;
    Ok(Posterior {
        target: get!(dict, "target"),
        sampler: get!(dict, "sampler"),
        names: get!(dict, "names"),
        periods: get!(dict, "periods"),
        variables: variables.into_iter().map(|(name, shape)| Variable { name, shape }).collect(),
        chains: chains.iter().map(chain_from_dict).collect::<PyResult<_>>()?,
        seed: get!(dict, "seed"),
        warmup: get!(dict, "warmup"),
        thin: get!(dict, "thin"),
        noisy: get!(dict, "noisy"),
        sd_log_estimate: get!(dict, "sd_log_estimate"),
        seconds: get!(dict, "seconds"),
        settings: get!(dict, "settings"),
        until: json::read(&until)?,
        remarks: get!(dict, "remarks"),
        warnings: get!(dict, "warnings"),
        learned: json::read(&learned)?,
        jumps: json::read(&jumps)?,
        stein: json::read(&stein)?,
        population: population.map(|population| PopulationSummary { labels, ..population }),
        label_modes: false,
        kept: json::read(&kept)?,
        all: None,
    })
}

fn chain_from_dict(dict: &Bound<'_, PyDict>) -> PyResult<ChainDraws> {
    let statistics: String = get!(dict, "statistics");
    let proposals: Vec<(PyReadonlyArray1<'_, f64>, PyReadonlyArray2<'_, f64>)> = get!(dict, "proposals");
    let ellipse = |(centre, covariance): &(PyReadonlyArray1<'_, f64>, PyReadonlyArray2<'_, f64>)| ProposalEllipse {
        centre: centre.as_array().to_vec(),
        covariance: covariance.as_array().iter().copied().collect(),
    };
    Ok(ChainDraws {
        index: get!(dict, "index"),
        warmup: kept_from_dict(&get!(dict, "warmup"))?,
        draws: kept_from_dict(&get!(dict, "draws"))?,
        statistics: json::read(&statistics)?,
        proposals: proposals.iter().map(ellipse).collect(),
        origin: Vec::new(),
    })
}

fn kept_from_dict(dict: &Bound<'_, PyDict>) -> PyResult<Draws> {
    let points: PyReadonlyArray2<'_, f64> = get!(dict, "points");
    let [log_density, acceptance]: [PyReadonlyArray1<'_, f64>; 2] =
        [get!(dict, "log_density"), get!(dict, "acceptance")];
    let outcome: PyReadonlyArray1<'_, u8> = get!(dict, "outcome");
    let jumps: Bound<'_, PyDict> = get!(dict, "jumps");
    let draw: PyReadonlyArray1<'_, i64> = get!(jumps, "draw");
    let proposed: PyReadonlyArray2<'_, f64> = get!(jumps, "points");
    let [log_ratio, log_weight]: [PyReadonlyArray1<'_, f64>; 2] = [get!(jumps, "log_ratio"), get!(jumps, "log_weight")];
    let part: PyReadonlyArray1<'_, u8> = get!(jumps, "part");
    Ok(Draws {
        jumps: Jumps {
            draw: draw.as_array().iter().map(|draw| *draw as usize).collect(),
            points: proposed.as_array().iter().copied().collect(),
            log_ratio: log_ratio.as_array().to_vec(),
            part: part.as_array().to_vec(),
            log_weight: log_weight.as_array().to_vec(),
        },
        points: points.as_array().iter().copied().collect(),
        log_density: log_density.as_array().to_vec(),
        acceptance: acceptance.as_array().to_vec(),
        outcome: outcome.as_array().iter().map(|code| Outcome::of(*code).unwrap_or(Outcome::Invalid)).collect(),
    })
}

/// The summary of a posterior, as JSON and as text.
#[pyfunction]
pub fn summarise_posterior(posterior: &Bound<'_, PyDict>) -> PyResult<(String, String)> {
    summary_texts(from_dict(posterior)?.summary())
}

/// Reads the run in a folder, without locking it; with how and why it ended.
#[pyfunction]
pub fn load(py: Python<'_>, folder: PathBuf) -> PyResult<(Bound<'_, PyDict>, &'static str, String)> {
    let read = || -> Result<_, RunError> { Ok((kameleon_runs::load(&folder)?, Status::read(&Files::of(&folder)?))) };
    let (posterior, status) = py.detach(read).map_err(error::run)?;
    Ok((to_dict(py, posterior)?, status.ending.word(), words::of_python(status.words())))
}

/// The settings of the run in a folder, as JSON.
#[pyfunction]
pub fn settings_of(folder: PathBuf) -> PyResult<String> {
    json::write(&kameleon_runs::settings_of(&folder).map_err(error::run)?)
}

/// Writes the draws, with their modes if `modes`, to a file; its extension determines the format.
#[pyfunction]
pub fn save(posterior: &Bound<'_, PyDict>, path: PathBuf, modes: bool) -> PyResult<()> {
    let posterior = Posterior { label_modes: modes, ..from_dict(posterior)? };
    let refuse: fn(String) -> PyErr = match Format::of(&path) {
        Some(_) => error::StoreError::new_err,
        None => |what| error::setting("path", what),
    };
    posterior.write(&path, true).map_err(|found| refuse(found.to_string()))
}

/// The report of a run, one page of HTML.
#[pyfunction]
#[pyo3(name = "report_html")]
pub fn report(py: Python<'_>, posterior: &Bound<'_, PyDict>) -> PyResult<String> {
    let posterior = from_dict(posterior)?;
    Ok(py.detach(|| report_html(&posterior)))
}
