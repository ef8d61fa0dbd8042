//! Weighted expectation maximisation.

use super::covariance::PooledShape;
use super::sample::Sample;
use super::start::clusters;
use super::{Component, Mixture, Shares, log_t_constant};
use crate::Rng;
use crate::linalg::{add_to_diagonal, mirror, packed_row};
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
/// A smaller share of a point in a component is none.
const NO_SHARE: f64 = 1e-3;
/// Each centre is drawn towards the mean of all as by this many points.
const CENTRE_PRIOR: f64 = 0.5;

/// A component is at least as wide as this share of its distance from zero: points that are all the same tell no width, and one that
/// is narrower could not be evaluated.
const LEAST_WIDTH: f64 = 1e-7;

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
    let mut em = Em { sample, total, mean: mean(sample, total), own: own.min(sample.dim), shape: None };
    let (mut mixture, done) = match start {
        Start::From(mixture) => (mixture.clone(), 0),
        Start::Clusters(count, rng) => {
            let mut moments = Moments::new(count, sample.dim, None);
            for ((x, w), cluster) in sample.iter().zip(clusters(sample, count, rng)) {
                moments.add(cluster, x, w, w);
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
    total: f64,
    mean: Vec<f64>,
    own: usize,
    shape: Option<PooledShape>,
}

impl Em<'_> {
    /// Who explains which point: the moments of each component, the mean log density, and the degrees of freedom.
    fn expectation(&self, mixture: &Mixture, learn_freedoms: bool) -> (Moments, f64, Vec<f64>) {
        let components = mixture.components();
        let d = mixture.dim() as f64;
        let mut moments = Moments::new(components.len(), mixture.dim(), Some(mixture));
        let mut scores = vec![[0.0; COUNT]; components.len()];
        let constants = FREEDOMS.map(|nu| log_t_constant(d, nu));
        let mut at = Shares::NONE;
        let mut sum = 0.0;
        for (x, w) in self.sample.iter() {
            mixture.shares(x, &mut at);
            sum += w * at.log_density;
            at.each_above(NO_SHARE, components.len(), |k, share, distance| {
                let nu = components[k].freedom;
                moments.add(k, x, w * share, w * share * (nu + d) / (nu + distance));
                if learn_freedoms {
                    add_scores(&mut scores[k], &constants, d, distance, w * share);
                }
            });
        }
        let freedoms = components.iter().zip(&scores).map(|(component, scores)| {
            let best = (0..COUNT).max_by(|a, b| scores[*a].total_cmp(&scores[*b])).unwrap_or(0);
            if learn_freedoms { FREEDOMS[best] } else { component.freedom }
        });
        (moments, sum / self.total, freedoms.collect())
    }

    /// The mixture that fits these moments best; components with too few points are dropped.
    fn mixture(&mut self, moments: &Moments, freedoms: &[f64]) -> Option<Mixture> {
        let count = moments.sizes.len();
        let least = LEAST_SIZE.min(0.5 * self.total / count as f64);
        let largest = (0..count).max_by(|a, b| moments.sizes[*a].total_cmp(&moments.sizes[*b]))?;
        let kept: Vec<usize> = (0..count).filter(|k| *k == largest || moments.sizes[*k] > least).collect();
        let (mut centres, mut covariances) = (Vec::new(), Vec::new());
        for k in &kept {
            let (centre, covariance) = moments.of(*k, &self.mean);
            centres.push(centre);
            covariances.push(covariance);
        }
        let sizes: Vec<f64> = kept.iter().map(|k| moments.sizes[*k]).collect();
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

/// Adds the weighted log density at a squared distance, for each number of degrees of freedom.
#[multiversion(targets("x86_64+avx2+fma"))]
fn add_scores(scores: &mut [f64; COUNT], constants: &[f64; COUNT], d: f64, distance: f64, weight: f64) {
    for i in 0..COUNT {
        let log = simd::ln(distance.mul_add(1.0 / FREEDOMS[i], 1.0));
        let log_density = log.mul_add(-0.5 * (FREEDOMS[i] + d), constants[i]);
        scores[i] = weight.mul_add(log_density, scores[i]);
    }
}

/// Weighted sums over the points of each component, around its last centre.
struct Moments {
    dim: usize,
    /// Σ w·share, and Σ g with g = w·share·(ν + d)/(ν + distance).
    sizes: Vec<f64>,
    masses: Vec<f64>,
    /// For each component: its last centre, Σ g e, and the packed lower triangle of Σ g eeᵀ.
    sums: Vec<Vec<f64>>,
    e: Vec<f64>,
}

impl Moments {
    fn new(count: usize, dim: usize, last: Option<&Mixture>) -> Self {
        let empty = |k: usize| {
            let mut sums = vec![0.0; 2 * dim + packed_row(dim)];
            if let Some(last) = last {
                sums[..dim].copy_from_slice(&last.components()[k].centre);
            }
            sums
        };
        let (sizes, masses) = (vec![0.0; count], vec![0.0; count]);
        Self { dim, sizes, masses, sums: (0..count).map(empty).collect(), e: vec![0.0; dim] }
    }

    fn add(&mut self, k: usize, x: &[f64], size: f64, mass: f64) {
        self.sizes[k] += size;
        self.masses[k] += mass;
        accumulate(&mut self.sums[k], x, mass, &mut self.e);
    }

    /// The centre of a component, drawn towards the mean, and the covariance around it.
    fn of(&self, k: usize, mean: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (d, mass, size) = (self.dim, self.masses[k], self.sizes[k]);
        let (around, sums) = self.sums[k].split_at(d);
        let (first, second) = sums.split_at(d);
        let shift = |i: usize| (first[i] + CENTRE_PRIOR * (mean[i] - around[i])) / (mass + CENTRE_PRIOR);
        let shift: Vec<f64> = (0..d).map(shift).collect();
        let mut covariance = vec![0.0; d * d];
        for i in 0..d {
            for j in 0..=i {
                let moved = mass * shift[i] * shift[j] - first[i] * shift[j] - first[j] * shift[i];
                covariance[i * d + j] = (second[packed_row(i) + j] + moved) / size;
            }
        }
        mirror(&mut covariance, d);
        let centre: Vec<f64> = around.iter().zip(&shift).map(|(m, s)| m + s).collect();
        let far = centre.iter().fold(0.0f64, |far, m| far.max(m.abs()));
        add_to_diagonal(&mut covariance, d, LEAST_WIDTH * far * LEAST_WIDTH * far);
        (centre, covariance)
    }
}

/// Adds a point of this mass to the sums of a component.
#[multiversion(targets("x86_64+avx2+fma"))]
fn accumulate(sums: &mut [f64], x: &[f64], mass: f64, e: &mut [f64]) {
    // A few directions are the usual case; with their number known the loops are unrolled.
    match x.len() {
        2 => add_point(sums, &x[..2], mass, &mut e[..2]),
        3 => add_point(sums, &x[..3], mass, &mut e[..3]),
        4 => add_point(sums, &x[..4], mass, &mut e[..4]),
        _ => add_point(sums, x, mass, e),
    }
}

#[inline(always)]
fn add_point(sums: &mut [f64], x: &[f64], mass: f64, e: &mut [f64]) {
    let d = x.len();
    let sums = &mut sums[..2 * d + packed_row(d)];
    let (around, sums) = sums.split_at_mut(d);
    let (first, mut second) = sums.split_at_mut(d);
    for i in 0..d {
        e[i] = x[i] - around[i];
        first[i] = mass.mul_add(e[i], first[i]);
    }
    for i in 0..d {
        let (row, rest) = second.split_at_mut(i + 1);
        second = rest;
        let scaled = mass * e[i];
        for (sum, e) in row.iter_mut().zip(&*e) {
            *sum = scaled.mul_add(*e, *sum);
        }
    }
}
