//! Whether the draws fit the shape of the density that was evaluated at them, by Stein's identity.
//!
//! Chains that have all missed the same tail agree with one another, and nothing that compares them sees it. But the log density
//! at the draws tells its slope s, and for every smooth vector field φ that does not grow too fast the mean of ∇·φ + φ·s is zero
//! under the density. So a parameter is regressed on such functions of polynomial fields: what is left has the same mean, if the
//! draws are right, and a much smaller variance. A distance between the two means, in standard errors, is a bias. The slope comes from a
//! polynomial of degree four that is fitted to the stored log densities, and so costs no evaluation; where it does not fit, the
//! check is silent. (Assaraf and Caffarel 1999; Mira, Solgi and Imparato 2013; Oates, Girolami and Chopin 2017.)

mod measured;
mod polynomial;
mod regression;
mod trapezoid;

use super::draws::moments;
use super::evidence::number;
use super::mcse_mean;
use crate::linalg::{cholesky, dot, mirror, solve_lower};
pub use measured::{Differences, Places};
use polynomial::{Basis, number_of_terms};
use regression::Regression;
use serde::{Deserialize, Serialize};
use spec_math::NormDist;

/// The largest error of the fitted log density with which its slope is believed: the standard deviation over draws.
pub const LARGEST_RESIDUAL: f64 = 0.1;
/// The probability with which a run whose draws are right is doubted: all its figures together.
pub const FALSE_ALARMS: f64 = 0.01;
/// The least share of the variance that must be explained.
pub const LEAST_EXPLAINED: f64 = 0.5;
/// The share from which on what is left is offered as the better estimate of a mean.
pub const BETTER_FROM: f64 = 0.9;
/// The degree of the polynomial that is fitted to the log density.
const DEGREE: usize = 4;
/// The largest number of its terms: eight parameters have 495.
const MOST_TERMS: usize = 500;
/// The most Stein functions for which fields have degree three; else they have degree two.
const CUBIC_UP_TO: usize = 80;
/// The most draws, over all chains, that are looked at.
const MOST_DRAWS: usize = 8000;
/// The least number of rows of a regression, and how many there are for each of its terms.
const LEAST_ROWS: usize = 2000;
const ROWS_PER_TERM: usize = 4;
/// With fewer draws of each of many chains than this, effective sizes do not tell how they are correlated.
const FEW_OF_MANY: (usize, usize) = (64, 16);
/// Added to the diagonal of a correlation matrix before it is inverted.
const RIDGE: (f64, f64) = (1e-11, 1e-6);

/// What Stein's identity says of the draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stein {
    /// The error of the fitted log density, as a standard deviation over draws; 0 where measured slopes tell of the means.
    #[serde(deserialize_with = "number")]
    pub residual: f64,
    /// What it says of each mean.
    pub means: Vec<SteinFigure>,
    /// What it says of each mean square, around the mean, by stored values; empty where these say nothing and slopes were measured.
    pub squares: Vec<SteinFigure>,
    /// How many evaluations of the log density were made for it, after the run.
    #[serde(default)]
    pub evaluations: u64,
}

/// What Stein's identity says of a mean over draws.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteinFigure {
    /// The distance of the mean over draws from what is left of it, in standard errors of both.
    #[serde(deserialize_with = "number")]
    pub z: f64,
    /// The share of the variance that is explained.
    #[serde(deserialize_with = "number")]
    pub explained: f64,
    /// The mean of what is left: the better estimate where much is explained.
    #[serde(deserialize_with = "number")]
    pub estimate: f64,
    /// The standard error of the regression alone. What draws have missed is not in it, so that the estimate may be many of them off.
    #[serde(deserialize_with = "number")]
    pub error: f64,
}

impl SteinFigure {
    /// Whether the estimate is better than the mean over draws.
    pub fn is_better(&self) -> bool {
        self.explained >= BETTER_FROM
    }
}

impl Stein {
    /// A check that says nothing, for this number of evaluations.
    pub fn silent(evaluations: u64) -> Self {
        Self { residual: f64::NAN, means: vec![], squares: vec![], evaluations }
    }

    /// Whether the slope of the log density is known well enough.
    pub fn speaks(&self) -> bool {
        self.residual <= LARGEST_RESIDUAL
    }

    /// Whether it would see that the draws of any parameter are wrong.
    pub fn tells_of_all(&self) -> bool {
        self.speaks() && self.means.iter().all(|figure| figure.explained >= self.least_explained(true))
    }

    /// The least share that must be explained of means, and of squares, which stored values tell. With measured slopes there are few places, and
    /// the error of what is left of a mean is not known well.
    fn least_explained(&self, is_mean: bool) -> f64 {
        let is_measured = self.evaluations > 0 && self.residual == 0.0;
        if is_mean && is_measured { BETTER_FROM } else { LEAST_EXPLAINED }
    }

    /// What is known once slopes were measured: of means by these if they judge all of them, else, as of squares, by what was stored (`free`) if
    /// that says anything.
    pub fn after(self, free: Option<&Self>) -> Self {
        match free.filter(|free| free.speaks()) {
            None => self,
            Some(free) if self.tells_of_all() => Self { squares: free.squares.clone(), ..self },
            Some(free) => Self { evaluations: self.evaluations, ..free.clone() },
        }
    }

    /// The most standard errors that a figure may be off: the more figures there are, the farther one of them is by chance. It is 3.0 for
    /// two parameters, and 3.4 for eight.
    pub fn limit(&self) -> f64 {
        let figures = 2.0 * self.means.len() as f64;
        (1.0 - FALSE_ALARMS / (2.0 * figures)).norm_cdf_inv()
    }

    /// The figures that speak against the draws: the parameter, whether it is a mean (or else a mean square), and the figure.
    pub fn off(&self) -> Vec<(usize, bool, SteinFigure)> {
        let limit = self.limit();
        let all = |figures: &[SteinFigure], is_mean: bool| {
            let least = self.least_explained(is_mean);
            let off = |figure: &SteinFigure| figure.explained >= least && figure.z.abs() > limit;
            let figures = figures.iter().copied().enumerate().filter(|(_, figure)| self.speaks() && off(figure));
            figures.map(|(i, figure)| (i, is_mean, figure)).collect::<Vec<_>>()
        };
        [all(&self.means, true), all(&self.squares, false)].concat()
    }
}

/// What Stein's identity says of chains, each given as its points of `dim` coordinates, one after another, and their log densities.
/// None where there are too few different draws for the number of parameters, or too many parameters.
pub fn stein(chains: &[(&[f64], &[f64])], dim: usize) -> Option<Stein> {
    let density = Basis::new(dim, DEGREE, MOST_TERMS)?;
    let draws = Thinned::new(chains, dim, MOST_DRAWS)?;
    let white = White::new(&draws.points, dim)?;
    let points = white.points(&draws.points);
    let (coefficients, residual) = fit(&density, &points, &draws.log_density)?;
    let functions = Functions::new(&density, &coefficients, &points)?;
    let rows = every(draws.log_density.len(), LEAST_ROWS.max(ROWS_PER_TERM * functions.width));
    let regression = Regression::new(rows.clone().map(|k| functions.row(k)), RIDGE.1)?;
    let figure = |values: Vec<f64>| {
        let slopes = regression.coefficients(&rows.clone().map(|k| values[k]).collect::<Vec<_>>());
        let left = |(k, value): (usize, &f64)| value - dot(&slopes, functions.row(k));
        draws.figure(&values, &values.iter().enumerate().map(left).collect::<Vec<_>>())
    };
    let around = |i: usize, mean: f64| columns(&draws.points, dim, i).map(move |x| x - mean);
    let mean = |(i, mean): (usize, &f64)| {
        let found = figure(around(i, *mean).collect());
        SteinFigure { estimate: found.estimate + mean, ..found }
    };
    let square = |(i, mean): (usize, &f64)| figure(around(i, *mean).map(|x| x * x).collect());
    let means = white.mean.iter().enumerate().map(mean).collect();
    Some(Stein { residual, means, squares: white.mean.iter().enumerate().map(square).collect(), evaluations: 0 })
}

/// The Stein functions of polynomial fields at all draws.
struct Functions {
    rows: Vec<f64>,
    width: usize,
}

impl Functions {
    /// For a density with these coefficients, at these points; fields have degree three where that makes few enough functions.
    fn new(density: &Basis, coefficients: &[f64], points: &[f64]) -> Option<Self> {
        let dim = density.dim();
        let cubic = Basis::new(dim, 3, CUBIC_UP_TO / dim);
        let fields = cubic.or_else(|| Basis::new(dim, 2, MOST_TERMS))?;
        let width = dim * fields.len();
        let mut rows = Vec::with_capacity(points.len() * fields.len());
        let (mut terms, mut high) = (vec![0.0; fields.len()], vec![0.0; density.len()]);
        for y in points.chunks_exact(dim) {
            density.values(y, &mut high);
            fields.values(y, &mut terms);
            for i in 0..dim {
                rows.extend(fields.stein(i, &terms, density.slope(coefficients, i, &high)));
            }
        }
        Some(Self { rows, width })
    }

    fn row(&self, k: usize) -> &[f64] {
        &self.rows[k * self.width..(k + 1) * self.width]
    }
}

/// The coefficients of the log density, and the error of the fit.
fn fit(basis: &Basis, points: &[f64], log_density: &[f64]) -> Option<(Vec<f64>, f64)> {
    let dim = basis.dim();
    // A chain that stayed where it was says nothing new; copies in a block of jumps are one or two draws apart.
    let is_new = |k: &usize| !log_density[k.saturating_sub(2)..*k].contains(&log_density[*k]);
    let different: Vec<usize> = (0..log_density.len()).filter(is_new).collect();
    let wanted = LEAST_ROWS.max(ROWS_PER_TERM * basis.len());
    let rows: Vec<usize> = every(different.len(), wanted).map(|k| different[k]).collect();
    if rows.len() < 2 * basis.len() || log_density.iter().any(|l| !l.is_finite()) {
        return None;
    }
    let mut terms = vec![0.0; rows.len() * basis.len()];
    for (row, k) in terms.chunks_exact_mut(basis.len()).zip(&rows) {
        basis.values(&points[k * dim..(k + 1) * dim], row);
    }
    let values: Vec<f64> = rows.iter().map(|k| log_density[*k]).collect();
    // The constant is the mean, which a regression has anyway.
    let regression = Regression::new(terms.chunks_exact(basis.len()).map(|row| &row[1..]), RIDGE.0)?;
    let mut coefficients = regression.coefficients(&values);
    let left: Vec<f64> =
        values.iter().zip(terms.chunks_exact(basis.len())).map(|(v, row)| v - dot(&coefficients, &row[1..])).collect();
    coefficients.insert(0, 0.0);
    // As many of the residuals as there are terms are free of charge.
    let share = (rows.len() - 1) as f64 / (rows.len() - basis.len()) as f64;
    Some((coefficients, (moments(&left).1 * share).sqrt()))
}

/// A coordinate of each of the points.
fn columns(points: &[f64], dim: usize, i: usize) -> impl Iterator<Item = f64> {
    points.iter().skip(i).step_by(dim).copied()
}

/// Evenly spaced places, at most this number of them or a few more.
fn every(count: usize, most: usize) -> std::iter::StepBy<std::ops::Range<usize>> {
    (0..count).step_by((count / most).max(1))
}

/// Evenly spaced draws of each chain, the same number of each.
struct Thinned {
    points: Vec<f64>,
    log_density: Vec<f64>,
    /// How many there are of each chain.
    each: usize,
}

impl Thinned {
    /// At most `most`, over all chains.
    fn new(chains: &[(&[f64], &[f64])], dim: usize, most: usize) -> Option<Self> {
        let length = chains.iter().map(|(_, log_density)| log_density.len()).min().filter(|n| *n >= 4)?;
        let step = length.div_ceil((most / chains.len()).max(4));
        let mut thinned = Self { points: vec![], log_density: vec![], each: length / step };
        for (points, log_density) in chains {
            // The last draws of each, at equal distances.
            let first = log_density.len() - thinned.each * step;
            for k in (first..log_density.len()).step_by(step) {
                thinned.points.extend_from_slice(&points[k * dim..(k + 1) * dim]);
                thinned.log_density.push(log_density[k]);
            }
        }
        Some(thinned)
    }

    /// The standard error of the mean of a value at each. Of many chains with few draws each it is that of the means of chains, which are
    /// independent, and at least that of independent draws: eight draws of each have an effective size of four times their number.
    fn error(&self, values: &[f64]) -> f64 {
        let chains: Vec<&[f64]> = values.chunks_exact(self.each).collect();
        let (few, many) = FEW_OF_MANY;
        if self.each >= few || chains.len() < many {
            return mcse_mean(&chains);
        }
        let of_mean = |values: &[f64]| (moments(values).1 / values.len() as f64).sqrt();
        of_mean(&chains.iter().map(|chain| moments(chain).0).collect::<Vec<_>>()).max(of_mean(values))
    }

    /// Compares the mean of `values` with that of what is `left` of them.
    fn figure(&self, values: &[f64], left: &[f64]) -> SteinFigure {
        let ((mean, variance), (estimate, variance_left)) = (moments(values), moments(left));
        let error_left = self.error(left);
        SteinFigure {
            z: (mean - estimate) / self.error(values).hypot(error_left),
            explained: 1.0 - variance_left / variance,
            estimate,
            error: error_left,
        }
    }
}

/// Coordinates in which the draws have mean zero and unit covariance.
struct White {
    mean: Vec<f64>,
    factor: Vec<f64>,
}

impl White {
    fn new(points: &[f64], dim: usize) -> Option<Self> {
        let count = (points.len() / dim) as f64;
        let mean: Vec<f64> = (0..dim).map(|i| columns(points, dim, i).sum::<f64>() / count).collect();
        let mut factor = vec![0.0; dim * dim];
        for x in points.chunks_exact(dim) {
            for i in 0..dim {
                (0..=i).for_each(|j| factor[i * dim + j] += (x[i] - mean[i]) * (x[j] - mean[j]) / count);
            }
        }
        mirror(&mut factor, dim);
        cholesky(&mut factor, dim).then_some(Self { mean, factor })
    }

    fn points(&self, points: &[f64]) -> Vec<f64> {
        let mut white = points.to_vec();
        for y in white.chunks_exact_mut(self.mean.len()) {
            y.iter_mut().zip(&self.mean).for_each(|(y, mean)| *y -= mean);
            solve_lower(&self.factor, y);
        }
        white
    }
}

#[cfg(test)]
mod tests;
