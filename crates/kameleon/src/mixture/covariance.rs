//! The scale matrices of components: each its own size, the shape of all, and a few directions of its own.

use crate::linalg::{cholesky, eigen, mirror, multiply_lower, solve_lower};

/// What is added to the pooled shape in every direction, so that it can be inverted.
const RIDGE: f64 = 1e-9;
/// The least variance in a direction, over the mean.
const LEAST: f64 = 1e-10;

/// Λ, the shape that all components share, by its factor.
pub struct PooledShape {
    dim: usize,
    factor: Vec<f64>,
}

impl PooledShape {
    /// The mean of the covariances by their weights, each over its size where an earlier shape tells it; none if that is not a
    /// covariance.
    pub fn new(covariances: &[Vec<f64>], weights: &[f64], dim: usize, before: Option<&Self>) -> Option<Self> {
        let mut shape = vec![0.0; dim * dim];
        for (covariance, weight) in covariances.iter().zip(weights) {
            let size = before.map_or(1.0, |before| before.size(&before.relative(covariance)).max(1e-12));
            shape.iter_mut().zip(covariance).for_each(|(s, c)| *s += weight / size * c);
        }
        if before.is_some() {
            let mut factor = shape.clone();
            if !cholesky(&mut factor, dim) {
                return None;
            }
            let log_volume: f64 = (0..dim).map(|i| libm::log(factor[i * dim + i])).sum();
            let unit = libm::exp(-2.0 * log_volume / dim as f64);
            shape.iter_mut().for_each(|s| *s *= unit);
        }
        shape.iter_mut().step_by(dim + 1).for_each(|s| *s += RIDGE);
        cholesky(&mut shape, dim).then_some(Self { dim, factor: shape })
    }

    /// The factor of a component's scale matrix, from a covariance that `count` observations tell, drawn towards the pooled
    /// shape by d more; of the directions in which it differs from that, only `own` are kept. None if that fails by rounding.
    pub fn shrunk(&self, covariance: &[f64], count: f64, own: usize) -> Option<Vec<f64>> {
        let d = self.dim;
        let mut relative = self.relative(covariance);
        let size = self.size(&relative).max(1e-300);
        if own == 0 {
            return Some(self.factor.iter().map(|l| size.sqrt() * l).collect());
        }
        let tau = d as f64;
        relative.iter_mut().for_each(|t| *t *= count / (count + tau));
        relative.iter_mut().step_by(d + 1).for_each(|t| *t += size * tau / (count + tau));
        if own < d {
            keep_directions(&mut relative, d, own, size);
        }
        // Λ's factor times that of T is lower triangular, and the factor of the product.
        relative.iter_mut().step_by(d + 1).for_each(|t| *t += 1e-12 * size);
        if !cholesky(&mut relative, d) {
            return None;
        }
        let mut factor = vec![0.0; d * d];
        let mut column = vec![0.0; d];
        for j in 0..d {
            (0..d).for_each(|i| column[i] = relative[i * d + j]);
            multiply_lower(&self.factor, &mut column);
            (j..d).for_each(|i| factor[i * d + j] = column[i]);
        }
        Some(factor)
    }

    /// T = A⁻¹SA⁻ᵀ with AAᵀ = Λ.
    fn relative(&self, covariance: &[f64]) -> Vec<f64> {
        let d = self.dim;
        let mut half = covariance.to_vec();
        half.chunks_exact_mut(d).for_each(|row| solve_lower(&self.factor, row));
        // Rows of SA⁻ᵀ are solved; its columns are left.
        let mut relative = vec![0.0; d * d];
        let mut column = vec![0.0; d];
        for j in 0..d {
            (0..d).for_each(|i| column[i] = half[i * d + j]);
            solve_lower(&self.factor, &mut column);
            (0..d).for_each(|i| relative[i * d + j] = column[i]);
        }
        relative
    }

    /// The mean variance of a covariance in the units of the shape.
    fn size(&self, relative: &[f64]) -> f64 {
        relative.iter().step_by(self.dim + 1).sum::<f64>() / self.dim as f64
    }
}

/// Of the eigenvalues only the `own` that differ most from the others, on the log scale, stay; the others become their mean.
fn keep_directions(relative: &mut [f64], d: usize, own: usize, size: f64) {
    let mut vectors = vec![0.0; d * d];
    eigen(relative, &mut vectors, d);
    let mut order: Vec<(f64, usize)> = (0..d).map(|i| (relative[i * d + i].max(1e-12 * size), i)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut low, mut high) = (0, d);
    let mean = |low: usize, high: usize| order[low..high].iter().map(|(l, _)| l).sum::<f64>() / (high - low) as f64;
    for _ in 0..own {
        let bulk = libm::log(mean(low, high));
        if bulk - libm::log(order[low].0) > libm::log(order[high - 1].0) - bulk {
            low += 1;
        } else {
            high -= 1;
        }
    }
    let bulk = mean(low, high);
    relative.fill(0.0);
    for (rank, (value, i)) in order.into_iter().enumerate() {
        let value = if (low..high).contains(&rank) { bulk } else { value.max(LEAST * size) };
        let vector = &vectors[i * d..(i + 1) * d];
        super::sample::add_square(relative, vector, value);
    }
    mirror(relative, d);
}
