//! The covariance S(y) = M H Mᵀ of the kernel gradients at a point, in one pass over z; and local covariances.
//!
//! With m_a = 2∇k(x, z_a) at x = y, S = Σ m_a m_aᵀ − (Σ m_a)(Σ m_a)ᵀ/n: neither M nor H is ever formed. The pass goes
//! block by block: distances, weights, weighted differences, then their products in small tiles that stay in registers.

use crate::kernel::Kernel;
use crate::points::Points;
use crate::simd::{self, BLOCK, Block, LANES, Lanes};
use multiversion::multiversion;

/// Coordinates are taken in groups of this many, so rows are rounded up to whole groups.
const GROUP: usize = 4;

/// Room for one block's gradients and the running sums, allocated once per place.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    /// Half a gradient, ½m_a, for each point of the block, coordinate by coordinate.
    half: Vec<Block>,
    /// The block's weights along (z_a − y) and along z_a.
    radial: Block,
    inner: Block,
    products: Vec<Lanes>,
    sums: Vec<Lanes>,
}

impl Scratch {
    pub(crate) fn new(dim: usize) -> Self {
        let rows = dim.next_multiple_of(GROUP);
        Self {
            half: vec![Block::ZERO; rows],
            radial: Block::ZERO,
            inner: Block::ZERO,
            products: vec![[0.0; LANES]; rows * rows],
            sums: vec![[0.0; LANES]; rows],
        }
    }

    /// Works out the half gradients of the block of z from `start` on, zero past the last point; tells how many there are.
    fn fill(&mut self, kernel: &Kernel, parts: (bool, bool), z: &Points, y: &[f64], start: usize) -> usize {
        let count = BLOCK.min(z.len() - start);
        let z = z.block(start);
        if parts.0 {
            squared_distances(z, y, &mut self.radial);
        }
        if parts.1 {
            inner_products(z, y, &mut self.inner);
        }
        kernel.weights(&mut self.radial, &mut self.inner);
        self.radial[count..].fill(0.0);
        self.inner[count..].fill(0.0);
        half_gradients(z, y, (parts.0.then_some(&self.radial), parts.1.then_some(&self.inner)), &mut self.half);
        count
    }

    /// Fills the symmetric d × d matrix `s` from the sums of products.
    #[inline(always)]
    fn symmetric(&self, s: &mut [f64], value: impl Fn(usize, usize, f64) -> f64) {
        let (d, rows) = (s.len().isqrt(), self.half.len());
        for i in 0..d {
            for j in 0..=i {
                let value = value(i, j, simd::total(&self.products[i * rows + j]));
                s[i * d + j] = value;
                s[j * d + i] = value;
            }
        }
    }
}

/// Writes S(y) to `s`, d × d.
pub(crate) fn gradient_covariance(kernel: &Kernel, z: &Points, y: &[f64], scratch: &mut Scratch, s: &mut [f64]) {
    let d = y.len();
    let n = z.len();
    if n == 0 {
        s.fill(0.0);
        return;
    }
    let parts = kernel.parts();
    scratch.products.fill([0.0; LANES]);
    scratch.sums.fill([0.0; LANES]);
    for start in (0..n).step_by(BLOCK) {
        let count = scratch.fill(kernel, parts, z, y, start);
        accumulate(&scratch.half, count.next_multiple_of(LANES), d, &mut scratch.products, &mut scratch.sums);
    }
    scratch.symmetric(s, |i, j, product| {
        let centre = simd::total(&scratch.sums[i]) * simd::total(&scratch.sums[j]) / n as f64;
        // The factor 2 of each gradient, squared.
        4.0 * (product - centre)
    });
}

/// Writes C = Σ ω_a (z_a − y)(z_a − y)ᵀ / Σ ω_a to `moments`, d × d, where ω_a ∝ exp(−|z_a − y|²/σ²): MMᵀ of the
/// Gaussian kernel, per unit of weight. Far from z it points to the nearest of it, and grows with the distance. Tells the
/// number of points, (Σ ω_a)²/Σ ω_a², that it is made of.
pub(crate) fn weighted_moments(sigma: f64, z: &Points, y: &[f64], scratch: &mut Scratch, moments: &mut [f64]) -> f64 {
    let (d, n) = (y.len(), z.len());
    scratch.products.fill([0.0; LANES]);
    scratch.sums.fill([0.0; LANES]);
    let mut nearest = f64::INFINITY;
    for start in (0..n).step_by(BLOCK) {
        squared_distances(z.block(start), y, &mut scratch.radial);
        nearest = least(&scratch.radial[..BLOCK.min(n - start)], nearest);
    }
    let (mut sum, mut squares) = (0.0, 0.0);
    for start in (0..n).step_by(BLOCK) {
        let count = BLOCK.min(n - start);
        squared_distances(z.block(start), y, &mut scratch.radial);
        let of_block = root_weights(&mut scratch.radial, count, nearest, 1.0 / (sigma * sigma));
        sum += of_block.0;
        squares += of_block.1;
        half_gradients(z.block(start), y, (Some(&scratch.radial), None), &mut scratch.half);
        accumulate(&scratch.half, count.next_multiple_of(LANES), d, &mut scratch.products, &mut scratch.sums);
    }
    scratch.symmetric(moments, |_, _, product| product / sum);
    sum * sum / squares
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn least(values: &[f64], so_far: f64) -> f64 {
    values.iter().fold(so_far, |a, b| if *b < a { *b } else { a })
}

/// Replaces squared distances by the roots of the weights, zero from `count` on; tells Σ ω and Σ ω².
#[multiversion(targets("x86_64+avx2+fma"))]
fn root_weights(r2: &mut Block, count: usize, nearest: f64, precision: f64) -> (f64, f64) {
    for r2 in r2.iter_mut() {
        *r2 = simd::exp(-0.5 * precision * (*r2 - nearest).max(0.0));
    }
    r2[count..].fill(0.0);
    let (mut sums, mut squares) = ([0.0; LANES], [0.0; LANES]);
    for start in (0..BLOCK).step_by(LANES) {
        for l in 0..LANES {
            let weight = r2[start + l] * r2[start + l];
            sums[l] += weight;
            squares[l] = weight.mul_add(weight, squares[l]);
        }
    }
    (simd::total(&sums), simd::total(&squares))
}

/// Writes u_j = M H α_j = Σ_a α_ja m_a to row j of `directions` for each centred α_j, all of z.len() numbers.
pub(crate) fn directions(
    kernel: &Kernel,
    z: &Points,
    y: &[f64],
    alphas: &[f64],
    scratch: &mut Scratch,
    directions: &mut [f64],
) {
    let (d, n) = (y.len(), z.len());
    let parts = kernel.parts();
    directions.fill(0.0);
    for start in (0..n).step_by(BLOCK) {
        let count = scratch.fill(kernel, parts, z, y, start);
        add_directions(&scratch.half, alphas, n, start, count, d, directions);
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn add_directions(
    half: &[Block],
    alphas: &[f64],
    n: usize,
    start: usize,
    count: usize,
    d: usize,
    directions: &mut [f64],
) {
    for (alpha, u) in alphas.chunks(n).zip(directions.chunks_mut(d)) {
        for (u, half) in u.iter_mut().zip(half) {
            *u += 2.0 * simd::dot(&alpha[start..start + count], &half[..count]);
        }
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn squared_distances(z: &[Block], y: &[f64], r2: &mut Block) {
    r2.fill(0.0);
    let (z_groups, z_rest) = z.as_chunks::<GROUP>();
    let (y_groups, y_rest) = y.as_chunks::<GROUP>();
    for (z, y) in z_groups.iter().zip(y_groups) {
        for a in 0..BLOCK {
            let mut sum = r2[a];
            for i in 0..GROUP {
                let t = z[i][a] - y[i];
                sum = t.mul_add(t, sum);
            }
            r2[a] = sum;
        }
    }
    for (z, y) in z_rest.iter().zip(y_rest) {
        for a in 0..BLOCK {
            let t = z[a] - y;
            r2[a] = t.mul_add(t, r2[a]);
        }
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn inner_products(z: &[Block], y: &[f64], inner: &mut Block) {
    inner.fill(0.0);
    for (z, &y) in z.iter().zip(y) {
        for a in 0..BLOCK {
            inner[a] = z[a].mul_add(y, inner[a]);
        }
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn half_gradients(z: &[Block], y: &[f64], (radial, inner): (Option<&Block>, Option<&Block>), half: &mut [Block]) {
    match radial {
        Some(radial) => weigh_differences(z, y, radial, half),
        None => half.fill(Block::ZERO),
    }
    if let Some(inner) = inner {
        for (half, z) in half.iter_mut().zip(z) {
            for a in 0..BLOCK {
                half[a] = inner[a].mul_add(z[a], half[a]);
            }
        }
    }
}

/// radial[a] (z_a − y), four coordinates at once so that each weight is read once for them.
#[inline(always)]
fn weigh_differences(z: &[Block], y: &[f64], radial: &Block, half: &mut [Block]) {
    let whole = y.len() / GROUP * GROUP;
    let groups = z.as_chunks::<GROUP>().0.iter().zip(y.as_chunks::<GROUP>().0);
    for ((z, y), half) in groups.zip(half.as_chunks_mut::<GROUP>().0) {
        for a in 0..BLOCK {
            for i in 0..GROUP {
                half[i][a] = radial[a] * (z[i][a] - y[i]);
            }
        }
    }
    for ((z, y), half) in z[whole..].iter().zip(&y[whole..]).zip(&mut half[whole..]) {
        for a in 0..BLOCK {
            half[a] = radial[a] * (z[a] - y);
        }
    }
}

/// Adds the block's Σ h_i h_j (lower triangle) and Σ h_i to the running sums, in tiles that fit the registers.
#[multiversion(targets("x86_64+avx2+fma"))]
fn accumulate(half: &[Block], count: usize, d: usize, products: &mut [Lanes], sums: &mut [Lanes]) {
    let rows = half.len();
    for i in (0..d).step_by(GROUP) {
        let group = half[i..].first_chunk().expect("rows are whole groups");
        let pairs = diagonal_tile(group, count);
        for (k, (row, column)) in PAIRS.iter().enumerate() {
            add(&mut products[(i + row) * rows + i + column], &pairs[k]);
        }
        for j in (0..i).step_by(2) {
            let columns = half[j..].first_chunk().expect("rows are whole groups");
            for (k, tile) in tile(group, columns, count).iter().enumerate() {
                add(&mut products[(i + k / 2) * rows + j + k % 2], tile);
            }
        }
        for (sum, total) in sums[i..].iter_mut().zip(row_sums(group, count)) {
            add(sum, &total);
        }
    }
}

/// The pairs of the lower triangle of a group, in the order of [`diagonal_tile`].
const PAIRS: [(usize, usize); 10] = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (3, 3)];

/// Σ h_i h_j within a group.
#[inline(always)]
fn diagonal_tile(h: &[Block; GROUP], count: usize) -> [Lanes; 10] {
    let mut tile = [[0.0; LANES]; 10];
    for start in (0..count).step_by(LANES) {
        for (k, (row, column)) in PAIRS.iter().enumerate() {
            for l in 0..LANES {
                tile[k][l] = h[*row][start + l].mul_add(h[*column][start + l], tile[k][l]);
            }
        }
    }
    tile
}

/// Σ h_i g_j of a group with two other rows.
#[inline(always)]
fn tile(h: &[Block; GROUP], g: &[Block; 2], count: usize) -> [Lanes; 8] {
    let mut tile = [[0.0; LANES]; 8];
    for start in (0..count).step_by(LANES) {
        for k in 0..8 {
            for l in 0..LANES {
                tile[k][l] = h[k / 2][start + l].mul_add(g[k % 2][start + l], tile[k][l]);
            }
        }
    }
    tile
}

/// Σ h_i of a group: four rows at once, since one alone would wait for each of its additions.
#[inline(always)]
fn row_sums(h: &[Block; GROUP], count: usize) -> [Lanes; GROUP] {
    let mut sums = [[0.0; LANES]; GROUP];
    for start in (0..count).step_by(LANES) {
        for k in 0..GROUP {
            for l in 0..LANES {
                sums[k][l] += h[k][start + l];
            }
        }
    }
    sums
}

#[inline(always)]
fn add(sum: &mut Lanes, lanes: &Lanes) {
    for l in 0..LANES {
        sum[l] += lanes[l];
    }
}

#[cfg(test)]
mod tests;
