//! Jumps that are judged together.
//!
//! N points are drawn from a density Q that does not depend on where the chain is. Among them and the point where the chain
//! was, as many draws are chosen in proportion to π/Q, and the chain goes on from one of these (iterated sampling importance
//! resampling; a multiple proposal of Tjelmeland 2004 and Calderhead 2014). Choosing evenly spaced draws makes a mean over them nearly
//! as good as the weighted one, where a chain that judges each jump by itself waits at points of large weight.
//!
//! Q is a mixture. Its parts lie one after another on a circle of length one, and a point is drawn from the part at its place there. The
//! places of the N + 1 points are evenly spaced, so that each part is drawn from as often as its share says: means vary less, as with
//! strata. For the point where the chain was, a place is drawn among those at which Q may have drawn it. Seen from any of the N + 1
//! points, with probability proportional to π/Q, the circle and the others on it look alike: so each draw has the law π if the point where
//! the chain was has it (a random shift of a lattice: Schwedes and Calderhead 2018 for other sets).
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
    /// A place in (0, 1) at which the point where the chain was may have been drawn.
    place: f64,
    /// How far the places of points are apart that come one after another.
    stride: f64,
    /// The part of the density that the last point was drawn from.
    part: u8,
    /// Room for the indices of the draws.
    #[serde(skip)]
    chosen: Vec<usize>,
}

impl Block {
    /// Begins a block of `size` points from a component, where the chain is; the place is one at which that point may have been drawn.
    pub fn begin(&mut self, here: &Place, component: usize, place: f64, size: usize) {
        (self.filled, self.component, self.place) = (0, component, place);
        self.stride = stride(size + 1) as f64 / (size + 1) as f64;
        self.add(here, 0.0);
    }

    /// The place at which the next point is to be drawn; none between blocks.
    pub fn next_place(&self) -> Option<f64> {
        (self.filled > 0).then(|| (self.place + self.filled as f64 * self.stride).fract())
    }

    /// Takes note of the part of the density that the next point is drawn from.
    pub fn draw_from(&mut self, part: u8) {
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
        self.log_weights.push(log_weight.max(f64::MIN));
        self.filled += 1;
    }

    /// Once `size` points were tried: hands over the draws, and goes to the last of them. Tells how many of the points became draws.
    pub fn close_at(&mut self, size: usize, here: &mut Place, draws: &mut Delay, rng: &mut Rng) -> Option<u64> {
        if self.filled <= size {
            return None;
        }
        let chosen = &mut self.chosen;
        choose(&self.log_weights, size, chosen, rng);
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
        whole && self.candidates.iter().all(|place| place.is_like(like))
    }
}

/// A step around a circle of n places that comes to all of them: near n times the golden section, so that places that come soon after each
/// other are far from each other, and without a common divisor.
fn stride(n: usize) -> usize {
    let golden = (0.618 * n as f64) as usize;
    let has_none = |k: &usize| (2..=*k).all(|p| !k.is_multiple_of(p) || !n.is_multiple_of(p));
    (1..=golden).rev().find(has_none).unwrap_or(1)
}

/// `count` indices, each with its share of the weights in expectation and never further from it than one; index 0 is always among them
/// (conditional systematic resampling: Chopin and Singh 2015). If index 0 was itself drawn by weight, and the others are exchangeable, every
/// place of the output has the weights for its law. The indices stand on a circle, equal ones next to each other, and are taken alternately to
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
mod tests {
    use super::*;
    use crate::diagnose::kolmogorov_smirnov_uniform;
    use crate::random::{Purpose, stream};
    use rand::seq::SliceRandom;

    #[test]
    fn each_point_is_chosen_by_its_weight_and_in_any_place() {
        // They sum to 5, as many as there are draws.
        let weights = [0.1, 2.3, 0.0, 1.4, 1.2];
        let (mut rng, mut chosen) = (stream(1, 0, Purpose::Move), Vec::new());
        let (mut shares, rounds) = ([[0.0; 5]; 5], 40_000);
        for _ in 0..rounds {
            // Where the chain was is one of them by its weight; it comes first. The others were tried in any order.
            let at = 5.0 * rng.random::<f64>();
            let base = (0..5).find(|k| at < weights[..=*k].iter().sum()).unwrap_or(4);
            let mut order = [0, 1, 2, 3, 4];
            order.swap(0, base);
            order[1..].shuffle(&mut rng);
            let log_weights = order.map(|k| if weights[k] > 0.0 { weights[k].ln() } else { f64::MIN });
            choose(&log_weights, 5, &mut chosen, &mut rng);
            assert_eq!((chosen.len(), chosen[0]), (5, 0));
            for (k, log_weight) in log_weights.iter().enumerate() {
                let count = chosen.iter().filter(|chosen| **chosen == k).count() as f64;
                assert!((count - log_weight.exp()).abs() < 1.0, "{chosen:?}");
            }
            shares.iter_mut().zip(&chosen).for_each(|(share, k)| share[order[*k]] += 1.0 / f64::from(rounds));
        }
        // Six standard errors.
        for (share, weight) in shares.iter().flat_map(|share| share.iter().zip(weights)) {
            assert!((share - weight / 5.0).abs() < 0.015, "{shares:?}");
        }
    }

    #[test]
    fn copies_of_where_the_chain_was_come_first_and_those_of_where_it_goes_on_last() {
        let mut circle = [0, 0, 0, 1, 2, 2, 3, 3, 3, 4, 4, 5, 0, 0];
        alternate(&mut circle);
        assert_eq!(circle, [0, 0, 0, 0, 0, 5, 1, 4, 2, 4, 2, 3, 3, 3]);
    }

    /// How a broken version is broken.
    #[derive(Clone, Copy, PartialEq)]
    enum Fault {
        None,
        /// Where the chain was is no candidate.
        WithoutBase,
        /// Points are weighed by π.
        WithoutRatio,
        /// The chain goes on from the last point tried.
        LastTried,
        /// The chain goes on from the heaviest point.
        Heaviest,
        /// Draws are chosen around a point that was tried.
        AroundAnother,
        /// The places of the points do not begin where the chain is.
        AnyPlace,
        /// They begin in one half of Q only.
        HalfOfPlaces,
    }

    fn place(x: f64) -> Place {
        Place { x: vec![x], u: Vec::new(), log_density: 0.0, gradient: Vec::new(), noise_at: 0 }
    }

    /// π(x) = 2x on (0, 1), Q is uniform: the law of where a chain is after three blocks that began at an exact draw.
    fn p_value(fault: Fault) -> f64 {
        let mut rng = stream(2, 0, Purpose::Move);
        let log_pi = |x: f64| (2.0 * x).ln();
        let ends = (0..20_000).map(|_| {
            let mut here = place(rng.random::<f64>().sqrt());
            let (mut block, mut draws) = (Block::default(), Delay::default());
            for _ in 0..13 {
                if block.component().is_none() {
                    let at = match fault {
                        Fault::AnyPlace => rng.random(),
                        Fault::HalfOfPlaces => 0.5 * here.x[0],
                        _ => here.x[0],
                    };
                    block.begin(&here, 0, at, 4);
                }
                let y = place(block.next_place().unwrap());
                let ratio = log_pi(y.x[0]) - log_pi(here.x[0]);
                block.add(&y, if fault == Fault::WithoutRatio { 2.0 * ratio } else { ratio });
                if block.filled == 5 {
                    match fault {
                        Fault::WithoutBase => block.log_weights[0] = f64::MIN,
                        Fault::LastTried => block.log_weights[..4].fill(f64::MIN),
                        Fault::Heaviest => {
                            let heaviest = block.log_weights.iter().fold(f64::MIN, |a, b| a.max(*b));
                            block.log_weights.iter_mut().filter(|w| **w < heaviest).for_each(|w| *w = f64::MIN);
                        }
                        Fault::AroundAnother => {
                            block.log_weights.swap(0, 1);
                            block.candidates.swap(0, 1);
                        }
                        Fault::None | Fault::WithoutRatio | Fault::AnyPlace | Fault::HalfOfPlaces => {}
                    }
                }
                draws.show(&here);
                block.close_at(4, &mut here, &mut draws, &mut rng);
            }
            let x = draws.shown(&here).x[0];
            x * x
        });
        kolmogorov_smirnov_uniform(&mut ends.collect::<Vec<f64>>())
    }

    #[test]
    fn a_block_leaves_the_target_and_broken_ones_are_caught() {
        let p = p_value(Fault::None);
        assert!(p > 1e-6, "p = {p}");
        let faults = [Fault::WithoutBase, Fault::WithoutRatio, Fault::LastTried, Fault::Heaviest, Fault::AroundAnother];
        for fault in faults.into_iter().chain([Fault::AnyPlace, Fault::HalfOfPlaces]) {
            let p = p_value(fault);
            assert!(p < 1e-6, "p = {p}");
        }
    }

    #[test]
    fn the_places_of_a_block_are_evenly_spaced_and_each_comes_once() {
        for size in [1, 2, 4, 7, 48] {
            let mut block = Block::default();
            block.begin(&place(0.0), 0, 0.3, size);
            let spacing = 1.0 / (size + 1) as f64;
            let mut places = vec![0.3_f64];
            for _ in 0..size {
                places.push(block.next_place().unwrap());
                block.add(&place(0.0), 0.0);
            }
            places.sort_by(f64::total_cmp);
            assert!(places.windows(2).all(|pair| (pair[1] - pair[0] - spacing).abs() < 1e-12), "{places:?}");
        }
        assert_eq!(Block::default().next_place(), None);
    }
}
