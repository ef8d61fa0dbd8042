//! One chain: ask for a point, tell its log density. The one place where points are accepted and rejected.

mod block;
mod delay;
mod error;
mod evaluate;
mod state;

pub use crate::step::{Drawn, Outcome, Step, Tried};
pub use error::ChainError;
pub(crate) use error::said;
pub use state::{ChainCore, ChainSettings, ChainState};

use crate::circles::Circles;
use crate::learner::{Learner, SharedFit};
use crate::proposal::Proposal;
use crate::random::{Purpose, stream};
use crate::statistics::Statistics;
use crate::target::{EvalError, Evaluation, IntoEvaluation};
use block::Block;
use delay::Delay;
use rand::RngExt;
use rand_distr::StandardNormal;
use state::{Asked, Place};
use std::ops::Deref;

/// Why a point that overflowed is invalid.
const NOT_FINITE: &str = "the proposed point is not finite";
/// Why a point is invalid whose gradient has no use.
const NO_FINITE_GRADIENT: &str = "the gradient there is not finite";

/// A Markov chain with a proposal that may learn. What it shares with all others is read by way of [`ChainCore`].
pub struct Chain<P: Proposal> {
    state: ChainState<P>,
    /// What the proposal knows at `here` and `there`.
    local_here: P::Local,
    local_there: P::Local,
}

impl<P: Proposal> Deref for Chain<P> {
    type Target = ChainCore;

    fn deref(&self) -> &ChainCore {
        &self.state.core
    }
}

impl<P: Proposal> Chain<P> {
    /// A chain that will start at `start`; the first point it asks for is the start itself.
    pub fn new(mut proposal: P, start: &[f64], settings: ChainSettings) -> Result<Self, ChainError> {
        if !start.iter().all(|x| x.is_finite()) {
            let (point, names, why) = (start.to_vec(), Vec::new(), "every coordinate must be finite".into());
            return Err(ChainError::Start { chain: settings.index, point, names, why, failed: false });
        }
        if settings.correlation != 0.0 {
            // The normals of a jump would depend on where the chain is.
            proposal.set_block(1);
        }
        let gradient = vec![0.0; if proposal.needs_gradient() { start.len() } else { 0 }];
        let u = vec![0.0; settings.normals];
        let here = Place { x: start.to_vec(), u, log_density: 0.0, gradient, noise_at: 0 };
        let mut noise = stream(settings.seed, settings.index as u64, Purpose::Noise);
        let mut there = here.clone();
        there.u.iter_mut().for_each(|u| *u = noise.sample(StandardNormal));
        let core = ChainCore {
            here,
            there,
            is_there: false,
            block: Block::default(),
            delay: Delay::default(),
            asked: Asked::Start,
            t: 0,
            rng: stream(settings.seed, settings.index as u64, Purpose::Move),
            noise,
            statistics: Statistics::new(settings.warmup),
            settings,
        };
        Ok(Self::from_state(ChainState { core, proposal }))
    }

    /// The chain as it was stored, bit for bit. A state that does not fit together is refused.
    pub fn resume(state: ChainState<P>) -> Result<Self, ChainError> {
        let ChainCore { settings, here, there, block, delay, asked, .. } = &state.core;
        let dim = here.x.len();
        let slopes = if state.proposal.needs_gradient() { dim } else { 0 };
        let sizes = dim > 0 && settings.normals == here.u.len() && slopes == here.gradient.len();
        let places = sizes && there.is_like(here) && block.fits(here) && delay.fits(here);
        let numbers = here.x.iter().all(|x| x.is_finite()) && here.log_density.is_finite();
        let why = match asked {
            _ if !places || !numbers => Some("its points do not fit together"),
            Asked::Judging => Some("it was in the middle of a step"),
            _ => state.proposal.problem(dim),
        };
        match why {
            Some(why) => Err(ChainError::State { chain: settings.index, why }),
            None => Ok(Self::from_state(state)),
        }
    }

    fn from_state(state: ChainState<P>) -> Self {
        let (dim, proposal) = (state.core.base().len(), &state.proposal);
        let (local_here, local_there) = (proposal.allocate(dim), proposal.allocate(dim));
        let mut this = Self { state, local_here, local_there };
        this.locate_here();
        this
    }

    /// Works out what the proposal knows where the chain is.
    fn locate_here(&mut self) {
        let ChainState { core, proposal } = &self.state;
        proposal.take_gradient(&core.here.gradient, &mut self.local_here);
        proposal.locate(core.base(), &mut self.local_here);
    }

    /// Everything the chain is at this moment.
    pub fn state(&self) -> &ChainState<P> {
        &self.state
    }

    /// The point whose log density is wanted next. Asking again gives the same point until it is told. A chain that waits
    /// for its group has no question: it shows where it is, and being told is an error.
    pub fn ask(&mut self) -> &[f64] {
        if self.waits() {
            return self.position();
        }
        let ChainState { core, proposal } = &mut self.state;
        if core.asked == Asked::Nothing {
            let Place { x, u, .. } = &mut core.there;
            let (here, at) = (&core.here, &mut self.local_here);
            let component = core.block.component().unwrap_or_else(|| proposal.draw(&here.x, at, &mut core.rng, x));
            if core.block.component().is_none()
                && let Some(spot) = proposal.spot(component, &here.x, at, &mut core.rng)
            {
                core.block.begin(here, component, spot, proposal.block());
            }
            if let Some(spot) = core.block.next_spot() {
                core.block.set_part(proposal.draw_at(spot, &mut core.rng, x));
            }
            let rho = core.settings.correlation;
            let fresh = (1.0 - rho * rho).sqrt();
            for (u, old) in u.iter_mut().zip(&core.here.u) {
                *u = rho * old + fresh * core.noise.sample::<f64, _>(StandardNormal);
            }
            core.asked = Asked::Proposed(component);
        }
        &core.there.x
    }

    /// [`ChainCore::normals`], to be set before the start is told: for a chain that begins where another, or an exact draw, ended.
    pub fn normals_mut(&mut self) -> &mut [f64] {
        &mut self.state.core.there.u
    }

    /// The log density at the point asked for, or the reason there is none. The first, at the start, makes no step.
    pub fn tell(&mut self, value: impl IntoEvaluation) -> Result<Option<Step>, ChainError> {
        self.tell_with_gradient(value, &[])
    }

    /// The same with the gradient of the log density there, for a proposal that needs one; others do not look at it. It is not
    /// wanted where there is no finite log density.
    pub fn tell_with_gradient(
        &mut self,
        value: impl IntoEvaluation,
        gradient: &[f64],
    ) -> Result<Option<Step>, ChainError> {
        let value = value.into_evaluation();
        let (chain, wanted, told) = (self.index(), self.state.core.there.gradient.len(), gradient.len());
        if wanted > 0 && value.as_ref().is_ok_and(|value| value.is_finite()) {
            if wanted != told {
                return Err(ChainError::GradientWanted { chain, wanted, told });
            }
            self.state.core.there.gradient.copy_from_slice(gradient);
        }
        self.take(value)
    }

    /// Takes a value, whose gradient is in its place already.
    fn take(&mut self, value: Evaluation) -> Result<Option<Step>, ChainError> {
        if self.waits() {
            return Err(ChainError::Waiting { chain: self.index() });
        }
        let failed = matches!(value, Err(EvalError::Failed(_)));
        let steep = self.forget_infinite_gradient();
        let (value, why) = match value {
            // Whatever a target makes of such a point, a chain must not go there.
            _ if !self.state.core.there.x.iter().all(|x| x.is_finite()) => (f64::NAN, Some(NOT_FINITE.into())),
            Ok(value) if value.is_finite() && steep => (f64::NAN, Some(NO_FINITE_GRADIENT.into())),
            Ok(value) => (value, None),
            Err(EvalError::Reject(why) | EvalError::Failed(why)) => (f64::NAN, Some(why)),
            Err(EvalError::Fatal(source)) => {
                let (chain, t, point) = (self.index(), self.iterations(), self.state.core.there.x.clone());
                return Err(ChainError::Fatal { chain, t, point, names: Vec::new(), source });
            }
        };
        match self.state.core.asked {
            Asked::Nothing | Asked::Judging => Err(ChainError::NothingAsked { chain: self.index() }),
            Asked::Start => self.begin(value, why, failed).map(|()| None),
            Asked::Proposed(component) => Ok(Some(self.judge(value, why, component))),
        }
    }

    /// Whether the gradient at the proposed point is not finite: then it is taken away, since not every format can store it.
    fn forget_infinite_gradient(&mut self) -> bool {
        let gradient = &mut self.state.core.there.gradient;
        let steep = !gradient.iter().all(|g| g.is_finite());
        if steep {
            gradient.fill(0.0);
        }
        steep
    }

    /// Takes the start, if its log density is finite.
    fn begin(&mut self, value: f64, why: Option<String>, failed: bool) -> Result<(), ChainError> {
        let core = &mut self.state.core;
        core.statistics.evaluations += 1;
        if !value.is_finite() {
            let why = why.unwrap_or_else(|| match value {
                f64::NEG_INFINITY => "its density is zero (log density −inf); start inside the support".into(),
                _ => format!("the log density there is {value}; start where it is finite"),
            });
            let (chain, point, names) = (core.settings.index, core.there.x.clone(), Vec::new());
            return Err(ChainError::Start { chain, point, names, why, failed });
        }
        core.there.log_density = value;
        std::mem::swap(&mut core.here, &mut core.there);
        core.asked = Asked::Nothing;
        if !core.here.gradient.is_empty() {
            self.locate_here();
        }
        Ok(())
    }

    /// Accepts or rejects the proposed point, alone or with others: the only place where that is done.
    fn judge(&mut self, value: f64, why: Option<String>, component: usize) -> Step {
        let ChainState { core, proposal } = &mut self.state;
        core.asked = Asked::Judging;
        let log_ratio = if value.is_finite() {
            let (from, to) = (&core.here, &core.there);
            proposal.take_gradient(&to.gradient, &mut self.local_there);
            let ratio = proposal.log_ratio(&from.x, &self.local_here, &to.x, &mut self.local_there, component);
            let log = value - from.log_density + ratio;
            if log.is_nan() { f64::NEG_INFINITY } else { log }
        } else {
            f64::NEG_INFINITY
        };
        let log_q = proposal.log_jump_density(&self.local_there, component);
        if value.is_finite() {
            core.there.log_density = value;
        }
        let part = core.block.part();
        let moved = match part {
            Some(_) => core.add_to_block(log_ratio),
            None => core.judge_alone(log_ratio),
        };
        let mut accepted = u64::from(core.is_there);
        if core.is_there {
            std::mem::swap(&mut self.local_here, &mut self.local_there);
        } else if let Some(new) = part.and_then(|_| core.close_block()) {
            accepted = new;
            proposal.take_gradient(&core.here.gradient, &mut self.local_here);
            proposal.locate(core.base(), &mut self.local_here);
        }
        let outcome = if moved { Outcome::Accepted } else { Outcome::of_tried(value) };
        let sampling = (core.t + 1).saturating_sub(core.settings.warmup);
        let drawn = |log_q: f64| {
            let log_ratio = if value.is_finite() { value - log_q } else { f64::NEG_INFINITY };
            Drawn { log_ratio, part: part.unwrap_or(Drawn::NO_PART) }
        };
        // With correlated noise a jump proposal comes with noise that depends on the chain's: its weight would be wrong.
        let jump = log_q.map(drawn).filter(|_| core.settings.correlation == 0.0);
        let acceptance = libm::exp(log_ratio.min(0.0));
        let step = Step { t: core.t, warm: sampling == 0, sampling, outcome, accepted, acceptance, component, jump };
        let Place { x, log_density, .. } = &core.here;
        let tried = if core.is_there { x } else { &core.there.x };
        core.statistics.count(&step, tried, value, why);
        proposal.observe(&step, Tried { y: tried, log_density: value, x, log_density_here: *log_density });
        proposal.adapt(x, &mut self.local_here, &step, &mut core.rng);
        core.settings.warmup = proposal.warmup_end().unwrap_or(core.settings.warmup);
        core.statistics.trace(&step, proposal);
        core.t += 1;
        core.asked = Asked::Nothing;
        step
    }

    /// Says, before the first step, which coordinates are circles ([`crate::circles`]). The chain is the same, but its sampler may learn
    /// better.
    pub fn set_circles(&mut self, coordinates: &[usize]) {
        let ChainState { core, proposal } = &mut self.state;
        proposal.set_circles(Circles::random(coordinates, core.settings.seed));
        proposal.locate(core.base(), &mut self.local_here);
    }

    /// Joins a group: from now on the chain waits at every refresh of what it learns, until its group is refreshed
    /// ([`pool::refresh`](crate::pool::refresh)). Nothing happens to a chain whose sampler learns alone.
    pub fn join(&mut self) {
        if let Some(learner) = self.state.proposal.learner_mut() {
            learner.join();
        }
    }

    /// Whether the chain waits for its group.
    pub fn waits(&self) -> bool {
        self.state.proposal.learner().is_some_and(Learner::waits)
    }

    /// Takes over what its group has learned.
    pub fn learn(&mut self, fit: &SharedFit) {
        let Self { state, local_here, .. } = self;
        if let Some(learner) = state.proposal.learner_mut() {
            learner.take(fit);
            state.core.settings.warmup = state.proposal.warmup_end().unwrap_or(state.core.settings.warmup);
            state.proposal.locate(&state.core.here.x, local_here);
        }
    }

    /// Whether every value has to be told with the gradient there.
    pub fn needs_gradient(&self) -> bool {
        self.state.proposal.needs_gradient()
    }

    /// The proposal as it is now.
    pub fn proposal(&self) -> &P {
        &self.state.proposal
    }

    /// What the proposal knows at [`ChainCore::base`].
    pub fn local(&self) -> &P::Local {
        &self.local_here
    }
}
