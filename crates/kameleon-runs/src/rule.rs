//! The stopping rule of a run, which looks at draws in the parameters' own units.

use crate::load::own_units;
use crate::prepare::Prepared;
use crate::settings::SettingsError;
use kameleon::diagnose::{ParameterSummary, Period};
use kameleon::engine::{Job, Next, Rule, StopRule, Stopping};
use kameleon::record::{Draws, RecordError};
use kameleon_models::Bound;

/// The rule of a run.
pub struct RunRule {
    rule: Rule<'static>,
    bounds: Vec<Bound>,
    periods: Vec<Period>,
}

impl RunRule {
    /// That of the plan.
    pub fn new(prepared: &Prepared<'_>) -> Result<Self, SettingsError> {
        let parameters = &prepared.settings.parameters;
        Ok(Self { rule: prepared.plan.rule()?, bounds: parameters.bounds()?, periods: parameters.periods()? })
    }
}

impl Stopping for RunRule {
    fn next(&mut self, jobs: &[Job<'_>]) -> Result<Next, RecordError> {
        let units = |draws: &mut Draws| own_units(draws, &self.bounds);
        let checked = |rule: StopRule, parameters: &[ParameterSummary]| {
            let ess = parameters.iter().map(|p| p.ess_bulk.min(p.ess_tail)).fold(f64::INFINITY, f64::min);
            let r_hat = parameters.iter().map(|p| p.r_hat).fold(0.0, f64::max);
            tracing::info!("check for {rule}: ess={ess:.0}, rhat={r_hat:.4}");
        };
        let mut rule = Rule { units: &units, periods: &self.periods, checked: &checked, ..self.rule };
        let next = rule.next(jobs);
        (self.rule.goal, self.rule.limit) = (rule.goal, rule.limit);
        next
    }
}
