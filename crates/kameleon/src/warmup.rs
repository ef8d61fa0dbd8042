//! The default sampler's warm-up: what is learned ([`Fit`]), when, and from whom.
//!
//! Each chain keeps a [`WarmupState`]. At a refresh it brings a [`ChainInput`]; from those of a group, or of one chain alone,
//! follows the next fit. After the last refresh only the scales are learned, after the warm-up nothing.

mod choose;
mod correlation;
mod fit;
mod input;
mod refresh;
mod schedule;
mod state;
mod subspaces;
mod weights;
mod window;

pub use fit::Fit;
pub use input::{ChainInput, Tally};
pub use refresh::{Limits, refresh};
pub use schedule::Schedule;
pub use state::WarmupState;
