//! A run with nothing left open: complete settings, the target on the unbounded space, the chains at their starts.

use crate::error::RunError;
use crate::settings::{Parameters, RunSettings, SettingsError};
use crate::starts;
use kameleon::any_chain::AnyChain;
use kameleon::any_target::AnyTarget;
use kameleon::engine::{Engine, Runner};
use kameleon::record::Keep;
use kameleon::{Control, Target};
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
}

impl<'a> Prepared<'a> {
    /// Fills in what the settings leave open, and puts bounds and priors around the target.
    pub fn new(settings: &RunSettings, target: AnyTarget<'a>) -> Result<Self, RunError> {
        let mut settings = settings.clone();
        name_parameters(&mut settings, &target)?;
        // What the plan leaves open depends on the sampler.
        let sampler = settings.sampler()?;
        (settings.sampler, settings.run.sampler) = (sampler.choice(), sampler);
        settings.run.complete(settings.model.default_length());
        settings.check()?;
        let priors = settings.parameters.0.iter().map(|(_, parameter)| parameter.prior).collect();
        let bounds = settings.parameters.bounds()?;
        let target = Bounded::new(WithPrior::within(target, priors, &bounds)?, bounds)?;
        Ok(Self { settings, target })
    }

    /// A chain of the plan, at its start.
    pub fn chain(&self, index: usize) -> Result<Box<dyn AnyChain>, RunError> {
        let start = starts::start(&self.settings, self.target.bounds(), index)?;
        Ok(self.settings.run.chain_at(index, &start, self.target.normals())?)
    }

    /// How often a chain on disk is saved while it runs.
    pub fn save_every(&self) -> Duration {
        Duration::from_secs_f64(self.settings.output.save_every)
    }

    /// What runs the chains: this machine's threads, or a remote runner.
    pub fn engine<'e>(&self, runner: Option<&'e dyn Runner>, control: Control<'e>) -> Engine<'e> {
        let (run, output) = (&self.settings.run, &self.settings.output);
        let keep = Keep { thin: run.thin, warmup: output.keep_warmup, jumps: output.keep_jumps };
        Engine { keep, threads: run.threads, limit: run.time_limit(), runner, control }
    }
}

/// Every parameter gets a name: the user's, the target's, or its number.
fn name_parameters(settings: &mut RunSettings, target: &AnyTarget<'_>) -> Result<(), SettingsError> {
    settings.parameters = settings.model.parameters(&settings.parameters)?;
    let given = settings.parameters.0.len();
    let started = settings.start.as_ref().and_then(|points| Some(points.first()?.len()));
    let known = target.dim().or((given > 0).then_some(given)).or(started);
    let Some(dim) = known.filter(|dim| *dim > 0) else {
        let what = "the number of parameters of the target is not known; name them, or give a start";
        return Err(SettingsError::new("parameters", what));
    };
    if given == 0 {
        settings.parameters = Parameters::named(target.all_names(dim));
        return Ok(());
    }
    let what = format!("{given} are named, but the model has {dim}");
    SettingsError::demand("parameters", given == dim, &what)
}
