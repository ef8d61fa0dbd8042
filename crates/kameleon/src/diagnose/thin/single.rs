//! Sums over all draws in single precision, which is several times as fast: draws are standardised, so nothing is lost that counts.
//!
//! Everything is written in fused multiply-adds and fixed lanes, as in `simd`, so all machines agree to the last bit.

use super::scale::Weighted;

/// How many points are worked on at once.
pub(super) const LANES: usize = 64;
/// This many rows are summed in single precision; their sums in double.
const RUN: usize = 256;
/// Rows farther out than this are moved here, so that no square overflows. They have next to no weight.
const FARTHEST: f64 = 1e15;

/// One number for each of the points that are worked on at once.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Lanes(pub [f32; LANES]);

impl Lanes {
    /// All zeros.
    pub const ZERO: Self = Self([0.0; LANES]);
}

/// Rows of `dim` numbers, with their weights.
pub(super) struct Rows {
    dim: usize,
    rows: Vec<f32>,
    weights: Vec<f32>,
}

impl Rows {
    /// These rows. Weights too small for a normal number become zero: processors are slow with the others.
    pub fn new(of: &Weighted, dim: usize) -> Self {
        let weight = |w: &f64| Some(*w as f32).filter(|w| *w >= f32::MIN_POSITIVE).unwrap_or(0.0);
        Self { dim, rows: of.rows.iter().map(single).collect(), weights: of.weights.iter().map(weight).collect() }
    }

    /// The rows and weights, a run after another.
    #[inline(always)]
    pub fn runs(&self) -> impl Iterator<Item = (&[f32], &[f32])> {
        self.rows.chunks(RUN * self.dim).zip(self.weights.chunks(RUN))
    }
}

/// A coordinate.
pub(super) fn single(x: &f64) -> f32 {
    x.clamp(-FARTHEST, FARTHEST) as f32
}

/// Adding this to a small number rounds it to an integer, held in the lowest bits.
const ROUND: f32 = 12_582_912.0;
/// ln 2 in two parts, of which the first has trailing zeros.
const LN2_HIGH: f32 = 0.693_145_75;
const LN2_LOW: f32 = 1.428_606_8e-6;

/// e^x for −60 ≤ x ≤ 0 within 3e-7, and e⁻⁶⁰ below; branch-free, for loops over lanes.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let x = if x < -60.0 { -60.0 } else { x };
    let shifted = x.mul_add(std::f32::consts::LOG2_E, ROUND);
    let k = shifted - ROUND;
    let r = k.mul_add(-LN2_LOW, k.mul_add(-LN2_HIGH, x));
    // Taylor's series on |r| ≤ ln 2 / 2.
    let mut p = 1.0 / 720.0;
    for factorial in [120.0, 24.0, 6.0, 2.0, 1.0, 1.0] {
        p = f32::mul_add(p, r, 1.0 / factorial);
    }
    p * f32::from_bits(shifted.to_bits().wrapping_add(127) << 23)
}

/// π/2 in two parts.
const HALF_PI_HIGH: f32 = 1.570_796_4;
const HALF_PI_LOW: f32 = -4.371_139e-8;

/// (sin x, cos x) for |x| ≤ 10⁵ within 3e-7, and some numbers of at most 1 beyond that; branch-free, for loops over lanes.
#[inline(always)]
pub(super) fn sin_cos(x: f32) -> (f32, f32) {
    let x = x.clamp(-1e5, 1e5);
    let shifted = x.mul_add(std::f32::consts::FRAC_2_PI, ROUND);
    let k = shifted - ROUND;
    let r = k.mul_add(-HALF_PI_LOW, k.mul_add(-HALF_PI_HIGH, x));
    let z = r * r;
    // Taylor's series on |r| ≤ π/4.
    let mut sine = 1.0 / 362_880.0;
    for factorial in [-5_040.0, 120.0, -6.0, 1.0] {
        sine = f32::mul_add(sine, z, 1.0 / factorial);
    }
    let sine = sine * r;
    let mut cosine = 1.0 / 40_320.0;
    for factorial in [-720.0, 24.0, -2.0, 1.0] {
        cosine = f32::mul_add(cosine, z, 1.0 / factorial);
    }
    // The quarter of the circle: odd ones exchange the two, and the second bit of it, and of the next, are the signs.
    let quarter = shifted.to_bits();
    let odd = (quarter & 1).wrapping_neg();
    let (s, c) = (sine.to_bits(), cosine.to_bits());
    let (s, c) = ((c & odd) | (s & !odd), (s & odd) | (c & !odd));
    let (sine_sign, cosine_sign) = ((quarter & 2) << 30, (quarter.wrapping_add(1) & 2) << 30);
    (f32::from_bits(s ^ sine_sign), f32::from_bits(c ^ cosine_sign))
}

#[cfg(test)]
mod tests {
    use super::{exp, sin_cos};

    #[test]
    fn exp_is_within_3e_7_of_the_library_on_all_it_is_used_for() {
        for i in 0..600_000 {
            let x = -1e-4 * i as f32;
            let library = f64::from(x).exp();
            assert!((f64::from(exp(x)) / library - 1.0).abs() < 3e-7, "{x}: {} {library}", exp(x));
        }
        assert_eq!([exp(0.0), exp(-0.0)], [1.0; 2]);
        assert!(exp(f32::NEG_INFINITY) < 1e-26 && exp(f32::MIN) < 1e-26);
    }

    #[test]
    fn sine_and_cosine_are_within_3e_7_of_the_library_on_all_that_they_are_used_for() {
        for i in -200_000..200_000 {
            let x = i as f32 * if i % 2 == 0 { 1e-3 } else { 0.5 };
            let ((sine, cosine), library) = (sin_cos(x), f64::from(x).sin_cos());
            let off = (f64::from(sine) - library.0).abs().max((f64::from(cosine) - library.1).abs());
            assert!(off < 3e-7, "{x}: {sine} {cosine} {library:?}");
        }
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
        assert!(sin_cos(f32::MAX).0.abs() <= 1.0 && sin_cos(f32::INFINITY).1.abs() <= 1.0);
    }
}
