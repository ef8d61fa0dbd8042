//! A function of R as a target.

use crate::host::Trouble;
use crate::session::Session;
use kameleon::{EvalError, Evaluation, Noise, Target, words};
use kameleon_models::NoiseInput;
use std::sync::Arc;

/// Seeds are whole numbers that R's `set.seed` takes.
const SEEDS: u64 = i32::MAX as u64;

/// A function of a numeric vector that returns its log density.
#[derive(Clone)]
pub struct RFunction {
    session: Arc<Session>,
    names: Arc<[String]>,
    argument: NoiseInput,
}

impl RFunction {
    /// The function of a session, of parameters with these names, and what it takes besides the point.
    pub fn new(session: &Arc<Session>, names: Vec<String>, argument: NoiseInput) -> Self {
        Self { session: Arc::clone(session), names: names.into(), argument }
    }

    fn call(&self, x: &[f64], mut noise: Noise<'_>) -> Result<f64, Trouble> {
        match self.argument {
            NoiseInput::Exact | NoiseInput::Own => self.session.call(x, &[]),
            NoiseInput::Seed => self.session.call(x, &[(noise.seed() % SEEDS) as f64]),
            NoiseInput::Normals(_) => self.session.call(x, noise.normals),
        }
    }
}

impl Target for RFunction {
    fn normals(&self) -> usize {
        self.argument.normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        let told = self.call(x, noise);
        told.map_err(|trouble| match trouble {
            Trouble::Error(said) => {
                self.session.blame(format!("log_density failed at {}: {said}", words::point(x, &self.names)))
            }
            Trouble::NotANumber(what) => {
                let place = words::point(x, &self.names);
                self.session.blame(format!("log_density must return one number, not {what}; it was called at {place}"))
            }
            Trouble::Leaving => EvalError::fatal("interrupted"),
        })
    }
}
