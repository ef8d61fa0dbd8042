//! A run with nothing left open: complete settings, the target on the unbounded space, the chains at their starts.

use crate::error::RunError;
use crate::settings::{Parameters, RunSettings, SettingsProblem};
use crate::starts;
use kameleon::any_chain::AnyChain;
use kameleon::any_target::AnyTarget;
use kameleon::engine::{Engine, Runner};
use kameleon::record::Keep;
use kameleon::{ChainSettings, Control, Length, Sampler, Target};
use kameleon_models::{Bounded, WithPrior};
use std::time::Duration;

/// The target that chains see: the user's, within its bounds and with its priors.
pub type ChainTarget<'a> = Bounded<WithPrior<AnyTarget<'a>>>;

/// What is needed to start the chains of a run and to resume them.
pub struct Prepared<'a> {
    /// The settings, complete.
    pub settings: RunSettings,
    /// The target that chains see.
    pub target: ChainTarget<'a>,
    sampler: Sampler,
}

impl<'a> Prepared<'a> {
    /// Fills in what the settings leave open, and puts bounds and priors around the target.
    pub fn new(settings: &RunSettings, target: AnyTarget<'a>) -> Result<Self, RunError> {
        let mut settings = settings.clone();
        name_parameters(&mut settings, &target)?;
        let (warmup, draws) = settings.model.default_length();
        settings.run.warmup.get_or_insert(warmup);
        settings.run.draws.get_or_insert(draws);
        settings.check()?;
        settings.run.limit()?;
        let sampler = settings.sampler()?;
        let alone = settings.run.chain.is_some() && settings.run.pool && settings.run.chains > 1;
        let what = || {
            let name = sampler.name();
            format!(
                "the chains of {name} learn together in the warm-up, so none can be run alone; to let each learn alone, \
                 set pool = false (--no-pool) in all parts of the plan"
            )
        };
        SettingsProblem::demand(!(alone && sampler.pools()), "run.chain", what)?;
        settings.sampler = sampler.choice();
        let priors = settings.parameters.0.iter().map(|(_, parameter)| parameter.prior).collect();
        let target = Bounded::new(WithPrior::new(target, priors)?, settings.parameters.bounds()?)?;
        Ok(Self { settings, target, sampler })
    }

    /// A chain of the plan, at its start.
    pub fn chain(&self, index: usize) -> Result<Box<dyn AnyChain>, RunError> {
        let run = &self.settings.run;
        let warmup = run.warmup.unwrap_or_default();
        let (normals, correlation) = (self.target.normals(), run.correlation);
        let settings = ChainSettings { index, seed: run.seed, warmup, normals, correlation };
        let sampling = run.limit()?.0.saturating_mul(run.thin);
        let start = starts::start(&self.settings, self.target.bounds(), index)?;
        let mut chain = self.sampler.chain(&start, settings, Length { warmup, sampling })?;
        if self.pools() {
            chain.join();
        }
        Ok(chain)
    }

    /// Whether the chains learn from each other.
    pub fn pools(&self) -> bool {
        self.settings.run.pool && self.settings.run.chains > 1 && self.sampler.pools()
    }

    /// How often a chain on disk is saved while it runs.
    pub fn save_every(&self) -> Duration {
        Duration::from_secs_f64(self.settings.output.save_every)
    }

    /// What runs the chains: this machine's threads, or a remote runner.
    pub fn engine<'e>(&self, runner: Option<&'e dyn Runner>, control: Control<'e>) -> Engine<'e> {
        let run = &self.settings.run;
        let keep = Keep { thin: run.thin, warmup: self.settings.output.keep_warmup };
        Engine { keep, threads: run.threads, limit: run.time_limit(), runner, control }
    }
}

/// Every parameter gets a name: the user's, the target's, or its number.
fn name_parameters(settings: &mut RunSettings, target: &AnyTarget<'_>) -> Result<(), SettingsProblem> {
    let given = settings.parameters.0.len();
    let started = settings.run.start.as_ref().and_then(|points| Some(points.first()?.len()));
    let known = target.dim().or((given > 0).then_some(given)).or(started);
    let Some(dim) = known.filter(|dim| *dim > 0) else {
        let what = "the number of parameters of the target is not known; name them, or give a start";
        return Err(SettingsProblem::new("parameters", what));
    };
    if given == 0 {
        let mut names = target.names(dim);
        names.truncate(dim);
        names.extend((names.len()..dim).map(|i| format!("x{}", i + 1)));
        settings.parameters = Parameters::named(names);
        return Ok(());
    }
    let what = || format!("{given} are named, but the model has {dim}");
    SettingsProblem::demand(given == dim, "parameters", what)
}
