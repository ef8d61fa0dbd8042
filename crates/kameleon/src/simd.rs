//! Arithmetic that compiles to vector instructions, and gives the same bits with and without them.
//!
//! Everything is written in fused multiply-adds and fixed lanes, so a machine with AVX2 and one without agree to the last bit.

use std::ops::{Deref, DerefMut};

/// How many points are worked on at once: 1 KB, so that a block of every coordinate stays in the first-level cache.
pub const BLOCK: usize = 128;

/// One number for each point of a block, aligned so that no vector crosses a cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub struct Block(pub [f64; BLOCK]);

impl Block {
    /// All zeros.
    pub const ZERO: Self = Self([0.0; BLOCK]);
}

impl Deref for Block {
    type Target = [f64; BLOCK];

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Block {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// How many points lie side by side in a [`Row`], …
pub const ROW: usize = 32;
/// … and how many of them are worked on at once: enough that no operation waits for the one before.
pub const STRIP: usize = 16;
/// How many strips a row has.
pub const STRIPS: usize = ROW / STRIP;

/// One number for each of a few points, where each point takes much work.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Row(pub [f64; ROW]);

impl Row {
    /// All zeros.
    pub const ZERO: Self = Self([0.0; ROW]);

    /// Some of the points.
    #[inline(always)]
    pub fn strip(&self, s: usize) -> &[f64; STRIP] {
        &self.0.as_chunks().0[s]
    }

    /// Some of the points, to be changed.
    #[inline(always)]
    pub fn strip_mut(&mut self, s: usize) -> &mut [f64; STRIP] {
        &mut self.0.as_chunks_mut().0[s]
    }

    /// Writes points, at most as many as there is room for, one coordinate to each row; the last is repeated to fill the rows.
    pub fn gather<'a>(rows: &mut [Self], points: impl Iterator<Item = &'a [f64]>) -> usize {
        let mut count = 0;
        for point in points.take(ROW) {
            rows.iter_mut().zip(point).for_each(|(row, x)| row.0[count] = *x);
            count += 1;
        }
        if count > 0 {
            rows.iter_mut().for_each(|row| {
                let last = row.0[count - 1];
                row.0[count..].fill(last);
            });
        }
        count
    }
}

const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// ln 2 in two parts: the first has trailing zeros, so that k·LN2_HIGH is exact.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Adding this to a small number rounds it to an integer, held in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// The largest x that [`exp`] may be asked for.
pub const LARGEST_EXPONENT: f64 = 708.0;

/// e^x for x ≤ 708 within 1e-15, next to nothing below −708; branch-free, for loops over a block.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let x = x.max(-708.0);
    let shifted = x.mul_add(LOG2_E, ROUND);
    let k = shifted - ROUND;
    let r = k.mul_add(-LN2_LOW, k.mul_add(-LN2_HIGH, x));
    // Chebyshev's approximation of degree 10 on |r| ≤ ln 2 / 2, within 2.3e-16.
    let mut p = 2.762_649_554_643_219_6e-7;
    p = f64::mul_add(p, r, 2.764_034_682_613_85e-6);
    p = f64::mul_add(p, r, 2.480_150_401_442_690_5e-5);
    p = f64::mul_add(p, r, 1.984_116_987_120_273_5e-4);
    p = f64::mul_add(p, r, 1.388_888_893_275_1e-3);
    p = f64::mul_add(p, r, 8.333_333_385_982_784e-3);
    p = f64::mul_add(p, r, 4.166_666_666_657_239e-2);
    p = f64::mul_add(p, r, 1.666_666_666_655_350_3e-1);
    p = f64::mul_add(p, r, 5.000_000_000_000_006e-1);
    p = f64::mul_add(p, r, 1.000_000_000_000_006_8);
    p = f64::mul_add(p, r, 1.0);
    // 2^k by its exponent bits.
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    p * power
}

const LN2: f64 = std::f64::consts::LN_2;
/// The bits of √½: the mantissa is taken from here to √2.
const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
/// 2⁵² as bits: with an integer below 2⁵² in the lowest bits, that integer more.
const TWO_52: u64 = 0x4330_0000_0000_0000;

/// ln x for finite x ≥ 1 within 1e-15; branch-free, for loops over lanes.
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    let above = x.to_bits().wrapping_sub(SQRT_HALF);
    let k = f64::from_bits((above >> 52) | TWO_52) - f64::from_bits(TWO_52);
    let m = f64::from_bits((above & 0x000f_ffff_ffff_ffff).wrapping_add(SQRT_HALF));
    // ln m = 2 artanh s with |s| ≤ 0.172: ten terms of its series.
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let mut p = 1.0 / 19.0;
    for odd in [17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0] {
        p = f64::mul_add(p, z, 1.0 / odd);
    }
    k.mul_add(LN2, 2.0 * f64::mul_add(p * z, s, s))
}

/// π/2 in two parts: the first has trailing zeros, so that k·HALF_PI_HIGH is exact for k below 2²⁰.
const HALF_PI_HIGH: f64 = 1.570_796_326_734_125_6;
const HALF_PI_LOW: f64 = 6.077_100_506_506_192e-11;

/// (sin x, cos x) for |x| ≤ 10⁶ within 1e-10, and some numbers of at most 1 beyond that; branch-free, for loops over lanes.
#[inline(always)]
pub fn sin_cos(x: f64) -> (f64, f64) {
    let x = x.clamp(-1e6, 1e6);
    let shifted = x.mul_add(std::f64::consts::FRAC_2_PI, ROUND);
    let k = shifted - ROUND;
    let r = k.mul_add(-HALF_PI_LOW, k.mul_add(-HALF_PI_HIGH, x));
    let z = r * r;
    // Taylor's series on |r| ≤ π/4.
    let mut sine = 1.0 / 6_227_020_800.0;
    for factorial in [-39_916_800.0, 362_880.0, -5_040.0, 120.0, -6.0, 1.0] {
        sine = f64::mul_add(sine, z, 1.0 / factorial);
    }
    let sine = sine * r;
    let mut cosine = 1.0 / 479_001_600.0;
    for factorial in [-3_628_800.0, 40_320.0, -720.0, 24.0, -2.0, 1.0] {
        cosine = f64::mul_add(cosine, z, 1.0 / factorial);
    }
    // The quarter of the circle: odd ones exchange the two, and the second bit of it, and of the next, are the signs.
    let quarter = shifted.to_bits();
    let odd = (quarter & 1).wrapping_neg();
    let (s, c) = (sine.to_bits(), cosine.to_bits());
    let (s, c) = ((c & odd) | (s & !odd), (s & odd) | (c & !odd));
    let (sine_sign, cosine_sign) = ((quarter & 2) << 62, (quarter.wrapping_add(1) & 2) << 62);
    (f64::from_bits(s ^ sine_sign), f64::from_bits(c ^ cosine_sign))
}

/// xⁿ by plain multiplication: the same on every machine, which `powi` does not promise.
#[inline(always)]
pub fn power(x: f64, n: u32) -> f64 {
    (0..n).fold(1.0, |product, _| product * x)
}

/// Numbers summed side by side; fixed, so that the order of additions is the same on every machine.
pub const LANES: usize = 4;

/// A partial sum for each lane.
pub type Lanes = [f64; LANES];

/// The sum of all lanes.
#[inline(always)]
pub fn total(lanes: &Lanes) -> f64 {
    (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
}

/// ⟨a, b⟩ in lanes: fast only inside a function that is compiled for fused multiply-adds.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let (a, b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let mut rest = 0.0;
    for (a, b) in a.remainder().iter().zip(b.remainder()) {
        rest = a.mul_add(*b, rest);
    }
    for (a, b) in a.zip(b) {
        for l in 0..LANES {
            lanes[l] = a[l].mul_add(b[l], lanes[l]);
        }
    }
    total(&lanes) + rest
}

#[cfg(test)]
mod tests {
    use super::{LARGEST_EXPONENT, exp, ln, sin_cos};

    #[test]
    fn sine_and_cosine_are_within_1e_10_of_the_library_on_all_that_they_are_used_for() {
        for i in -200_000..200_000 {
            let x = f64::from(i) * if i % 2 == 0 { 1e-3 } else { 5.0 };
            let ((sine, cosine), library) = (sin_cos(x), x.sin_cos());
            assert!((sine - library.0).abs() < 1e-10 && (cosine - library.1).abs() < 1e-10, "{x}: {sine} {cosine}");
        }
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
        assert!(sin_cos(f64::MAX).0.abs() <= 1.0);
    }

    #[test]
    fn ln_is_within_1e_15_of_the_library_on_all_it_is_used_for() {
        for i in 0..400_000 {
            let x = 1.0 + (f64::from(i) * 0.001).exp_m1().min(1e300);
            assert!((ln(x) - x.ln()).abs() <= 1e-15 * x.ln().max(1e-3), "{x}: {} {}", ln(x), x.ln());
        }
        assert_eq!(ln(1.0), 0.0);
    }

    #[test]
    fn exp_is_within_1e_15_of_the_library_on_all_it_is_used_for() {
        for i in 0..400_000 {
            let x = LARGEST_EXPONENT - f64::from(i) * 0.003_54;
            let (ours, library) = (exp(x), x.exp());
            assert!((ours - library).abs() <= 1e-15 * library, "{x}: {ours} {library}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e300) < 1e-300);
        assert!(exp(f64::NEG_INFINITY) < 1e-300);
    }
}
