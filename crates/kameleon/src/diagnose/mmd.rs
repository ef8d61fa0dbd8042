//! The maximum mean discrepancy between two samples: the distance of their means in the feature space of a kernel.

use crate::Kernel;
use crate::linalg::dot;

/// MMD² without bias, for draws one after another: zero on average for two samples of one law, so it may be negative.
/// NaN unless both samples have two draws.
pub fn mmd2_unbiased(x: &[f64], y: &[f64], dim: usize, kernel: &Kernel) -> f64 {
    let means = Means::new(x, y, dim, kernel);
    let excess = |variance: f64, sample: &[f64]| variance / ((sample.len() / dim) as f64 - 1.0);
    means.distance - excess(means.variance_x, x) - excess(means.variance_y, y)
}

/// MMD² as the squared distance of the two mean features, never negative but for rounding, for draws one after another.
/// NaN for an empty sample.
pub fn mmd2_biased(x: &[f64], y: &[f64], dim: usize, kernel: &Kernel) -> f64 {
    Means::new(x, y, dim, kernel).distance
}

/// What there is to know of two samples in feature space. All three are linear in the kernel.
#[derive(Clone, Copy, Default)]
struct Means {
    /// ‖μ_x − μ_y‖²
    distance: f64,
    /// mean k(x_i, x_i) − ‖μ_x‖²
    variance_x: f64,
    /// mean k(y_i, y_i) − ‖μ_y‖²
    variance_y: f64,
}

impl Means {
    fn new(x: &[f64], y: &[f64], dim: usize, kernel: &Kernel) -> Self {
        match kernel {
            Kernel::Sum(kernels) => {
                kernels.iter().fold(Self::default(), |sum, k| sum.plus(1.0, Self::new(x, y, dim, k)))
            }
            Kernel::Scaled(factor, kernel) => Self::default().plus(*factor, Self::new(x, y, dim, kernel)),
            _ => match Monomials::of(kernel, dim, (x.len() + y.len()) / 2) {
                Some(monomials) => Self::by_features(x, y, dim, kernel, &monomials),
                None => Self::by_pairs(x, y, dim, kernel),
            },
        }
    }

    fn plus(self, factor: f64, other: Self) -> Self {
        Self {
            distance: self.distance + factor * other.distance,
            variance_x: self.variance_x + factor * other.variance_x,
            variance_y: self.variance_y + factor * other.variance_y,
        }
    }

    /// In time linear in the number of draws.
    fn by_features(x: &[f64], y: &[f64], dim: usize, kernel: &Kernel, monomials: &Monomials) -> Self {
        let [mean_x, mean_y] = [x, y].map(|sample| monomials.mean(sample, dim));
        let difference: Vec<f64> = mean_x.iter().zip(&mean_y).map(|(x, y)| x - y).collect();
        Self {
            distance: monomials.squared_norm(&difference),
            variance_x: mean_diagonal(x, dim, kernel) - monomials.squared_norm(&mean_x),
            variance_y: mean_diagonal(y, dim, kernel) - monomials.squared_norm(&mean_y),
        }
    }

    /// In time quadratic in the number of draws.
    fn by_pairs(x: &[f64], y: &[f64], dim: usize, kernel: &Kernel) -> Self {
        let [(diagonal_x, within_x), (diagonal_y, within_y)] = [x, y].map(|sample| {
            let diagonal = mean_diagonal(sample, dim, kernel);
            let n = (sample.len() / dim) as f64;
            let row = |(i, a): (usize, &[f64])| -> f64 {
                sample[i * dim + dim..].chunks_exact(dim).map(|b| kernel.value(a, b)).sum()
            };
            let pairs: f64 = sample.chunks_exact(dim).enumerate().map(row).sum();
            (diagonal, diagonal / n + 2.0 * pairs / (n * n))
        });
        let row = |a: &[f64]| -> f64 { y.chunks_exact(dim).map(|b| kernel.value(a, b)).sum() };
        let pairs = (x.len() / dim) as f64 * (y.len() / dim) as f64;
        let between = x.chunks_exact(dim).map(row).sum::<f64>() / pairs;
        Self {
            distance: within_x + within_y - 2.0 * between,
            variance_x: diagonal_x - within_x,
            variance_y: diagonal_y - within_y,
        }
    }
}

/// The mean of k(x_i, x_i).
fn mean_diagonal(sample: &[f64], dim: usize, kernel: &Kernel) -> f64 {
    sample.chunks_exact(dim).map(|x| kernel.value(x, x)).sum::<f64>() / (sample.len() / dim) as f64
}

/// The features of the kernels that have finitely many: all monomials up to the degree, each with a weight.
struct Monomials {
    /// Each but the first, which is 1, is an earlier one times a variable.
    steps: Vec<(u32, u32)>,
    weights: Vec<f64>,
}

impl Monomials {
    /// None if the kernel has infinitely many features, or more than make it cheaper than all pairs of `draws`.
    fn of(kernel: &Kernel, dim: usize, draws: usize) -> Option<Self> {
        let degree = match kernel {
            Kernel::Linear(_) => 1,
            Kernel::Polynomial(polynomial) => polynomial.degree,
            _ => return None,
        };
        // C(dim + degree, degree)
        let count = (1..=degree).fold(1.0, |c, k| c * (dim as f64 + f64::from(k)) / f64::from(k));
        let worth = (draws as f64 * dim as f64).min(1e6);
        if count > worth {
            return None;
        }
        let mut monomials = Self::up_to(degree, dim);
        if matches!(kernel, Kernel::Linear(_)) {
            monomials.weights[0] = 0.0;
        }
        Some(monomials)
    }

    /// (1 + ⟨x, y⟩)^p = Σ p!/((p − |α|)! α!) x^α y^α over all multi-indices with |α| ≤ p.
    fn up_to(degree: u32, dim: usize) -> Self {
        let (mut steps, mut weights) = (Vec::new(), vec![1.0]);
        // The newest monomials: index, last variable and its power.
        let mut newest = vec![(0u32, 0u32, 0u32)];
        for below in 0..degree {
            let mut next = Vec::new();
            for &(parent, last, power) in &newest {
                // Variables from the last on only, so that each product is made once.
                for variable in last..dim as u32 {
                    let power = if variable == last { power + 1 } else { 1 };
                    next.push((weights.len() as u32, variable, power));
                    weights.push(weights[parent as usize] * f64::from(degree - below) / f64::from(power));
                    steps.push((parent, variable));
                }
            }
            newest = next;
        }
        Self { steps, weights }
    }

    /// The mean features of a sample.
    fn mean(&self, sample: &[f64], dim: usize) -> Vec<f64> {
        let mut features = vec![1.0; self.weights.len()];
        let mut sum = vec![0.0; features.len()];
        for x in sample.chunks_exact(dim) {
            for (i, (parent, variable)) in self.steps.iter().enumerate() {
                features[i + 1] = features[*parent as usize] * x[*variable as usize];
            }
            sum.iter_mut().zip(&features).for_each(|(s, f)| *s += f);
        }
        let n = (sample.len() / dim) as f64;
        sum.iter_mut().for_each(|s| *s /= n);
        sum
    }

    fn squared_norm(&self, features: &[f64]) -> f64 {
        let weighted: Vec<f64> = features.iter().zip(&self.weights).map(|(f, w)| f * w).collect();
        dot(&weighted, features)
    }
}

#[cfg(test)]
mod tests;
