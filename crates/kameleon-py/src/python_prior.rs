//! A target under a prior that only Python can evaluate.

use crate::callable::Callable;
use kameleon::any_target::AnyTarget;
use kameleon::{Evaluation, Noise, Target};

/// A target plus a log prior, a Python function of a point. Where the prior is zero the target is not evaluated.
#[derive(Clone)]
pub struct Under {
    target: AnyTarget<'static>,
    log_prior: Callable,
}

impl Under {
    /// The target under this prior.
    pub fn new(target: AnyTarget<'static>, log_prior: Callable) -> Self {
        Self { target, log_prior }
    }
}

impl Target for Under {
    fn inner(&self) -> Option<&dyn Target> {
        Some(&self.target)
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        let Noise { rng, normals } = noise;
        let log_prior = self.log_prior.log_density(x, Noise { rng: &mut *rng, normals: &[] })?;
        if log_prior.is_nan() || log_prior == f64::NEG_INFINITY {
            return Ok(log_prior);
        }
        Ok(log_prior + self.target.log_density(x, Noise { rng, normals })?)
    }
}
