//! The default sampler's moves, one file each. A new move is one file and one line in [`MOVES`].
//!
//! Each move is a Metropolis-Hastings kernel of its own in a mixture that is fixed after the warm-up, so its log ratio knows
//! of no other move. What moves read is the [`Model`] that was learned at the last refresh; what they compute at a point is
//! kept in a [`Local`].

mod density;
mod difference;
mod frame;
mod jump;
mod kernel_step;
mod local;
mod model;
mod per_move;
mod pick;
mod walk;

pub(crate) use density::log_add;
pub use density::{Density, FewDirections, JumpDensity, Parts, Student};
pub use difference::Difference;
pub use frame::Frame;
pub use jump::Jump;
pub use kernel_step::KernelStep;
pub use local::Local;
pub use model::{HistoryModel, Model};
pub use per_move::{MoveId, PerMove};
pub use pick::Pick;
pub use walk::Walk;

use crate::Rng;
use crate::adapt::Scale;

/// All moves. Their order is that in which they are drawn and reported.
pub static MOVES: [&dyn Move; 4] = [&Walk, &KernelStep, &Jump, &Difference];

/// A kind of move of the default sampler.
pub trait Move: Sync {
    /// Its name, for people; unique, and the key of its weight, scale and counts in a stored chain.
    fn name(&self) -> &'static str;

    /// Whether the model holds what the move needs: a history, unless the move says otherwise.
    fn is_possible(&self, model: &Model) -> bool {
        model.history.is_some()
    }

    /// How its share of all moves follows from what it was worth.
    fn share(&self) -> Share {
        Share::Worth
    }

    /// ν² at the start in `dim` dimensions, for a move with a length, which is learned and at times shortened; none for a
    /// jump.
    fn initial_nu2(&self, dim: usize) -> Option<f64> {
        (self.share() != Share::Jump).then(|| gelman_nu2(dim))
    }

    /// Works out what the move needs at `x` and is not known there yet.
    fn locate(&self, _with: &Setting<'_>, _x: &[f64], _at: &mut Local) {}

    /// Draws `y`, with `at` as [`Move::locate`] left it at `x`.
    fn draw(&self, with: &Setting<'_>, x: &[f64], at: &Local, rng: &mut Rng, y: &mut [f64]);

    /// ln q(x|y) − ln q(y|x), with `at_x` and `at_y` as [`Move::locate`] left them; zero for a symmetric move. What is not
    /// known gives NaN, which is never accepted. `at_y` offers its scratch space.
    fn log_ratio(&self, _with: &Setting<'_>, _at_x: &Local, _at_y: &mut Local) -> f64 {
        0.0
    }

    /// Brings what is known at a point in line with a new scale.
    fn rescale(&self, _with: &Setting<'_>, _at: &mut Local) {}
}

/// What a move is made with.
pub struct Setting<'a> {
    /// What was learned at the last refresh.
    pub model: &'a Model,
    /// The learned scale of the move.
    pub scale: Scale,
    /// What the length of its step is multiplied with: 1, or less for a shortened one.
    pub length_factor: f64,
}

impl Setting<'_> {
    /// The length of the step.
    fn length(&self) -> f64 {
        self.scale.nu() * self.length_factor
    }
}

/// How the share of a move follows from its worth, the expected squared distance that it moves the chain by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// By its worth among the moves of this kind.
    Worth,
    /// A jump: by its worth against that of the best local move.
    Jump,
}

/// 2.38²/d: the squared scale that suits a Gaussian target (Gelman et al. 1996).
pub(crate) fn gelman_nu2(d: usize) -> f64 {
    2.38 * 2.38 / d as f64
}

/// Turns a difference from x into a point.
fn from_point(x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += x);
}
