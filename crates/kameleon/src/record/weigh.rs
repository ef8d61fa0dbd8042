//! Weights of jump proposals, corrected for how often each part of the density was drawn from.

use super::Jumps;
use crate::any_chain::AnyChain;

/// The least number of proposals that is expected of a stratum.
const LEAST_EXPECTED: f64 = 20.0;
/// The most times as many proposals are expected of a stratum as it has.
const LARGEST_FACTOR: f64 = 5.0;

/// Weighs all jump proposals of some chains, each with what it jumps from, where that is known. The weight of a proposal is π/Q, corrected
/// for how often its part was drawn from: points of a block of jumps keep away from the part that the chain is in, so that parts with
/// more of π than of Q are drawn from less often than their share. Given what came before, a proposal is a draw from its part, so that the
/// mean over a part is right, and these means count by the shares of the parts (stratified sampling). Parts with too few proposals are
/// taken together: one that no proposal came from would be lost. The proposals of chains with the same Q are counted together, since
/// short chains have too few each.
pub fn weigh(mut chains: Vec<(&mut Jumps, JumpsFrom)>) {
    while let Some((_, first)) = chains.first() {
        let first = first.clone();
        let (mut alike, others) = chains.into_iter().partition::<Vec<_>, _>(|(_, from)| *from == first);
        chains = others;
        let mut found = vec![0.0; first.shares.len()];
        for part in alike.iter().flat_map(|(jumps, _)| &jumps.part) {
            if let Some(count) = found.get_mut(usize::from(*part)) {
                *count += 1.0;
            }
        }
        let factors: Vec<f64> = factors(&first.shares, &found).into_iter().map(libm::log).collect();
        let factor = |part: &u8| factors.get(usize::from(*part)).copied().unwrap_or(0.0);
        for (jumps, _) in &mut alike {
            jumps.log_weight = jumps.log_ratio.iter().zip(&jumps.part).map(|(log, part)| log + factor(part)).collect();
        }
    }
}

/// What is to be known of the density Q that a chain jumps from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JumpsFrom {
    /// The share of each of its parts; none if it is not known.
    shares: Vec<f64>,
    /// ln Q at zero, which tells densities apart whose shares are equal.
    at_zero: Option<f64>,
}

impl JumpsFrom {
    /// That of this chain.
    pub fn of(chain: &dyn AnyChain) -> Self {
        let zero = vec![0.0; chain.position().len()];
        Self { shares: chain.shares_of_parts(), at_zero: chain.log_jump_density_at(&zero) }
    }
}

/// For each part of a density, by its share: how many times as many proposals are expected of its stratum as were `found`. A part is a
/// stratum for itself if enough are expected of it and found; from the smallest on the others are taken together with as many as that takes.
fn factors(shares: &[f64], found: &[f64]) -> Vec<f64> {
    let all: f64 = found.iter().sum();
    let mut by_share: Vec<usize> = (0..shares.len()).collect();
    by_share.sort_by(|a, b| shares[*a].total_cmp(&shares[*b]));
    let mut strata: Vec<Stratum> = Vec::new();
    for part in by_share {
        let one = Stratum { parts: vec![part], expected: shares[part] * all, found: found[part] };
        match strata.last_mut().filter(|last| !last.is_enough()) {
            Some(last) => last.join(one),
            None => strata.push(one),
        }
    }
    // What is left at the end.
    if let Some(rest) = strata.pop_if(|last| !last.is_enough()) {
        match strata.last_mut() {
            Some(last) => last.join(rest),
            None => strata.push(rest),
        }
    }
    let mut factors = vec![1.0; shares.len()];
    for Stratum { parts, expected, found } in strata {
        // Of nothing found nothing is known; then there is nothing to weigh either.
        let factor = if found > 0.0 { expected / found } else { 1.0 };
        parts.into_iter().for_each(|part| factors[part] = factor);
    }
    factors
}

/// Parts of a density that are taken together.
struct Stratum {
    parts: Vec<usize>,
    /// How many proposals are expected of them.
    expected: f64,
    /// How many came from them.
    found: f64,
}

impl Stratum {
    fn is_enough(&self) -> bool {
        self.expected >= LEAST_EXPECTED && self.expected <= LARGEST_FACTOR * self.found
    }

    fn join(&mut self, other: Self) {
        self.parts.extend(other.parts);
        (self.expected, self.found) = (self.expected + other.expected, self.found + other.found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Drawn;

    fn weighed(part: &[u8], log_ratio: &[f64], shares: &[f64]) -> Vec<f64> {
        let mut jumps = Jumps { part: part.to_vec(), log_ratio: log_ratio.to_vec(), ..Jumps::default() };
        weigh(vec![(&mut jumps, JumpsFrom { shares: shares.to_vec(), at_zero: None })]);
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
    fn chains_with_the_same_density_are_counted_together() {
        let of =
            |part: u8, count: usize| Jumps { part: vec![part; count], log_ratio: vec![0.0; count], ..Jumps::default() };
        let (mut first, mut second, mut other) = (of(0, 60), of(1, 40), of(1, 50));
        let from = |at_zero| JumpsFrom { shares: vec![0.5, 0.5], at_zero: Some(at_zero) };
        weigh(vec![(&mut first, from(-1.0)), (&mut other, from(-2.0)), (&mut second, from(-1.0))]);
        // A chain by itself has nothing from the other part, so that nothing could be corrected.
        assert!(first.log_weight.iter().all(|log| (log - libm::log(50.0 / 60.0)).abs() < 1e-12));
        assert!(second.log_weight.iter().all(|log| (log - libm::log(50.0 / 40.0)).abs() < 1e-12));
        assert!(other.log_weight.iter().all(|log| log.abs() < 1e-12));
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

    #[test]
    fn what_is_left_at_the_end_is_no_stratum_of_its_own() {
        // Of 64 equal parts the first 21 are expected to have 20 proposals of 62, and so on: one part is left, and nothing came from it.
        let shares = [1.0 / 64.0; 64];
        let found: Vec<f64> = (0..64).map(|k| if k < 62 { 1.0 } else { 0.0 }).collect();
        let factors = factors(&shares, &found);
        let mean = factors.iter().zip(&found).map(|(factor, found)| factor * found).sum::<f64>() / 62.0;
        assert!((mean - 1.0).abs() < 1e-12 && factors.iter().all(|factor| *factor < 1.2), "{factors:?}");
    }

    #[test]
    fn a_part_that_hardly_anything_came_from_is_taken_together_with_a_larger_one() {
        // A chain that is nearly always in a part keeps nearly all proposals away from it.
        for found in [0.0, 1.0, 3.0] {
            let factors = factors(&[0.02, 0.5, 0.48], &[found, 500.0, 480.0]);
            assert!(factors[0] == factors[2] && (factors[0] - 1.0).abs() < 0.05, "{factors:?}");
        }
        let factors = factors(&[0.04, 0.48, 0.48], &[9.0, 486.0, 486.0]);
        assert!((factors[0] - 0.04 * 981.0 / 9.0).abs() < 1e-12, "{factors:?}");
    }
}
