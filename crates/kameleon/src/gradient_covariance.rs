//! The covariance S(y) = M H Mᵀ of the kernel gradients at a point, in one pass over z; and local covariances.
//!
//! With m_a = 2∇k(x, z_a) at x = y, S = Σ m_a m_aᵀ − (Σ m_a)(Σ m_a)ᵀ/n: neither M nor H is ever formed. The pass goes
//! block by block: distances, weights, weighted differences, then their products in small tiles that stay in registers.

mod block;

use crate::kernel::Kernel;
use crate::points::Points;
use crate::simd::{self, BLOCK, Block, LANES, Lanes};
use block::{GROUP, accumulate, half_gradients};
pub(crate) use block::{inner_products, squared_distances};
use multiversion::multiversion;

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

#[cfg(test)]
mod tests;
