//! The rule by which a run ends before its last draw: `ess=400,rhat=1.01`.

use super::SettingsProblem;
use kameleon::diagnose::ParameterSummary;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

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
    /// Whether the draws are enough.
    pub fn is_met(&self, parameters: &[ParameterSummary]) -> bool {
        let ess = |p: &ParameterSummary| self.ess.is_none_or(|least| p.ess_bulk >= least && p.ess_tail >= least);
        let rhat = |p: &ParameterSummary| self.rhat.is_none_or(|most| p.r_hat <= most);
        parameters.iter().all(|p| ess(p) && rhat(p))
    }
}

impl FromStr for StopRule {
    type Err = SettingsProblem;

    fn from_str(text: &str) -> Result<Self, SettingsProblem> {
        let wrong = |why: String| SettingsProblem::new("run.until", why);
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
    type Error = SettingsProblem;

    fn try_from(text: String) -> Result<Self, SettingsProblem> {
        text.parse().map_err(|problem: SettingsProblem| SettingsProblem { key: String::new(), ..problem })
    }
}

impl From<StopRule> for String {
    fn from(rule: StopRule) -> Self {
        rule.to_string()
    }
}
