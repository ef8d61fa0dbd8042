//! The jump proposals of the warm-up: draws from known densities, so that their weights tell where the target is.
//!
//! Each is weighted by the target over the mean of all densities that were jumped from (the deterministic mixture, Owen and
//! Zhou 2000): a point that an early density reached by luck does not weigh more than later ones allow.

use crate::diagnose::log_sum_exp;
use crate::moves::{Density, JumpDensity};
use serde::{Deserialize, Serialize};

/// The most rounds and the most proposals that are kept; the oldest go first. Chains that run ahead have shorter rounds.
pub const MOST_ROUNDS: usize = 16;
pub const MOST_ROUNDS_AHEAD: usize = 40;
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

    /// The points in `dim` dimensions, with their log densities.
    pub fn iter(&self, dim: usize) -> impl Iterator<Item = (&[f64], f64)> {
        self.points.chunks_exact(dim).zip(self.log_density.iter().copied())
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
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "Q: Serialize + Clone", deserialize = "Q: Deserialize<'de>"))]
pub struct Proposals<Q = JumpDensity> {
    rounds: Vec<Round<Q>>,
}

impl<Q> Default for Proposals<Q> {
    fn default() -> Self {
        Self { rounds: Vec::new() }
    }
}

/// The jump proposals from one density.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "StoredRound<Q>", into = "StoredRound<Q>")]
#[serde(bound(serialize = "Q: Serialize + Clone", deserialize = "Q: Deserialize<'de>"))]
struct Round<Q> {
    density: Q,
    drawn: Evaluated,
    /// ln of the density of each round at these points, of the oldest first; incomplete after it was read from elsewhere.
    log_q: Vec<Vec<f64>>,
}

/// A round as it is stored: what follows is worked out again.
#[derive(Serialize, Deserialize)]
struct StoredRound<Q> {
    density: Q,
    drawn: Evaluated,
}

impl<Q> From<StoredRound<Q>> for Round<Q> {
    fn from(StoredRound { density, drawn }: StoredRound<Q>) -> Self {
        Self { density, drawn, log_q: Vec::new() }
    }
}

impl<Q> From<Round<Q>> for StoredRound<Q> {
    fn from(Round { density, drawn, .. }: Round<Q>) -> Self {
        Self { density, drawn }
    }
}

/// Log densities as they are stored: text formats have no −∞.
pub(crate) mod where_there_is_one {
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

impl<Q: Density> Proposals<Q> {
    /// Adds a round of proposals that were drawn from a density, and keeps at most `most_rounds` rounds.
    pub fn add(&mut self, density: &Q, drawn: Evaluated, most_rounds: usize) {
        if !drawn.is_empty() {
            self.rounds.push(Round { density: density.clone(), drawn, log_q: Vec::new() });
        }
        while self.rounds.len() > most_rounds || (self.len() > MOST && self.rounds.len() > 1) {
            self.rounds.remove(0);
            self.rounds
                .iter_mut()
                .filter(|round| !round.log_q.is_empty())
                .for_each(|round| drop(round.log_q.remove(0)));
        }
        self.complete();
    }

    /// Works out what is not stored: the density of each round at the points of all.
    pub fn complete(&mut self) {
        for of in 0..self.rounds.len() {
            for by in self.rounds[of].log_q.len()..self.rounds.len() {
                let density = &self.rounds[by].density;
                let points = self.rounds[of].drawn.points.chunks_exact(density.dim());
                let log_q = density.log_densities(points);
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

    /// ln of the ratio of the target to the density that it was drawn from, for each proposal of the last rounds.
    pub fn last_ratios(&self, rounds: usize) -> Vec<f64> {
        let first = self.rounds.len().saturating_sub(rounds);
        let of = |(k, round): (usize, &'_ Round<Q>)| -> Vec<f64> {
            let own = round.log_q.get(first + k).into_iter().flatten();
            round.drawn.log_density.iter().zip(own).map(|(log, log_q)| log - log_q).collect()
        };
        self.rounds[first..].iter().enumerate().flat_map(of).collect()
    }

    /// The log density of the target at all proposals.
    pub fn log_densities(&self) -> impl Iterator<Item = f64> {
        self.rounds.iter().flat_map(|round| round.drawn.log_density.iter().copied())
    }

    /// All proposals, each with the ln of its weight.
    pub fn weighted(&self) -> (Vec<&[f64]>, Vec<f64>) {
        let Some(dim) = self.rounds.first().map(|round| round.density.dim()) else {
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

#[cfg(test)]
mod tests;
