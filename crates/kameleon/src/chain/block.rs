//! Jumps that are judged together.
//!
//! N points are drawn from a density Q that does not depend on where the chain is. Among them and the point where the chain
//! was, as many draws are chosen in proportion to π/Q, and the chain goes on from one of these (iterated sampling importance
//! resampling; a multiple proposal of Tjelmeland 2004 and Calderhead 2014). Choosing evenly spaced draws makes a mean over them nearly
//! as good as the weighted one, where a chain that judges each jump by itself waits at points of large weight.
//!
//! Q is a mixture. Its parts lie one after another on a ring of length one, and a point is drawn from the part at its spot there. The
//! spots of the N + 1 points are evenly spaced, so that each part is drawn from as often as its share says, to within one: means vary less,
//! as with strata. For the point where the chain was, a spot is drawn among those at which Q may have drawn it. Seen from any of the N + 1
//! points, with probability proportional to π/Q, the ring and the others on it look alike: so each draw has the law π if the point where
//! the chain was has it (for other sets of points see Schwedes and Calderhead 2018).
//!
//! Each step evaluates one point and shows one draw. The draws of a block are known at its end only, so that from the first block on
//! all draws are shown one block late ([`Delay`]), in the order of the chain.

use super::delay::Delay;
use super::state::Place;
use crate::Rng;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// A block of jumps in the making.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Block {
    /// Where the chain was when it began, and then the points that were tried.
    candidates: Vec<Place>,
    /// ln π/Q at each, less that of the first.
    log_weights: Vec<f64>,
    /// How many of the candidates count; none between blocks.
    filled: usize,
    /// The component of the proposal that the points are drawn from.
    component: usize,
    /// How many points are tried.
    size: usize,
    /// A spot in (0, 1) at which the point where the chain was may have been drawn.
    spot: f64,
    /// How far the spots of points are apart that come one after another.
    stride: f64,
    /// The part of the density that the last point was drawn from.
    part: u8,
    /// Room for the indices of the draws.
    #[serde(skip)]
    chosen: Vec<usize>,
}

impl Block {
    /// Begins a block of `size` points from a component, where the chain is; the spot is one at which that point may have been drawn.
    pub fn begin(&mut self, here: &Place, component: usize, spot: f64, size: usize) {
        (self.filled, self.component, self.spot, self.size) = (0, component, spot, size);
        self.stride = stride(size + 1) as f64 / (size + 1) as f64;
        self.add(here, 0.0);
    }

    /// The spot at which the next point is to be drawn; none between blocks.
    pub fn next_spot(&self) -> Option<f64> {
        (self.filled > 0).then(|| (self.spot + self.filled as f64 * self.stride).fract())
    }

    /// Takes note of the part of the density that the next point is drawn from.
    pub fn set_part(&mut self, part: u8) {
        self.part = part;
    }

    /// The part that the last point was drawn from; none between blocks.
    pub fn part(&self) -> Option<u8> {
        (self.filled > 0).then_some(self.part)
    }

    /// The component that the next point is to be drawn from; none between blocks.
    pub fn component(&self) -> Option<usize> {
        (self.filled > 0).then_some(self.component)
    }

    /// Adds a point with ln π/Q there, less that where the block began; −∞ where there is no density.
    pub fn add(&mut self, place: &Place, log_weight: f64) {
        match self.candidates.get_mut(self.filled) {
            Some(candidate) => candidate.copy_from(place),
            None => self.candidates.push(place.clone()),
        }
        self.log_weights.truncate(self.filled);
        // Not every format can store an infinity.
        self.log_weights.push(log_weight.clamp(f64::MIN, f64::MAX));
        self.filled += 1;
    }

    /// Once all points were tried: hands over the draws, and goes to the last of them. Tells how many of the points became draws.
    pub fn close(&mut self, here: &mut Place, draws: &mut Delay, rng: &mut Rng) -> Option<u64> {
        if self.filled <= self.size {
            return None;
        }
        let chosen = &mut self.chosen;
        choose(&self.log_weights, self.size, chosen, rng);
        let mut new = 0;
        for (i, &k) in chosen.iter().enumerate() {
            let is_new = k > 0 && !chosen[..i].contains(&k);
            draws.add(&self.candidates[k], is_new);
            new += u64::from(is_new);
        }
        if let Some(&last) = chosen.last() {
            here.copy_from(&self.candidates[last]);
        }
        self.filled = 0;
        Some(new)
    }

    /// Whether what was read from elsewhere has points like this one, and a weight for each.
    pub fn fits(&self, like: &Place) -> bool {
        let whole = self.filled <= self.candidates.len() && self.filled <= self.log_weights.len();
        let has_spots = self.filled == 0
            || (self.size > 0 && (0.0..=1.0).contains(&self.spot) && (0.0..1.0).contains(&self.stride));
        whole && has_spots && self.candidates.iter().all(|place| place.is_like(like))
    }
}

/// A step around a ring of n spots that comes to all of them, since it has no divisor in common with n: at most n times the golden section, and near
/// it for most n, so that spots that come soon after each other are far from each other.
fn stride(n: usize) -> usize {
    let golden = (0.618 * n as f64) as usize;
    (1..=golden).rev().find(|k| greatest_common_divisor(n, *k) == 1).unwrap_or(1)
}

fn greatest_common_divisor(mut a: usize, mut b: usize) -> usize {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// `count` indices, each with its share of the weights in expectation and never further from it than one; index 0 is always among them
/// (conditional systematic resampling: Chopin and Singh 2015). If index 0 was itself drawn by weight, and nothing changes where the indices are
/// turned around their circle, every place of the output has the weights for its law. The indices stand on a circle, equal ones next to each other, and are taken alternately to
/// both sides from index 0 on. So copies of where the chain was come first, those of where it goes on from, opposite, come last, and
/// standard errors see copies that are near.
fn choose(log_weights: &[f64], count: usize, chosen: &mut Vec<usize>, rng: &mut Rng) {
    let largest = log_weights.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
    let weight = |log: f64| libm::exp(log - largest);
    let spacing = log_weights.iter().map(|log| weight(*log)).sum::<f64>() / count as f64;
    // A place among those that fall to the first; it tells where all others are.
    let place = rng.random::<f64>() * weight(log_weights[0]) / spacing;
    let start = place as usize;
    let mut at = (place - start as f64) * spacing;
    let mut sum = 0.0;
    chosen.clear();
    for (k, log) in log_weights.iter().enumerate() {
        sum += weight(*log);
        while at < sum && chosen.len() < count {
            chosen.push(k);
            at += spacing;
        }
    }
    // Rounding may leave one out at the end.
    while chosen.len() < count {
        chosen.push(chosen.last().copied().unwrap_or(0));
    }
    chosen.rotate_left(start.min(count - 1));
    alternate(chosen);
}

/// Takes a circle from its first place on to both sides by turns.
fn alternate(circle: &mut [usize]) {
    // The last of what is left comes next, then the first: turning around what is left and moving on does both.
    for i in 1..circle.len() {
        circle[i..].reverse();
    }
}

#[cfg(test)]
mod tests;
