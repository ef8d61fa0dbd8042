//! A line for each parameter, and a verdict on all.

use super::autocovariance::Autocovariance;
use super::draws::{Draws, common_length};
use super::rank::{Ranked, quantile};
use super::verdict::Verdict;
use super::{ess, r_hat, table, tail};
use serde::Serialize;
use std::fmt;

/// What the draws say of one parameter, and whether to believe it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterSummary {
    /// The parameter's name.
    pub name: String,
    /// The mean of the draws of all chains.
    pub mean: f64,
    /// Their standard deviation (over n − 1).
    pub sd: f64,
    /// The Monte Carlo standard error of the mean.
    pub mcse_mean: f64,
    /// The effective number of draws for the bulk.
    pub ess_bulk: f64,
    /// The effective number of draws for the 5 % and 95 % quantiles.
    pub ess_tail: f64,
    /// R-hat. Of one chain, that of its two halves, where [`r_hat`](super::r_hat()) gives NaN.
    pub r_hat: f64,
    /// The 5 % quantile.
    pub q5: f64,
    /// The median.
    pub q50: f64,
    /// The 95 % quantile.
    pub q95: f64,
}

/// All parameters, and whether the chains can be believed. Its `Display` is a plain-text table with the verdict in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// One for each parameter.
    pub parameters: Vec<ParameterSummary>,
    /// What to make of them.
    pub verdict: Verdict,
}

/// Summarises chains of `dim` parameters, each with its draws one after another. Parameters beyond the names are called
/// x1, x2 and so on by their place. Chains of different lengths are trimmed to the shortest, keeping the last draws; chains
/// without draws are left out, and the verdict says so.
pub fn summarise(names: &[String], chains: &[&[f64]], dim: usize) -> Summary {
    assert!(dim > 0, "a draw has at least one parameter");
    let all = chains.len();
    let chains: Vec<&[f64]> = chains.iter().copied().filter(|draws| !draws.is_empty()).collect();
    let chains = chains.as_slice();
    let length = common_length(chains, dim);
    let mut lags = (length >= 4).then(|| Autocovariance::new(length / 2));
    let (parameters, tails): (Vec<ParameterSummary>, Vec<f64>) = (0..dim)
        .map(|i| {
            let name = names.get(i).cloned().unwrap_or_else(|| format!("x{}", i + 1));
            match Draws::column(chains, dim, i) {
                Some(draws) => ParameterSummary::new(name, &draws, lags.as_mut()),
                None => (ParameterSummary::unknown(name), f64::NAN),
            }
        })
        .unzip();
    let mut verdict = Verdict::new(&parameters, &tails, chains.len(), length);
    if !chains.is_empty() && chains.len() < all {
        let missing = all - chains.len();
        (verdict.converged, verdict.agree) = (false, false);
        verdict.messages.insert(0, format!("{missing} of the {all} chains have no draws; the table is of the others."));
    }
    Summary { parameters, verdict }
}

impl ParameterSummary {
    /// The line of the table, cell by cell as in [`HEADER`](super::HEADER), with as many digits as the draws answer for.
    pub fn cells(&self) -> [String; 10] {
        table::cells(self)
    }

    /// Sorts and transforms the draws once for all figures, the weight of the tails among them.
    fn new(name: String, draws: &Draws, lags: Option<&mut Autocovariance>) -> (Self, f64) {
        let ranked = Ranked::new(draws);
        let (mean, variance) = draws.moments();
        let [q5, q50, q95] = [0.05, 0.5, 0.95].map(|p| quantile(&ranked.sorted, p));
        let known = Self { mean, sd: variance.sqrt(), q5, q50, q95, ..Self::unknown(name) };
        let Some(lags) = lags else { return (known, f64::NAN) };
        let scores = ranked.scores(draws);
        let summary = Self {
            mcse_mean: (variance / ess::effective_size(draws, lags)).sqrt(),
            ess_bulk: ess::effective_size(&scores, lags),
            ess_tail: ess::of_tail(draws, &ranked.sorted, lags),
            r_hat: r_hat::larger(r_hat::of_scores(&scores), &ranked, draws),
            ..known
        };
        (summary, tail::weight(&ranked.sorted))
    }

    /// Nothing but a name.
    fn unknown(name: String) -> Self {
        let [mean, sd, mcse_mean, ess_bulk, ess_tail, r_hat, q5, q50, q95] = [f64::NAN; 9];
        Self { name, mean, sd, mcse_mean, ess_bulk, ess_tail, r_hat, q5, q50, q95 }
    }
}

impl Summary {
    /// The table alone, without the verdict.
    pub fn table(&self) -> String {
        table::aligned(&self.parameters)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.table())?;
        write!(f, "\n{}", self.verdict)
    }
}
