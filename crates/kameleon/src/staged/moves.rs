//! Which move is made: each is a Metropolis-Hastings kernel of its own, drawn from a mixture that is fixed after warm-up.

use crate::Rng;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// A kind of move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A step of adaptive Metropolis, N(y, s²Σ).
    Walk,
    /// A step of the Kameleon in the learned frame.
    KernelStep,
    /// An independent draw from the density estimate.
    Jump,
    /// A step along the difference of two points of z.
    Difference,
    /// An independent draw of a few coordinates from a density estimate of them, the others kept.
    PartialJump,
    /// A step of the Kameleon in these few coordinates.
    PartialStep,
}

/// All kinds, in the order of their numbers.
pub const KINDS: [Kind; 6] =
    [Kind::Walk, Kind::KernelStep, Kind::Jump, Kind::Difference, Kind::PartialJump, Kind::PartialStep];

/// One of something for each kind.
pub type PerKind<T> = [T; KINDS.len()];

impl Kind {
    /// The kind of move of a component of the proposal.
    pub fn of(component: usize) -> Self {
        Move::of(component).kind
    }

    /// Its name, for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Walk => "adaptive Metropolis",
            Self::KernelStep => "Kameleon",
            Self::Jump => "jump",
            Self::Difference => "differential evolution",
            Self::PartialJump => "jump in few directions",
            Self::PartialStep => "Kameleon in few directions",
        }
    }

    /// Whether it is a step of a length, which can be learned or shortened.
    pub fn is_step(self) -> bool {
        !matches!(self, Self::Jump | Self::PartialJump)
    }
}

/// A local move is shortened this often …
const SHORTENED: f64 = 0.2;
/// … by one of so many factors, evenly spaced on the log scale from 1 down to 10^−1.5: it gets out of narrow places.
const LENGTHS: usize = 5;
const DECADES: f64 = 1.5;

/// One move: its kind and, for a local one, how much it is shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// What it does.
    pub kind: Kind,
    /// 0 for the learned length, else which of the shorter ones.
    length: usize,
}

impl Move {
    /// Draws a move, each kind with its weight; the weights sum to one.
    pub fn draw(weights: &PerKind<f64>, rng: &mut Rng) -> Self {
        let mut u = rng.random::<f64>();
        let mut kind = Kind::Walk;
        for (candidate, weight) in KINDS.into_iter().zip(weights) {
            if *weight > 0.0 {
                kind = candidate;
                u -= weight;
                if u < 0.0 {
                    break;
                }
            }
        }
        let short = kind.is_step() && rng.random::<f64>() < SHORTENED;
        Self { kind, length: if short { rng.random_range(1..=LENGTHS) } else { 0 } }
    }

    /// The number of the proposal's component.
    pub fn component(self) -> usize {
        self.kind as usize * (LENGTHS + 1) + self.length
    }

    /// The move of this component.
    pub fn of(component: usize) -> Self {
        let kind = KINDS[(component / (LENGTHS + 1)).min(KINDS.len() - 1)];
        Self { kind, length: component % (LENGTHS + 1) }
    }

    /// Whether it has the learned length, which it can teach.
    pub fn is_whole(self) -> bool {
        self.length == 0
    }

    /// What its step is multiplied with.
    pub fn shrink(self) -> f64 {
        match self.length {
            0 => 1.0,
            length => libm::pow(10.0, -DECADES * (length as f64 - 0.5) / LENGTHS as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    #[test]
    fn a_component_tells_its_move() {
        let mut rng = stream(1, 0, Purpose::Move);
        for _ in 0..1000 {
            let drawn = Move::draw(&[0.2, 0.2, 0.2, 0.2, 0.1, 0.1], &mut rng);
            assert_eq!(Move::of(drawn.component()), drawn);
            assert!(drawn.shrink() <= 1.0 && drawn.shrink() > 0.03);
        }
    }

    #[test]
    fn kinds_are_drawn_by_their_weights_and_never_with_weight_zero() {
        let mut rng = stream(2, 0, Purpose::Move);
        let mut counts = [0; 6];
        (0..40_000).for_each(|_| counts[Move::draw(&[0.4, 0.0, 0.3, 0.1, 0.1, 0.1], &mut rng).kind as usize] += 1);
        // Six standard errors.
        for (count, expected) in counts.into_iter().zip([16_000, 0, 12_000, 4_000, 4_000, 4_000]) {
            assert!(i32::abs(count - expected) <= 600 * i32::from(expected > 0), "{counts:?}");
        }
    }
}
