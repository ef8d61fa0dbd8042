//! A run with nothing left open: complete settings, the target on the unbounded space, the chains at their starts.

use crate::error::RunError;
use crate::settings::{Parameters, RunSettings, SettingsError};
use crate::starts;
use crate::store::Search;
use kameleon::any_chain::AnyChain;
use kameleon::any_target::AnyTarget;
use kameleon::chain::ChainError;
use kameleon::engine::{Engine, Job, Restart, Runner};
use kameleon::handover::Handover;
use kameleon::nearby::ATTEMPTS;
use kameleon::population::{Found, Prior};
use kameleon::random::{Purpose, stream};
use kameleon::record::Keep;
use kameleon::target::NO_GRADIENT;
use kameleon::{Control, Plan, Target, Warmup};
use kameleon_models::{Bounded, JointPrior, WithPrior};
use std::time::{Duration, Instant};

/// The target that chains see: the user's, within its bounds and with its priors.
pub type ChainTarget<'a> = Bounded<WithPrior<AnyTarget<'a>>>;

/// What is needed to start the chains of a run and to resume them.
pub struct Prepared<'a> {
    /// The settings, complete.
    pub settings: RunSettings,
    /// The plan of the chains.
    pub plan: Plan,
    /// The target that chains see.
    pub target: ChainTarget<'a>,
    /// When the run began: from then on its time is counted.
    pub started: Instant,
    /// The population before the chains; none before it was begun, and for a run without one.
    pub search: Option<Search>,
    /// How chains go on from what it found.
    handover: Option<Handover>,
}

impl<'a> Prepared<'a> {
    /// Fills in what the settings leave open, and puts bounds and priors around the target. A `prior` of all parameters takes the
    /// place of those of the settings.
    pub fn new(settings: &RunSettings, target: AnyTarget<'a>, prior: Option<JointPrior>) -> Result<Self, RunError> {
        let mut settings = settings.clone();
        name_parameters(&mut settings, &target)?;
        check_joint(&mut settings, prior.as_ref())?;
        // What the plan leaves open depends on the sampler.
        let sampler = settings.sampler()?;
        (settings.sampler, settings.run) = (sampler.choice(), settings.plan()?);
        settings.check()?;
        let priors = settings.parameters.0.iter().map(|(_, parameter)| parameter.prior).collect();
        let bounds = settings.parameters.bounds()?;
        let target = match prior {
            Some(prior) => WithPrior::joint(target, prior)?,
            None => WithPrior::within(target, priors, &bounds)?,
        };
        let (plan, target) = (settings.run.clone(), Bounded::new(target, bounds)?);
        SettingsError::demand("sampler", target.has_gradient() || !sampler.needs_gradient(), NO_GRADIENT)?;
        Ok(Self { settings, plan, target, started: Instant::now(), search: None, handover: None })
    }

    /// Whether a population comes before the chains.
    pub fn starts_from_prior(&self) -> bool {
        self.settings.run.warmup == Warmup::Population
    }

    /// From now on chains start from what a population found.
    pub fn hand_over(&mut self, found: &Found) -> Result<(), SettingsError> {
        let handover = Handover::new(found, &self.settings.run)?;
        self.plan = handover.plan.clone();
        self.handover = Some(handover);
        Ok(())
    }

    /// Whether chains learn together, so that none can go on without the others of its group.
    pub fn pools(&self) -> bool {
        self.plan.pools() && !self.handover.as_ref().is_some_and(Handover::is_frozen)
    }

    /// A chain of the plan, at its start.
    pub fn chain(&self, index: usize) -> Result<Box<dyn AnyChain>, RunError> {
        match &self.handover {
            Some(handover) => Ok(handover.chain(index, self.target.normals())?),
            None => chain_at(&self.settings, &self.plan, &self.target, index, 0),
        }
    }

    /// Whether chains start at draws, and none at a point that was given or found.
    pub fn draws_starts(&self) -> bool {
        self.handover.is_none() && starts::are_drawn(&self.settings)
    }

    /// The same chain at other starts, where there are any; it is the same for a run that is resumed before its first step.
    pub fn restart(&self, index: usize) -> Option<Restart<'a>> {
        if self.handover.is_some() || !starts::may_differ(&self.settings, index) {
            return None;
        }
        let (settings, plan, target) = (self.settings.clone(), self.plan.clone(), self.target.clone());
        let mut attempts = 1..ATTEMPTS;
        Some(Box::new(move || chain_at(&settings, &plan, &target, index, attempts.next()?).ok()))
    }

    /// The job, whose chain may yet have to find its start.
    pub fn with_restart(&self, job: Job<'a>) -> Job<'a> {
        let restart = self.restart(job.chain.index()).filter(|_| job.chain.statistics().evaluations == 0);
        job.with_restart(restart)
    }

    /// When the run began, and how long it may take.
    pub fn time_limit(&self) -> Option<(Instant, Duration)> {
        self.plan.time_limit().map(|limit| (self.started, limit))
    }

    /// Tells whether the time of the run is over.
    pub fn late(&self) -> impl Fn() -> bool + Sync + use<> {
        let limit = self.time_limit();
        move || limit.is_some_and(|(started, limit)| started.elapsed() >= limit)
    }

    /// How often a chain on disk is saved while it runs.
    pub fn save_every(&self) -> Duration {
        Duration::from_secs_f64(self.settings.output.save_every)
    }

    /// The error with its point in the parameters' own units and by their names; and that other starts were tried, where they were.
    pub fn describe(&self, mut error: ChainError) -> ChainError {
        if let ChainError::Start { why, .. } = &mut error
            && self.draws_starts()
        {
            *why += &format!(" (the last of {ATTEMPTS} starts that were drawn at random; give a start)");
        }
        if let ChainError::Start { point, .. }
        | ChainError::Fatal { point, .. }
        | ChainError::Population { point, .. } = &mut error
        {
            point.iter_mut().zip(self.target.bounds()).for_each(|(u, bound)| *u = bound.bounded(*u).0);
        }
        error.with_names(&self.settings.parameters.names())
    }

    /// What runs the chains: this machine's threads, or a remote runner.
    pub fn engine<'e>(&self, runner: Option<&'e dyn Runner>, control: Control<'e>) -> Engine<'e> {
        let (run, output) = (&self.plan, &self.settings.output);
        let keep = Keep { thin: run.thin, warmup: output.keep_warmup, jumps: output.keep_jumps };
        Engine { keep, threads: run.threads, limit: self.time_limit(), runner, control }
    }
}

/// A chain of the plan at its start, or at a later draw of it.
fn chain_at(
    settings: &RunSettings,
    plan: &Plan,
    target: &ChainTarget<'_>,
    index: usize,
    attempt: usize,
) -> Result<Box<dyn AnyChain>, RunError> {
    let start = match &settings.start {
        // No parameter has a prior of its own to start from.
        None if target.target().is_joint() => {
            let mut draws = target.draws(&mut stream(plan.seed, index as u64, Purpose::Start), attempt + 1);
            draws.split_off(attempt * target.bounds().len())
        }
        _ => starts::start(settings, target.bounds(), index, attempt)?,
    };
    let mut chain = plan.chain_at(index, &start, target.normals())?;
    chain.set_circles(&target.circles());
    Ok(chain)
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

/// A prior that is a function of another program comes with the run, and its settings say so.
fn check_joint(settings: &mut RunSettings, prior: Option<&JointPrior>) -> Result<(), SettingsError> {
    match (prior, &settings.model.external_prior) {
        (Some(prior), _) => {
            let (found, wanted) = (prior.dim(), settings.parameters.0.len());
            let what = format!("has {found} parameters, but the model has {wanted}");
            SettingsError::demand("model.external-prior", found == wanted, &what)?;
            settings.model.external_prior.get_or_insert_with(|| "a function".into());
            Ok(())
        }
        (None, Some(what)) => {
            let what = format!("{what} is a function of another program, and only that program can evaluate it");
            Err(SettingsError::new("model.external-prior", what))
        }
        (None, None) => Ok(()),
    }
}
