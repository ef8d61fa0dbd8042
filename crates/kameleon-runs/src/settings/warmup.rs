//! The plan of a run with nothing left open: whether a population comes first, and what it needs.

use super::{Kind, RunSettings, SettingsError};
use kameleon::{Plan, Warmup};

/// With fewer evaluations than this, `auto` leaves all of them to the chains.
const LEAST_EVALUATIONS: u64 = 20_000;
/// With more parameters than this too: a ladder would cost several times what chains do, and its density is not good.
const MOST_PARAMETERS: usize = 30;
/// Default lengths are for up to this many parameters.
const PARAMETERS_EACH: usize = 10;

impl RunSettings {
    /// The plan, complete. `auto` is a population where the run has all that one needs, no start, evaluations enough and not too many parameters; else what
    /// suits the sampler.
    pub(crate) fn plan(&self) -> Result<Plan, SettingsError> {
        let mut plan = Plan { sampler: self.sampler()?, population: self.population.clone(), ..self.run.clone() };
        if plan.warmup == Warmup::Auto && self.check_population().is_ok() {
            let enough = plan.max_evaluations.is_none_or(|most| most >= LEAST_EVALUATIONS)
                && self.parameters.names().len() <= MOST_PARAMETERS;
            let population = Plan { warmup: Warmup::Population, ..plan.clone() };
            if enough && population.check().is_ok() {
                plan = population;
            }
        }
        plan.complete(self.default_length());
        Ok(plan)
    }

    /// Whether there are fewer evaluations than `auto` takes for a population that the run could have. Its plan, which is complete, does
    /// not tell `auto` from `chains`.
    pub fn is_too_small_for_population(&self) -> bool {
        let few = self.run.max_evaluations.is_some_and(|most| most < LEAST_EVALUATIONS);
        few && self.run.warmup == Warmup::Chains && self.is_unsearched()
    }

    /// What chains without a population cannot see, where a population could have looked.
    pub(crate) fn unsearched(&self) -> Option<&'static str> {
        let few = self.is_too_small_for_population();
        self.is_unsearched().then_some(match few {
            true => {
                "No population looked for modes: with max-evaluations below 20000 there is none unless it is asked for. A mode that no chain \
                 met is not in these draws, and nothing here tells. Say warmup = \"population\", or, with \"auto\", allow more."
            }
            false => {
                "A mode that no chain met is not in these draws, and nothing here tells. Every parameter has a prior, so a population can \
                 look for modes everywhere: warmup = \"population\"."
            }
        })
    }

    /// Whether chains alone look for modes, although every parameter has a prior and no start is given.
    fn is_unsearched(&self) -> bool {
        let can = self.sampler().is_ok_and(|sampler| sampler.history_points().is_some());
        let few = self.parameters.names().len() <= MOST_PARAMETERS;
        self.run.warmup != Warmup::Population && can && few && self.check_population().is_ok()
    }

    /// Warm-up and draws where nothing is said: what suits the model, once for each ten parameters that have names.
    fn default_length(&self) -> (u64, u64) {
        let (warmup, draws) = self.model.default_length();
        let times = self.parameters.names().len().div_ceil(PARAMETERS_EACH).max(1) as u64;
        (warmup * times, draws * times)
    }

    /// What a population needs besides a plan that can take it: a likelihood under a proper prior, and no start.
    pub(super) fn check_population(&self) -> Result<(), SettingsError> {
        let refuse = |what: String| Err(SettingsError::new("run.warmup", format!("\"population\" {what}")));
        if matches!(self.model.kind(), Ok(Kind::Posterior(_) | Kind::Gp)) {
            return refuse(format!("needs a likelihood, and {} has a prior of its own", self.model.name()));
        }
        if !self.has_proper_prior() {
            let without = self.parameters.0.iter().find(|(_, parameter)| parameter.prior.is_none());
            let which = without.map_or("there is none".into(), |(name, _)| format!("{name} has none"));
            return refuse(format!("starts from the prior, and needs one of every parameter: {which}"));
        }
        let started = self.parameters.0.iter().find(|(_, parameter)| parameter.start.is_some());
        let key = started
            .map(|(name, _)| format!("parameters.{name}.start"))
            .or(self.start.is_some().then(|| "start".into()));
        match key {
            Some(key) => {
                Err(SettingsError::new(key, "a population needs no start: leave it out, or say warmup = \"chains\""))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_evaluations_are_named_only_where_they_may_be_why_there_is_no_population() {
        let says = |run: &str| {
            let model = "[model]\nlog-density = \"-2*a^2\"\n[parameters.a]\nprior = \"normal(0, 3)\"\n";
            let mut settings = RunSettings::from_toml(&format!("{model}[run]\n{run}"), "run.toml").unwrap();
            settings.run = settings.plan().unwrap();
            let said = settings.unsearched();
            assert_eq!(settings.is_too_small_for_population(), said.is_some_and(|text| text.contains("below 20000")));
            said.unwrap_or_default()
        };
        assert!(says("max-evaluations = 15000").contains("there is none unless it is asked for"));
        assert!(says("max-evaluations = 15000\nwarmup = 2000").contains("so a population can look"));
        assert!(says("warmup = \"chains\"").contains("so a population can look"));
        assert_eq!(says("max-evaluations = 20000"), "");
        assert_eq!(says("max-evaluations = 15000\nwarmup = \"population\""), "");
    }
}
