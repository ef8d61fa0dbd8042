//! The verdict on a run, in words: which parameters not to believe, and what to do about it.

use super::ParameterSummary;
use super::tail::HEAVY;
use serde::Serialize;
use std::borrow::Cow;
use std::fmt;

/// The largest R-hat of chains that agree.
pub const LARGEST_R_HAT: f64 = 1.01;
/// The least effective size that each chain adds to what all should have together, …
const LEAST_ESS: f64 = 100.0;
/// … up to this number of chains: more of them need no more.
const CHAINS_THAT_COUNT: usize = 10;

/// The effective size that makes means over all draws of this number of chains precise enough.
pub fn least_ess(chains: usize) -> f64 {
    LEAST_ESS * chains.min(CHAINS_THAT_COUNT) as f64
}
/// With fewer draws in each chain their effective size is the same whatever they are, …
const LEAST_DRAWS: usize = 10;
/// … and with fewer than this it may be far too large.
const DRAWS_THAT_TELL: usize = 40;
/// If this many draws in a row are worth one, it may be their length that keeps chains from agreeing, and nothing else.
const LONGEST_TIME: f64 = 10.0;
/// From this factor on, more draws are no advice.
const LONGEST_ADVICE: f64 = 50.0;
/// An effective size above this multiple of the number of draws is no chance.
const ABOVE: f64 = 1.2;
/// How many parameters a message names.
const NAMED: usize = 5;

/// Whether the draws can be believed, and if not, why and what to do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// The chains agree, and nothing else speaks against the draws.
    pub converged: bool,
    /// Every parameter has moved, with R-hat at most 1.01 and an effective size of at least [`least_ess`].
    pub agree: bool,
    /// The draws were compared with the log densities at them, for every parameter (Stein's identity).
    pub tails_checked: bool,
    /// The number of chains.
    pub chains: usize,
    /// The goal of the run, if it was reached: what these draws are judged by then is up to the user.
    pub goal: Option<String>,
    /// What is wrong and what helps; also, for draws that pass, what the diagnostics could not see.
    pub messages: Vec<String>,
    /// What else to know of the run, which says nothing against its draws.
    pub remarks: Vec<String>,
}

impl Verdict {
    /// Judges `chains` chains of `length` draws each, whose tails have these weights.
    pub(super) fn new(parameters: &[ParameterSummary], tails: &[f64], chains: usize, length: usize) -> Self {
        if chains == 0 || length < LEAST_DRAWS {
            let few = format!("There are fewer than {LEAST_DRAWS} draws in each chain, too few to judge. Run longer.");
            return Self { messages: vec![few], ..Self::nothing(chains) };
        }
        let mut messages: Vec<String> = [not_finite(parameters), constant(parameters)].into_iter().flatten().collect();
        if parameters.iter().any(|p| p.r_hat == f64::INFINITY) {
            messages.push(unmoved(parameters));
        } else {
            messages.extend(disagreeing(parameters, chains, length));
            messages.extend(imprecise(parameters, chains, "bulk", "means are", |p| p.ess_bulk));
            messages.extend(imprecise(parameters, chains, "tail", "tail quantiles are", |p| p.ess_tail));
        }
        let converged = messages.is_empty();
        messages.extend(heavy(parameters, tails));
        messages.extend(antithetic(parameters, chains, length));
        if chains == 1 {
            messages.push(
                "With one chain, R-hat compares its two halves only: it cannot see a mode that the chain never visited. \
                 Run at least 4 chains from different starts."
                    .into(),
            );
        }
        Self { converged, agree: converged, messages, ..Self::nothing(chains) }
    }

    fn nothing(chains: usize) -> Self {
        let (messages, remarks) = (Vec::new(), Vec::new());
        Self { converged: false, agree: false, tails_checked: false, chains, goal: None, messages, remarks }
    }

    /// Something else speaks against the draws: it comes before what does not.
    pub fn doubt(&mut self, message: String) {
        self.converged = false;
        self.messages.insert(0, message);
    }

    /// What draws that are believed have passed, and what nobody could see of them.
    pub fn what_passed(&self) -> String {
        let least = match self.chains {
            ..CHAINS_THAT_COUNT => "100 per chain",
            _ => "1000",
        };
        let tails = match self.tails_checked {
            true => ", and the draws fit the log densities at them.",
            false => ". Tails that all chains missed would not have been seen.",
        };
        format!("every R-hat is at most 1.01, every effective size (ESS) at least {least}{tails}")
    }

    /// All that is said besides the headline: the messages, then the remarks.
    pub fn words(&self) -> impl Iterator<Item = &String> {
        self.messages.iter().chain(&self.remarks)
    }

    /// The verdict without the messages.
    pub fn headline(&self) -> Cow<'static, str> {
        match (self.converged, &self.goal) {
            (true, _) => format!("Converged: {}", self.what_passed()).into(),
            (false, Some(goal)) => format!("The goal {goal} was reached. By the usual limits:").into(),
            (false, None) => "Not converged:".into(),
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.headline())?;
        self.words().try_for_each(|words| writeln!(f, "- {words}"))
    }
}

fn not_finite(parameters: &[ParameterSummary]) -> Option<String> {
    let names = named(parameters, |p| !p.mean.is_finite())?;
    Some(format!("{names}: some draws are NaN or infinite. Check the log density; these parameters cannot be judged."))
}

fn constant(parameters: &[ParameterSummary]) -> Option<String> {
    let names = named(parameters, |p| p.sd == 0.0)?;
    Some(format!(
        "{names}: all draws are the same. Unless it is fixed on purpose, it was never moved: \
         try a smaller step, a longer warm-up or another start."
    ))
}

/// A word on what may not exist: it speaks against figures of the table, not against the draws.
fn heavy(parameters: &[ParameterSummary], tails: &[f64]) -> Option<String> {
    let is_heavy = |p: &ParameterSummary| parameters.iter().zip(tails).any(|(q, k)| std::ptr::eq(p, q) && *k >= HEAVY);
    let names = named(parameters, is_heavy)?;
    let worst = tails.iter().copied().fold(0.0, f64::max);
    Some(format!(
        "{names}: the tails are so heavy (Pareto k up to {worst:.2}) that there may be no standard deviation, and no standard error of the \
         mean. Rely on the median and the quantiles."
    ))
}

/// A word on effective sizes that look impossible.
fn antithetic(parameters: &[ParameterSummary], chains: usize, length: usize) -> Option<String> {
    let draws = chains * length;
    let names = named(parameters, |p| p.ess_bulk > ABOVE * draws as f64)?;
    let why = match length < DRAWS_THAT_TELL {
        true => format!("{length} draws in each chain are too few to tell it: it is too large, and the errors are too small."),
        false => "Successive draws lie on opposite sides of the mean more often than independent ones, so the mean is more precise than that \
                  of as many of them."
            .into(),
    };
    Some(format!("{names}: ESS is above the number of draws, {draws}. {why}"))
}

/// Each chain stayed where it started, and they started at different points.
fn unmoved(parameters: &[ParameterSummary]) -> String {
    let names = named(parameters, |p| p.r_hat == f64::INFINITY).unwrap_or_default();
    format!(
        "{names}: no chain has moved. A longer run would not help: check the log density near the starts, and try other starts, \
         other units, or a sampler with a smaller step."
    )
}

/// If τ draws in a row are worth one, R-hat of chains that agree is about 1 + (τ − 1)/length.
fn disagreeing(parameters: &[ParameterSummary], chains: usize, length: usize) -> Option<String> {
    let names = named(parameters, |p| p.r_hat > LARGEST_R_HAT)?;
    let largest = parameters.iter().map(|p| p.r_hat).fold(0.0, f64::max);
    let worst = show_r_hat(largest);
    if chains >= CHAINS_THAT_COUNT && (largest - 1.0) * length as f64 <= LONGEST_TIME - 1.0 {
        let factor = ((largest - 1.0) / (LARGEST_R_HAT - 1.0) * 10.0).ceil() / 10.0;
        return Some(format!(
            "{names}: R-hat is up to {worst} (at most {LARGEST_R_HAT} is good). With {length} draws each, chains that agree may have such an \
             R-hat. Run about {factor} times longer; if R-hat does not fall, take a longer warm-up and compare the chains: they may sit in \
             different modes."
        ));
    }
    let (who, compare) = match chains {
        1 => ("the two halves of the chain disagree", "look at the trace: the chain may move between modes"),
        _ => ("the chains disagree", "compare the chains: they may sit in different modes"),
    };
    Some(format!(
        "{names}: R-hat is up to {worst} (at most {LARGEST_R_HAT} is good), {who}. \
         Run longer, with a longer warm-up; if that does not help, {compare}."
    ))
}

fn imprecise(
    parameters: &[ParameterSummary],
    chains: usize,
    which: &str,
    what: &str,
    ess: fn(&ParameterSummary) -> f64,
) -> Option<String> {
    let needed = least_ess(chains);
    let names = named(parameters, |p| ess(p) < needed)?;
    let least = parameters.iter().map(ess).fold(f64::INFINITY, f64::min);
    let factor = needed / least;
    // Rounded up, so that following the advice is enough.
    let factor = if factor < 10.0 { (factor * 10.0).ceil() / 10.0 } else { factor.ceil() };
    // Chains that disagree may need more than their autocorrelation tells.
    let about =
        if parameters.iter().any(|p| ess(p) < needed && p.r_hat > LARGEST_R_HAT) { "at least" } else { "about" };
    let advice = match factor > LONGEST_ADVICE {
        false => format!("Run {about} {factor} times longer."),
        true => "The chains hardly move: look at their traces, and try other starts, a longer warm-up, or other units, before a longer \
                 run."
            .into(),
    };
    let least = show_ess(least);
    Some(format!("{names}: {which} ESS is down to {least} ({needed:.0} is enough), so {what} imprecise. {advice}"))
}

/// R-hat in table and verdict: three decimals, or the size of a value that is large beyond doubt. What is just above the
/// limit is rounded up, so that it also looks too large.
pub(super) fn show_r_hat(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0e}"),
        v if v > LARGEST_R_HAT && v < LARGEST_R_HAT + 0.001 => format!("{:.3}", LARGEST_R_HAT + 0.001),
        v => format!("{v:.3}"),
    }
}

/// An effective size in table and verdict: rounded down, so that what is just below a limit also looks too small.
pub(super) fn show_ess(value: f64) -> String {
    format!("{:.0}", value.floor())
}

/// The names of the parameters that are so, the first few of many; none if none is.
fn named(parameters: &[ParameterSummary], is_so: impl Fn(&ParameterSummary) -> bool) -> Option<String> {
    let names: Vec<&str> = parameters.iter().filter(|p| is_so(p)).map(|p| p.name.as_str()).collect();
    match names.len() {
        0 => None,
        n if n <= NAMED => Some(names.join(", ")),
        n => Some(format!("{} and {} more", names[..NAMED].join(", "), n - NAMED)),
    }
}
