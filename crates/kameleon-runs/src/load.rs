//! A run as it is to be shown: from memory, or from a folder, also while it is running.

use crate::edges;
use crate::error::RunError;
use crate::large::{Gathering, Reading};
use crate::output::circles::see_from_emptiest;
use crate::output::{
    AT_LIMIT, After, ChainDraws, JumpSummary, Kept, Learned, PopulationSummary, Posterior, ProposalEllipse,
    forget_bounded,
};
use crate::read::settings_of;
use crate::runaway;
use crate::settings::RunSettings;
use crate::status::Status;
use crate::store::{Checkpoint, Files, Search};
use crate::stuck;
use kameleon::Warmup;
use kameleon::any_chain::AnyChain;
use kameleon::diagnose::{Evidence, Stein};
use kameleon::engine::Job;
use kameleon::proposal::FUNNEL;
use kameleon::record::{Draws, Jumps, JumpsFrom, Recorded, weigh};
use kameleon::report::Regions;
use kameleon::run::{advice, evidence_of, invalid_points, jump_ratios, regions_of};
use kameleon::statistics::Statistics;
use kameleon::warmup::Schedule;
use kameleon_models::Bound;
use std::fs;
use std::path::Path;

/// Reads the run in a folder. The folder is not locked, nothing in it is executed, and a run in progress is shown as
/// far as it has come.
pub fn load(folder: &Path) -> Result<Posterior, RunError> {
    read_run(folder, &Reading::whole())
}

/// [`load`] in a fixed memory: of a large run some of the draws, evenly spaced, with means, standard deviations and quantiles of
/// all of them. A run is large if its journals have more than `most` bytes, such as [`crate::MOST_BYTES`]. `watch` is told the share
/// of the files that has been read.
pub fn load_limited(folder: &Path, most: u64, watch: &dyn Fn(f64)) -> Result<Posterior, RunError> {
    read_run(folder, &Reading::limited(folder, most, watch)?)
}

fn read_run(folder: &Path, reading: &Reading<'_>) -> Result<Posterior, RunError> {
    let files = Files::of(folder)?;
    let settings = settings_of(folder)?;
    let mut notes = Vec::new();
    let mut chains = Vec::new();
    let mut gathering = Gathering::new(settings.parameters.bounds()?);
    let search = read_search(&files, &settings, &mut notes);
    let waiting = settings.run.warmup == Warmup::Population && !matches!(search, Some(Search::Done(_)));
    for index in settings.run.indices().into_iter().filter(|index| !waiting || files.journal(*index).exists()) {
        chains.extend(read_chain(&files, index, reading, &mut gathering, &mut notes)?);
    }
    let mut posterior = posterior(&settings, chains, search.as_ref(), &Status::read(&files))?;
    if reading.leaves_out() {
        let kept: Vec<_> = posterior.chains.iter().map(|chain| (chain.index, &chain.draws.points[..])).collect();
        posterior.all = Some(gathering.figures(&files, &kept, reading)?);
    }
    match Kept::read(&files.thinned(), posterior.dim()) {
        Ok(kept) => posterior.kept = kept,
        Err(error) => notes.push(format!("what thinning kept cannot be read: {error}")),
    }
    posterior.warnings.extend(notes);
    Ok(posterior)
}

/// The population of a run that has one, as far as it can be read.
fn read_search(files: &Files, settings: &RunSettings, notes: &mut Vec<String>) -> Option<Search> {
    if settings.run.warmup != Warmup::Population {
        return None;
    }
    Search::read(files, settings.parameters.0.len()).unwrap_or_else(|error| {
        notes.push(format!("what the population found cannot be read: {error}"));
        None
    })
}

/// A chain and its draws, on the unbounded scale.
pub struct StoredChain {
    /// Which chain of the plan.
    pub index: usize,
    /// What it drew.
    pub recorded: Recorded,
    /// The chain, if it could be read.
    pub chain: Option<Box<dyn AnyChain>>,
}

impl StoredChain {
    /// A chain of a run in memory.
    pub fn of(job: Job<'_>) -> Result<Self, RunError> {
        let (chain, recorded) = job.into_parts()?;
        Ok(Self { index: chain.index(), recorded, chain: Some(chain) })
    }

    /// Whether the chain was saved in its warm-up and has drawn since, so that the density that it jumps from is not known.
    fn is_behind(&self) -> bool {
        let in_warmup = self.chain.as_ref().is_some_and(|chain| chain.iterations() < chain.warmup());
        in_warmup && !self.recorded.draws.is_empty()
    }

    /// Its jump proposals, and what they come from, where that is known.
    fn jumps(&mut self) -> (&mut Jumps, JumpsFrom) {
        let known = self.chain.as_deref().filter(|_| !self.is_behind());
        let from = known.map(JumpsFrom::of).unwrap_or_default();
        (&mut self.recorded.draws.jumps, from)
    }
}

/// What the folder has of a chain; nothing if the run was killed before the chain started.
fn read_chain(
    files: &Files,
    index: usize,
    reading: &Reading<'_>,
    gathering: &mut Gathering,
    notes: &mut Vec<String>,
) -> Result<Option<StoredChain>, RunError> {
    if !files.journal(index).exists() {
        notes.push(format!("chain {index} has not started"));
        return Ok(None);
    }
    let (recorded, dim) = (gathering.read(files, index, reading, notes)?, gathering.dim());
    let saved = Checkpoint::read(&files.checkpoint(index)).map_err(|error| error.to_string());
    // A journal is written before its checkpoint is, so that one that is shorter was cut.
    let length = fs::metadata(files.journal(index)).map_or(0, |file| file.len());
    if let Some(saved) = saved.as_ref().ok().filter(|saved| length < saved.journal) {
        let wanted = saved.journal;
        notes.push(format!(
            "the journal of chain {index} has {length} bytes, and its checkpoint says {wanted}: its last draws are lost"
        ));
    }
    let chain = saved.and_then(|saved| saved.chain.resume().map_err(|error| error.to_string()));
    let chain = chain.and_then(|chain| match chain.position().len() == dim {
        true => Ok(chain),
        false => Err("its checkpoint has a different dimension".into()),
    });
    if let Err(why) = &chain {
        notes.push(format!("the statistics of chain {index} cannot be read, only its draws: {why}"));
    }
    let stored = StoredChain { index, recorded, chain: chain.ok() };
    let is_known = stored.chain.is_some() && !stored.is_behind();
    if !is_known && !stored.recorded.draws.jumps.log_ratio.is_empty() {
        notes.push(format!(
            "the weights of chain {index} are not corrected for how often each part of the density was drawn from"
        ));
    }
    Ok(Some(stored))
}

/// Puts everything together, in the parameters' own units.
pub fn posterior(
    settings: &RunSettings,
    mut chains: Vec<StoredChain>,
    search: Option<&Search>,
    status: &Status,
) -> Result<Posterior, RunError> {
    weigh(chains.iter_mut().map(StoredChain::jumps).collect());
    let bounds = settings.parameters.bounds()?;
    let names = settings.parameters.names();
    let lengths = chains.iter().filter_map(|chain| Some(chain.chain.as_deref()?.warmup()));
    // Where a population has not ended, the chains have not begun theirs.
    let planned = if matches!(search, Some(Search::Running(_))) { 0 } else { settings.run.length()?.warmup };
    let warmup = lengths.max().unwrap_or(planned);
    let learned = Learned::of(chains.iter().filter_map(|chain| chain.chain.as_deref()));
    let advice = advice(chains.iter().filter_map(|chain| Some((chain.index, chain.chain.as_deref()?.advice(&names)))));
    let noisy = settings.model.is_noisy();
    let mut remarks = remarks(settings, &chains)?;
    let evidence = evidence(settings, &chains);
    let stein = status.stein.clone().or_else(|| stein(settings, &chains, &bounds));
    let regions = regions(settings, &chains);
    let population = search.map(|search| {
        let points: Vec<_> = chains.iter().map(|chain| (chain.index, chain.recorded.draws.points.as_slice())).collect();
        let after = After { bounds: &bounds, chains: &points, evidence: evidence.as_ref(), noisy };
        PopulationSummary::new(search, &after)
    });
    remarks.extend(population.iter().flat_map(|population| population.remarks.iter().cloned()));
    let chains: Vec<ChainDraws> = chains.into_iter().map(|chain| shown(chain, &bounds, warmup)).collect();
    let mut jumps = summarise_jumps(settings, evidence, &chains)?;
    if let Some(jumps) = &mut jumps {
        jumps.regions = regions;
    }
    if let Some(jumps) = jumps.as_mut().filter(|_| population.as_ref().is_some_and(|population| population.unfinished))
    {
        jumps.doubt_search();
    }
    if let Some(away) = runaway::remark(settings, &bounds, &chains) {
        // What else could be said follows from it.
        remarks = vec![away];
        jumps.iter_mut().for_each(JumpSummary::doubt_runaway);
    }
    let statistics = || chains.iter().map(|chain| &chain.statistics);
    let has_draws = chains.iter().any(|chain| !chain.draws.is_empty());
    let mut warnings: Vec<String> = status.warning(has_draws).into_iter().collect();
    warnings.extend(status.notes.iter().cloned());
    warnings.extend(invalid_points(statistics(), &names));
    let crowded = edges::warnings(&names, &bounds, &chains);
    if let Some(jumps) = jumps.as_mut().filter(|_| !crowded.is_empty()) {
        jumps.evidence.doubt("draws pile up at a bound, where the mass is not known".into());
    }
    warnings.extend(crowded);
    warnings.extend(population.iter().flat_map(PopulationSummary::warnings));
    // Modes of different widths look like a funnel, and are none.
    let several = population.as_ref().is_some_and(|population| population.modes.len() > 1);
    let advice: Vec<String> = advice.into_iter().filter(|text| !(several && text.contains(FUNNEL))).collect();
    if let Some(jumps) = jumps.as_mut().filter(|_| advice.iter().any(|text| text.contains(FUNNEL))) {
        jumps.doubt_funnel();
    }
    warnings.extend(advice);
    warnings.extend(jumps.as_ref().and_then(|jumps| jumps.warning(&names)));
    if noisy {
        let too_noisy = || stuck::too_noisy(status.sd_log_estimate?, settings);
        warnings.extend(stuck::warning(&chains, settings.run.thin, stuck::advice(settings)).or_else(too_noisy));
    }
    let mut posterior = Posterior {
        target: settings.model.name(),
        sampler: settings.sampler()?.name().into(),
        variables: Posterior::scalars(&names),
        names,
        periods: settings.parameters.periods()?,
        seed: settings.run.seed,
        warmup,
        thin: settings.run.thin,
        noisy,
        sd_log_estimate: status.sd_log_estimate,
        seconds: (status.seconds > 0.0).then_some(status.seconds),
        settings: settings.to_toml()?,
        until: settings.run.until,
        warnings,
        remarks,
        learned,
        jumps,
        stein: None,
        population,
        label_modes: false,
        kept: None,
        all: None,
        chains,
    };
    posterior.heed(stein);
    Ok(posterior)
}

/// What belongs to the verdict without speaking against the draws: a warm-up that came to its limit, and modes that nobody looked for.
fn remarks(settings: &RunSettings, chains: &[StoredChain]) -> Result<Vec<String>, RunError> {
    let length = settings.run.length()?;
    let longest = Schedule::new(length).longest();
    let is_full = |chain: &dyn AnyChain| chain.warmup() >= longest && chain.iterations() >= longest;
    let full = length.until_learned && chains.iter().filter_map(|stored| stored.chain.as_deref()).any(is_full);
    let limit = full.then(|| {
        let key = if settings.run.max_warmup.is_some() { "max-warmup" } else { "max-warmup, or a larger max-evaluations" };
        format!(
            "{AT_LIMIT} of {} iterations before the chains had learned all that they could. A longer one may do better: {key}.",
            length.warmup
        )
    });
    Ok(limit.into_iter().chain(settings.unsearched().map(Into::into)).collect())
}

/// The evidence, from the draws on the unbounded scale and the density that each chain jumps from.
fn evidence(settings: &RunSettings, chains: &[StoredChain]) -> Option<Evidence> {
    let any_jumps = chains.iter().any(|stored| !stored.recorded.draws.jumps.log_ratio.is_empty());
    if any_jumps && chains.iter().any(StoredChain::is_behind) {
        return Some(Evidence::none("the last checkpoint was made in the warm-up; it is known from the next one on"));
    }
    let ratios = |stored: &StoredChain| {
        stored.chain.as_deref().map_or_else(Vec::new, |chain| jump_ratios(chain, &stored.recorded.draws))
    };
    let ratios: Vec<Vec<f64>> = chains.iter().map(ratios).collect();
    let mut all: Vec<(&Draws, &[f64])> =
        chains.iter().zip(&ratios).map(|(stored, ratios)| (&stored.recorded.draws, ratios.as_slice())).collect();
    let none = Draws::default();
    if settings.run.pools() {
        // Which chains share a density follows from their places among all chains of the plan.
        let mut places = vec![(&none, &[][..]); settings.run.chains];
        chains.iter().zip(all).for_each(|(stored, chain)| places[stored.index] = chain);
        all = places;
    }
    let mut evidence = evidence_of(&all, settings.run.pools())?;
    evidence.judge_learning(chains.iter().filter_map(|stored| stored.chain.as_deref()?.report().late));
    Some(evidence)
}

/// What the log densities at the draws say of them.
fn stein(settings: &RunSettings, chains: &[StoredChain], bounds: &[Bound]) -> Option<Stein> {
    let draws: Vec<&Draws> =
        chains.iter().map(|chain| &chain.recorded.draws).filter(|draws| !draws.is_empty()).collect();
    let statistics = chains.iter().filter_map(|stored| Some(stored.chain.as_deref()?.statistics()));
    let turned = if bounds.iter().any(|bound| bound.is_periodic()) { turned(&draws, bounds) } else { Vec::new() };
    let draws = if turned.is_empty() { draws } else { turned.iter().collect() };
    let mut found = settings.run.check.stein(&draws, statistics, bounds.len())?;
    forget_bounded(&mut found, bounds);
    Some(found)
}

/// Draws on the unbounded scale as they are seen from where they are fewest on each circle.
fn turned(draws: &[&Draws], bounds: &[Bound]) -> Vec<Draws> {
    let mut chains: Vec<_> = draws.iter().map(|draws| (draws.points.clone(), draws.log_density.clone())).collect();
    see_from_emptiest(&mut chains, bounds);
    chains.into_iter().map(|(points, log_density)| Draws { points, log_density, ..Draws::default() }).collect()
}

/// What became of the regions that the warm-up met.
fn regions(settings: &RunSettings, chains: &[StoredChain]) -> Regions {
    let stored = chains.iter();
    let chains: Vec<_> = stored.filter_map(|stored| Some((stored.chain.as_deref()?, &stored.recorded.draws))).collect();
    regions_of(&chains, settings.run.pools())
}

/// What the jump proposals say, or why they say nothing; none for a sampler that makes no jumps.
fn summarise_jumps(
    settings: &RunSettings,
    evidence: Option<Evidence>,
    chains: &[ChainDraws],
) -> Result<Option<JumpSummary>, RunError> {
    let (proper, dim) = (settings.has_proper_prior(), settings.parameters.0.len());
    let why = match evidence {
        Some(evidence) => {
            let draws: Vec<&Draws> = chains.iter().map(|chain| &chain.draws).collect();
            return Ok(Some(JumpSummary::new(evidence, proper, &draws, dim)));
        }
        None if !settings.sampler()?.jumps() => return Ok(None),
        None if settings.run.correlation > 0.0 => {
            "with correlated noise the noise at a jump proposal depends on that of the chain; a run without correlation tells it"
        }
        None if !settings.output.keep_jumps => "jump proposals were not kept (keep-jumps = false)",
        None => "no jump proposals were made after the warm-up",
    };
    Ok(Some(JumpSummary::none(why, proper)))
}

fn shown(chain: StoredChain, bounds: &[Bound], warmup: u64) -> ChainDraws {
    let StoredChain { index, mut recorded, chain } = chain;
    let mut proposals =
        chain.as_ref().map_or_else(Vec::new, |chain| ProposalEllipse::along(&**chain, &recorded.draws.points));
    proposals.iter_mut().for_each(|ellipse| stretch(ellipse, bounds));
    own_units(&mut recorded.warmup, bounds);
    own_units(&mut recorded.draws, bounds);
    let mut statistics = chain.as_ref().map_or_else(|| Statistics::new(warmup), |chain| chain.statistics().clone());
    if let Some(invalid) = &mut statistics.first_invalid {
        invalid.point.iter_mut().zip(bounds).for_each(|(u, bound)| *u = bound.bounded(*u).0);
    }
    ChainDraws { index, warmup: recorded.warmup, draws: recorded.draws, statistics, proposals, origin: Vec::new() }
}

/// Undoes the bounds: points as the user knows them, and the log density without the Jacobian.
pub fn own_units(kept: &mut Draws, bounds: &[Bound]) {
    if bounds.iter().all(|bound| *bound == Bound::FREE) {
        return;
    }
    for (u, bound) in kept.jumps.points.iter_mut().zip(bounds.iter().cycle()) {
        *u = bound.bounded(*u).0;
    }
    for (point, log_density) in kept.points.chunks_exact_mut(bounds.len()).zip(&mut kept.log_density) {
        for (u, bound) in point.iter_mut().zip(bounds) {
            let (x, log_jacobian) = bound.bounded(*u);
            *u = x;
            *log_density -= log_jacobian;
        }
    }
}

/// An ellipse in the parameters' own units, where bounds are nearly linear.
fn stretch(ellipse: &mut ProposalEllipse, bounds: &[Bound]) {
    let slope = |(u, bound): (&f64, &Bound)| {
        let sign = if bound.lower().is_none() && bound.upper().is_some() { -1.0 } else { 1.0 };
        sign * bound.bounded(*u).1.exp()
    };
    let slopes: Vec<f64> = ellipse.centre.iter().zip(bounds).map(slope).collect();
    for (row, a) in ellipse.covariance.chunks_exact_mut(bounds.len()).zip(&slopes) {
        row.iter_mut().zip(&slopes).for_each(|(entry, b)| *entry *= a * b);
    }
    for (u, bound) in ellipse.centre.iter_mut().zip(bounds) {
        *u = bound.bounded(*u).0;
    }
}
