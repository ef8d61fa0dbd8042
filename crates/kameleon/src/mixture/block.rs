//! A mixture at many points at once: points lie side by side, and components come one after another.
//!
//! Every number is worked out by the same operations in the same order as for one point alone, so both agree to the last bit.

use super::{LANES, Mixture, NOTHING};
use crate::simd::{self, ROW, Row, STRIP, STRIPS};
use multiversion::multiversion;

/// Points in blocks of a row's length, each with one coordinate after another.
pub struct Blocks {
    dim: usize,
    len: usize,
    coordinates: Vec<Row>,
}

/// The points of one block.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    /// The number of its first point, and of how many there are.
    pub first: usize,
    pub count: usize,
    pub coordinates: &'a [Row],
}

impl Blocks {
    /// Of points one after another.
    pub fn new(points: &[f64], dim: usize) -> Self {
        let len = points.len() / dim;
        let mut coordinates = vec![Row::ZERO; len.div_ceil(ROW) * dim];
        for (rows, points) in coordinates.chunks_exact_mut(dim).zip(points.chunks(ROW * dim)) {
            Row::gather(rows, points.chunks_exact(dim));
        }
        Self { dim, len, coordinates }
    }

    /// The blocks in order.
    pub fn iter(&self) -> impl Iterator<Item = Block<'_>> {
        self.coordinates.chunks_exact(self.dim).enumerate().map(|(b, coordinates)| {
            let first = b * ROW;
            Block { first, count: ROW.min(self.len - first), coordinates }
        })
    }
}

/// What is found at the points of a block.
pub struct AtBlock {
    /// ln of the density.
    pub log_density: Row,
    /// For each component its part of the density, up to a factor, and its squared distance.
    pub terms: Vec<Row>,
    pub distances: Vec<Row>,
    /// The sum of these parts: each over it is the component's share.
    pub totals: Row,
}

impl AtBlock {
    /// Room for this many components.
    pub fn new(components: usize) -> Self {
        let room = vec![Row::ZERO; components];
        Self { log_density: Row::ZERO, terms: room.clone(), distances: room, totals: Row::ZERO }
    }
}

impl Mixture {
    /// ln of the density at each of some points, which come one after another.
    pub fn log_densities(&self, points: &[f64]) -> Vec<f64> {
        let mut at = AtBlock::new(self.components.len());
        let mut found = Vec::with_capacity(points.len() / self.dim);
        for block in Blocks::new(points, self.dim).iter() {
            self.densities_in(block.coordinates, &mut at);
            found.extend_from_slice(&at.log_density.0[..block.count]);
        }
        found
    }

    /// ln of the density at the points of a block.
    pub(crate) fn densities_in(&self, coordinates: &[Row], at: &mut AtBlock) {
        log_terms(self, coordinates, at);
        log_sums(at);
    }

    /// ln of the density at the points of a block, with each component's share of it and squared distance.
    pub(super) fn shares_in(&self, coordinates: &[Row], at: &mut AtBlock) {
        self.densities_in(coordinates, at);
        at.totals = sums_of_terms(&at.terms);
    }
}

/// ln of each component's weight times its density, and its squared distances.
#[multiversion(targets("x86_64+avx2+fma"))]
fn log_terms(mixture: &Mixture, coordinates: &[Row], at: &mut AtBlock) {
    // A few directions are the usual case; with their number known the loops are unrolled.
    match mixture.dim {
        2 => log_terms_in(mixture, &coordinates[..2], at),
        3 => log_terms_in(mixture, &coordinates[..3], at),
        4 => log_terms_in(mixture, &coordinates[..4], at),
        _ => log_terms_in(mixture, coordinates, at),
    }
}

#[inline(always)]
fn log_terms_in(mixture: &Mixture, coordinates: &[Row], at: &mut AtBlock) {
    let stretch = mixture.rows.len() / mixture.constants.len();
    for (k, (terms, distances)) in at.terms.iter_mut().zip(&mut at.distances).enumerate() {
        let (group, lane) = (k / LANES, k % LANES);
        let rows = &mixture.rows[group * stretch..(group + 1) * stretch];
        let [log_weight, inverse_nu, power] = mixture.constants[group].map(|constant| constant.0[lane]);
        for s in 0..STRIPS {
            let mut q = [0.0; STRIP];
            let mut rest = rows;
            for r in 0..coordinates.len() {
                let (row, after) = rest.split_at(r + 2);
                rest = after;
                let mut t = [-row[0].0[lane]; STRIP];
                for (p, u) in row[1..].iter().zip(coordinates) {
                    let (p, u) = (p.0[lane], u.strip(s));
                    for l in 0..STRIP {
                        t[l] = p.mul_add(u[l], t[l]);
                    }
                }
                for l in 0..STRIP {
                    q[l] = t[l].mul_add(t[l], q[l]);
                }
            }
            *distances.strip_mut(s) = q;
            for l in 0..STRIP {
                let log = simd::ln(q[l].mul_add(inverse_nu, 1.0));
                q[l] = log.mul_add(-power, log_weight);
            }
            *terms.strip_mut(s) = q;
        }
    }
}

/// ln Σ e^term over the components; each term becomes e^(term − largest).
#[multiversion(targets("x86_64+avx2+fma"))]
fn log_sums(at: &mut AtBlock) {
    for s in 0..STRIPS {
        let mut largest = [NOTHING; STRIP];
        for terms in &at.terms {
            let term = terms.strip(s);
            for l in 0..STRIP {
                largest[l] = if term[l] > largest[l] { term[l] } else { largest[l] };
            }
        }
        // In the order in which the components of one point are summed.
        let mut sums = [[0.0; STRIP]; LANES];
        for (k, terms) in at.terms.iter_mut().enumerate() {
            let mut term = *terms.strip(s);
            let mut sum = sums[k % LANES];
            for l in 0..STRIP {
                term[l] = simd::exp(term[l] - largest[l]);
            }
            for l in 0..STRIP {
                sum[l] += term[l];
            }
            sums[k % LANES] = sum;
            *terms.strip_mut(s) = term;
        }
        let mut total = [0.0; STRIP];
        for sum in &sums {
            for l in 0..STRIP {
                total[l] += sum[l];
            }
        }
        for l in 0..STRIP {
            // The largest term is 1; without numbers there is none.
            let log = largest[l] + simd::ln(total[l]);
            total[l] = if total[l] >= 1.0 && total[l].is_finite() { log } else { f64::NAN };
        }
        *at.log_density.strip_mut(s) = total;
    }
}

/// The sum of each point's terms, one component after another.
#[multiversion(targets("x86_64+avx2+fma"))]
fn sums_of_terms(terms: &[Row]) -> Row {
    let mut totals = Row::ZERO;
    for row in terms {
        for p in 0..ROW {
            totals.0[p] += row.0[p];
        }
    }
    totals
}
