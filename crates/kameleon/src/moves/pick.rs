//! Which move is made, and how long it is.

use super::MoveId;
use crate::Rng;
use rand::RngExt;

/// A move with a length is shortened this often …
const SHORTENED: f64 = 0.2;
/// … by one of five factors, evenly spaced on the log scale from 1 down to 10^−1.5: it gets out of narrow places.
const LENGTHS: usize = 5;
const DECADES: f64 = 1.5;

/// A move as drawn from the mixture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Which move.
    pub id: MoveId,
    /// 0 for the learned length, else which of the shorter ones.
    length: usize,
}

impl Pick {
    /// Draws a move, each in proportion to its weight.
    pub fn draw(weight: impl Fn(MoveId) -> f64, has_length: impl Fn(MoveId) -> bool, rng: &mut Rng) -> Self {
        let mut u = rng.random::<f64>() * MoveId::all().map(&weight).sum::<f64>();
        let mut id = MoveId::nth(0);
        for candidate in MoveId::all() {
            let weight = weight(candidate);
            if weight > 0.0 {
                id = candidate;
                u -= weight;
                if u < 0.0 {
                    break;
                }
            }
        }
        let short = has_length(id) && rng.random::<f64>() < SHORTENED;
        Self { id, length: if short { rng.random_range(1..=LENGTHS) } else { 0 } }
    }

    /// The move with its learned length.
    pub fn whole(id: MoveId) -> Self {
        Self { id, length: 0 }
    }

    /// The number of the proposal's component.
    pub fn component(self) -> usize {
        self.id.number() * (LENGTHS + 1) + self.length
    }

    /// The move of this component.
    pub fn of(component: usize) -> Self {
        Self { id: MoveId::nth(component / (LENGTHS + 1)), length: component % (LENGTHS + 1) }
    }

    /// Whether it has the learned length: only then does its acceptance adjust the scale.
    pub fn is_whole(self) -> bool {
        self.length == 0
    }

    /// What the length of its step is multiplied with.
    pub fn length_factor(self) -> f64 {
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

    fn draw(weights: [f64; 4], rng: &mut Rng) -> Pick {
        Pick::draw(|id| weights[id.number()], |id| id.get().initial_nu2(2).is_some(), rng)
    }

    #[test]
    fn a_component_tells_its_move() {
        let mut rng = stream(1, 0, Purpose::Move);
        for _ in 0..1000 {
            let drawn = draw([0.3, 0.3, 0.2, 0.2], &mut rng);
            assert_eq!(Pick::of(drawn.component()), drawn);
            assert!(drawn.length_factor() <= 1.0 && drawn.length_factor() > 0.03);
        }
    }

    #[test]
    fn moves_are_drawn_by_their_weights_and_never_with_weight_zero() {
        let mut rng = stream(2, 0, Purpose::Move);
        let mut counts = [0; 4];
        (0..40_000).for_each(|_| counts[draw([0.4, 0.0, 0.5, 0.1], &mut rng).id.number()] += 1);
        // Six standard errors.
        for (count, expected) in counts.into_iter().zip([16_000, 0, 20_000, 4_000]) {
            assert!(i32::abs(count - expected) <= 600 * i32::from(expected > 0), "{counts:?}");
        }
    }
}
