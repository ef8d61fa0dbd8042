//! The later half of the history of all chains of a group.

use super::proposals::Evaluated;
use crate::Rng;
use crate::mixture::Sample;
use crate::moves::Frame;
use crate::points::Points;
use rand::RngExt;

/// The window is cut into this many blocks of time, of which every other one is held out.
const BLOCKS: usize = 20;
/// The fewest effective states that a window is taken to have.
const LEAST_EFFECTIVE: f64 = 20.0;

/// The states of each chain, in order of time, with their log densities.
pub struct Window<'a> {
    dim: usize,
    chains: Vec<&'a Evaluated>,
}

impl<'a> Window<'a> {
    pub fn new(chains: Vec<&'a Evaluated>, dim: usize) -> Self {
        Self { dim, chains }
    }

    /// All states, chain by chain.
    pub fn states(&self) -> impl Iterator<Item = (&'a [f64], f64)> {
        let d = self.dim;
        let pairs = move |chain: &'a Evaluated| chain.points.chunks_exact(d).zip(chain.log_density.iter().copied());
        self.chains.iter().flat_map(move |chain| pairs(chain))
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.chains.iter().map(|chain| chain.len()).sum()
    }

    /// At most `most` states at even distances, whose weights sum to their effective number.
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
