//! Weighted points that a density is fitted to.

use super::Mixture;
use crate::linalg::mirror;

/// Weighted points; the weights sum to the effective size.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// d
    pub dim: usize,
    /// One point after another.
    pub points: Vec<f64>,
    /// Their weights.
    pub weights: Vec<f64>,
    /// Whether a point is held out to judge what was fitted to the others.
    pub held_out: Vec<bool>,
}

/// A part of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All points.
    All,
    /// Those that a candidate is fitted to.
    Fitted,
    /// Those that it is judged by.
    HeldOut,
}

impl Sample {
    /// No points yet.
    pub fn new(dim: usize) -> Self {
        Self { dim, ..Self::default() }
    }

    /// Adds a point.
    pub fn push(&mut self, x: &[f64], weight: f64, held_out: bool) {
        self.points.extend_from_slice(x);
        self.weights.push(weight);
        self.held_out.push(held_out);
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// The points and their weights.
    pub fn iter(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.points.chunks_exact(self.dim).zip(self.weights.iter().copied())
    }

    /// The points, one coordinate after another.
    pub fn columns(&self) -> Vec<f64> {
        (0..self.dim).flat_map(|i| self.points.iter().skip(i).step_by(self.dim).copied()).collect()
    }

    /// The sum of the weights: the effective size.
    pub fn size(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// The points of a part, at most `most` of them at even distances, with the weight of the whole part.
    pub fn part(&self, part: Part, most: usize) -> Self {
        let chosen: Vec<usize> = (0..self.len()).filter(|i| part.has(self.held_out[*i])).collect();
        let total: f64 = chosen.iter().map(|i| self.weights[*i]).sum();
        let count = chosen.len().min(most);
        let mut taken = Self::new(self.dim);
        for k in 0..count {
            let i = chosen[k * chosen.len() / count];
            taken.push(&self.points[i * self.dim..(i + 1) * self.dim], self.weights[i], self.held_out[i]);
        }
        let factor = total / taken.size();
        taken.weights.iter_mut().for_each(|w| *w *= factor);
        taken
    }

    /// The same points in other coordinates, `k` of them.
    pub fn mapped(&self, k: usize, mut coordinates: impl FnMut(&[f64], &mut [f64])) -> Self {
        let mut points = vec![0.0; self.len() * k];
        self.iter().zip(points.chunks_exact_mut(k)).for_each(|((x, _), u)| coordinates(x, u));
        Self { dim: k, points, weights: self.weights.clone(), held_out: self.held_out.clone() }
    }

    /// Mean and covariance of a part; none if it weighs nothing.
    pub fn moments(&self, part: Part) -> Option<(Vec<f64>, Vec<f64>)> {
        let d = self.dim;
        let of_part = || self.iter().zip(&self.held_out).filter(|(_, held)| part.has(**held)).map(|(point, _)| point);
        let total: f64 = of_part().map(|(_, w)| w).sum();
        if !(total > 0.0 && total.is_finite()) {
            return None;
        }
        let mut mean = vec![0.0; d];
        of_part().for_each(|(x, w)| mean.iter_mut().zip(x).for_each(|(m, x)| *m += w / total * x));
        let mut covariance = vec![0.0; d * d];
        let mut e = vec![0.0; d];
        for (x, w) in of_part() {
            e.iter_mut().zip(x).zip(&mean).for_each(|((e, x), m)| *e = x - m);
            add_square(&mut covariance, &e, w / total);
        }
        mirror(&mut covariance, d);
        Some((mean, covariance))
    }

    /// The mean log density of a mixture.
    pub fn mean_log_density(&self, mixture: &Mixture) -> f64 {
        let logs = mixture.log_densities(&self.points);
        self.weights.iter().zip(logs).map(|(w, log)| w * log).sum::<f64>() / self.size()
    }

    /// The mean of a function of the points.
    pub fn mean(&self, mut of: impl FnMut(&[f64]) -> f64) -> f64 {
        self.iter().map(|(x, w)| w * of(x)).sum::<f64>() / self.size()
    }
}

impl Part {
    fn has(self, held_out: bool) -> bool {
        match self {
            Self::All => true,
            Self::Fitted => !held_out,
            Self::HeldOut => held_out,
        }
    }
}

/// Adds w·eeᵀ to the lower triangle of `sum`.
pub(super) fn add_square(sum: &mut [f64], e: &[f64], w: f64) {
    let d = e.len();
    for (i, row) in sum.chunks_exact_mut(d).enumerate() {
        let we = w * e[i];
        row[..=i].iter_mut().zip(e).for_each(|(sum, e)| *sum += we * e);
    }
}
