//! Stein's identity with slopes that are measured by differences, for log densities that no polynomial fits.
//!
//! A few hundred draws are enough: a regression on fields of degree two or three leaves so little of a mean that its error is far
//! below that of the mean over all draws. Squares are left out, for their errors are too small where tails are heavy.

use super::trapezoid::slopes_explain;
use super::{
    Basis, CUBIC_UP_TO, MOST_DRAWS, Regression, Stein, SteinFigure, Thinned, White, columns, moments, number_of_terms,
};
use crate::linalg::{dot, multiply_lower};

/// How many places there are for each Stein function, at least.
const PLACES_PER_FUNCTION: usize = 3;
/// The most Stein functions.
const MOST_FUNCTIONS: usize = 500;
/// Added to the diagonal of the correlation matrix of the Stein functions.
const RIDGE: f64 = 1e-6;
/// How many places are enough, unless there are many functions.
const ENOUGH: usize = 2000;

/// How slopes are measured, and what that costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differences {
    /// One further evaluation for each parameter and place, at most this many in all; nothing if fields of degree two ask for more.
    Forward(u64),
    /// Two for each parameter and place, as many as are useful; with many parameters fields have degree one or zero.
    Central,
}

impl Differences {
    /// The length of a step, in standard deviations of the draws: the error of a forward difference is linear in it.
    fn step(self) -> f64 {
        match self {
            Self::Forward(_) => 1e-6,
            Self::Central => 1e-4,
        }
    }

    fn evaluations_each(self, dim: usize) -> usize {
        match self {
            Self::Forward(_) => dim,
            Self::Central => 2 * dim,
        }
    }

    /// The fields, and the number of places; none if there are too few draws, or evaluations.
    fn fields(self, dim: usize, draws: usize) -> Option<(Basis, usize)> {
        let degrees: &[usize] = if self == Self::Central { &[3, 2, 1, 0] } else { &[3, 2] };
        degrees.iter().find_map(|degree| {
            let functions = dim * number_of_terms(dim, *degree);
            let most = if *degree == 3 { CUBIC_UP_TO } else { MOST_FUNCTIONS };
            let enough = ENOUGH.max(2 * PLACES_PER_FUNCTION * functions);
            let places = draws.min(match self {
                Self::Forward(evaluations) => enough.min(evaluations as usize / dim),
                Self::Central => enough,
            });
            let fits = functions <= most && places >= PLACES_PER_FUNCTION * functions;
            fits.then(|| Basis::new(dim, *degree, functions))?.map(|fields| (fields, places))
        })
    }
}

/// Draws at which slopes are to be measured.
pub struct Places {
    differences: Differences,
    fields: Basis,
    /// All draws, or some thousands of them.
    draws: Thinned,
    /// Those at which slopes are measured.
    places: Thinned,
    white: White,
}

impl Places {
    /// Among the draws of chains, each given as its points of `dim` coordinates, one after another, and their log densities. None
    /// where there are too few draws, or evaluations, for the number of parameters.
    pub fn new(chains: &[(&[f64], &[f64])], dim: usize, differences: Differences) -> Option<Self> {
        let draws = Thinned::new(chains, dim, MOST_DRAWS)?;
        let (fields, count) = differences.fields(dim, draws.log_density.len())?;
        let places = Thinned::new(chains, dim, count)?;
        let white = White::new(&draws.points, dim)?;
        let finite = places.log_density.iter().all(|l| l.is_finite());
        finite.then_some(Self { differences, fields, draws, places, white })
    }

    /// The points at which the log density has to be known, one after another.
    pub fn neighbours(&self) -> Vec<f64> {
        let (dim, h) = (self.fields.dim(), self.differences.step());
        let signs: &[f64] = if self.differences == Differences::Central { &[1.0, -1.0] } else { &[1.0] };
        let mut points = Vec::with_capacity(self.places.points.len() * self.differences.evaluations_each(dim));
        for x in self.places.points.chunks_exact(dim) {
            for i in 0..dim {
                let mut step = vec![0.0; dim];
                step[i] = h;
                multiply_lower(&self.white.factor, &mut step);
                for sign in signs {
                    points.extend(x.iter().zip(&step).map(|(x, step)| x + sign * step));
                }
            }
        }
        points
    }

    /// What the log densities at the neighbours say of the means; none where one of them is not finite, as at an edge, and where slopes
    /// do not say how the log density changes, as of a step function.
    pub fn stein(&self, values: &[f64]) -> Option<Stein> {
        let dim = self.fields.dim();
        let count = self.places.log_density.len() * self.differences.evaluations_each(dim);
        if values.len() != count || values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let (white, slopes) = (self.white.points(&self.places.points), self.slopes(values));
        if !slopes_explain(&white, &slopes, &self.places.log_density, dim) {
            return None;
        }
        let width = dim * self.fields.len();
        let (mut rows, mut terms) = (Vec::with_capacity(white.len() * self.fields.len()), vec![0.0; self.fields.len()]);
        for (y, slope) in white.chunks_exact(dim).zip(slopes.chunks_exact(dim)) {
            self.fields.values(y, &mut terms);
            (0..dim).for_each(|i| rows.extend(self.fields.stein(i, &terms, slope[i])));
        }
        let regression = Regression::new(rows.chunks_exact(width), RIDGE)?;
        let means = (0..dim).map(|i| self.figure(i, &rows, &regression)).collect();
        Some(Stein { residual: 0.0, means, squares: vec![], evaluations: values.len() as u64 })
    }

    /// The slopes at the places, in white coordinates, by the log densities at the neighbours.
    fn slopes(&self, values: &[f64]) -> Vec<f64> {
        let h = self.differences.step();
        let each = self.differences.evaluations_each(self.fields.dim());
        let at_place = |(around, here): (&[f64], &f64)| -> Vec<f64> {
            match self.differences {
                Differences::Forward(_) => around.iter().map(|value| (value - here) / h).collect(),
                Differences::Central => around.chunks_exact(2).map(|pair| (pair[0] - pair[1]) / (2.0 * h)).collect(),
            }
        };
        values.chunks_exact(each).zip(&self.places.log_density).flat_map(at_place).collect()
    }

    /// Compares the mean of a parameter over all draws with what is left of it at the places.
    fn figure(&self, i: usize, rows: &[f64], regression: &Regression) -> SteinFigure {
        let (dim, mean) = (self.fields.dim(), self.white.mean[i]);
        let around = |draws: &Thinned| columns(&draws.points, dim, i).map(|x| x - mean).collect::<Vec<f64>>();
        let (all, values) = (around(&self.draws), around(&self.places));
        let slopes = regression.coefficients(&values);
        let left: Vec<f64> =
            values.iter().zip(rows.chunks_exact(slopes.len())).map(|(v, row)| v - dot(&slopes, row)).collect();
        let ((_, variance), (estimate, variance_left)) = (moments(&values), moments(&left));
        // As many of the residuals as there are functions are free of charge.
        let count = left.len() as f64;
        let error = self.places.error(&left) * (count / (count - slopes.len() as f64)).sqrt();
        SteinFigure {
            z: (moments(&all).0 - estimate) / self.draws.error(&all).hypot(error),
            explained: 1.0 - variance_left / variance,
            estimate: estimate + mean,
            error,
        }
    }
}
