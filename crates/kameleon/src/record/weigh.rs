//! Weights of jump proposals, corrected for how often each part of the density was drawn from.

use super::Jumps;

/// The least number of proposals that is expected of a stratum.
const LEAST_EXPECTED: f64 = 20.0;

impl Jumps {
    /// Weighs all that a chain has, by the shares that the parts of Q have. The weight of a proposal is π/Q, corrected for how often its
    /// part was drawn from: points of a block of jumps keep away from the part that the chain is in, so that parts with more of π
    /// than of Q are drawn from a little less often than their share. Given what came before, a proposal is a draw from its part, so
    /// that the mean over a part is right, and these means count by the shares of the parts (stratified sampling). Parts of which too
    /// few proposals are expected are taken together: one that no proposal came from would be lost.
    pub fn weigh(&mut self, shares: &[f64]) {
        let known = self.part.iter().map(|part| usize::from(*part)).filter(|part| *part < shares.len());
        let all = known.clone().count();
        let strata = strata(shares, all);
        let (mut expected, mut found) = (vec![0.0; shares.len()], vec![0.0; shares.len()]);
        strata.iter().zip(shares).for_each(|(stratum, share)| expected[*stratum] += share * all as f64);
        known.for_each(|part| found[strata[part]] += 1.0);
        let factors: Vec<f64> =
            expected.iter().zip(found).map(|(expected, found)| libm::log(expected / found)).collect();
        let factor = |part: &u8| strata.get(usize::from(*part)).map_or(0.0, |stratum| factors[*stratum]);
        self.log_weight = self.log_ratio.iter().zip(&self.part).map(|(log, part)| log + factor(part)).collect();
    }
}

/// The stratum of each part of a density, by the shares of these: a part for itself if at least [`LEAST_EXPECTED`] of `count` proposals are
/// expected of it, and the smaller ones together with as many others as that takes.
fn strata(shares: &[f64], count: usize) -> Vec<usize> {
    let mut by_share: Vec<usize> = (0..shares.len()).collect();
    by_share.sort_by(|a, b| shares[*a].total_cmp(&shares[*b]));
    let mut strata = vec![0; shares.len()];
    let (mut stratum, mut expected) = (0, 0.0);
    for part in by_share {
        if expected >= LEAST_EXPECTED {
            (stratum, expected) = (stratum + 1, 0.0);
        }
        strata[part] = stratum;
        expected += shares[part] * count as f64;
    }
    strata
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Drawn;

    fn weighed(part: &[u8], log_ratio: &[f64], shares: &[f64]) -> Vec<f64> {
        let mut jumps = Jumps { part: part.to_vec(), log_ratio: log_ratio.to_vec(), ..Jumps::default() };
        jumps.weigh(shares);
        jumps.log_weight
    }

    #[test]
    fn a_part_that_was_drawn_from_too_rarely_weighs_more() {
        let part: Vec<u8> = (0..400).map(|k| u8::from(k % 4 == 0)).collect();
        let weights = weighed(&part, &[1.0; 400], &[0.5, 0.5]);
        let factors: Vec<f64> = weights.iter().map(|log| libm::exp(log - 1.0)).collect();
        for (part, factor) in part.iter().zip(&factors) {
            assert!((factor - if *part == 1 { 2.0 } else { 2.0 / 3.0 }).abs() < 1e-12);
        }
        assert!((factors.iter().sum::<f64>() - 400.0).abs() < 1e-9);
    }

    #[test]
    fn points_without_a_density_and_points_of_no_part_keep_their_ratio() {
        let none = f64::NEG_INFINITY;
        assert_eq!(weighed(&[0, 1], &[none, 2.0], &[0.5, 0.5]), [none, 2.0]);
        assert_eq!(weighed(&[Drawn::NO_PART; 2], &[1.0, 2.0], &[0.5, 0.5]), [1.0, 2.0]);
        assert_eq!(weighed(&[0, 1], &[1.0, 2.0], &[]), [1.0, 2.0]);
        assert!(weighed(&[], &[], &[0.5, 0.5]).is_empty());
    }

    #[test]
    fn parts_that_few_proposals_are_expected_of_are_taken_together_so_that_none_is_lost() {
        // With 96 proposals all but the largest are too small for strata of their own, and many have no proposal at all.
        let shares: Vec<f64> = (0..60).map(|k| if k == 0 { 0.5 } else { 0.5 / 59.0 }).collect();
        let part: Vec<u8> = (0..96_u32).map(|k| if k % 2 == 0 { 0 } else { 1 + (k / 2 * 11 % 59) as u8 }).collect();
        let weights = weighed(&part, &[0.0; 96], &shares);
        let mean = weights.iter().map(|log| libm::exp(*log)).sum::<f64>() / 96.0;
        assert!((mean - 1.0).abs() < 1e-9, "{mean}");
        // Of a few proposals nothing is known of how often parts are drawn from.
        assert!(weighed(&[3, 7, 0], &[0.5; 3], &shares).iter().all(|log| (log - 0.5).abs() < 1e-12));
    }
}
