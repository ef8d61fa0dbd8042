//! The density that jumps are drawn from: an estimate over z, whose components follow the local shape of the target.
//!
//! Q(u) = (1 − δ) mean_i t₅(u; z_i, h²Ĉ_i) + δ t₅(u; 0, Σ) in the coordinates of the frame. Student's t with five degrees
//! of freedom has tails that hold the target's: with Gaussian ones a chain may sit in a tail for long.

use super::Frame;
use super::local_covariance::{LocalFactors, invert_lower, packed, row};
use crate::Rng;
use crate::points::Points;
use crate::simd::{self, BLOCK, Block, LANES};
use multiversion::multiversion;
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// The degrees of freedom of each component.
const FREEDOM: usize = 5;

/// The shape of the density estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DensityShape {
    /// Whether distances are those of the whitened coordinates, or of the raw ones.
    pub white: bool,
    /// f: the neighbourhood in units of the median distance; none for components of one shape, that of Σ.
    pub width: Option<f64>,
    /// h², the components' size.
    pub h2: f64,
    /// δ, the weight of the wide component.
    pub delta: f64,
    /// Whether it is jumped from.
    pub jump: bool,
}

impl Default for DensityShape {
    fn default() -> Self {
        Self { white: true, width: Some(1.0), h2: 0.5, delta: 0.5, jump: true }
    }
}

impl DensityShape {
    /// The frame in which distances are measured.
    pub(crate) fn frame(&self, metric: &Frame) -> Frame {
        if self.white { metric.clone() } else { Frame::raw(metric.origin.clone()) }
    }

    pub(crate) fn is_valid(&self) -> bool {
        let positive = |v: f64| v > 0.0 && v.is_finite();
        self.width.is_none_or(positive) && positive(self.h2) && self.delta > 0.0 && self.delta < 1.0
    }
}

/// Q, ready to be drawn from and evaluated.
#[derive(Clone, Debug)]
pub struct JumpDensity {
    /// The components' centres.
    z: Points,
    /// P_i with P_iᵀP_i = (h²Ĉ_i)⁻¹, its lower triangle row by row, for each block of points; none if all are I/h.
    precisions: Vec<Block>,
    /// 1/h
    narrowing: f64,
    /// |P_i| of each point over the largest; 0 past the last.
    weights: Vec<Block>,
    /// ln of the constant that the weighted sum is multiplied with.
    log_constant: f64,
    /// P of the wide component, and the ln of its constant.
    wide: Vec<f64>,
    log_wide: f64,
    delta: f64,
}

/// Room for one block's differences.
pub type DensityScratch = Vec<Block>;

impl JumpDensity {
    /// Components at z with the given shapes, or all with the identity; `factor` is that of Σ in the frame.
    pub fn new(z: &Points, shapes: Option<&LocalFactors>, factor: &[f64], h2: f64, delta: f64) -> Self {
        let (d, n) = (z.dim(), z.len());
        let narrowing = 1.0 / h2.sqrt();
        let log_h = d as f64 * libm::log(narrowing);
        let mut weights = vec![Block::ZERO; n.div_ceil(BLOCK)];
        let (mut precisions, mut log_largest) = (Vec::new(), 0.0);
        if let Some(shapes) = shapes {
            precisions = shapes.scaled_blocks(narrowing);
            log_largest = shapes.log_volumes.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        }
        for a in 0..n {
            let log = shapes.map_or(0.0, |shapes| shapes.log_volumes[a] - log_largest);
            weights[a / BLOCK][a % BLOCK] = libm::exp(log);
        }
        let mut wide = vec![0.0; packed(d)];
        invert_lower(factor, &mut wide, d);
        let log_wide = log_t_constant(d) + (0..d).map(|r| libm::log(wide[row(r) + r])).sum::<f64>();
        let log_constant = log_t_constant(d) + log_largest + log_h - libm::log(n as f64);
        Self { z: z.clone(), precisions, narrowing, weights, log_constant, wide, log_wide, delta }
    }

    /// Room for [`JumpDensity::log_density`].
    pub fn scratch(dim: usize) -> DensityScratch {
        vec![Block::ZERO; dim]
    }

    /// ln Q(u)
    pub fn log_density(&self, u: &[f64], scratch: &mut DensityScratch) -> f64 {
        let (near, wide) = self.log_parts(u, scratch);
        mix(near, wide, self.delta)
    }

    /// ln of the mean over z, and of the wide component.
    pub fn log_parts(&self, u: &[f64], scratch: &mut DensityScratch) -> (f64, f64) {
        let d = u.len();
        let mut sum = 0.0;
        let mut q = Block::ZERO;
        for (k, weights) in self.weights.iter().enumerate() {
            let z = self.z.block(k * BLOCK);
            if self.precisions.is_empty() {
                isotropic(z, u, self.narrowing, &mut q);
            } else {
                let precisions = &self.precisions[k * packed(d)..(k + 1) * packed(d)];
                squared_lengths(z, precisions, u, scratch, &mut q);
            }
            sum += kernel_sum(&mut q, weights, d + FREEDOM);
        }
        let mut q = 0.0;
        for r in 0..d {
            let t = crate::linalg::dot(&self.wide[row(r)..=row(r) + r], &u[..=r]);
            q += t * t;
        }
        let wide = self.log_wide - 0.5 * (d + FREEDOM) as f64 * libm::log(1.0 + q / FREEDOM as f64);
        (self.log_constant + libm::log(sum), wide)
    }

    /// Draws from Q.
    pub fn draw(&self, rng: &mut Rng, u: &mut [f64]) {
        u.iter_mut().for_each(|u| *u = rng.sample(StandardNormal));
        let chi2: f64 = (0..FREEDOM).map(|_| rng.sample::<f64, _>(StandardNormal)).map(|x| x * x).sum();
        let stretch = (FREEDOM as f64 / chi2).sqrt();
        u.iter_mut().for_each(|u| *u *= stretch);
        if rng.random::<f64>() < self.delta {
            solve_packed(u, |k| self.wide[k]);
            return;
        }
        let a = rng.random_range(0..self.z.len());
        let (block, lane) = (a / BLOCK, a % BLOCK);
        if self.precisions.is_empty() {
            u.iter_mut().for_each(|u| *u /= self.narrowing);
        } else {
            let first = block * packed(u.len());
            solve_packed(u, |k| self.precisions[first + k][lane]);
        }
        u.iter_mut().zip(self.z.block(block * BLOCK)).for_each(|(u, z)| *u += z[lane]);
    }
}

/// ln((1 − δ)e^near + δe^wide)
pub fn mix(near: f64, wide: f64, delta: f64) -> f64 {
    let (near, wide) = (near + libm::log(1.0 - delta), wide + libm::log(delta));
    let (high, low) = if near > wide { (near, wide) } else { (wide, near) };
    high + libm::log1p(libm::exp(low - high))
}

/// ln of the constant of Student's t in d dimensions with unit scale.
fn log_t_constant(d: usize) -> f64 {
    let (nu, d) = (FREEDOM as f64, d as f64);
    libm::lgamma(0.5 * (nu + d)) - libm::lgamma(0.5 * nu) - 0.5 * d * libm::log(nu * std::f64::consts::PI)
}

/// Replaces x by P⁻¹x, with the packed lower triangle of P.
fn solve_packed(x: &mut [f64], p: impl Fn(usize) -> f64) {
    for r in 0..x.len() {
        let sum: f64 = (0..r).map(|c| p(row(r) + c) * x[c]).sum();
        x[r] = (x[r] - sum) / p(row(r) + r);
    }
}

/// q_a = |u − z_a|²/h²
#[multiversion(targets("x86_64+avx2+fma"))]
fn isotropic(z: &[Block], u: &[f64], narrowing: f64, q: &mut Block) {
    q.fill(0.0);
    for (z, u) in z.iter().zip(u) {
        for a in 0..BLOCK {
            let t = (z[a] - u) * narrowing;
            q[a] = t.mul_add(t, q[a]);
        }
    }
}

/// q_a = |P_a(u − z_a)|²
#[multiversion(targets("x86_64+avx2+fma"))]
fn squared_lengths(z: &[Block], precisions: &[Block], u: &[f64], differences: &mut [Block], q: &mut Block) {
    for ((difference, z), u) in differences.iter_mut().zip(z).zip(u) {
        for a in 0..BLOCK {
            difference[a] = u - z[a];
        }
    }
    q.fill(0.0);
    const WIDE: usize = 4 * LANES;
    for r in 0..u.len() {
        let row = &precisions[row(r)..=row(r) + r];
        for start in (0..BLOCK).step_by(WIDE) {
            let mut t = [0.0; WIDE];
            for (p, difference) in row.iter().zip(differences.iter()) {
                let p: &[f64; WIDE] = p[start..].first_chunk().expect("blocks are whole");
                let e: &[f64; WIDE] = difference[start..].first_chunk().expect("blocks are whole");
                for l in 0..WIDE {
                    t[l] = p[l].mul_add(e[l], t[l]);
                }
            }
            for l in 0..WIDE {
                q[start + l] = t[l].mul_add(t[l], q[start + l]);
            }
        }
    }
}

/// Σ w_a (1 + q_a/5)^(−power/2)
#[multiversion(targets("x86_64+avx2+fma"))]
fn kernel_sum(q: &mut Block, weights: &Block, power: usize) -> f64 {
    let mut base = Block::ZERO;
    for a in 0..BLOCK {
        base[a] = q[a].mul_add(1.0 / FREEDOM as f64, 1.0);
    }
    // The power by squaring, for the whole block at once.
    q.fill(1.0);
    let mut left = power;
    while left > 0 {
        if left % 2 == 1 {
            for a in 0..BLOCK {
                q[a] *= base[a];
            }
        }
        left /= 2;
        for a in 0..BLOCK {
            base[a] *= base[a];
        }
    }
    let mut lanes = [0.0; LANES];
    for start in (0..BLOCK).step_by(LANES) {
        for l in 0..LANES {
            lanes[l] += weights[start + l] / q[start + l].sqrt();
        }
    }
    simd::total(&lanes)
}

#[cfg(test)]
mod tests;
