//! The later half of the history of all chains of a group.

use super::input::ChainInput;
use super::proposals::Evaluated;
use crate::Rng;
use crate::mixture::Sample;
use crate::moves::Frame;
use crate::points::Points;
use rand::RngExt;
use std::sync::Arc;

/// The window is cut into this many blocks of time, of which every other one is held out.
const BLOCKS: usize = 20;
/// The fewest effective states that a window is taken to have.
const LEAST_EFFECTIVE: f64 = 20.0;

/// The states of each chain, in order of time, with their log densities.
pub struct Window<'a> {
    dim: usize,
    chains: Vec<&'a Evaluated>,
    /// Some states from before.
    early: Vec<&'a Evaluated>,
}

impl<'a> Window<'a> {
    pub fn new(chains: Vec<&'a Evaluated>, dim: usize) -> Self {
        Self { dim, chains, early: Vec::new() }
    }

    /// Of what chains bring.
    pub fn of(inputs: &'a [Arc<ChainInput>], dim: usize) -> Self {
        let (chains, early) = inputs.iter().map(|input| (&input.states, &input.early)).unzip();
        Self { dim, chains, early }
    }

    /// All states, chain by chain.
    pub fn states(&self) -> impl Iterator<Item = (&'a [f64], f64)> {
        let dim = self.dim;
        self.chains.iter().flat_map(move |chain| chain.iter(dim))
    }

    /// The states from before the window whose density is not lower than any in it: not those on the way to the target.
    pub fn early(&self) -> Vec<(&'a [f64], f64)> {
        let lowest = self.states().fold(f64::INFINITY, |lowest, (_, log_density)| lowest.min(log_density));
        let states = self.early.iter().flat_map(|chain| chain.iter(self.dim));
        states.filter(|(_, log_density)| *log_density >= lowest).collect()
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.chains.iter().map(|chain| chain.len()).sum()
    }

    /// At most about `most` states at even distances, whose weights sum to their effective number.
    pub fn sample(&self, most: usize) -> Sample {
        let stride = self.len().div_ceil(most).max(1);
        let mut sample = Sample::new(self.dim);
        for chain in &self.chains {
            let count = chain.len();
            for (t, x) in chain.points.chunks_exact(self.dim).enumerate().step_by(stride) {
                sample.push(x, 1.0, !(t * BLOCKS / count).is_multiple_of(2));
            }
        }
        let weight = self.effective_size() / sample.len() as f64;
        sample.weights.fill(weight);
        sample
    }

    /// How many independent states tell as much: by the means of batches, the median over coordinates of the smaller one for x
    /// and x².
    fn effective_size(&self) -> f64 {
        let length = self.chains.iter().map(|chain| chain.len()).min().unwrap_or(0);
        let all = (length * self.chains.len()) as f64;
        let batch = (libm::pow(length as f64, 0.6) as usize).max(1);
        let batches = length / batch;
        if batches < 4 {
            return (all / 20.0).max(LEAST_EFFECTIVE.min(all));
        }
        let mean = |i: usize| self.states().map(|(x, _)| x[i]).sum::<f64>() / self.len() as f64;
        let mut sizes: Vec<f64> = (0..self.dim)
            .map(|i| {
                let mean = mean(i);
                let size = |of: &dyn Fn(f64) -> f64| {
                    let (mut values, mut means) = (Spread::default(), Spread::default());
                    for chain in &self.chains {
                        let coordinate = |t: usize| of(chain.points[t * self.dim + i] - mean);
                        for b in 0..batches {
                            let batch_mean = (b * batch..(b + 1) * batch).map(coordinate).sum::<f64>() / batch as f64;
                            means.add(batch_mean);
                        }
                        (0..batches * batch).for_each(|t| values.add(coordinate(t)));
                    }
                    all * values.variance() / (batch as f64 * means.variance()).max(f64::MIN_POSITIVE)
                };
                size(&|e| e).min(size(&|e| e * e))
            })
            .collect();
        sizes.sort_by(f64::total_cmp);
        sizes[sizes.len() / 2].clamp(LEAST_EFFECTIVE.min(all), all)
    }

    /// At most `n` different states, in order, each as likely as any other to be taken.
    pub fn fair(&self, n: usize, rng: &mut Rng) -> Vec<&'a [f64]> {
        let states: Vec<&[f64]> = self.states().map(|(x, _)| x).collect();
        let total = states.len();
        let mut order: Vec<usize> = (0..total).collect();
        let count = n.min(total);
        for a in 0..count {
            order.swap(a, rng.random_range(a..total));
        }
        order.truncate(count);
        order.sort_unstable();
        let mut chosen: Vec<&[f64]> = order.into_iter().map(|a| states[a]).collect();
        // A chain that waits repeats itself, one state after another.
        chosen.dedup();
        chosen
    }
}

/// Mean and variance of numbers one after another.
#[derive(Default)]
struct Spread {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Spread {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        let change = value - self.mean;
        self.mean += change / self.count;
        self.squares += change * (value - self.mean);
    }

    fn variance(&self) -> f64 {
        self.squares / (self.count - 1.0)
    }
}

/// The states in the coordinates of a frame.
pub fn in_frame(states: &[&[f64]], frame: &Frame) -> Points {
    let d = frame.dim();
    let mut z = Points::new(d, states.len().max(1));
    let mut u = vec![0.0; d];
    for x in states {
        frame.coordinates(x, &mut u);
        z.push(&u);
    }
    z
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use rand_distr::StandardNormal;

    const DIM: usize = 3;

    /// Stationary chains with x' = ρx + √(1 − ρ²)ξ in every coordinate, in different units.
    fn chains(rho: f64, count: u64, length: usize) -> Vec<Evaluated> {
        let chain = |index| {
            let mut rng = stream(5, index, Purpose::Move);
            let mut chain = Evaluated::default();
            let mut x: Vec<f64> = (0..DIM).map(|_| rng.sample(StandardNormal)).collect();
            for _ in 0..length {
                let fresh = (1.0 - rho * rho).sqrt();
                x.iter_mut().for_each(|x| *x = rho * *x + fresh * rng.sample::<f64, _>(StandardNormal));
                chain.push(&[x[0], 1e6 + 1e3 * x[1], 1e-9 * x[2]], -x[0]);
            }
            chain
        };
        (0..count).map(chain).collect()
    }

    fn effective_size(chains: &[Evaluated]) -> f64 {
        Window::new(chains.iter().collect(), DIM).effective_size()
    }

    #[test]
    fn the_effective_size_of_an_autoregression_is_about_right() {
        for (rho, length) in [(0.0, 4000), (0.5, 4000), (0.9, 8000)] {
            let found = effective_size(&chains(rho, 4, length));
            // n(1 − ρ)/(1 + ρ) for x, and more for x².
            let expected = 4.0 * length as f64 * (1.0 - rho) / (1.0 + rho);
            assert!((0.6 * expected..1.4 * expected).contains(&found), "{rho}: {found}, not about {expected}");
        }
    }

    #[test]
    fn chains_that_stand_still_or_are_short_have_a_size_in_bounds() {
        let still = |length: usize| {
            let mut chain = Evaluated::default();
            (0..length).for_each(|_| chain.push(&[1.0, 2.0, 3.0], 0.0));
            chain
        };
        assert_eq!(effective_size(&[still(1000), still(1000)]), LEAST_EFFECTIVE);
        for length in [1, 2, 7, 30] {
            let found = effective_size(&chains(0.9, 2, length));
            assert!(
                (LEAST_EFFECTIVE.min(2.0 * length as f64)..=2.0 * length as f64).contains(&found),
                "{length}: {found}"
            );
        }
        // Chains that do not agree tell little, however long each is.
        let mut apart = chains(0.0, 2, 2000);
        apart[1].points.iter_mut().step_by(DIM).for_each(|x| *x += 20.0);
        apart[1].points.iter_mut().skip(1).step_by(DIM).for_each(|x| *x += 2e4);
        assert!(effective_size(&apart) < 100.0, "{}", effective_size(&apart));
    }

    #[test]
    fn a_sample_weighs_as_much_as_its_states_tell_and_holds_out_blocks() {
        let chains = chains(0.8, 3, 3000);
        let window = Window::new(chains.iter().collect(), DIM);
        for most in [500, 2000, 100_000] {
            let sample = window.sample(most);
            assert!((most.min(9000) / 2..most + 3).contains(&sample.len()));
            assert!((sample.size() - window.effective_size()).abs() < 1e-6);
            let changes = sample.held_out.windows(2).filter(|pair| pair[0] != pair[1]).count();
            assert_eq!(changes, 3 * BLOCKS - 1);
            let held = sample.held_out.iter().filter(|held| **held).count();
            assert!((held as f64 / sample.len() as f64 - 0.5).abs() < 0.05);
        }
    }

    #[test]
    fn a_fair_choice_takes_every_state_equally_often_and_in_order() {
        let chains = chains(0.5, 2, 50);
        let window = Window::new(chains.iter().collect(), DIM);
        let all: Vec<&[f64]> = window.states().map(|(x, _)| x).collect();
        let mut rng = stream(6, 0, Purpose::Learn);
        let mut counts = vec![0; all.len()];
        for _ in 0..4000 {
            let mut from = 0;
            for x in window.fair(25, &mut rng) {
                from += all[from..].iter().position(|y| *y == x).expect("they are in order") + 1;
                counts[from - 1] += 1;
            }
        }
        // A quarter of 4000 each, sd 27: six of them.
        assert!(counts.iter().all(|count| (840..1160).contains(count)), "{counts:?}");
        assert_eq!(window.fair(1000, &mut rng).len(), 100);
    }
}
