//! When a run has enough draws: a fixed number, or a rule such as `ess=400,rhat=1.01` with a limit.
//!
//! Rules are checked at fixed numbers of draws, so that the same seed stops at the same place, interrupted or not.

use super::Job;
use crate::diagnose::{ParameterSummary, Period, summarise, unrolled};
use crate::record::{Draws, RecordError};
use crate::sampler::SettingsError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Draws at the first check; each later one is at a quarter more.
const FIRST_CHECK: u64 = 200;
/// A check looks at no more draws of each chain than this, or than the rule needs; longer chains are thinned for it.
const LOOK_AT: usize = 20_000;

/// What a run does next.
pub enum Next {
    /// Every chain makes draws up to this number.
    Draws(u64),
    /// There are enough draws, for this reason.
    Enough(String),
    /// A limit is reached, for this reason, and there are fewer draws than were asked for or than the rule needs.
    TooFew(String),
}

/// Decides when a run has enough draws.
pub trait Stopping {
    /// Asked at the start, and again whenever every chain has as many draws as the last answer named.
    fn next(&mut self, jobs: &[Job<'_>]) -> Result<Next, RecordError>;
}

/// When there are enough draws. At least one of the two is given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StopRule {
    /// Every parameter has at least this effective number of draws, in bulk and in the tails, over all chains.
    pub ess: Option<f64>,
    /// Every parameter has at most this R-hat.
    pub rhat: Option<f64>,
}

impl StopRule {
    /// Whether parameters are as the rule wants them.
    pub fn is_met(&self, parameters: &[ParameterSummary]) -> bool {
        let ess = |p: &ParameterSummary| self.ess.is_none_or(|least| p.ess_bulk >= least && p.ess_tail >= least);
        let rhat = |p: &ParameterSummary| self.rhat.is_none_or(|most| p.r_hat <= most);
        parameters.iter().all(|p| ess(p) && rhat(p))
    }
}

impl FromStr for StopRule {
    type Err = SettingsError;

    fn from_str(text: &str) -> Result<Self, SettingsError> {
        let wrong = |why: String| SettingsError::new("until", why);
        let mut rule = Self { ess: None, rhat: None };
        for part in text.split(',') {
            let form =
                || wrong(format!("\"{}\" should be ess=NUMBER or rhat=NUMBER, as in ess=400,rhat=1.01", part.trim()));
            let (name, value) = part.split_once('=').ok_or_else(form)?;
            let value: f64 = value.trim().parse().map_err(|_| form())?;
            match name.trim() {
                "ess" if value > 0.0 && value.is_finite() => rule.ess = Some(value),
                "ess" => return Err(wrong(format!("ess must be positive and finite, not {value}"))),
                "rhat" if value > 1.0 && value.is_finite() => rule.rhat = Some(value),
                "rhat" => return Err(wrong(format!("rhat must be above 1, such as 1.01, not {value}"))),
                _ => return Err(form()),
            }
        }
        Ok(rule)
    }
}

impl fmt::Display for StopRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ess = self.ess.map(|ess| format!("ess={ess}"));
        let rhat = self.rhat.map(|rhat| format!("rhat={rhat}"));
        f.write_str(&[ess, rhat].into_iter().flatten().collect::<Vec<_>>().join(","))
    }
}

impl TryFrom<String> for StopRule {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse().map_err(|error: SettingsError| error.what)
    }
}

impl From<StopRule> for String {
    fn from(rule: StopRule) -> Self {
        rule.to_string()
    }
}

/// A limit on the draws of each chain, and a rule that may end the run before.
#[derive(Clone, Copy)]
pub struct Rule<'a> {
    /// The rule, if there is one.
    pub until: Option<StopRule>,
    /// The largest number of draws in each chain, and the name of the setting that says so.
    pub limit: (u64, &'static str),
    /// The most iterations of each chain, warm-up and all, if they are limited.
    pub budget: Option<u64>,
    /// Whether a number of draws was asked for, next to a limit of evaluations.
    pub asked: bool,
    /// Every how many iterations one draw is kept.
    pub thin: u64,
    /// Brings draws into the units that the summary is of.
    pub units: &'a (dyn Fn(&mut Draws) + Sync),
    /// The periods of periodic parameters in these units, which are summarised around their circular mean.
    pub periods: &'a [Period],
    /// Told of every check: the rule, and the parameters as they are.
    pub checked: &'a (dyn Fn(StopRule, &[ParameterSummary]) + Sync),
    /// The number of draws that was named last; none at first.
    pub goal: Option<u64>,
}

impl<'a> Rule<'a> {
    /// A fixed number of draws in each chain.
    pub fn draws(draws: u64, thin: u64) -> Self {
        Self {
            until: None,
            limit: (draws, "draws"),
            budget: None,
            asked: true,
            thin,
            units: &|_| {},
            periods: &[],
            checked: &|_, _| {},
            goal: None,
        }
    }

    /// The first number of draws at which to look, no less than there are already: a chain that has draws beyond a check
    /// has passed it.
    fn first(&self, draws: u64) -> u64 {
        if self.until.is_none() {
            return self.limit.0;
        }
        let mut check = FIRST_CHECK;
        while check < draws {
            check = later(check);
        }
        check.min(self.limit.0)
    }

    fn is_met(&self, rule: StopRule, jobs: &[Job<'_>]) -> Result<bool, RecordError> {
        let look_at = LOOK_AT.max((4.0 * rule.ess.unwrap_or(0.0)) as usize);
        let dim = jobs.first().map_or(1, |job| job.chain.position().len());
        let mut chains = Vec::with_capacity(jobs.len());
        for job in jobs {
            let mut draws = job.record.recorded()?.into_owned().draws;
            (self.units)(&mut draws);
            let every = (draws.len() / look_at).max(1);
            chains.push(draws.points.chunks_exact(dim).step_by(every).flatten().copied().collect::<Vec<f64>>());
        }
        let chains: Vec<&[f64]> = chains.iter().map(Vec::as_slice).collect();
        let chains = unrolled(&chains, dim, self.periods);
        let chains: Vec<&[f64]> = chains.iter().map(|draws| &**draws).collect();
        let parameters = summarise(&[], &chains, dim).parameters;
        (self.checked)(rule, &parameters);
        Ok(rule.is_met(&parameters))
    }
}

impl Stopping for Rule<'_> {
    fn next(&mut self, jobs: &[Job<'_>]) -> Result<Next, RecordError> {
        if let Some(budget) = self.budget {
            if jobs.iter().any(|job| job.chain.iterations() < job.chain.warmup()) {
                // What the warm-up leaves is known at its end.
                return Ok(Next::Draws(0));
            }
            let longest = jobs.iter().map(|job| job.chain.warmup()).max().unwrap_or(0);
            let left = budget.saturating_sub(longest) / self.thin;
            if left < self.limit.0 {
                self.limit = (left, "max-evaluations");
            }
        }
        let (limit, what) = self.limit;
        let Some(draws) = self.goal else {
            let most = jobs.iter().map(|job| job.draws(self.thin)).max().unwrap_or(0);
            return Ok(Next::Draws(*self.goal.insert(self.first(most))));
        };
        let met = self.until.map(|rule| Ok::<_, RecordError>((rule, self.is_met(rule, jobs)?))).transpose()?;
        Ok(match met {
            Some((rule, true)) => Next::Enough(format!("{rule} was reached after {draws} draws in each chain")),
            Some((rule, false)) if draws >= limit => {
                Next::TooFew(format!("the limit of {limit} draws in each chain ({what}) was reached before {rule}"))
            }
            None if what == "max-evaluations" && self.asked => {
                Next::TooFew(format!("the limit of {limit} draws in each chain ({what}) was reached"))
            }
            None if what == "draws" => Next::Enough(format!("all {limit} draws were made in each chain")),
            None => Next::Enough(format!("the limit of {limit} draws in each chain ({what}) was reached")),
            _ => Next::Draws(*self.goal.insert(later(draws).min(limit))),
        })
    }
}

/// The check after one at this number of draws.
fn later(check: u64) -> u64 {
    check + check / 4
}
