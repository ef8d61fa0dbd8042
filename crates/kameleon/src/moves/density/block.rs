//! The jump density at many points at once, which lie side by side; it is the same to the last bit as at each of them alone.

use super::{JumpDensity, Parts};
use crate::linalg::{multiply_rows, squared_rows};
use crate::mixture::AtBlock;
use crate::simd::{ROW, Row};

impl JumpDensity {
    /// ln Q at each of some points.
    pub fn log_densities<'a>(&self, mut points: impl Iterator<Item = &'a [f64]>) -> Vec<f64> {
        let Parts { frame, few, mixture, .. } = &self.parts;
        let (mut u, mut s) = (vec![Row::ZERO; frame.dim()], vec![Row::ZERO; mixture.dim()]);
        let mut at = AtBlock::new(mixture.components().len());
        let (mut found, mut count) = (Vec::with_capacity(points.size_hint().0), ROW);
        while count == ROW {
            count = Row::gather(&mut u, points.by_ref());
            frame.coordinates_of_rows(&mut u);
            let squared = squared_rows(&u);
            let in_mixture = if let Some(few) = few {
                multiply_rows(&few.rows, &u, &mut s);
                mixture.densities_in(&s, &mut at);
                squared_rows(&s)
            } else {
                mixture.densities_in(&u, &mut at);
                squared
            };
            let log = |p: usize| self.log_sum(at.log_density.0[p], squared.0[p], in_mixture.0[p]);
            found.extend((0..count).map(log));
        }
        found
    }
}
