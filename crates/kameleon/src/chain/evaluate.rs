//! A chain that asks a target: its steps, what is evaluated, and the noise that belongs to it.

use super::state::Place;
use super::{Chain, ChainError, NOT_FINITE, said};
use crate::proposal::Proposal;
use crate::step::Step;
use crate::target::{EvalError, Evaluation, Noise, Target, wrong_slope};
use std::panic::{AssertUnwindSafe, catch_unwind};

impl<P: Proposal> Chain<P> {
    /// One step on a target: ask, evaluate, tell. The first call also evaluates the start.
    pub fn step<T: Target + ?Sized>(&mut self, target: &mut T) -> Result<Step, ChainError> {
        if self.waits() {
            return Err(ChainError::Waiting { chain: self.index() });
        }
        loop {
            let value = self.evaluate(target);
            match self.take(value)? {
                Some(step) => return Ok(step),
                None => self.check_gradient(target)?,
            }
        }
    }

    /// Looks at the gradient by finite differences where the chain is, if it needs one: an error names what is wrong. [`Chain::step`]
    /// does so at the start of every chain: one may be alone in its process, and a gradient may be wrong at some starts only.
    pub fn check_gradient<T: Target + ?Sized>(&self, target: &mut T) -> Result<(), ChainError> {
        let (Place { x, u, gradient, .. }, chain) = (&self.state.core.here, self.index());
        if gradient.is_empty() {
            return Ok(());
        }
        let mut rng = self.noise.clone();
        match unbroken(|| wrong_slope(target, x, Noise { rng: &mut rng, normals: u })) {
            Ok(None) => Ok(()),
            Ok(Some(wrong)) => {
                let (wrong, names) = (target.wrong_slope_of_model(wrong), target.names(x.len()));
                Err(ChainError::Gradient { chain, wrong, names })
            }
            Err(why) => {
                let source = match why {
                    EvalError::Fatal(source) => source,
                    other => other.to_string().into(),
                };
                Err(ChainError::Fatal { chain, t: 0, point: x.clone(), names: target.names(x.len()), source })
            }
        }
    }

    /// The target's answer at the point asked for. A target that panics ends its chain like one that reports a fatal error; after
    /// either, the noise stream is put back, so that the same point is asked for again with the same noise.
    fn evaluate<T: Target + ?Sized>(&mut self, target: &mut T) -> Evaluation {
        let Some((x, noise, gradient)) = self.whole_question() else { return Err(EvalError::reject(NOT_FINITE)) };
        let value = unbroken(|| match gradient.is_empty() {
            true => target.log_density(x, noise),
            false => target.gradient(x, noise, gradient),
        });
        if matches!(value, Err(EvalError::Fatal(_))) {
            self.put_back_noise();
        }
        value
    }

    /// The point to be evaluated next, with the noise for it, whose place is kept; none where the point is not finite.
    pub fn question(&mut self) -> Option<(&[f64], Noise<'_>)> {
        self.whole_question().map(|(x, noise, _)| (x, noise))
    }

    /// The same with the room for the gradient there; it is empty where none is needed.
    fn whole_question(&mut self) -> Option<(&[f64], Noise<'_>, &mut [f64])> {
        self.ask();
        let core = &mut self.state.core;
        if !core.there.x.iter().all(|x| x.is_finite()) {
            return None;
        }
        core.there.noise_at = core.noise.get_word_pos() as u64;
        let Place { x, u, gradient, .. } = &mut core.there;
        Some((x, Noise { rng: &mut core.noise, normals: u }, gradient))
    }

    /// After a point could not be evaluated: it will be asked for again with the same noise.
    pub fn put_back_noise(&mut self) {
        let core = &mut self.state.core;
        core.noise.set_word_pos(u128::from(core.there.noise_at));
    }

    /// The target's answer at [`position`](super::ChainCore::position) with the noise that made the estimate there: the same estimate, if
    /// the target is still the same and the chain was advanced by [`Chain::step`].
    pub fn evaluate_again<T: Target + ?Sized>(&self, target: &mut T) -> Evaluation {
        let Place { x, u, noise_at, gradient, .. } = self.shown();
        let mut rng = self.noise.clone();
        rng.set_word_pos(u128::from(*noise_at));
        let noise = Noise { rng: &mut rng, normals: u };
        match gradient.is_empty() {
            true => target.log_density(x, noise),
            false => target.gradient(x, noise, &mut gradient.clone()),
        }
    }
}

/// What a target says; a panic is a fatal error.
fn unbroken<V>(ask: impl FnOnce() -> Result<V, EvalError>) -> Result<V, EvalError> {
    catch_unwind(AssertUnwindSafe(ask))
        .unwrap_or_else(|panic| Err(EvalError::fatal(format!("the target panicked: {}", said(&*panic)))))
}
