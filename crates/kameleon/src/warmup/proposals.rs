//! The jump proposals of the warm-up: draws from known densities, so that their weights tell where the target is.
//!
//! Each is weighted by the target over the mean of all densities that were jumped from (the deterministic mixture, Owen and
//! Zhou 2000): a point that an early density reached by luck does not weigh more than later ones allow.

use crate::moves::JumpDensity;
use serde::{Deserialize, Serialize};

/// The most rounds and the most proposals that are kept; the oldest go first.
const MOST_ROUNDS: usize = 16;
const MOST: usize = 20_000;

/// Points and the log densities of the target there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evaluated {
    /// One point after another.
    pub points: Vec<f64>,
    /// The log density, or its estimate, at each; −∞ where there is none.
    #[serde(with = "where_there_is_one")]
    pub log_density: Vec<f64>,
}

impl Evaluated {
    /// Adds a point.
    pub fn push(&mut self, x: &[f64], log_density: f64) {
        self.points.extend_from_slice(x);
        self.log_density.push(if log_density.is_finite() { log_density } else { f64::NEG_INFINITY });
    }

    /// Adds others.
    pub fn extend(&mut self, other: &Self) {
        self.points.extend_from_slice(&other.points);
        self.log_density.extend_from_slice(&other.log_density);
    }

    /// The number of points.
    pub fn len(&self) -> usize {
        self.log_density.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.log_density.is_empty()
    }

    /// Whether what was read from elsewhere are points in `dim` dimensions.
    pub fn fits(&self, dim: usize) -> bool {
        self.points.len() == self.len() * dim && self.points.iter().all(|x| x.is_finite())
    }
}

/// The jump proposals of several rounds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Proposals {
    rounds: Vec<Round>,
}

/// The jump proposals from one density.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "StoredRound", into = "StoredRound")]
struct Round {
    density: JumpDensity,
    drawn: Evaluated,
    /// ln of the density of each round at these points, of the oldest first; empty after it was read from elsewhere.
    log_q: Vec<Vec<f64>>,
}

/// A round as it is stored: what follows is worked out again.
#[derive(Serialize, Deserialize)]
struct StoredRound {
    density: JumpDensity,
    drawn: Evaluated,
}

impl From<StoredRound> for Round {
    fn from(StoredRound { density, drawn }: StoredRound) -> Self {
        Self { density, drawn, log_q: Vec::new() }
    }
}

impl From<Round> for StoredRound {
    fn from(Round { density, drawn, .. }: Round) -> Self {
        Self { density, drawn }
    }
}

/// Log densities as they are stored: text formats have no −∞.
mod where_there_is_one {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(logs: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        let finite: Vec<Option<f64>> = logs.iter().map(|log| log.is_finite().then_some(*log)).collect();
        finite.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
        let logs = Vec::<Option<f64>>::deserialize(deserializer)?;
        Ok(logs.into_iter().map(|log| log.unwrap_or(f64::NEG_INFINITY)).collect())
    }
}

impl Proposals {
    /// Adds a round of proposals that were drawn from a density.
    pub fn add(&mut self, density: &JumpDensity, drawn: Evaluated) {
        if !drawn.is_empty() {
            self.rounds.push(Round { density: density.clone(), drawn, log_q: Vec::new() });
        }
        while self.rounds.len() > MOST_ROUNDS || (self.len() > MOST && self.rounds.len() > 1) {
            self.rounds.remove(0);
            self.rounds
                .iter_mut()
                .filter(|round| !round.log_q.is_empty())
                .for_each(|round| drop(round.log_q.remove(0)));
        }
        for of in 0..self.rounds.len() {
            for by in self.rounds[of].log_q.len()..self.rounds.len() {
                let density = &self.rounds[by].density;
                let mut u = vec![0.0; density.parts().frame.dim()];
                let points = self.rounds[of].drawn.points.chunks_exact(u.len());
                let log_q = points.map(|x| density.log_density(x, &mut u)).collect();
                self.rounds[of].log_q.push(log_q);
            }
        }
    }

    /// Whether what was read from elsewhere is of points in `dim` dimensions.
    pub fn fits(&self, dim: usize) -> bool {
        self.rounds.iter().all(|Round { density, drawn, .. }| density.fits(dim) && drawn.fits(dim))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.rounds.iter().map(|round| round.drawn.len()).sum()
    }

    /// ln of the ratio of the target to the density that it was drawn from, for each proposal of the last round.
    pub fn last_ratios(&self) -> Vec<f64> {
        let Some(round) = self.rounds.last() else { return Vec::new() };
        let own = round.log_q.last().into_iter().flatten();
        round.drawn.log_density.iter().zip(own).map(|(log, log_q)| log - log_q).collect()
    }

    /// The log density of the target at all proposals.
    pub fn log_densities(&self) -> impl Iterator<Item = f64> {
        self.rounds.iter().flat_map(|round| round.drawn.log_density.iter().copied())
    }

    /// All proposals, each with the ln of its weight.
    pub fn weighted(&self) -> (Vec<&[f64]>, Vec<f64>) {
        let Some(dim) = self.rounds.first().map(|round| round.density.parts().frame.dim()) else {
            return Default::default();
        };
        let log_shares: Vec<f64> =
            self.rounds.iter().map(|round| libm::log(round.drawn.len() as f64 / self.len() as f64)).collect();
        let mut weights = Vec::with_capacity(self.len());
        for round in &self.rounds {
            for (i, log_density) in round.drawn.log_density.iter().enumerate() {
                let terms = || round.log_q.iter().zip(&log_shares).map(|(log_q, share)| log_q[i] + share);
                weights.push(log_density - log_sum_exp(terms()));
            }
        }
        let points = self.rounds.iter().flat_map(|round| round.drawn.points.chunks_exact(dim)).collect();
        (points, weights)
    }
}

/// ln Σ e^term
pub fn log_sum_exp(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    if !largest.is_finite() {
        return largest;
    }
    largest + libm::log(terms.map(|term| libm::exp(term - largest)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rng;
    use crate::mixture::{Component, Mixture};
    use crate::moves::{Frame, Parts};
    use crate::random::{Purpose, stream};

    const DIM: usize = 2;

    /// A jump density around a centre.
    fn density(centre: f64) -> JumpDensity {
        let component = |freedom| Component {
            weight: 0.5,
            centre: vec![centre, 0.1 * freedom],
            factor: vec![1.0, 0.0, 0.2, 0.5],
            freedom,
        };
        let mixture = Mixture::new(vec![component(3.0), component(7.0)]).unwrap();
        Parts { frame: Frame::raw(vec![0.5; DIM]), few: None, mixture, wide: 0.1 }.into()
    }

    fn target(x: &[f64]) -> f64 {
        -0.5 * (x[0] * x[0] + x[1] * x[1])
    }

    fn drawn(density: &JumpDensity, n: usize, rng: &mut Rng) -> Evaluated {
        let (mut drawn, mut x) = (Evaluated::default(), [0.0; DIM]);
        for _ in 0..n {
            density.draw(rng, &mut x);
            drawn.push(&x, if x[1] > 2.0 { f64::NAN } else { target(&x) });
        }
        drawn
    }

    /// Rounds of these sizes, from densities around 0, 1, 2, …
    fn rounds(sizes: &[usize]) -> Vec<(JumpDensity, Evaluated)> {
        let mut rng = stream(7, 0, Purpose::Learn);
        let round = |(i, n): (usize, &usize)| {
            let density = density(0.2 * i as f64);
            let drawn = drawn(&density, *n, &mut rng);
            (density, drawn)
        };
        sizes.iter().enumerate().map(round).collect()
    }

    fn together(rounds: &[(JumpDensity, Evaluated)]) -> Proposals {
        let mut proposals = Proposals::default();
        rounds.iter().for_each(|(density, drawn)| proposals.add(density, drawn.clone()));
        proposals
    }

    /// The weights are π over the mean density, each round's density counting as often as it was drawn from.
    fn assert_weights(proposals: &Proposals, rounds: &[(JumpDensity, Evaluated)]) {
        let (points, weights) = proposals.weighted();
        let total: usize = rounds.iter().map(|(_, drawn)| drawn.len()).sum();
        assert_eq!((points.len(), weights.len(), proposals.len()), (total, total, total));
        let all = rounds.iter().flat_map(|(_, drawn)| drawn.points.chunks_exact(DIM).zip(&drawn.log_density));
        for (((x, log_density), point), weight) in all.zip(points).zip(weights) {
            assert_eq!(x, point);
            let of = |(density, drawn): &(JumpDensity, Evaluated)| {
                drawn.len() as f64 / total as f64 * density.log_density(x, &mut [0.0; DIM]).exp()
            };
            let expected = log_density - rounds.iter().map(of).sum::<f64>().ln();
            assert!(weight == expected || (weight - expected).abs() < 1e-10, "{weight} {expected}");
        }
    }

    #[test]
    fn weights_are_those_of_the_deterministic_mixture() {
        let rounds = rounds(&[300, 100, 50, 400]);
        let proposals = together(&rounds);
        assert_weights(&proposals, &rounds);
        let (density, last) = rounds.last().unwrap();
        let ratios = proposals.last_ratios();
        assert_eq!(ratios.len(), 400);
        for ((x, log_density), ratio) in last.points.chunks_exact(DIM).zip(&last.log_density).zip(ratios) {
            assert_eq!(ratio, log_density - density.log_density(x, &mut [0.0; DIM]));
        }
        // They are importance weights: their mean is the constant of the target, here nearly all of 2π.
        let weights = proposals.weighted().1;
        let mean = log_sum_exp(weights.iter().copied()) - (weights.len() as f64).ln();
        assert!((mean - std::f64::consts::TAU.ln()).abs() < 0.15, "{mean}");
    }

    #[test]
    fn where_the_target_has_no_density_the_weight_is_zero() {
        let mut drawn = Evaluated::default();
        [f64::NAN, f64::NEG_INFINITY, f64::INFINITY, 0.0].into_iter().for_each(|log| drawn.push(&[0.0; DIM], log));
        let mut proposals = Proposals::default();
        assert!(proposals.weighted().1.is_empty() && proposals.last_ratios().is_empty());
        proposals.add(&density(0.0), drawn);
        assert!(proposals.weighted().1[..3].iter().all(|log| *log == f64::NEG_INFINITY));
        assert!(proposals.weighted().1[3].is_finite());
    }

    #[test]
    fn the_oldest_rounds_are_dropped() {
        let many = rounds(&[40; MOST_ROUNDS + 5]);
        assert_weights(&together(&many), &many[5..]);
        let long = rounds(&[MOST / 2, MOST / 4, MOST / 4, 10, MOST / 2 + 1]);
        assert_weights(&together(&long), &long[2..]);
        // One round is kept however long it is.
        let longest = rounds(&[10, MOST + 1]);
        assert_weights(&together(&longest), &longest[1..]);
    }

    #[test]
    fn stored_in_between_they_have_the_same_weights() {
        let all = rounds(&[40; MOST_ROUNDS + 5]);
        let whole = together(&all);
        for cut in [1, 3, MOST_ROUNDS, MOST_ROUNDS + 2, MOST_ROUNDS + 4] {
            let text = serde_json::to_string(&together(&all[..cut])).unwrap();
            let mut again: Proposals = serde_json::from_str(&text).unwrap();
            all[cut..].iter().for_each(|(density, drawn)| again.add(density, drawn.clone()));
            assert_eq!(again.weighted(), whole.weighted());
            assert_eq!(again.last_ratios(), whole.last_ratios());
        }
    }

    #[test]
    fn stored_before_a_round_without_proposals_they_have_the_same_weights() {
        let all = rounds(&[40, 40]);
        let mut whole = together(&all);
        let text = serde_json::to_string(&whole).unwrap();
        let mut again: Proposals = serde_json::from_str(&text).unwrap();
        for proposals in [&mut whole, &mut again] {
            proposals.add(&density(0.0), Evaluated::default());
        }
        assert_eq!(again.weighted(), whole.weighted());
        assert_eq!(again.last_ratios(), whole.last_ratios());
    }
}
