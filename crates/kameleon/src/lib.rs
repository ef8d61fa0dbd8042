//! Kernel adaptive Metropolis-Hastings.

pub mod diagnose;
pub mod kernel;
pub mod linalg;
pub mod random;
#[doc(hidden)]
pub mod simd;
pub mod target;

pub use kernel::Kernel;
pub use random::Rng;
pub use target::{EvalError, Evaluation, Known, Noise, Target};
