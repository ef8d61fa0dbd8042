//! Starts next to a given one: chains that are all given one point do not begin at the same.
//!
//! The first chain begins at the point itself, so that a point without density is told. Chains that begin together learn from
//! the same neighbourhood, and their agreement says less.

use crate::random::{Purpose, stream};
use rand::RngExt;

/// How many starts are tried near a point before a chain begins at the point itself.
pub const ATTEMPTS: usize = 100;
/// The distance of a start from a point, in units of its coordinates.
const RELATIVE: f64 = 1e-3;

/// How far a coordinate is moved at most, where nothing but its value is known.
pub fn reach(x: f64) -> f64 {
    if x == 0.0 { RELATIVE } else { RELATIVE * x.abs() }
}

/// A start of a chain near `x`, at most as far in each coordinate as `reach` says; half as far at each further `attempt`. For chain 0, and
/// at the last attempt, it is the point itself.
pub fn nearby(x: &[f64], reach: &[f64], seed: u64, chain: usize, attempt: usize) -> Vec<f64> {
    if chain == 0 || attempt + 1 >= ATTEMPTS {
        return x.to_vec();
    }
    let mut rng = stream(seed, chain as u64, Purpose::Start);
    let less = 0.5f64.powi(attempt as i32);
    x.iter().zip(reach).map(|(x, reach)| x + less * reach * rng.random_range(-1.0..1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_chains_but_the_first_begin_near_the_point_and_nearer_at_each_attempt() {
        let (x, reach) = ([2.0, 0.0, -1e-8], [2.0, 0.0, -1e-8].map(reach));
        assert_eq!(nearby(&x, &reach, 1, 0, 0), x);
        let near = |chain, attempt| nearby(&x, &reach, 1, chain, attempt);
        for (a, b) in near(1, 0).iter().zip(near(2, 0)) {
            assert!(a != &b);
        }
        for ((moved, x), reach) in near(3, 0).iter().zip(x).zip(reach) {
            assert!(*moved != x && (moved - x).abs() <= reach, "{moved}");
        }
        assert!((near(3, 4)[0] - 2.0).abs() <= reach[0] / 16.0 && near(3, 4)[0] != 2.0);
        assert_eq!(near(3, 0), near(3, 0));
        assert_eq!(near(3, ATTEMPTS - 1), x);
    }
}
