//! Jumps that are judged together.
//!
//! N points are drawn from a density Q that does not depend on where the chain is. Among them and the point where the chain
//! was, as many draws are chosen in proportion to π/Q, and the chain goes on from one of these (iterated sampling importance
//! resampling; a multiple proposal of Tjelmeland 2004 and Calderhead 2014 with independent proposals). Seen from any of the
//! N + 1 points, with probability proportional to π/Q, the others are independent draws from Q: so each draw has the law π if
//! the point where the chain was has it. Choosing evenly spaced draws makes a mean over them nearly as good as the weighted
//! one, where a chain that judges each jump by itself waits at points of large weight.
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
    /// Room for the indices of the draws.
    #[serde(skip)]
    chosen: Vec<usize>,
}

impl Block {
    /// Begins a block at a point, of points from a component.
    pub fn begin(&mut self, here: &Place, component: usize) {
        self.filled = 0;
        self.component = component;
        self.add(here, 0.0);
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
                    block.begin(&here, 0);
                }
                let y = place(rng.random());
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
                        Fault::None | Fault::WithoutRatio => {}
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
        for fault in faults {
            let p = p_value(fault);
            assert!(p < 1e-6, "p = {p}");
        }
    }
}
