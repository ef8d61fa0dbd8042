//! A run under a changed prior or likelihood, from its draws alone: each is weighted by how much the change favours it.

use crate::error::RunError;
use crate::output::Posterior;
use crate::settings::SettingsError;
use kameleon::diagnose::{HEADER, LARGEST_K, LEAST_DRAWS, ParameterSummary, mcse_mean, pareto_k};
use kameleon_models::Expression;
use serde::Serialize;
use std::cmp::Ordering;
use std::fmt;

/// What the draws say under the changed density.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reweighted {
    /// The parameters; none if the change is too large.
    pub parameters: Vec<Parameter>,
    /// Pareto k̂ of the weights of different points.
    pub pareto_k: f64,
    /// The effective number of draws: of the parameter with the fewest, and not above what weights leave of different points.
    pub ess: f64,
    /// The number of draws.
    pub draws: usize,
    /// By how much the log evidence, or the log normalising constant, changes; not a number if the change is too large.
    pub log_change: f64,
    /// Its standard error.
    pub log_change_error: f64,
    /// Whether the figures can be believed.
    pub reliable: bool,
    /// If not, why; otherwise empty.
    pub why: String,
    /// Whether nothing speaks against the draws themselves: the run is called converged, or has reached its goal.
    pub converged: bool,
}

/// One parameter under the changed density.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its mean.
    pub mean: f64,
    /// Its standard deviation.
    pub sd: f64,
    /// The standard error of the mean.
    pub mcse_mean: f64,
    /// Its 5 % quantile.
    pub q5: f64,
    /// Its median.
    pub q50: f64,
    /// Its 95 % quantile.
    pub q95: f64,
    /// The effective number of draws for the mean.
    pub ess: f64,
}

/// The values of an expression of the parameters at each draw of each chain.
pub fn log_ratios(posterior: &Posterior, expression: &str) -> Result<Vec<Vec<f64>>, RunError> {
    let mut expression = Expression::new(expression, &posterior.names)?;
    let chains = posterior.chains.iter();
    Ok(chains.map(|c| c.draws.points.chunks(posterior.dim()).map(|x| expression.value(x)).collect()).collect())
}

/// Weights each draw by the exponential of its log ratio, ln π' − ln π up to a constant: one number for each draw of each chain.
pub fn reweight(posterior: &Posterior, log_ratios: &[Vec<f64>]) -> Result<Reweighted, SettingsError> {
    let fits = log_ratios.iter().map(Vec::len).eq(posterior.chains.iter().map(|chain| chain.draws.len()));
    SettingsError::demand("log-ratio", fits, "needs one number for each draw of each chain")?;
    let all: Vec<f64> = log_ratios.concat();
    SettingsError::demand("log-ratio", !all.is_empty(), "the run has no draws yet")?;
    if let Some(odd) = all.iter().find(|l| l.is_nan() || **l == f64::INFINITY) {
        return Err(SettingsError::new("log-ratio", format!("is {odd} at a draw; it must be a number, or -inf")));
    }
    let largest = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    SettingsError::demand("log-ratio", largest.is_finite(), "is -inf at every draw")?;
    // Weights with a mean of one.
    let mut weights: Vec<Vec<f64>> =
        log_ratios.iter().map(|l| l.iter().map(|l| (l - largest).exp()).collect()).collect();
    let mean = weights.iter().flatten().sum::<f64>() / all.len() as f64;
    weights.iter_mut().flatten().for_each(|w| *w /= mean);
    let parameters: Vec<Parameter> = (0..posterior.dim()).map(|i| Parameter::new(posterior, i, &weights)).collect();
    let different = different(posterior, &weights);
    // The weights alone leave no more than (Σw)²/Σw²: a few draws that share all weight look alike.
    let most = (all.len() as f64).powi(2) / different.iter().map(|(sum, _)| sum * sum).sum::<f64>();
    let verdict = posterior.summary().verdict;
    let found = Reweighted {
        pareto_k: pareto_k(&different.iter().map(|(sum, count)| (sum / count).ln()).collect::<Vec<_>>()),
        ess: parameters.iter().map(|p| p.ess).fold(most, f64::min),
        parameters,
        draws: all.len(),
        log_change: largest + mean.ln(),
        log_change_error: error_of_mean(&weights),
        reliable: true,
        why: String::new(),
        converged: verdict.converged || verdict.goal.is_some(),
    };
    Ok(found.judged(most))
}

/// The weight of each different point, and the number of draws there: a draw that is repeated counts as one.
fn different(posterior: &Posterior, weights: &[Vec<f64>]) -> Vec<(f64, f64)> {
    let points = posterior.chains.iter().flat_map(|chain| chain.draws.points.chunks_exact(posterior.dim()));
    let mut draws: Vec<(&[f64], f64)> = points.zip(weights.iter().flatten().copied()).collect();
    let order = |a: &[f64], b: &[f64]| {
        a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    draws.sort_by(|a, b| order(a.0, b.0));
    let same = draws.chunk_by(|a, b| order(a.0, b.0).is_eq());
    same.map(|draws| (draws.iter().map(|(_, weight)| weight).sum(), draws.len() as f64)).collect()
}

impl Reweighted {
    /// Without figures where they cannot be believed; the weights leave this effective number of draws.
    fn judged(self, most: f64) -> Self {
        let Some(why) = self.against(most) else { return self };
        let (log_change, log_change_error) = (f64::NAN, f64::NAN);
        Self { parameters: Vec::new(), log_change, log_change_error, reliable: false, why, ..self }
    }

    /// What speaks against the figures.
    fn against(&self, most: f64) -> Option<String> {
        let Self { pareto_k, draws, .. } = self;
        let ess = self.ess.floor();
        if most < LEAST_DRAWS {
            return Some(format!(
                "the change is too large for these draws: their effective size is {ess} of {draws} ({LEAST_DRAWS} is the least; \
                 repeats of a draw count as one); sample the changed model instead, or run longer if the change is small"
            ));
        }
        if *pareto_k > LARGEST_K {
            return Some(format!(
                "the change is too large for these draws: their weights have a heavy tail (Pareto k is {pareto_k:.2}, at most \
                 {LARGEST_K} is good; the effective size is {ess} of {draws} draws); sample the changed model instead"
            ));
        }
        if self.ess < LEAST_DRAWS {
            return Some(format!(
                "these draws say too little of the changed model: their effective size is {ess} of {draws} ({LEAST_DRAWS} is the \
                 least); run longer, or sample the changed model"
            ));
        }
        let odd = self.parameters.iter().find(|parameter| !parameter.ess.is_finite())?;
        Some(format!(
            "{} has no standard error: the draws that count are all the same, or not finite; sample the changed model instead",
            odd.name
        ))
    }
}

/// A table, or the refusal.
impl fmt::Display for Reweighted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.reliable {
            return write!(f, "not reliable: {}", self.why);
        }
        let mut rows: Vec<Vec<String>> = vec![HEADER[..7].iter().chain(&["ESS"]).map(|cell| (*cell).into()).collect()];
        rows.extend(self.parameters.iter().map(Parameter::cells));
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..8).map(width).collect();
        for row in &rows {
            write!(f, "{:1$}", row[0], widths[0])?;
            row[1..].iter().zip(&widths[1..]).try_for_each(|(cell, width)| write!(f, "  {cell:>width$}"))?;
            writeln!(f)?;
        }
        if self.parameters.iter().any(|parameter| parameter.ess > self.draws as f64) {
            writeln!(
                f,
                "An ESS above the number of draws ({}) is no mistake: draws that balance each other have a mean with a smaller error than \
                 independent ones.",
                self.draws
            )?;
        }
        match self.converged {
            true => Ok(()),
            false => writeln!(f, "The run is not converged: what is wrong with its draws is wrong here, too."),
        }
    }
}

impl Parameter {
    fn new(posterior: &Posterior, i: usize, weights: &[Vec<f64>]) -> Self {
        let column = |c: usize| posterior.chains[c].draws.points.chunks(posterior.dim()).map(move |x| x[i]);
        let pairs = || weights.iter().enumerate().flat_map(|(c, w)| column(c).zip(w.iter().copied()));
        let total: f64 = pairs().map(|(_, w)| w).sum();
        let mean = pairs().map(|(x, w)| w * x).sum::<f64>() / total;
        let variance = pairs().map(|(x, w)| w * (x - mean).powi(2)).sum::<f64>() / total;
        let series = |(c, w): (usize, &Vec<f64>)| column(c).zip(w).map(|(x, w)| w * (x - mean)).collect();
        let error = error_of_mean(&weights.iter().enumerate().map(series).collect::<Vec<Vec<f64>>>());
        let mut sorted: Vec<(f64, f64)> = pairs().collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let [q5, q50, q95] = [0.05, 0.5, 0.95].map(|p| quantile(&sorted, p * total));
        let (name, ess) = (posterior.names[i].clone(), variance / error.powi(2));
        Self { name, mean, sd: variance.sqrt(), mcse_mean: error, q5, q50, q95, ess }
    }

    /// As many digits as the draws answer for, as in the summary of a run.
    fn cells(&self) -> Vec<String> {
        let Self { name, mean, sd, mcse_mean, q5, q50, q95, ess } = self.clone();
        let (ess_bulk, ess_tail, r_hat) = (ess, ess, f64::NAN);
        let line = ParameterSummary { name, mean, sd, mcse_mean, ess_bulk, ess_tail, r_hat, q5, q50, q95 };
        line.cells()[..8].to_vec()
    }
}

/// The first of the sorted points up to which there is this much weight.
fn quantile(sorted: &[(f64, f64)], weight: f64) -> f64 {
    let mut below = 0.0;
    let reached = sorted.iter().find(|(_, w)| {
        below += w;
        below >= weight
    });
    reached.or(sorted.last()).map_or(f64::NAN, |(x, _)| *x)
}

/// The standard error of the mean over chains, of which some may have no draws.
fn error_of_mean(series: &[Vec<f64>]) -> f64 {
    mcse_mean(&series.iter().map(Vec::as_slice).filter(|series| !series.is_empty()).collect::<Vec<_>>())
}
