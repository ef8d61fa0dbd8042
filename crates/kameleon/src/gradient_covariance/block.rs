//! The arithmetic on one block of points: distances, half gradients, and sums of their products in tiles that stay in registers.

use crate::simd::{BLOCK, Block, LANES, Lanes};
use multiversion::multiversion;

/// Coordinates are taken in groups of this many, so rows are rounded up to whole groups.
pub(super) const GROUP: usize = 4;

/// |z_a − y|² for each point of the block.
#[multiversion(targets("x86_64+avx2+fma"))]
pub(crate) fn squared_distances(z: &[Block], y: &[f64], r2: &mut Block) {
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

/// ⟨z_a, y⟩ for each point of the block.
#[multiversion(targets("x86_64+avx2+fma"))]
pub(crate) fn inner_products(z: &[Block], y: &[f64], inner: &mut Block) {
    inner.fill(0.0);
    for (z, &y) in z.iter().zip(y) {
        for a in 0..BLOCK {
            inner[a] = z[a].mul_add(y, inner[a]);
        }
    }
}

/// ½m_a for each point of the block, coordinate by coordinate, from the weights along (z_a − y) and along z_a.
#[multiversion(targets("x86_64+avx2+fma"))]
pub(super) fn half_gradients(
    z: &[Block],
    y: &[f64],
    (radial, inner): (Option<&Block>, Option<&Block>),
    half: &mut [Block],
) {
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
pub(super) fn accumulate(half: &[Block], count: usize, d: usize, products: &mut [Lanes], sums: &mut [Lanes]) {
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
