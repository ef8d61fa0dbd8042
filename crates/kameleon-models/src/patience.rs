//! How many points in a row may fail before a model is given up.

use kameleon::EvalError;

/// Counts failures since the last answer.
#[derive(Clone, Debug)]
pub struct Patience {
    limit: u32,
    failures: u32,
}

impl Patience {
    /// The limit is how many points in a row may fail.
    pub fn new(limit: u32) -> Self {
        Self { limit, failures: 0 }
    }

    /// The model answered.
    pub fn restore(&mut self) {
        self.failures = 0;
    }

    /// The point failed: it is rejected, unless too many before it failed too.
    pub fn fail(&mut self, why: String) -> EvalError {
        self.failures += 1;
        match self.failures {
            count if count <= self.limit => EvalError::reject(why),
            1 => EvalError::fatal(why),
            count => EvalError::fatal(format!("{count} points in a row failed, the last one: {why}")),
        }
    }
}
