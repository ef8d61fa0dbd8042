//! A mixture of Student-t distributions: evaluated for all components at once, drawn from, and fitted by weighted
//! expectation maximisation ([`fit`]).

mod block;
mod covariance;
mod em;
mod moments;
mod sample;
mod start;

pub(crate) use block::AtBlock;
pub use em::{FREEDOMS, Start, fit};
pub use sample::{Part, Sample};

use crate::Rng;
use crate::linalg::{invert_lower, log_diagonal, multiply_lower, packed_row};
use crate::random::chi_squared;
use crate::simd;
use multiversion::multiversion;
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// The largest number of components of one fit.
pub const MOST_COMPONENTS: usize = 64;
/// How many components are worked on at once.
pub(crate) const LANES: usize = 8;
/// The most groups of lanes: room for two fits in one mixture, and for regions that both forget.
pub(crate) const MOST_GROUPS: usize = 2 * MOST_COMPONENTS / LANES + 4;
/// A component is refused that lies more than this many of its widths from zero: rounding would show in the differences of points
/// from its centre, and its density would not be that of its draws.
const FARTHEST: f64 = 1e9;
/// ln of the weight of a lane without a component: as good as zero, but finite.
const NOTHING: f64 = -1e300;

/// One number for each lane.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Lane([f64; LANES]);

impl Lane {
    const ZERO: Self = Self([0.0; LANES]);
}

/// One Student-t distribution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// Its weight.
    pub weight: f64,
    /// Its centre.
    pub centre: Vec<f64>,
    /// L with LLᵀ the scale matrix, row by row, zero above the diagonal.
    pub factor: Vec<f64>,
    /// ν, the degrees of freedom.
    pub freedom: f64,
}

/// A mixture of Student-t distributions. It is stored as its components.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Vec<Component>", into = "Vec<Component>")]
pub struct Mixture {
    dim: usize,
    components: Vec<Component>,
    /// For each group of lanes and each row r of P = L⁻¹: (P·centre)_r, then P_r0 … P_rr.
    rows: Vec<Lane>,
    /// For each group: ln of weight and constant, 1/ν, (ν + d)/2.
    constants: Vec<[Lane; 3]>,
}

impl Mixture {
    /// Of these components, whose weights are brought to the sum of one; none if there is none, or if they do not fit together.
    pub fn new(mut components: Vec<Component>) -> Option<Self> {
        let total: f64 = components.iter().map(|component| component.weight).sum();
        components.iter_mut().for_each(|component| component.weight /= total);
        Self::of(components)
    }

    /// Of these components as they are; none if there is none, if their weights do not sum to one, or if they do not fit
    /// together.
    fn of(components: Vec<Component>) -> Option<Self> {
        let dim = components.first()?.centre.len();
        let total: f64 = components.iter().map(|component| component.weight).sum();
        let whole = dim > 0
            && components.len() <= LANES * MOST_GROUPS
            && (total - 1.0).abs() < 1e-9
            && components.iter().all(|component| component.fits(dim));
        if !whole {
            return None;
        }
        let groups = components.len().div_ceil(LANES);
        let stretch = dim + packed_row(dim);
        let mut rows = vec![Lane::ZERO; groups * stretch];
        let mut constants = vec![[Lane([NOTHING; LANES]), Lane([1.0; LANES]), Lane([1.0; LANES])]; groups];
        let mut inverse = vec![0.0; packed_row(dim)];
        for (k, component) in components.iter().enumerate() {
            let (group, lane) = (k / LANES, k % LANES);
            invert_lower(&component.factor, &mut inverse, dim);
            let mut rows = rows[group * stretch..].iter_mut();
            for r in 0..dim {
                let row = &inverse[packed_row(r)..packed_row(r + 1)];
                let centre: f64 = row.iter().zip(&component.centre).map(|(p, m)| p * m).sum();
                let far: f64 = row.iter().zip(&component.centre).map(|(p, m)| (p * m).abs()).sum();
                if far.is_nan() || far > FARTHEST {
                    return None;
                }
                for value in std::iter::once(&centre).chain(row) {
                    rows.next().expect("there is room for every row").0[lane] = *value;
                }
            }
            let (nu, d) = (component.freedom, dim as f64);
            let log_weight = libm::log(component.weight).max(NOTHING);
            let log_volume = log_diagonal(&component.factor, dim);
            constants[group][0].0[lane] = log_weight + log_t_constant(d, nu) - log_volume;
            constants[group][1].0[lane] = 1.0 / nu;
            constants[group][2].0[lane] = 0.5 * (nu + d);
        }
        Some(Self { dim, components, rows, constants })
    }

    /// d
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Its components; their weights sum to one.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// ln of the density at u.
    pub fn log_density(&self, u: &[f64]) -> f64 {
        let mut terms = [Lane::ZERO; MOST_GROUPS];
        log_terms(&self.rows, &self.constants, u, &mut terms);
        log_sum(&mut terms[..self.constants.len()])
    }

    /// Writes each component's share of the density at u.
    pub(crate) fn responsibilities(&self, u: &[f64], shares: &mut Vec<f64>) {
        let mut terms = [Lane::ZERO; MOST_GROUPS];
        log_terms(&self.rows, &self.constants, u, &mut terms);
        log_sum(&mut terms[..self.constants.len()]);
        normalise(&mut terms[..self.constants.len()]);
        shares.clear();
        shares.extend(terms.iter().flat_map(|lane| lane.0).take(self.components.len()));
    }

    /// Draws a point.
    pub fn draw(&self, rng: &mut Rng, u: &mut [f64]) {
        self.draw_at(rng.random(), rng, u);
    }

    /// Draws a point from the component at a spot in (0, 1), where each takes its weight's length, and tells which that is.
    pub fn draw_at(&self, spot: f64, rng: &mut Rng, u: &mut [f64]) -> usize {
        let mut left = spot;
        let is_there = |component: &Component| {
            left -= component.weight;
            left < 0.0
        };
        // Rounding may leave the end of the last one out.
        let number = self.components.iter().position(is_there).unwrap_or(self.components.len() - 1);
        let drawn = &self.components[number];
        let stretch = (drawn.freedom / chi_squared(drawn.freedom, rng)).sqrt();
        u.iter_mut().for_each(|u| *u = stretch * rng.sample::<f64, _>(StandardNormal));
        multiply_lower(&drawn.factor, u);
        u.iter_mut().zip(&drawn.centre).for_each(|(u, m)| *u += m);
        number
    }

    /// Draws a spot at which [`Mixture::draw_at`] may have drawn u: uniform ones are uniform given a u that was drawn so.
    pub fn spot(&self, u: &[f64], rng: &mut Rng) -> f64 {
        let mut terms = [Lane::ZERO; MOST_GROUPS];
        log_terms(&self.rows, &self.constants, u, &mut terms);
        log_sum(&mut terms[..self.constants.len()]);
        let shares = terms.iter().flat_map(|lane| lane.0).take(self.components.len());
        let mut left = rng.random::<f64>() * shares.clone().sum::<f64>();
        let mut before = 0.0;
        for (component, share) in self.components.iter().zip(shares) {
            left -= share;
            if left < 0.0 {
                return before + rng.random::<f64>() * component.weight;
            }
            before += component.weight;
        }
        before
    }
}

impl Component {
    fn fits(&self, dim: usize) -> bool {
        self.centre.len() == dim
            && self.factor.len() == dim * dim
            && self.centre.iter().chain(&self.factor).all(|v| v.is_finite())
            && (0..dim).all(|i| self.factor[i * dim + i] > 0.0)
            && self.weight >= 0.0
            && self.freedom >= 2.0
            && self.freedom.is_finite()
    }
}

impl From<Mixture> for Vec<Component> {
    fn from(mixture: Mixture) -> Self {
        mixture.components
    }
}

impl TryFrom<Vec<Component>> for Mixture {
    type Error = &'static str;

    fn try_from(components: Vec<Component>) -> Result<Self, Self::Error> {
        // To divide by their sum again would change the last bits of weights.
        Self::of(components).ok_or("the components of a mixture do not fit together")
    }
}

/// ln of the constant of Student's t in d dimensions with unit scale.
pub(crate) fn log_t_constant(d: f64, nu: f64) -> f64 {
    libm::lgamma(0.5 * (nu + d)) - libm::lgamma(0.5 * nu) - 0.5 * d * libm::log(nu * std::f64::consts::PI)
}

/// ln of each component's weight times its density at u.
#[multiversion(targets("x86_64+avx2+fma"))]
fn log_terms(rows: &[Lane], constants: &[[Lane; 3]], u: &[f64], terms: &mut [Lane]) {
    let stretch = rows.len() / constants.len();
    for (g, (rows, [log_weight, inverse_nu, power])) in rows.chunks_exact(stretch).zip(constants).enumerate() {
        let mut q = [0.0; LANES];
        let mut rest = rows;
        for r in 0..u.len() {
            let (row, after) = rest.split_at(r + 2);
            rest = after;
            let mut t = [0.0; LANES];
            for l in 0..LANES {
                t[l] = -row[0].0[l];
            }
            for (p, u) in row[1..].iter().zip(u) {
                for l in 0..LANES {
                    t[l] = p.0[l].mul_add(*u, t[l]);
                }
            }
            for l in 0..LANES {
                q[l] = t[l].mul_add(t[l], q[l]);
            }
        }
        for l in 0..LANES {
            let log = simd::ln(q[l].mul_add(inverse_nu.0[l], 1.0));
            terms[g].0[l] = log.mul_add(-power.0[l], log_weight.0[l]);
        }
    }
}

/// ln Σ e^term; each term becomes e^(term − largest).
#[multiversion(targets("x86_64+avx2+fma"))]
fn log_sum(terms: &mut [Lane]) -> f64 {
    let mut largest = [NOTHING; LANES];
    for term in terms.iter() {
        for l in 0..LANES {
            largest[l] = if term.0[l] > largest[l] { term.0[l] } else { largest[l] };
        }
    }
    let largest = largest.iter().fold(NOTHING, |a, b| if *b > a { *b } else { a });
    let mut sums = [0.0; LANES];
    for term in terms {
        for l in 0..LANES {
            term.0[l] = simd::exp(term.0[l] - largest);
            sums[l] += term.0[l];
        }
    }
    // The largest term is 1; without numbers there is none.
    let sum: f64 = sums.iter().sum();
    largest + if sum >= 1.0 && sum.is_finite() { simd::ln(sum) } else { f64::NAN }
}

/// Divides the terms by their sum.
#[multiversion(targets("x86_64+avx2+fma"))]
fn normalise(terms: &mut [Lane]) {
    let mut total = 0.0;
    for term in &*terms {
        for l in 0..LANES {
            total += term.0[l];
        }
    }
    for term in terms {
        for l in 0..LANES {
            term.0[l] /= total;
        }
    }
}

#[cfg(test)]
mod tests;
