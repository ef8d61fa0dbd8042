//! The default sampler's warm-up: what is learned ([`Fit`]), when, and from whom.
//!
//! Each chain keeps a [`WarmupState`]. At a refresh it brings a [`ChainInput`]; from those of a group, or of one chain alone,
//! follows the next fit. After the last refresh only the scales are learned, after the warm-up nothing.

mod correlation;
mod cuts;
mod directions;
mod fit;
mod flat;
mod input;
mod learning;
mod missed;
mod proposals;
mod refresh;
mod regions;
mod schedule;
mod state;
mod structure;
mod weights;
mod window;

pub(crate) use correlation::shrunk_frame;
pub use fit::Fit;
pub(crate) use flat::{EXPLORING, FROZEN, with_flat_part};
pub use input::{ChainInput, Tally};
pub(crate) use learning::Learning;
pub(crate) use missed::with_missed_regions;
pub use proposals::Evaluated;
pub(crate) use proposals::{MOST_ROUNDS, where_there_is_one};
pub use refresh::refresh;
pub(crate) use regions::{regions_at, unvisited};
pub use schedule::Schedule;
pub use state::WarmupState;
pub(crate) use structure::{Effort, learn_density};
pub(crate) use weights::{jump_share, weights};
pub(crate) use window::Window;
