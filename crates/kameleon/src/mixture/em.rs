//! Weighted expectation maximisation.

use super::block::{AtBlock, Blocks};
use super::covariance::PooledShape;
use super::moments::{Explained, Moments};
use super::sample::Sample;
use super::start::clusters;
use super::{Component, Mixture, log_t_constant};
use crate::Rng;
use crate::simd;
use multiversion::multiversion;

/// The degrees of freedom that a component may have.
pub const FREEDOMS: [f64; COUNT] = [3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 30.0, 100.0];
const COUNT: usize = 8;
/// Those it starts with.
const FIRST_FREEDOM: f64 = 10.0;
/// They are learned in one of this many iterations.
const FREEDOM_EVERY: usize = 4;
/// A component has at least this many effective points …
const LEAST_SIZE: f64 = 2.0;
/// Iterations end when the mean log density grows by less than this …
const TOLERANCE: f64 = 1e-3;
/// … after this many.
const LEAST_ITERATIONS: usize = 8;

/// Where a fit starts.
pub enum Start<'a> {
    /// From this many clusters.
    Clusters(usize, &'a mut Rng),
    /// From a mixture.
    From(&'a Mixture),
}

/// A mixture fitted to the sample, with covariances that have `own` directions of their own each (at most d). None if the sample
/// is too small or lies in fewer dimensions.
pub fn fit(sample: &Sample, start: Start<'_>, own: usize, iterations: usize) -> Option<Mixture> {
    let total = sample.size();
    if sample.is_empty() || !(total > 0.0 && total.is_finite()) {
        return None;
    }
    let blocks = Blocks::new(&sample.points, sample.dim);
    let mut em = Em { sample, blocks, total, mean: mean(sample, total), own: own.min(sample.dim), shape: None };
    let (mut mixture, done) = match start {
        Start::From(mixture) => (mixture.clone(), 0),
        Start::Clusters(count, rng) => {
            let mut moments = Moments::new(count, sample.dim, None);
            for ((x, w), cluster) in sample.iter().zip(clusters(sample, &em.blocks, count, rng)) {
                moments.add(cluster, x, w);
            }
            (em.mixture(&moments, &vec![FIRST_FREEDOM; count])?, 1)
        }
    };
    let mut last = f64::NEG_INFINITY;
    for iteration in done..iterations {
        let learn_freedoms = iteration % FREEDOM_EVERY == FREEDOM_EVERY - 1;
        let (moments, log_density, freedoms) = em.expectation(&mixture, learn_freedoms);
        if log_density - last < TOLERANCE && iteration > LEAST_ITERATIONS {
            break;
        }
        last = log_density;
        match em.mixture(&moments, &freedoms) {
            Some(next) => mixture = next,
            None => break,
        }
    }
    Some(mixture)
}

fn mean(sample: &Sample, total: f64) -> Vec<f64> {
    let mut mean = vec![0.0; sample.dim];
    sample.iter().for_each(|(x, w)| mean.iter_mut().zip(x).for_each(|(m, x)| *m += w / total * x));
    mean
}

struct Em<'a> {
    sample: &'a Sample,
    blocks: Blocks,
    total: f64,
    mean: Vec<f64>,
    own: usize,
    shape: Option<PooledShape>,
}

impl Em<'_> {
    /// Who explains which point: the moments of each component, the mean log density, and the degrees of freedom.
    fn expectation(&self, mixture: &Mixture, learn_freedoms: bool) -> (Moments, f64, Vec<f64>) {
        let components = mixture.components();
        let d = mixture.dim();
        let mut moments = Moments::new(components.len(), d, Some(mixture));
        let mut scores = vec![[0.0; COUNT]; components.len()];
        let constants = FREEDOMS.map(|nu| log_t_constant(d as f64, nu));
        let mut at = AtBlock::new(components.len());
        let mut sum = 0.0;
        for block in self.blocks.iter() {
            mixture.shares_in(block.coordinates, &mut at);
            let points = &self.sample.points[block.first * d..][..block.count * d];
            let weights = &self.sample.weights[block.first..][..block.count];
            weights.iter().zip(at.log_density.0).for_each(|(w, log_density)| sum += w * log_density);
            for (k, component) in components.iter().enumerate() {
                let (terms, totals, distances) = (&at.terms[k], &at.totals, &at.distances[k]);
                let explained = Explained { points, weights, terms, totals, distances };
                moments.add_explained(k, &explained, component.freedom);
                if learn_freedoms {
                    add_scores(&mut scores[k], &constants, d as f64, &explained);
                }
            }
        }
        let freedoms = components.iter().zip(&scores).map(|(component, scores)| {
            let best = (0..COUNT).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap_or(0);
            if learn_freedoms { FREEDOMS[best] } else { component.freedom }
        });
        (moments, sum / self.total, freedoms.collect())
    }

    /// The mixture that fits these moments best; components with too few points are dropped.
    fn mixture(&mut self, moments: &Moments, freedoms: &[f64]) -> Option<Mixture> {
        let sizes = moments.sizes();
        let count = sizes.len();
        let least = LEAST_SIZE.min(0.5 * self.total / count as f64);
        let largest = (0..count).max_by(|a, b| sizes[*a].total_cmp(&sizes[*b]))?;
        let kept: Vec<usize> = (0..count).filter(|k| *k == largest || sizes[*k] > least).collect();
        let (mut centres, mut covariances) = (Vec::new(), Vec::new());
        for k in &kept {
            let (centre, covariance) = moments.of(*k, &self.mean);
            centres.push(centre);
            covariances.push(covariance);
        }
        let sizes: Vec<f64> = kept.iter().map(|k| sizes[*k]).collect();
        let weights: Vec<f64> = sizes.iter().map(|size| size / self.total).collect();
        let shape = PooledShape::new(&covariances, &weights, moments.dim, self.shape.as_ref())?;
        let mut components = Vec::with_capacity(kept.len());
        for (((k, centre), covariance), size) in kept.iter().zip(centres).zip(&covariances).zip(&sizes) {
            let factor = shape.shrunk(covariance, *size, self.own)?;
            components.push(Component { weight: size + 0.1, centre, factor, freedom: freedoms[*k] });
        }
        self.shape = Some(shape);
        Mixture::new(components)
    }
}

/// Adds the weighted log density at each point, for each number of degrees of freedom.
#[multiversion(targets("x86_64+avx2+fma"))]
fn add_scores(scores: &mut [f64; COUNT], constants: &[f64; COUNT], d: f64, explained: &Explained<'_>) {
    for (p, weight) in explained.shares() {
        let distance = explained.distances.0[p];
        for i in 0..COUNT {
            let log = simd::ln(distance.mul_add(1.0 / FREEDOMS[i], 1.0));
            let log_density = log.mul_add(-0.5 * (FREEDOMS[i] + d), constants[i]);
            scores[i] = weight.mul_add(log_density, scores[i]);
        }
    }
}
