//! One chain: ask for a point, tell its log density. The one place where points are accepted and rejected.

mod error;

pub use crate::step::{Outcome, Step};
pub use error::ChainError;
pub(crate) use error::{said, show_point};

use crate::Rng;
use crate::learner::{Learner, SharedFit};
use crate::proposal::Proposal;
use crate::random::{Purpose, stream};
use crate::statistics::Statistics;
use crate::target::{EvalError, Evaluation, IntoEvaluation, Noise, Target};
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a point that overflowed is invalid.
const NOT_FINITE: &str = "the proposed point is not finite";

/// A point and everything paid for at it. Because the log density stays with its point, an estimate is recycled for as
/// long as the chain stays: a pseudo-marginal chain needs no code of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Place {
    x: Vec<f64>,
    /// The standard normals that the estimate at x was made of.
    u: Vec<f64>,
    log_density: f64,
    /// Where the noise stream was before the estimate at x was made: with it and `u` the same estimate can be made again.
    noise_at: u64,
}

/// What the chain is waiting to be told.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Asked {
    /// The log density at the start.
    Start,
    /// Nothing: ask first.
    Nothing,
    /// The log density at a proposed point, from this component.
    Proposed(usize),
    /// Nothing: it is in the middle of a step. A chain stored like this was broken by a panic, and is refused.
    Judging,
}

/// What a chain is, apart from its proposal and where it starts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChainSettings {
    /// Which chain of the run, from 0.
    pub index: usize,
    /// The seed of the run.
    pub seed: u64,
    /// Iterations of warm-up.
    pub warmup: u64,
    /// How many standard normals the target takes ([`Target::normals`]).
    pub normals: usize,
    /// ρ of a correlated pseudo-marginal chain: u' = ρu + √(1 − ρ²)ξ. Zero draws them afresh.
    pub correlation: f64,
}

/// Everything a chain is at a moment, to be stored and resumed from bit for bit. What follows from it is not stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChainState<P> {
    settings: ChainSettings,
    proposal: P,
    here: Place,
    there: Place,
    asked: Asked,
    t: u64,
    rng: Rng,
    noise: Rng,
    statistics: Statistics,
}

/// A Markov chain with a proposal that may learn.
pub struct Chain<P: Proposal> {
    state: ChainState<P>,
    /// What the proposal knows at `here` and `there`.
    local_here: P::Local,
    local_there: P::Local,
}

impl<P: Proposal> Chain<P> {
    /// A chain that will start at `start`; the first point it asks for is the start itself.
    pub fn new(proposal: P, start: &[f64], settings: ChainSettings) -> Result<Self, ChainError> {
        if let Some(i) = start.iter().position(|x| !x.is_finite()) {
            let why = format!("coordinate {} is {}; every coordinate must be finite", i + 1, start[i]);
            return Err(ChainError::Start { chain: settings.index, point: start.to_vec(), why });
        }
        let place = || Place { x: start.to_vec(), u: vec![0.0; settings.normals], log_density: 0.0, noise_at: 0 };
        let mut noise = stream(settings.seed, settings.index as u64, Purpose::Noise);
        let mut there = place();
        there.u.iter_mut().for_each(|u| *u = noise.sample(StandardNormal));
        Ok(Self::go_on(ChainState {
            proposal,
            here: place(),
            there,
            asked: Asked::Start,
            t: 0,
            rng: stream(settings.seed, settings.index as u64, Purpose::Move),
            noise,
            statistics: Statistics::new(settings.warmup),
            settings,
        }))
    }

    /// Goes on from a stored state, bit for bit. A state that does not fit together is refused.
    pub fn resume(state: ChainState<P>) -> Result<Self, ChainError> {
        let (dim, normals) = (state.here.x.len(), state.here.u.len());
        let chain = state.settings.index;
        let places = dim > 0 && state.there.x.len() == dim && state.there.u.len() == normals;
        let numbers = state.here.x.iter().all(|x| x.is_finite()) && state.here.log_density.is_finite();
        if !places || !numbers || state.settings.normals != normals {
            return Err(ChainError::State { chain, why: "its points do not fit together" });
        }
        if state.asked == Asked::Judging {
            return Err(ChainError::State { chain, why: "it was in the middle of a step" });
        }
        match state.proposal.problem(dim) {
            Some(why) => Err(ChainError::State { chain, why }),
            None => Ok(Self::go_on(state)),
        }
    }

    fn go_on(state: ChainState<P>) -> Self {
        let dim = state.here.x.len();
        let mut chain =
            Self { local_here: state.proposal.allocate(dim), local_there: state.proposal.allocate(dim), state };
        chain.state.proposal.locate(&chain.state.here.x, &mut chain.local_here);
        chain
    }

    /// Everything the chain is at this moment.
    pub fn state(&self) -> &ChainState<P> {
        &self.state
    }

    /// The point whose log density is wanted next. Asking again gives the same point until it is told. A chain that waits
    /// for its group has no question: it shows where it is, and being told is an error.
    pub fn ask(&mut self) -> &[f64] {
        if self.waits() {
            return &self.state.here.x;
        }
        let state = &mut self.state;
        if state.asked == Asked::Nothing {
            let Place { x, u, .. } = &mut state.there;
            let component = state.proposal.draw(&state.here.x, &mut self.local_here, &mut state.rng, x);
            let rho = state.settings.correlation;
            let fresh = (1.0 - rho * rho).sqrt();
            for (u, old) in u.iter_mut().zip(&state.here.u) {
                *u = rho * old + fresh * state.noise.sample::<f64, _>(StandardNormal);
            }
            state.asked = Asked::Proposed(component);
        }
        &state.there.x
    }

    /// The standard normals that go with the point asked for.
    pub fn normals(&self) -> &[f64] {
        &self.state.there.u
    }

    /// The same, to be set before the start is told: for a chain that begins where another, or an exact draw, ended.
    pub fn normals_mut(&mut self) -> &mut [f64] {
        &mut self.state.there.u
    }

    /// The log density at the point asked for, or the reason there is none. The first, at the start, makes no step.
    pub fn tell(&mut self, value: impl IntoEvaluation) -> Result<Option<Step>, ChainError> {
        if self.waits() {
            return Err(ChainError::Waiting { chain: self.state.settings.index });
        }
        let (value, why) = match value.into_evaluation() {
            // Whatever a target makes of such a point, a chain must not go there.
            _ if !self.state.there.x.iter().all(|x| x.is_finite()) => (f64::NAN, Some(NOT_FINITE.into())),
            Ok(value) => (value, None),
            Err(EvalError::Reject(why)) => (f64::NAN, Some(why)),
            Err(EvalError::Fatal(source)) => {
                let state = &self.state;
                let (chain, t, point) = (state.settings.index, state.t, state.there.x.clone());
                return Err(ChainError::Fatal { chain, t, point, source });
            }
        };
        match self.state.asked {
            Asked::Nothing | Asked::Judging => Err(ChainError::NothingAsked { chain: self.state.settings.index }),
            Asked::Start => self.begin(value, why).map(|()| None),
            Asked::Proposed(component) => Ok(Some(self.judge(value, why, component))),
        }
    }

    /// Takes the start, if its log density is finite.
    fn begin(&mut self, value: f64, why: Option<String>) -> Result<(), ChainError> {
        let state = &mut self.state;
        state.statistics.evaluations += 1;
        if !value.is_finite() {
            let why = why.unwrap_or_else(|| match value {
                f64::NEG_INFINITY => "its density is zero (log density −inf); start inside the support".into(),
                _ => format!("the log density there is {value}; start where it is finite"),
            });
            return Err(ChainError::Start { chain: state.settings.index, point: state.there.x.clone(), why });
        }
        state.there.log_density = value;
        std::mem::swap(&mut state.here, &mut state.there);
        state.asked = Asked::Nothing;
        Ok(())
    }

    /// Accepts or rejects the proposed point: the only place where that is done.
    fn judge(&mut self, value: f64, why: Option<String>, component: usize) -> Step {
        let state = &mut self.state;
        state.asked = Asked::Judging;
        let (here, there) = (&state.here, &state.there);
        let u: f64 = state.rng.random();
        let acceptance = if value.is_finite() {
            let ratio = state.proposal.log_ratio(&here.x, &self.local_here, &there.x, &mut self.local_there, component);
            let log = value - here.log_density + ratio;
            // `min` would take zero over a ratio that is not a number, and accept.
            if log.is_nan() { 0.0 } else { libm::exp(log.min(0.0)) }
        } else {
            0.0
        };
        let outcome = match value {
            _ if u < acceptance => Outcome::Accepted,
            f64::NEG_INFINITY => Outcome::OutsideSupport,
            value if !value.is_finite() => Outcome::Invalid,
            _ => Outcome::Rejected,
        };
        let sampling = (state.t + 1).saturating_sub(state.settings.warmup);
        let step = Step { t: state.t, warm: sampling == 0, sampling, outcome, acceptance, component };
        if outcome == Outcome::Accepted {
            state.there.log_density = value;
            std::mem::swap(&mut state.here, &mut state.there);
            std::mem::swap(&mut self.local_here, &mut self.local_there);
        }
        state.statistics.count(&step, &state.there.x, value, why);
        state.proposal.adapt(&state.here.x, &mut self.local_here, &step, &mut state.rng);
        state.statistics.trace(&step, &state.proposal);
        state.t += 1;
        state.asked = Asked::Nothing;
        step
    }

    /// One step on a target: ask, evaluate, tell. The first call also evaluates the start.
    pub fn step<T: Target + ?Sized>(&mut self, target: &mut T) -> Result<Step, ChainError> {
        if self.waits() {
            return Err(ChainError::Waiting { chain: self.state.settings.index });
        }
        loop {
            self.ask();
            let value = self.evaluate(target);
            if let Some(step) = self.tell(value)? {
                return Ok(step);
            }
        }
    }

    /// The target's answer at the point asked for. A target that panics ends its chain like one that says it cannot go on; after
    /// either, the noise stream is put back, so that the same point is asked for again with the same noise.
    fn evaluate<T: Target + ?Sized>(&mut self, target: &mut T) -> Evaluation {
        let state = &mut self.state;
        if !state.there.x.iter().all(|x| x.is_finite()) {
            return Err(EvalError::reject(NOT_FINITE));
        }
        let before = state.noise.get_word_pos();
        state.there.noise_at = before as u64;
        let noise = Noise { rng: &mut state.noise, normals: &state.there.u };
        let value = catch_unwind(AssertUnwindSafe(|| target.log_density(&state.there.x, noise)))
            .unwrap_or_else(|panic| Err(EvalError::fatal(format!("the target panicked: {}", said(&*panic)))));
        if matches!(value, Err(EvalError::Fatal(_))) {
            state.noise.set_word_pos(before);
        }
        value
    }

    /// The target's answer at the current point with the noise that made the estimate the chain holds: the same estimate, if
    /// the target is still the same and the chain was advanced by [`Chain::step`].
    pub fn evaluate_again<T: Target + ?Sized>(&self, target: &mut T) -> Evaluation {
        let Place { x, u, noise_at, .. } = &self.state.here;
        let mut rng = self.state.noise.clone();
        rng.set_word_pos(u128::from(*noise_at));
        target.log_density(x, Noise { rng: &mut rng, normals: u })
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
            state.proposal.locate(&state.here.x, local_here);
        }
    }

    /// Where the chain is.
    pub fn position(&self) -> &[f64] {
        &self.state.here.x
    }

    /// The log density, or its estimate, there.
    pub fn log_density(&self) -> f64 {
        self.state.here.log_density
    }

    /// Which chain of the run it is, from 0.
    pub fn index(&self) -> usize {
        self.state.settings.index
    }

    /// How many iterations of warm-up it has.
    pub fn warmup(&self) -> u64 {
        self.state.settings.warmup
    }

    /// The number of steps so far.
    pub fn iterations(&self) -> u64 {
        self.state.t
    }

    /// What happened so far.
    pub fn statistics(&self) -> &Statistics {
        &self.state.statistics
    }

    /// The proposal as it is now.
    pub fn proposal(&self) -> &P {
        &self.state.proposal
    }

    /// What the proposal knows at the current point.
    pub fn local(&self) -> &P::Local {
        &self.local_here
    }
}
