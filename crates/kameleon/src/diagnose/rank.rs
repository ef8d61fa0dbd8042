//! The draws in order: quantiles, and ranks turned into normal scores.

use super::draws::Draws;
use spec_math::cephes64::ndtri;

/// The draws of one parameter in ascending order, from one sort.
pub(super) struct Ranked {
    /// All draws in ascending order.
    pub sorted: Vec<f64>,
    /// The draws in the halves, ascending, with their places among the pooled.
    halves: Vec<(f64, u32)>,
}

impl Ranked {
    pub fn new(draws: &Draws) -> Self {
        let mut order = ascending(draws);
        let sorted = order.iter().map(|(v, _)| *v).collect();
        order.retain(|(_, place)| draws.is_in_half(*place as usize));
        Self { sorted, halves: order }
    }

    /// Normal scores of the draws in the halves.
    pub fn scores(&self, draws: &Draws) -> Draws {
        normal_scores(&self.halves, draws)
    }

    /// Normal scores of |draw − median|: these see chains that differ in spread, not in place.
    pub fn folded_scores(&self, draws: &Draws) -> Draws {
        normal_scores(&self.fold(), draws)
    }

    /// |draw − median| in ascending order: both sides of the median are sorted already, and need only be merged.
    fn fold(&self) -> Vec<(f64, u32)> {
        let upper = self.halves.len() / 2;
        let median = (self.halves[upper - 1].0 + self.halves[upper].0) / 2.0;
        let fold = |(value, place): &(f64, u32)| ((value - median).abs(), *place);
        let (below, above) = self.halves.split_at(upper);
        let (mut below, mut above) = (below.iter().rev().map(fold).peekable(), above.iter().map(fold).peekable());
        let mut folded = Vec::with_capacity(self.halves.len());
        while let (Some(a), Some(b)) = (below.peek(), above.peek()) {
            folded.extend(if a.0 <= b.0 { below.next() } else { above.next() });
        }
        folded.extend(below.chain(above));
        folded
    }
}

/// The quantile at p of ascending values, between the two draws next to it by linear interpolation: type 7, the default
/// of numpy and R. NaN without values or for p outside [0, 1].
pub fn quantile(sorted: &[f64], p: f64) -> f64 {
    let n = sorted.len();
    if n == 0 || !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if n == 1 {
        return sorted[0];
    }
    // ArviZ's arithmetic to the last bit: whether a draw equal to the quantile counts as below it hangs on the rounding.
    let position = n as f64 * p + (1.0 - p);
    let k = position.clamp(1.0, (n - 1) as f64).floor();
    let gamma = (position - k).clamp(0.0, 1.0);
    (1.0 - gamma) * sorted[k as usize - 1] + gamma * sorted[k as usize]
}

/// How often the draws of each chain rank in each of `bins` equal parts of all draws in order: about equally often
/// everywhere if the chains agree. None for fewer than 4 draws a chain, or draws that are not finite.
pub fn rank_histogram(chains: &[&[f64]], bins: usize) -> Option<Vec<Vec<u32>>> {
    let draws = Draws::diagnosable(chains).filter(|_| bins > 0)?;
    let order = ascending(&draws);
    let (n, length) = (order.len(), order.len() / draws.chains);
    let mut counts = vec![vec![0; bins]; draws.chains];
    for (rank, (_, place)) in order.iter().enumerate() {
        counts[*place as usize / length][rank * bins / n] += 1;
    }
    Some(counts)
}

/// All draws in ascending order, with their places.
fn ascending(draws: &Draws) -> Vec<(f64, u32)> {
    let mut order: Vec<(f64, u32)> = draws.values.iter().copied().zip(0..).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    order
}

/// Φ⁻¹((rank − 3/8)/(n + 1/4)) for each of the ascending values, at its place; tied values share their mean rank.
fn normal_scores(ascending: &[(f64, u32)], draws: &Draws) -> Draws {
    let mut scores = draws.map(|_| 0.0);
    let n = ascending.len() as f64;
    let mut below = 0;
    for tied in ascending.chunk_by(|a, b| a.0 == b.0) {
        let rank = below as f64 + (tied.len() + 1) as f64 / 2.0;
        let score = ndtri((rank - 0.375) / (n + 0.25));
        tied.iter().for_each(|(_, place)| scores.values[*place as usize] = score);
        below += tied.len();
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_between_neighbours() {
        let x = [1.0, 2.0, 4.0, 8.0];
        assert_eq!([0.0, 0.5, 1.0].map(|p| quantile(&x, p)), [1.0, 3.0, 8.0]);
        assert!((quantile(&x, 0.9) - 6.8).abs() < 1e-14);
        assert_eq!(quantile(&[5.0], 0.3), 5.0);
        assert!(quantile(&[], 0.5).is_nan() && quantile(&x, 1.1).is_nan() && quantile(&x, f64::NAN).is_nan());
    }

    #[test]
    fn ranks_are_counted_chain_by_chain() {
        let counts = rank_histogram(&[&[1.0, 2.0, 3.0, 8.0], &[5.0, 6.0, 7.0, 4.0]], 4).unwrap();
        assert_eq!(counts, [[2, 1, 0, 1], [0, 1, 2, 1]]);
        assert_eq!(rank_histogram(&[&[1.0, 2.0, f64::NAN, 4.0]], 4), None);
        assert_eq!(rank_histogram(&[&[1.0, 2.0]], 4), None);
    }

    #[test]
    fn ties_share_their_mean_rank() {
        let draws = Draws::diagnosable(&[&[2.0, 1.0, 2.0, 3.0]]).unwrap();
        let scores = Ranked::new(&draws).scores(&draws);
        let expected = [2.5, 1.0, 2.5, 4.0].map(|rank: f64| ndtri((rank - 0.375) / 4.25));
        assert_eq!(scores.values, expected);
    }

    #[test]
    fn folding_sorts_the_distances_to_the_median() {
        let draws = Draws::diagnosable(&[&[0.0, 9.0, 1.0, 2.0, 2.0, 7.0, 3.0, 100.0]]).unwrap();
        let folded: Vec<f64> = Ranked::new(&draws).fold().into_iter().map(|(v, _)| v).collect();
        assert_eq!(folded, [0.5, 0.5, 0.5, 1.5, 2.5, 4.5, 6.5, 97.5]);
    }
}
