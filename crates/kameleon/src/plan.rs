//! The plan of a run: by how many chains, for how long, until when.

mod check;
mod warmup;

pub use check::{Check, has_edge};
pub use warmup::Warmup;

use crate::any_chain::AnyChain;
use crate::chain::ChainSettings;
use crate::engine::{Rule, StopRule};
use crate::length::Length;
use crate::population;
use crate::record::Recorded;
use crate::registry::SettingsError;
use crate::sampler::{Sampler, StartError};
use crate::warmup::Schedule;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Warm-up and draws where the plan leaves them open and the model suggests nothing else.
const USUAL_LENGTH: (u64, u64) = (10_000, 10_000);
/// The number of chains where the plan does not say.
const USUAL_CHAINS: usize = 4;
/// A larger number of chains is a mistake, and would ask for all memory.
const MOST_CHAINS: usize = 100_000;

/// What to run. It is also the section `[run]` of a run file, where the sampler has a section of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plan {
    /// The sampler and its settings.
    #[serde(skip)]
    pub sampler: Sampler,
    /// The number of chains.
    pub chains: usize,
    /// How chains come to know the target before their draws count.
    pub warmup: Warmup,
    /// How large a population is, where the warm-up is one.
    #[serde(skip)]
    pub population: population::Settings,
    /// The most iterations of a warm-up that ends when it has learned; by default half of `max-evaluations`, or else 10,000 or what
    /// suits the model, and as much more as fewer than four chains learn together.
    pub max_warmup: Option<u64>,
    /// Draws kept from each chain, by default 10,000 or what suits the model, or with `max-evaluations` all that the warm-up
    /// leaves; with `until`, the most that are kept.
    pub draws: Option<u64>,
    /// One draw is kept out of this many iterations: a chain makes draws × thin iterations after its warm-up.
    pub thin: u64,
    /// The seed of all random numbers.
    #[serde(with = "seed")]
    pub seed: u64,
    /// The number of threads, by default that of the cores. The draws do not depend on it.
    pub threads: Option<usize>,
    /// ρ of a correlated pseudo-marginal chain; 0 draws the target's normals afresh at every step.
    pub correlation: f64,
    /// Whether chains learn together in the warm-up, where their sampler can.
    pub pool: bool,
    /// The run ends when this rule is met.
    pub until: Option<StopRule>,
    /// The maximum number of draws kept from each chain; with `until` it replaces `draws`.
    pub max_draws: Option<u64>,
    /// The maximum number of model evaluations, by a population and all chains.
    pub max_evaluations: Option<u64>,
    /// The maximum time in minutes, counted from zero when a run is resumed.
    pub max_minutes: Option<f64>,
    /// Whether draws are compared with the shape of the density, besides with each other.
    pub check: Check,
    /// Only this chain of the plan is run, from 0: one machine's part of a job array.
    pub chain: Option<usize>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            sampler: Sampler::default(),
            chains: USUAL_CHAINS,
            warmup: Warmup::Auto,
            population: population::Settings::default(),
            max_warmup: None,
            draws: None,
            thin: 1,
            seed: 1,
            threads: None,
            correlation: 0.0,
            pool: true,
            until: None,
            max_draws: None,
            max_evaluations: None,
            max_minutes: None,
            check: Check::Auto,
            chain: None,
        }
    }
}

impl Plan {
    /// The first invalid setting.
    pub fn check(&self) -> Result<(), SettingsError> {
        let least = [
            ("chains", Some(self.chains as u64)),
            ("max-warmup", self.max_warmup),
            ("draws", self.draws),
            ("thin", Some(self.thin)),
            ("threads", self.threads.map(|threads| threads as u64)),
            ("max-draws", self.max_draws),
            ("max-evaluations", self.max_evaluations),
        ];
        for (key, value) in least {
            SettingsError::at_least_one(key, value.unwrap_or(1))?;
        }
        let (chains, rho) = (self.chains, self.correlation);
        let what = format!("must be at most {MOST_CHAINS}, not {chains}");
        SettingsError::demand("chains", chains <= MOST_CHAINS, &what)?;
        SettingsError::demand("correlation", (0.0..1.0).contains(&rho), &format!("must be in [0, 1), not {rho}"))?;
        if let Some(minutes) = self.max_minutes {
            let what = format!("must be positive, at most 10 million, not {minutes}");
            SettingsError::demand("max-minutes", minutes > 0.0 && minutes <= 1e7, &what)?;
        }
        if self.warmup == Warmup::Population {
            self.check_population()?;
        }
        if let Some(chain) = self.chain {
            let what = format!("there is no chain {chain}: the plan has {chains}, counted from 0");
            SettingsError::demand("chain", chain < chains, &what)?;
            let what = "compares the chains of a run, so it cannot stop a chain that runs alone; give `draws`";
            SettingsError::demand("until", self.until.is_none(), what)?;
        }
        self.check_budget()?;
        self.limit().map(drop)
    }

    /// An error if one chain is to be run and could not exchange what it learns with the others, which a run in memory cannot.
    pub fn check_alone(&self) -> Result<(), SettingsError> {
        let what = format!(
            "the chains of {} learn together in the warm-up, so none can be run alone in memory: give each a folder next to those of \
             the others, or, to let each learn alone, set pool = false (--no-pool) in all parts of the plan",
            self.sampler.name()
        );
        SettingsError::demand("chain", self.chain.is_none() || !self.pools(), &what)
    }

    /// Where a budget is too small for a warm-up that takes half of it, the budget is to blame.
    fn check_budget(&self) -> Result<(), SettingsError> {
        let (Some(most), (warmup, true)) = (self.max_evaluations, self.longest_warmup()?) else { return Ok(()) };
        let shortest = Schedule::new(self.length()?).least();
        let least = self.chains as u64 * (2 * shortest + 1);
        let what = format!("{most} are not enough for {} chains and their warm-up, which take {least}", self.chains);
        SettingsError::demand("max-evaluations", warmup >= shortest || most >= least, &what)
    }

    /// What a population needs.
    fn check_population(&self) -> Result<(), SettingsError> {
        self.population.check().map_err(|error| error.within("population"))?;
        let name = self.sampler.name();
        let what =
            format!("\"population\" hands over to the sampler kameleon, which can use what it found; {name} cannot");
        SettingsError::demand("warmup", self.sampler.history_points().is_some(), &what)?;
        if let Some(most) = self.max_evaluations {
            let chains = self.chains as u64 * self.thin.saturating_add(population::SETTLING + 1);
            let least = 2 * chains.max(population::LEAST_EVALUATIONS);
            let what = format!(
                "{most} are not enough for a population and {} chains after it, which take {least}",
                self.chains
            );
            SettingsError::demand("max-evaluations", most >= least, &what)?;
        }
        Ok(())
    }

    /// What the population may spend: its own limit, and half of all evaluations, so that something is left for the chains.
    pub fn population_settings(&self) -> population::Settings {
        let half = self.max_evaluations.map(|most| most / 2);
        let most = [self.population.max_evaluations, half].into_iter().flatten().min();
        population::Settings { max_evaluations: most, ..self.population.clone() }
    }

    /// Sets what is left open: `usual` are the iterations of warm-up and the draws.
    pub fn complete(&mut self, usual: (u64, u64)) {
        if self.warmup == Warmup::Auto {
            self.warmup = if self.sampler.ends_warmup() { Warmup::Chains } else { Warmup::Iterations(usual.0) };
        }
        if self.max_evaluations.is_none() {
            if matches!(self.warmup, Warmup::Chains | Warmup::Population) {
                self.max_warmup.get_or_insert(usual.0.saturating_mul(self.alone()));
            }
            self.draws.get_or_insert(usual.1);
        }
    }

    /// What takes four chains that learn together one iteration takes fewer of them this many.
    fn alone(&self) -> u64 {
        (USUAL_CHAINS / self.together().min(USUAL_CHAINS)) as u64
    }

    /// The number of threads: those that were asked for, or one for each core.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// The indices of the chains that are run here.
    pub fn indices(&self) -> Vec<usize> {
        self.chain.map_or_else(|| (0..self.chains).collect(), |chain| vec![chain])
    }

    /// Whether the chains learn from each other.
    pub fn pools(&self) -> bool {
        self.pool && self.chains > 1 && self.sampler.pools()
    }

    /// How many chains learn together.
    fn together(&self) -> usize {
        if self.pools() { self.chains } else { 1 }
    }

    /// The longest time that the run may take.
    pub fn time_limit(&self) -> Option<Duration> {
        self.max_minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes))
    }

    /// The most draws for each chain, and the setting that says so. Fewer may be left by `max-evaluations` when the length of the
    /// warm-up is known.
    pub fn limit(&self) -> Result<(u64, &'static str), SettingsError> {
        let (warmup, until_learned) = self.longest_warmup()?;
        let draws = self.draws.unwrap_or(if self.max_evaluations.is_some() { u64::MAX } else { USUAL_LENGTH.1 });
        let limit = match (self.until, self.max_draws) {
            (Some(_), Some(most)) => (most, "max-draws"),
            (None, Some(most)) if most < draws => (most, "max-draws"),
            _ => (draws, "draws"),
        };
        let (Some(evaluations), Some(iterations)) = (self.max_evaluations, self.most_iterations()) else {
            return Ok(limit);
        };
        let least = warmup.saturating_add(1).saturating_add(self.thin).saturating_mul(self.chains as u64);
        let what = format!("{evaluations} are not enough for the warm-up and a draw in each chain, which take {least}");
        SettingsError::demand("max-evaluations", iterations >= warmup.saturating_add(self.thin), &what)?;
        let each = (iterations - if until_learned { 0 } else { warmup }) / self.thin;
        Ok(if each < limit.0 { (each, "max-evaluations") } else { limit })
    }

    /// The most iterations of each chain: it evaluates its start once, and one point for each iteration.
    fn most_iterations(&self) -> Option<u64> {
        Some((self.max_evaluations? / self.chains as u64).saturating_sub(1))
    }

    /// The number of iterations of warm-up, or the most of them, and whether it may end before.
    fn longest_warmup(&self) -> Result<(u64, bool), SettingsError> {
        let ends = self.sampler.ends_warmup();
        let what = format!(
            "\"chains\" asks for a sampler that knows when it has learned; {} needs a number",
            self.sampler.name()
        );
        SettingsError::demand("warmup", ends || self.warmup != Warmup::Chains, &what)?;
        Ok(match self.warmup {
            Warmup::Iterations(iterations) => (iterations, false),
            _ => {
                let usual = if ends { USUAL_LENGTH.0.saturating_mul(self.alone()) } else { USUAL_LENGTH.0 };
                let half = self.most_iterations().map(|all| all / 2);
                let most = self.max_warmup.or(half.filter(|_| ends)).unwrap_or(usual);
                (half.map_or(most, |half| most.min(half)), ends)
            }
        })
    }

    /// Iterations of warm-up in each chain, and the most iterations after it.
    pub fn length(&self) -> Result<Length, SettingsError> {
        let sampling = self.limit()?.0.saturating_mul(self.thin);
        let (warmup, until_learned) = self.longest_warmup()?;
        Ok(Length { warmup, until_learned, sampling, together: self.together() })
    }

    /// Room in memory for the draws of a chain in `dim` dimensions; none yet where a rule ends the run, for it may need far
    /// fewer than it may make.
    pub fn room(&self, dim: usize) -> Result<Recorded, SettingsError> {
        let draws = if self.until.is_some() { 0 } else { self.limit()?.0 };
        let what =
            || format!("{draws} draws in {dim} dimensions do not fit into memory; draw fewer, thin, or give a folder");
        Recorded::with_capacity(draws, dim).ok_or_else(|| SettingsError::new("draws", what()))
    }

    /// The rule by which the run ends.
    pub fn rule(&self) -> Result<Rule<'static>, SettingsError> {
        let budget = self.most_iterations();
        let asked = self.draws.is_some();
        Ok(Rule { until: self.until, limit: self.limit()?, budget, asked, ..Rule::draws(0, self.thin) })
    }

    /// A chain of the plan at its start, for a target that takes this number of standard normals.
    pub fn chain_at(&self, index: usize, start: &[f64], normals: usize) -> Result<Box<dyn AnyChain>, StartError> {
        let (length, correlation) = (self.length()?, self.correlation);
        let settings = ChainSettings { index, seed: self.seed, warmup: length.warmup, normals, correlation };
        let mut chain = self.sampler.chain(start, settings, length)?;
        if self.pools() {
            chain.join();
        }
        Ok(chain)
    }
}

/// A seed may be larger than the largest integer of TOML; then it is written as text.
mod seed {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use serde_json::Value;

    pub fn serialize<S: Serializer>(seed: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(*seed) {
            Ok(seed) => serializer.serialize_i64(seed),
            Err(_) => serializer.serialize_str(&seed.to_string()),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let given = Value::deserialize(deserializer)?;
        let seed = given.as_u64().or_else(|| given.as_str()?.parse().ok());
        seed.ok_or_else(|| D::Error::custom(format!("must be a whole number from 0 to {}, not {given}", u64::MAX)))
    }
}
