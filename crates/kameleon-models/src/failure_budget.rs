//! The number of consecutive points that may fail before the run ends.

use kameleon::EvalError;

/// Counts consecutive failures; a clone counts from zero.
#[derive(Debug)]
pub struct FailureBudget {
    limit: u32,
    failures: u32,
}

impl Clone for FailureBudget {
    fn clone(&self) -> Self {
        Self::new(self.limit)
    }
}

impl FailureBudget {
    /// `limit` consecutive points may fail.
    pub fn new(limit: u32) -> Self {
        Self { limit, failures: 0 }
    }

    /// The model answered: the count starts again.
    pub fn reset(&mut self) {
        self.failures = 0;
    }

    /// The point failed: it is rejected, or fatal once the budget is spent.
    pub fn fail(&mut self, why: String) -> EvalError {
        self.failures += 1;
        match self.failures {
            count if count <= self.limit => EvalError::failed(why),
            1 => EvalError::fatal(why),
            count => EvalError::fatal(format!("{count} points in a row failed, the last one: {why}")),
        }
    }
}
