//! Linear algebra for many points that lie side by side, by the same operations in the same order as for one.

use crate::simd::{LANES, Row, STRIP, STRIPS};
use multiversion::multiversion;

/// Replaces each point x by L⁻¹x.
#[multiversion(targets("x86_64+avx2+fma"))]
pub fn solve_lower_rows(factor: &[f64], rows: &mut [Row]) {
    let d = rows.len();
    for i in 0..d {
        let (known, rest) = rows.split_at_mut(i);
        let factors = &factor[i * d..=i * d + i];
        for s in 0..STRIPS {
            let sum = sum_in_lanes(&factors[..i], known, s);
            let x = rest[0].strip_mut(s);
            for l in 0..STRIP {
                x[l] = (x[l] - sum[l]) / factors[i];
            }
        }
    }
}

/// Σ a_i x_i as `simd::dot` sums it.
#[inline(always)]
fn sum_in_lanes(a: &[f64], rows: &[Row], s: usize) -> [f64; STRIP] {
    let mut lanes = [[0.0; STRIP]; LANES];
    let mut rest = [0.0; STRIP];
    let (a, rows) = (a.chunks_exact(LANES), rows.chunks_exact(LANES));
    for (a, row) in a.remainder().iter().zip(rows.remainder()) {
        let x = row.strip(s);
        for l in 0..STRIP {
            rest[l] = a.mul_add(x[l], rest[l]);
        }
    }
    for (a, rows) in a.zip(rows) {
        for j in 0..LANES {
            let x = rows[j].strip(s);
            for l in 0..STRIP {
                lanes[j][l] = a[j].mul_add(x[l], lanes[j][l]);
            }
        }
    }
    for l in 0..STRIP {
        rest[l] += (lanes[0][l] + lanes[1][l]) + (lanes[2][l] + lanes[3][l]);
    }
    rest
}

/// Writes Eu for each point u; E is given row by row.
#[multiversion(targets("x86_64+avx2+fma"))]
pub fn multiply_rows(matrix: &[f64], u: &[Row], products: &mut [Row]) {
    for (e, product) in matrix.chunks_exact(u.len()).zip(products) {
        for s in 0..STRIPS {
            let mut sum = [0.0; STRIP];
            for (e, u) in e.iter().zip(u) {
                let u = u.strip(s);
                for l in 0..STRIP {
                    sum[l] += e * u[l];
                }
            }
            *product.strip_mut(s) = sum;
        }
    }
}

/// |u|² for each point u.
#[multiversion(targets("x86_64+avx2+fma"))]
pub fn squared_rows(u: &[Row]) -> Row {
    let mut squared = Row::ZERO;
    for s in 0..STRIPS {
        let mut sum = [0.0; STRIP];
        for u in u {
            let u = u.strip(s);
            for l in 0..STRIP {
                sum[l] += u[l] * u[l];
            }
        }
        *squared.strip_mut(s) = sum;
    }
    squared
}
