//! Arithmetic that compiles to vector instructions, and gives the same bits with and without them.
//!
//! Everything is written in fused multiply-adds and fixed lanes, so a machine with AVX2 and one without agree to the last bit.

const LOG2_E: f64 = std::f64::consts::LOG2_E;
/// ln 2 in two parts: the first has trailing zeros, so that k·LN2_HIGH is exact.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Adding this to a small number rounds it to an integer, held in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// e^x for x ≤ 0 within 1e-14, 0 below −708; branch-free, for loops over a block.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let x = x.max(-708.0);
    let shifted = x.mul_add(LOG2_E, ROUND);
    let k = shifted - ROUND;
    let r = k.mul_add(-LN2_LOW, k.mul_add(-LN2_HIGH, x));
    // Taylor's series is enough on |r| ≤ ln 2 / 2: the first term left out is below 2e-14 r.
    let mut p = 1.0 / 479_001_600.0;
    p = f64::mul_add(p, r, 1.0 / 39_916_800.0);
    p = f64::mul_add(p, r, 1.0 / 3_628_800.0);
    p = f64::mul_add(p, r, 1.0 / 362_880.0);
    p = f64::mul_add(p, r, 1.0 / 40_320.0);
    p = f64::mul_add(p, r, 1.0 / 5_040.0);
    p = f64::mul_add(p, r, 1.0 / 720.0);
    p = f64::mul_add(p, r, 1.0 / 120.0);
    p = f64::mul_add(p, r, 1.0 / 24.0);
    p = f64::mul_add(p, r, 1.0 / 6.0);
    p = f64::mul_add(p, r, 0.5);
    p = f64::mul_add(p, r, 1.0);
    p = f64::mul_add(p, r, 1.0);
    // 2^k by its exponent bits.
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    p * power
}

#[cfg(test)]
mod tests {
    use super::exp;

    #[test]
    fn exp_is_within_1e_14_of_the_library_on_all_it_is_used_for() {
        for i in 0..200_000 {
            let x = -f64::from(i) * 0.003_54;
            let (ours, library) = (exp(x), x.exp());
            assert!((ours - library).abs() <= 1e-14 * library, "{x}: {ours} {library}");
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e300) < 1e-300);
        assert!(exp(f64::NEG_INFINITY) < 1e-300);
    }
}
