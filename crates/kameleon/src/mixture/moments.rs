//! What points tell of each component: weighted sums around its last centre, and its centre and covariance from them.

use super::Mixture;
use crate::linalg::{add_to_diagonal, mirror, packed_row};
use crate::simd::{ROW, Row};
use multiversion::multiversion;

/// A smaller share of a point in a component is none.
const NO_SHARE: f64 = 1e-3;
/// Below this it surely is, whatever rounding does.
const SURELY_NONE: f64 = 0.999 * NO_SHARE;
/// Each centre is drawn towards the mean of all as by this many points.
const CENTRE_PRIOR: f64 = 0.5;
/// A component is at least as wide as this share of its distance from zero: points that are all the same tell no width, and one that
/// is narrower could not be evaluated.
const LEAST_WIDTH: f64 = 1e-7;

/// How much of each point of a block one component explains.
pub struct Explained<'a> {
    /// The points, one after another, and their weights.
    pub points: &'a [f64],
    pub weights: &'a [f64],
    /// The component's terms of the density, the sums over all components, and the component's squared distances.
    pub terms: &'a Row,
    pub totals: &'a Row,
    pub distances: &'a Row,
}

impl<'a> Explained<'a> {
    /// The points whose shares are not too small, each with its weight times the component's share of it.
    #[inline(always)]
    pub fn shares(&'a self) -> ExplainedShares<'a> {
        let mut bits = 0;
        for p in 0..ROW {
            bits |= u32::from(self.terms.0[p] >= SURELY_NONE * self.totals.0[p]) << p;
        }
        ExplainedShares { explained: self, left: bits & u32::MAX >> (ROW - self.weights.len()) }
    }
}

/// An iterator over the points that a component explains a share of.
pub struct ExplainedShares<'a> {
    explained: &'a Explained<'a>,
    /// A bit for each point that is left.
    left: u32,
}

impl Iterator for ExplainedShares<'_> {
    type Item = (usize, f64);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, f64)> {
        while self.left != 0 {
            let p = self.left.trailing_zeros() as usize;
            self.left &= self.left - 1;
            let share = self.explained.terms.0[p] / self.explained.totals.0[p];
            if share >= NO_SHARE {
                return Some((p, self.explained.weights[p] * share));
            }
        }
        None
    }
}

/// Weighted sums over the points of each component, around its last centre.
pub struct Moments {
    pub dim: usize,
    of: Vec<Sums>,
    /// Room for a difference of points.
    e: Vec<f64>,
}

/// The sums of one component.
struct Sums {
    /// Σ w·share, and Σ g with g = w·share·(ν + d)/(ν + distance).
    size: f64,
    mass: f64,
    /// Its last centre, Σ g e, and the packed lower triangle of Σ g eeᵀ.
    sums: Vec<f64>,
}

impl Moments {
    /// Of no points yet; around zero without a last mixture.
    pub fn new(count: usize, dim: usize, last: Option<&Mixture>) -> Self {
        let empty = |k: usize| {
            let mut sums = vec![0.0; 2 * dim + packed_row(dim)];
            if let Some(last) = last {
                sums[..dim].copy_from_slice(&last.components()[k].centre);
            }
            Sums { size: 0.0, mass: 0.0, sums }
        };
        Self { dim, of: (0..count).map(empty).collect(), e: vec![0.0; dim] }
    }

    /// Adds a point to a component.
    pub fn add(&mut self, k: usize, x: &[f64], weight: f64) {
        add_whole(&mut self.of[k], x, weight, &mut self.e);
    }

    /// Adds what a component with ν degrees of freedom explains.
    pub fn add_explained(&mut self, k: usize, explained: &Explained<'_>, nu: f64) {
        add_explained(&mut self.of[k], explained, nu, &mut self.e);
    }

    /// The sizes of the components.
    pub fn sizes(&self) -> Vec<f64> {
        self.of.iter().map(|sums| sums.size).collect()
    }

    /// The centre of a component, drawn towards the mean, and the covariance around it.
    pub fn of(&self, k: usize, mean: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (d, Sums { size, mass, sums }) = (self.dim, &self.of[k]);
        let (around, sums) = sums.split_at(d);
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

#[multiversion(targets("x86_64+avx2+fma"))]
fn add_whole(to: &mut Sums, x: &[f64], weight: f64, e: &mut [f64]) {
    to.size += weight;
    to.mass += weight;
    add_point(&mut to.sums, x, weight, e);
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn add_explained(to: &mut Sums, explained: &Explained<'_>, nu: f64, e: &mut [f64]) {
    // A few directions are the usual case; with their number known the loops are unrolled, and sums stay in registers.
    match e.len() {
        2 => add_copied::<7>(to, explained, nu, &mut e[..2]),
        3 => add_copied::<12>(to, explained, nu, &mut e[..3]),
        4 => add_copied::<18>(to, explained, nu, &mut e[..4]),
        _ => (to.size, to.mass) = add_chosen(&mut to.sums, (to.size, to.mass), explained, nu, e),
    }
}

/// The same with the sums of a component, whose number is N, in a place of their own.
#[inline(always)]
fn add_copied<const N: usize>(to: &mut Sums, explained: &Explained<'_>, nu: f64, e: &mut [f64]) {
    let mut sums = [0.0; N];
    sums.copy_from_slice(&to.sums);
    (to.size, to.mass) = add_chosen(&mut sums, (to.size, to.mass), explained, nu, e);
    to.sums.copy_from_slice(&sums);
}

/// Adds the points that a component explains to its sums; gives its size and mass with theirs.
#[inline(always)]
fn add_chosen(
    sums: &mut [f64],
    (mut size, mut mass): (f64, f64),
    explained: &Explained<'_>,
    nu: f64,
    e: &mut [f64],
) -> (f64, f64) {
    let d = e.len();
    for (p, weight) in explained.shares() {
        let of_point = weight * (nu + d as f64) / (nu + explained.distances.0[p]);
        size += weight;
        mass += of_point;
        add_point(sums, &explained.points[p * d..(p + 1) * d], of_point, e);
    }
    (size, mass)
}

/// Adds a point of this mass to the sums of a component.
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
