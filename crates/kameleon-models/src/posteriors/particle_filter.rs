//! The bootstrap particle filter for a log volatility h: an unbiased estimate of the likelihood of a series.

use kameleon::{Rng, simd};
use multiversion::multiversion;
use rand::RngExt;
use rand_distr::StandardNormal;

/// h_t = μ + φ(h_{t−1} − μ) + σ η_t
pub(crate) struct LogVolatility {
    pub(crate) mu: f64,
    pub(crate) phi: f64,
    pub(crate) sigma: f64,
    /// The standard deviation of h_1.
    pub(crate) start_sd: f64,
}

/// The particles and their working memory.
#[derive(Clone, Debug)]
pub(crate) struct ParticleFilter {
    h: Vec<f64>,
    parents: Vec<f64>,
    weights: Vec<f64>,
}

impl ParticleFilter {
    pub(crate) fn new(particles: usize) -> Self {
        let zeros = vec![0.0; particles];
        Self { h: zeros.clone(), parents: zeros.clone(), weights: zeros }
    }

    /// log p̂ of a series with these squared returns, without the factor (2π)^−½ of each return.
    pub(crate) fn log_estimate(&mut self, squares: &[f64], process: &LogVolatility, rng: &mut Rng) -> f64 {
        let LogVolatility { mu, phi, sigma, start_sd } = *process;
        let count = self.h.len() as f64;
        let mut total = 0.0;
        for (t, square) in squares.iter().enumerate() {
            if t == 0 {
                self.h.iter_mut().for_each(|h| *h = mu + start_sd * rng.sample::<f64, _>(StandardNormal));
            } else {
                self.resample(rng.random());
                for (h, parent) in self.h.iter_mut().zip(&self.parents) {
                    *h = mu + phi * (parent - mu) + sigma * rng.sample::<f64, _>(StandardNormal);
                }
            }
            log_weights(&self.h, *square, &mut self.weights);
            let largest = largest(&self.weights);
            if largest == f64::NEG_INFINITY {
                return largest;
            }
            total += largest + (cumulate(&mut self.weights, largest) / count).ln();
        }
        total
    }

    /// Systematic resampling: the parent of particle k is where the cumulative weights pass (k + u)/count of their sum.
    fn resample(&mut self, u: f64) {
        let last = self.h.len() - 1;
        let step = self.weights[last] / self.h.len() as f64;
        let mut from = 0;
        for (k, parent) in self.parents.iter_mut().enumerate() {
            let level = step * (k as f64 + u);
            while from < last && self.weights[from] <= level {
                from += 1;
            }
            *parent = self.h[from];
        }
    }
}

/// log p(y|h) + ½ ln 2π = −½ (h + y² e^−h)
#[multiversion(targets("x86_64+avx2+fma"))]
fn log_weights(h: &[f64], square: f64, weights: &mut [f64]) {
    for (weight, h) in weights.iter_mut().zip(h) {
        *weight = -0.5 * square.mul_add(simd::exp((-h).min(simd::LARGEST_EXPONENT)), *h);
    }
}

/// The maximum, in lanes that compile to vector instructions.
#[multiversion(targets("x86_64+avx2+fma"))]
fn largest(x: &[f64]) -> f64 {
    let mut lanes = [f64::NEG_INFINITY; 8];
    for x in x.chunks(8) {
        lanes.iter_mut().zip(x).for_each(|(lane, x)| *lane = lane.max(*x));
    }
    lanes.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// Log weights become cumulative weights relative to e^`largest`; returns their sum.
#[multiversion(targets("x86_64+avx2+fma"))]
fn cumulate(weights: &mut [f64], largest: f64) -> f64 {
    weights.iter_mut().for_each(|weight| *weight = simd::exp(*weight - largest));
    let mut sum = 0.0;
    for weight in weights {
        sum += *weight;
        *weight = sum;
    }
    sum
}
