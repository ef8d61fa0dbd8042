//! The later half of the history of all chains of a group: what is learned from.

use crate::Rng;
use crate::linalg::mirror;
use crate::moves::Frame;
use crate::points::Points;
use rand::RngExt;

/// The window is cut into this many blocks of time …
const BLOCKS: usize = 8;

/// … of which the even ones train a candidate and the odd ones test it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    All,
    Even,
    Odd,
}

/// The states of each chain, in order of time.
pub struct Window<'a> {
    dim: usize,
    chains: Vec<&'a [f64]>,
}

impl<'a> Window<'a> {
    pub fn new(chains: Vec<&'a [f64]>, dim: usize) -> Self {
        Self { dim, chains }
    }

    /// Of states that are kept chain by chain.
    pub fn of(chains: &'a [Vec<f64>], dim: usize) -> Self {
        Self::new(chains.iter().map(Vec::as_slice).collect(), dim)
    }

    /// d
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The states of each chain.
    pub fn chains(&self) -> &[&'a [f64]] {
        &self.chains
    }

    fn states(&self, part: Part) -> impl Iterator<Item = &'a [f64]> {
        let d = self.dim;
        self.chains.iter().flat_map(move |chain| {
            let count = chain.len() / d;
            let taken = move |t: usize| match part {
                Part::All => true,
                Part::Even => (t * BLOCKS / count).is_multiple_of(2),
                Part::Odd => !(t * BLOCKS / count).is_multiple_of(2),
            };
            chain.chunks_exact(d).enumerate().filter(move |(t, _)| taken(*t)).map(|(_, x)| x)
        })
    }

    /// Mean and covariance of the states of a part; none if there are fewer than two.
    pub fn moments(&self, part: Part) -> Option<(Vec<f64>, Vec<f64>)> {
        let d = self.dim;
        let n = self.states(part).count();
        if n < 2 {
            return None;
        }
        let mut mean = vec![0.0; d];
        self.states(part).for_each(|x| mean.iter_mut().zip(x).for_each(|(m, x)| *m += x / n as f64));
        let mut covariance = vec![0.0; d * d];
        let mut e = vec![0.0; d];
        for x in self.states(part) {
            e.iter_mut().zip(x).zip(&mean).for_each(|((e, x), m)| *e = x - m);
            for i in 0..d {
                for j in 0..=i {
                    covariance[i * d + j] += e[i] * e[j];
                }
            }
        }
        covariance.iter_mut().for_each(|c| *c /= (n - 1) as f64);
        mirror(&mut covariance, d);
        Some((mean, covariance))
    }

    /// At most `n` different states of a part, in order, each as likely as any other to be taken.
    pub fn sample(&self, part: Part, n: usize, rng: &mut Rng) -> Vec<&'a [f64]> {
        let states: Vec<&[f64]> = self.states(part).collect();
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
