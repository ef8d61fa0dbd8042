//! One chain: ask for a point, tell its log density. The one place where points are accepted and rejected.

mod block;
mod delay;
mod error;
mod state;

pub use crate::step::{Outcome, Step, Tried};
pub use error::ChainError;
pub(crate) use error::{said, show_point};
pub use state::{ChainCore, ChainSettings, ChainState};

use crate::circles::Circles;
use crate::learner::{Learner, SharedFit};
use crate::proposal::Proposal;
use crate::random::{Purpose, stream};
use crate::statistics::Statistics;
use crate::target::{EvalError, Evaluation, IntoEvaluation, Noise, Target};
use block::Block;
use delay::Delay;
use rand::RngExt;
use rand_distr::StandardNormal;
use state::{Asked, Place};
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a point that overflowed is invalid.
const NOT_FINITE: &str = "the proposed point is not finite";

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
        if let Some(i) = start.iter().position(|x| !x.is_finite()) {
            let why = format!("coordinate {} is {}; every coordinate must be finite", i + 1, start[i]);
            return Err(ChainError::Start { chain: settings.index, point: start.to_vec(), why, failed: false });
        }
        if settings.correlation != 0.0 {
            // The normals of a jump would depend on where the chain is.
            proposal.set_block(1);
        }
        let place = || Place { x: start.to_vec(), u: vec![0.0; settings.normals], log_density: 0.0, noise_at: 0 };
        let mut noise = stream(settings.seed, settings.index as u64, Purpose::Noise);
        let mut there = place();
        there.u.iter_mut().for_each(|u| *u = noise.sample(StandardNormal));
        let core = ChainCore {
            here: place(),
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
        let places =
            dim > 0 && settings.normals == here.u.len() && there.is_like(here) && block.fits(here) && delay.fits(here);
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
        let (x, proposal) = (state.core.base(), &state.proposal);
        let (mut local_here, local_there) = (proposal.allocate(x.len()), proposal.allocate(x.len()));
        proposal.locate(x, &mut local_here);
        Self { state, local_here, local_there }
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
            let component = match core.block.component() {
                Some(component) => {
                    proposal.draw_again(component, &mut core.rng, x);
                    component
                }
                None => proposal.draw(&core.here.x, &mut self.local_here, &mut core.rng, x),
            };
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
        if self.waits() {
            return Err(ChainError::Waiting { chain: self.index() });
        }
        let value = value.into_evaluation();
        let failed = matches!(value, Err(EvalError::Failed(_)));
        let (value, why) = match value {
            // Whatever a target makes of such a point, a chain must not go there.
            _ if !self.state.core.there.x.iter().all(|x| x.is_finite()) => (f64::NAN, Some(NOT_FINITE.into())),
            Ok(value) => (value, None),
            Err(EvalError::Reject(why) | EvalError::Failed(why)) => (f64::NAN, Some(why)),
            Err(EvalError::Fatal(source)) => {
                let (chain, t, point) = (self.index(), self.iterations(), self.state.core.there.x.clone());
                return Err(ChainError::Fatal { chain, t, point, source });
            }
        };
        match self.state.core.asked {
            Asked::Nothing | Asked::Judging => Err(ChainError::NothingAsked { chain: self.index() }),
            Asked::Start => self.begin(value, why, failed).map(|()| None),
            Asked::Proposed(component) => Ok(Some(self.judge(value, why, component))),
        }
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
            return Err(ChainError::Start { chain: core.settings.index, point: core.there.x.clone(), why, failed });
        }
        core.there.log_density = value;
        std::mem::swap(&mut core.here, &mut core.there);
        core.asked = Asked::Nothing;
        Ok(())
    }

    /// Accepts or rejects the proposed point, alone or with others: the only place where that is done.
    fn judge(&mut self, value: f64, why: Option<String>, component: usize) -> Step {
        let ChainState { core, proposal } = &mut self.state;
        core.asked = Asked::Judging;
        let log_ratio = if value.is_finite() {
            let (from, to) = (&core.here, &core.there);
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
        let block = Some(proposal.block()).filter(|size| *size > 1 && log_q.is_some());
        let moved = match block {
            Some(_) => core.add_to_block(log_ratio, component),
            None => core.judge_alone(log_ratio),
        };
        let mut accepted = u64::from(core.is_there);
        if core.is_there {
            std::mem::swap(&mut self.local_here, &mut self.local_there);
        } else if let Some(new) = block.and_then(|size| core.close_block(size)) {
            accepted = new;
            proposal.locate(core.base(), &mut self.local_here);
        }
        let outcome = match value {
            value if value.is_nan() || value == f64::INFINITY => Outcome::Invalid,
            _ if moved => Outcome::Accepted,
            f64::NEG_INFINITY => Outcome::OutsideSupport,
            _ => Outcome::Rejected,
        };
        let sampling = (core.t + 1).saturating_sub(core.settings.warmup);
        let ratio = |log_q: f64| if value.is_finite() { value - log_q } else { f64::NEG_INFINITY };
        let (acceptance, jump_ratio) = (libm::exp(log_ratio.min(0.0)), log_q.map(ratio));
        let step =
            Step { t: core.t, warm: sampling == 0, sampling, outcome, accepted, acceptance, component, jump_ratio };
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

    /// One step on a target: ask, evaluate, tell. The first call also evaluates the start.
    pub fn step<T: Target + ?Sized>(&mut self, target: &mut T) -> Result<Step, ChainError> {
        if self.waits() {
            return Err(ChainError::Waiting { chain: self.index() });
        }
        loop {
            let value = self.evaluate(target);
            if let Some(step) = self.tell(value)? {
                return Ok(step);
            }
        }
    }

    /// The target's answer at the point asked for. A target that panics ends its chain like one that reports a fatal error; after
    /// either, the noise stream is put back, so that the same point is asked for again with the same noise.
    fn evaluate<T: Target + ?Sized>(&mut self, target: &mut T) -> Evaluation {
        let Some((x, noise)) = self.question() else { return Err(EvalError::reject(NOT_FINITE)) };
        let value = catch_unwind(AssertUnwindSafe(|| target.log_density(x, noise)))
            .unwrap_or_else(|panic| Err(EvalError::fatal(format!("the target panicked: {}", said(&*panic)))));
        if matches!(value, Err(EvalError::Fatal(_))) {
            self.put_back_noise();
        }
        value
    }

    /// The point to be evaluated next, with the noise for it, whose place is kept; none where the point is not finite.
    pub fn question(&mut self) -> Option<(&[f64], Noise<'_>)> {
        self.ask();
        let core = &mut self.state.core;
        if !core.there.x.iter().all(|x| x.is_finite()) {
            return None;
        }
        core.there.noise_at = core.noise.get_word_pos() as u64;
        Some((&core.there.x, Noise { rng: &mut core.noise, normals: &core.there.u }))
    }

    /// After a point could not be evaluated: it will be asked for again with the same noise.
    pub fn put_back_noise(&mut self) {
        let core = &mut self.state.core;
        core.noise.set_word_pos(u128::from(core.there.noise_at));
    }

    /// The target's answer at [`ChainCore::position`] with the noise that made the estimate there: the same estimate, if
    /// the target is still the same and the chain was advanced by [`Chain::step`].
    pub fn evaluate_again<T: Target + ?Sized>(&self, target: &mut T) -> Evaluation {
        let Place { x, u, noise_at, .. } = self.shown();
        let mut rng = self.noise.clone();
        rng.set_word_pos(u128::from(*noise_at));
        target.log_density(x, Noise { rng: &mut rng, normals: u })
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

    /// The proposal as it is now.
    pub fn proposal(&self) -> &P {
        &self.state.proposal
    }

    /// What the proposal knows at [`ChainCore::base`].
    pub fn local(&self) -> &P::Local {
        &self.local_here
    }
}
