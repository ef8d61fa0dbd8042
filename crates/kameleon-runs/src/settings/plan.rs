//! How many chains, for how long, until when; what is kept of them and written.

use super::{SettingsProblem, StopRule};
use crate::output::{FORMATS, FormatName};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// More chains than anybody needs; somebody else's folder must not ask for all memory.
const MOST_CHAINS: usize = 100_000;

/// The section `[run]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlanSettings {
    /// The number of chains.
    pub chains: usize,
    /// Iterations of warm-up in each chain; by default as many as suit the model.
    pub warmup: Option<u64>,
    /// Draws kept from each chain, by default as many as suit the model; with `until`, the most that are kept.
    pub draws: Option<u64>,
    /// One draw is kept out of this many iterations.
    pub thin: u64,
    /// The seed of all random numbers.
    #[serde(with = "seed")]
    pub seed: u64,
    /// The number of threads, by default that of the cores. The draws do not depend on it.
    pub threads: Option<usize>,
    /// ρ of a correlated pseudo-marginal chain.
    pub correlation: f64,
    /// Whether up to four chains of the sampler `kameleon` learn together in the warm-up.
    pub pool: bool,
    /// Where chains start, in the parameters' own units: one point for all, or one for each.
    pub start: Option<Vec<Vec<f64>>>,
    /// The run ends when this rule is met.
    pub until: Option<StopRule>,
    /// The maximum number of draws kept from each chain; with `until` it replaces `draws`.
    pub max_draws: Option<u64>,
    /// The maximum number of model evaluations, over all chains.
    pub max_evaluations: Option<u64>,
    /// The maximum time in minutes, counted from zero when a run is resumed.
    pub max_minutes: Option<f64>,
    /// Only this chain of the plan is run, from 0: one machine's part of a job array.
    pub chain: Option<usize>,
}

impl Default for PlanSettings {
    fn default() -> Self {
        Self {
            chains: 4,
            warmup: None,
            draws: None,
            thin: 1,
            seed: 1,
            threads: None,
            correlation: 0.0,
            pool: true,
            start: None,
            until: None,
            max_draws: None,
            max_evaluations: None,
            max_minutes: None,
            chain: None,
        }
    }
}

impl PlanSettings {
    pub(super) fn check(&self) -> Result<(), SettingsProblem> {
        let least = [
            ("run.chains", Some(self.chains as u64)),
            ("run.draws", self.draws),
            ("run.thin", Some(self.thin)),
            ("run.threads", self.threads.map(|threads| threads as u64)),
            ("run.max-draws", self.max_draws),
            ("run.max-evaluations", self.max_evaluations),
        ];
        for (key, value) in least {
            SettingsProblem::demand(value != Some(0), key, || "must be at least 1".into())?;
        }
        let chains = self.chains;
        let what = || format!("must be at most {MOST_CHAINS}, not {chains}");
        SettingsProblem::demand(chains <= MOST_CHAINS, "run.chains", what)?;
        let rho = self.correlation;
        let correlated = (0.0..1.0).contains(&rho);
        SettingsProblem::demand(correlated, "run.correlation", || format!("must be in [0, 1), not {rho}"))?;
        if let Some(minutes) = self.max_minutes {
            let ok = minutes > 0.0 && minutes <= 1e7;
            SettingsProblem::demand(ok, "run.max-minutes", || {
                format!("must be positive, at most 10 million, not {minutes}")
            })?;
        }
        if let Some(chain) = self.chain {
            let what = || format!("there is no chain {chain}: the plan has {}, counted from 0", self.chains);
            SettingsProblem::demand(chain < self.chains, "run.chain", what)?;
            let what =
                || "compares the chains of a run, so it cannot stop a chain that runs alone; give `draws`".into();
            SettingsProblem::demand(self.until.is_none(), "run.until", what)?;
        }
        self.check_starts()
    }

    fn check_starts(&self) -> Result<(), SettingsProblem> {
        let Some(starts) = &self.start else { return Ok(()) };
        let (found, chains) = (starts.len(), self.chains);
        let what = || format!("needs one point, or one for each of the {chains} chains, not {found}");
        SettingsProblem::demand(found == 1 || found == chains, "run.start", what)
    }

    /// The longest time that the run may take.
    pub(crate) fn time_limit(&self) -> Option<Duration> {
        self.max_minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes))
    }

    /// The indices of the chains that are run here.
    pub fn indices(&self) -> Vec<usize> {
        self.chain.map_or_else(|| (0..self.chains).collect(), |chain| vec![chain])
    }

    /// The most draws for each chain, and what sets this limit; `warmup` and `draws` must be known.
    pub(crate) fn limit(&self) -> Result<(u64, &'static str), SettingsProblem> {
        let (warmup, draws) = (self.warmup.unwrap_or(0), self.draws.unwrap_or(1));
        let limit = match (self.until, self.max_draws) {
            (Some(_), Some(most)) => (most, "max-draws"),
            (None, Some(most)) if most < draws => (most, "max-draws"),
            _ => (draws, "draws"),
        };
        let Some(evaluations) = self.max_evaluations else { return Ok(limit) };
        // Every chain evaluates its start once, and one point for each iteration.
        let each = (evaluations / self.chains as u64).saturating_sub(warmup.saturating_add(1)) / self.thin;
        let what = || {
            let least = warmup.saturating_add(1).saturating_add(self.thin).saturating_mul(self.chains as u64);
            format!("{evaluations} are not enough for the warm-up and a draw in each chain, which take {least}")
        };
        SettingsProblem::demand(each > 0, "run.max-evaluations", what)?;
        Ok(if each < limit.0 { (each, "max-evaluations") } else { limit })
    }
}

/// The section `[output]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct OutputSettings {
    /// Whether the draws of the warm-up are kept too.
    pub keep_warmup: bool,
    /// The seconds between two checkpoints of a chain; what it did since the last is done again after a crash.
    pub save_every: f64,
    /// The files that are written into the folder when the run has ended.
    pub formats: Vec<FormatName>,
}

impl Default for OutputSettings {
    fn default() -> Self {
        Self { keep_warmup: false, save_every: 2.0, formats: vec![FormatName(&FORMATS[0])] }
    }
}

impl OutputSettings {
    pub(super) fn check(&self) -> Result<(), SettingsProblem> {
        let seconds = self.save_every;
        let ok = (0.0..=1e6).contains(&seconds);
        SettingsProblem::demand(ok, "output.save-every", || format!("must be from 0 to 1000000 seconds, not {seconds}"))
    }
}

/// A seed may be larger than the largest integer of TOML; then it is written as text.
mod seed {
    use serde::de::{Error, Visitor};
    use serde::{Deserializer, Serializer};
    use std::fmt;

    pub fn serialize<S: Serializer>(seed: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(*seed) {
            Ok(seed) => serializer.serialize_i64(seed),
            Err(_) => serializer.serialize_str(&seed.to_string()),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        deserializer.deserialize_any(Seed)
    }

    struct Seed;

    impl Visitor<'_> for Seed {
        type Value = u64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a whole number from 0 to 18446744073709551615")
        }

        fn visit_u64<E: Error>(self, seed: u64) -> Result<u64, E> {
            Ok(seed)
        }

        fn visit_i64<E: Error>(self, seed: i64) -> Result<u64, E> {
            u64::try_from(seed).map_err(|_| E::invalid_value(serde::de::Unexpected::Signed(seed), &self))
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
            text.parse().map_err(|_| E::invalid_value(serde::de::Unexpected::Str(text), &self))
        }
    }
}
