//! The spread S(y) = M H Mᵀ of the kernel gradients at a point, in one pass over z.
//!
//! With m_a = 2∇k(x, z_a) at x = y, S = Σ m_a m_aᵀ − (Σ m_a)(Σ m_a)ᵀ/n: neither M nor H is ever formed. The pass goes
//! block by block: distances, weights, weighted differences, then their products in small tiles that stay in registers.

use crate::kernel::{BLOCK, Block, Kernel};
use crate::points::Points;
use multiversion::multiversion;

/// Points summed side by side; fixed, so that the order of additions is the same on every machine.
const LANES: usize = 4;
type Lanes = [f64; LANES];

/// Coordinates are taken in groups of this many, so rows are rounded up to whole groups.
const GROUP: usize = 4;

/// Room for one block's gradients and the running sums, allocated once per place.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    /// Half a gradient, ½m_a, for each point of the block, coordinate by coordinate.
    half: Vec<Block>,
    products: Vec<Lanes>,
    sums: Vec<Lanes>,
}

impl Scratch {
    pub(crate) fn new(dim: usize) -> Self {
        let rows = dim.next_multiple_of(GROUP);
        Self {
            half: vec![[0.0; BLOCK]; rows],
            products: vec![[0.0; LANES]; rows * rows],
            sums: vec![[0.0; LANES]; rows],
        }
    }
}

/// Writes S(y) to `s`, d × d.
pub(crate) fn spread(kernel: &Kernel, z: &Points, y: &[f64], scratch: &mut Scratch, s: &mut [f64]) {
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
        let count = BLOCK.min(n - start);
        let (radial, inner) = block_weights(kernel, parts, z, y, start, count);
        half_gradients(z, y, start, &radial, parts.1.then_some(&inner), &mut scratch.half);
        accumulate(&scratch.half, count.next_multiple_of(LANES), d, &mut scratch.products, &mut scratch.sums);
    }
    let rows = scratch.half.len();
    for i in 0..d {
        for j in 0..=i {
            let product = total(&scratch.products[i * rows + j]);
            let centre = total(&scratch.sums[i]) * total(&scratch.sums[j]) / n as f64;
            // The factor 2 of each gradient, squared.
            let value = 4.0 * (product - centre);
            s[i * d + j] = value;
            s[j * d + i] = value;
        }
    }
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
        let count = BLOCK.min(n - start);
        let (radial, inner) = block_weights(kernel, parts, z, y, start, count);
        half_gradients(z, y, start, &radial, parts.1.then_some(&inner), &mut scratch.half);
        for (alpha, u) in alphas.chunks(n).zip(directions.chunks_mut(d)) {
            for (u, half) in u.iter_mut().zip(&scratch.half) {
                *u += 2.0 * lane_dot(&alpha[start..start + count], &half[..count]);
            }
        }
    }
}

/// The weights of a block's gradients along (z_a − y) and along z_a, zero past the last point.
fn block_weights(
    kernel: &Kernel,
    parts: (bool, bool),
    z: &Points,
    y: &[f64],
    start: usize,
    count: usize,
) -> (Block, Block) {
    let (mut radial, mut inner) = ([0.0; BLOCK], [0.0; BLOCK]);
    if parts.0 {
        squared_distances(z, y, start, &mut radial);
    }
    if parts.1 {
        inner_products(z, y, start, &mut inner);
    }
    kernel.weights(&mut radial, &mut inner);
    radial[count..].fill(0.0);
    inner[count..].fill(0.0);
    (radial, inner)
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn squared_distances(z: &Points, y: &[f64], start: usize, r2: &mut Block) {
    let mut i = 0;
    while i + 4 <= y.len() {
        let (z0, z1, z2, z3) = (z.block(i, start), z.block(i + 1, start), z.block(i + 2, start), z.block(i + 3, start));
        let (y0, y1, y2, y3) = (y[i], y[i + 1], y[i + 2], y[i + 3]);
        for a in 0..BLOCK {
            let (t0, t1, t2, t3) = (z0[a] - y0, z1[a] - y1, z2[a] - y2, z3[a] - y3);
            r2[a] = t3.mul_add(t3, t2.mul_add(t2, t1.mul_add(t1, t0.mul_add(t0, r2[a]))));
        }
        i += 4;
    }
    for i in i..y.len() {
        let (z, y) = (z.block(i, start), y[i]);
        for a in 0..BLOCK {
            let t = z[a] - y;
            r2[a] = t.mul_add(t, r2[a]);
        }
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn inner_products(z: &Points, y: &[f64], start: usize, inner: &mut Block) {
    for (i, &y) in y.iter().enumerate() {
        let z = z.block(i, start);
        for a in 0..BLOCK {
            inner[a] = z[a].mul_add(y, inner[a]);
        }
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn half_gradients(z: &Points, y: &[f64], start: usize, radial: &Block, inner: Option<&Block>, half: &mut [Block]) {
    for (i, (&y, half)) in y.iter().zip(half).enumerate() {
        let z = z.block(i, start);
        for a in 0..BLOCK {
            half[a] = radial[a] * (z[a] - y);
        }
        if let Some(inner) = inner {
            for a in 0..BLOCK {
                half[a] = inner[a].mul_add(z[a], half[a]);
            }
        }
    }
}

/// Adds the block's Σ h_i h_j (lower triangle, in tiles of 4 × 2) and Σ h_i to the running sums.
#[multiversion(targets("x86_64+avx2+fma"))]
fn accumulate(half: &[Block], count: usize, d: usize, products: &mut [Lanes], sums: &mut [Lanes]) {
    let rows = half.len();
    for i in (0..d).step_by(4) {
        let [h0, h1, h2, h3] = half[i..].first_chunk::<4>().expect("rows are whole groups");
        for j in (0..d.min(i + 4)).step_by(2) {
            let [g0, g1] = half[j..].first_chunk::<2>().expect("rows are whole groups");
            let mut tile = [[0.0; LANES]; 8];
            for start in (0..count).step_by(LANES) {
                for l in 0..LANES {
                    let a = start + l;
                    tile[0][l] = h0[a].mul_add(g0[a], tile[0][l]);
                    tile[1][l] = h0[a].mul_add(g1[a], tile[1][l]);
                    tile[2][l] = h1[a].mul_add(g0[a], tile[2][l]);
                    tile[3][l] = h1[a].mul_add(g1[a], tile[3][l]);
                    tile[4][l] = h2[a].mul_add(g0[a], tile[4][l]);
                    tile[5][l] = h2[a].mul_add(g1[a], tile[5][l]);
                    tile[6][l] = h3[a].mul_add(g0[a], tile[6][l]);
                    tile[7][l] = h3[a].mul_add(g1[a], tile[7][l]);
                }
            }
            for (k, tile) in tile.iter().enumerate() {
                let product = &mut products[(i + k / 2) * rows + j + k % 2];
                for l in 0..LANES {
                    product[l] += tile[l];
                }
            }
        }
    }
    for (half, sum) in half[..d].iter().zip(sums) {
        for chunk in half[..count].chunks_exact(LANES) {
            for l in 0..LANES {
                sum[l] += chunk[l];
            }
        }
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn lane_dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        for l in 0..LANES {
            lanes[l] = a[l].mul_add(b[l], lanes[l]);
        }
    }
    total(&lanes) + rest
}

#[inline(always)]
fn total(lanes: &Lanes) -> f64 {
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{InverseMultiquadric, Linear};

    fn kernels() -> Vec<Kernel> {
        vec![
            Kernel::gaussian(2.0),
            Kernel::matern(1.5, 1.0),
            Kernel::matern(2.5, 1.0),
            Kernel::InverseMultiquadric(InverseMultiquadric { length: 1.5 }),
            Kernel::Linear(Linear),
            Kernel::polynomial(2),
            Kernel::Sum(vec![Kernel::gaussian(1.0), Kernel::Scaled(0.1, Box::new(Kernel::Linear(Linear)))]),
        ]
    }

    fn cloud(n: usize, d: usize) -> Vec<f64> {
        (0..n * d).map(|k| ((k * k % 977) as f64 * 0.37).sin() * 1.5).collect()
    }

    /// The columns m_a of M, one after another.
    fn gradients(kernel: &Kernel, rows: &[f64], y: &[f64]) -> Vec<f64> {
        let mut m = vec![0.0; rows.len()];
        for (m, z) in m.chunks_mut(y.len()).zip(rows.chunks(y.len())) {
            kernel.gradient(y, z, m);
            m.iter_mut().for_each(|m| *m *= 2.0);
        }
        m
    }

    #[test]
    fn the_spread_is_that_of_the_definition() {
        for kernel in kernels() {
            for (n, d) in [(1, 2), (5, 3), (127, 2), (128, 8), (129, 4), (300, 5), (1000, 8), (64, 33)] {
                let (rows, y) = (cloud(n, d), cloud(1, d));
                let mut s = vec![0.0; d * d];
                spread(&kernel, &Points::from_rows(&rows, d), &y, &mut Scratch::new(d), &mut s);
                let m = gradients(&kernel, &rows, &y);
                let mean: Vec<f64> = (0..d).map(|i| m.iter().skip(i).step_by(d).sum::<f64>() / n as f64).collect();
                // M H Mᵀ, centred before it is multiplied.
                let naive = |i: usize, j: usize| m.chunks(d).map(|m| (m[i] - mean[i]) * (m[j] - mean[j])).sum::<f64>();
                let size = m.iter().map(|m| m * m).sum::<f64>();
                for (i, j) in (0..d * d).map(|k| (k / d, k % d)) {
                    let error = (s[i * d + j] - naive(i, j)).abs();
                    assert!(error <= 1e-12 * (1.0 + size), "{kernel:?} n={n} d={d} at {i},{j}: off by {error}");
                    assert_eq!(s[i * d + j], s[j * d + i]);
                }
            }
        }
    }

    #[test]
    fn no_points_have_no_spread() {
        let mut s = [1.0; 4];
        spread(&Kernel::gaussian(1.0), &Points::new(2, 10), &[0.0, 0.0], &mut Scratch::new(2), &mut s);
        assert_eq!(s, [0.0; 4]);
    }

    #[test]
    fn directions_are_those_of_the_definition() {
        let (n, d, components) = (200, 3, 2);
        let (rows, y) = (cloud(n, d), cloud(1, d));
        let alphas: Vec<f64> = (0..components * n).map(|k| (k as f64).cos()).collect();
        for kernel in kernels() {
            let mut u = vec![0.0; components * d];
            directions(&kernel, &Points::from_rows(&rows, d), &y, &alphas, &mut Scratch::new(d), &mut u);
            let m = gradients(&kernel, &rows, &y);
            for (j, i) in (0..components * d).map(|k| (k / d, k % d)) {
                let naive: f64 = (0..n).map(|a| alphas[j * n + a] * m[a * d + i]).sum();
                assert!((u[j * d + i] - naive).abs() < 1e-10 * (1.0 + naive.abs()), "{kernel:?}");
            }
        }
    }
}
