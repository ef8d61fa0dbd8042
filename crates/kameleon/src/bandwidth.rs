//! The median heuristic for a kernel's bandwidth.

use crate::points::Points;
use crate::registry::{Kind, Typed};
use serde::{Deserialize, Serialize};

/// Where the kernel's bandwidth comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bandwidth {
    /// From z, by the median heuristic, each time the history has grown by half.
    #[default]
    Median,
    /// As given with the kernel.
    Fixed,
}

impl Typed for Bandwidth {
    const KIND: Kind = Kind::Bandwidth;
}

/// σ = (median pairwise distance of at most 1000 points)/√2, so that exp(−r²/2σ²) = exp(−r²/median²).
/// None if there are fewer than two points or the median distance is zero.
pub fn median_heuristic(z: &Points) -> Option<f64> {
    MedianHeuristic::new(1000.min(z.len()), z.dim()).sigma(z)
}

/// The median heuristic on at most `most` points, without allocating.
#[derive(Clone, Debug)]
pub(crate) struct MedianHeuristic {
    most: usize,
    squared_distances: Vec<f64>,
    points: Vec<f64>,
}

impl MedianHeuristic {
    pub(crate) fn new(most: usize, dim: usize) -> Self {
        let pairs = most * most.saturating_sub(1) / 2;
        Self { most, squared_distances: Vec::with_capacity(pairs), points: vec![0.0; most * dim] }
    }

    pub(crate) fn sigma(&mut self, z: &Points) -> Option<f64> {
        let d = z.dim();
        let count = self.most.min(z.len());
        for (a, point) in self.points.chunks_mut(d).take(count).enumerate() {
            // Evenly spaced, so that an ordered z is represented whole.
            z.get(a * z.len() / count, point);
        }
        self.squared_distances.clear();
        for a in 1..count {
            let (before, rest) = self.points.split_at(a * d);
            let x = &rest[..d];
            let r2 = |y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f64>();
            self.squared_distances.extend(before.chunks(d).map(r2));
        }
        let middle = self.squared_distances.len() / 2;
        let (_, median, _) =
            (count > 1).then(|| self.squared_distances.select_nth_unstable_by(middle, f64::total_cmp))?;
        let sigma = (*median / 2.0).sqrt();
        (sigma > 0.0 && sigma.is_finite()).then_some(sigma)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_known_distances_over_root_two() {
        // Distances 1, 2 and 3.
        let z = Points::from_rows(&[0.0, 0.0, 1.0, 0.0, 3.0, 0.0], 2);
        assert!((median_heuristic(&z).unwrap() - 2.0 / 2f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn no_bandwidth_from_one_point_or_from_copies() {
        assert_eq!(median_heuristic(&Points::from_rows(&[1.0, 2.0], 2)), None);
        assert_eq!(median_heuristic(&Points::from_rows(&[1.0, 2.0, 1.0, 2.0], 2)), None);
        assert_eq!(median_heuristic(&Points::new(2, 10)), None);
    }

    #[test]
    fn exact_draws_of_the_bananas_give_the_known_bandwidths() {
        use crate::random::{Purpose, stream};
        use crate::target::{Banana, Known};
        for (b, expected) in [(0.03, 7.5), (0.1, 10.1)] {
            let target = Banana::new(8, b, 100.0).unwrap();
            let mut rng = stream(1, 0, Purpose::Move);
            let mut z = Points::new(8, 1000);
            let mut x = [0.0; 8];
            for _ in 0..1000 {
                target.sample(&mut rng, &mut x);
                z.push(&x);
            }
            let sigma = median_heuristic(&z).unwrap();
            assert!((sigma / expected - 1.0).abs() < 0.05, "{sigma} for {expected}");
        }
    }
}
