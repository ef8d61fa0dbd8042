//! What a population has found: a frozen density, a pool of weighted points, modes, and how far to believe them.

use super::doubt::Doubt;
use super::looks::lost;
use super::niche::{Niche, mixture};
use super::particles::Particles;
use super::rounds::{LARGEST_K, Rounds};
use super::settings::USUAL_PARTICLES;
use super::witness::Witness;
use crate::circles::Circles;
use crate::diagnose::{Estimate, effective_number, log_sum_exp};
use crate::moves::JumpDensity;
use crate::warmup::where_there_is_one;
use serde::{Deserialize, Serialize};

/// A ladder's log Z that is farther than this from that of the rounds is told; where it is larger, another ladder is run.
const FAR: f64 = 0.3;
/// The points of a level where modes come apart are about this share of all evaluations. A mode whose width is σ times that of the
/// widest one has σ^d of them.
const OF_A_LEVEL: f64 = 0.05;
/// Where modes that are this narrow, or less so, are met by no point, other modes are a reason for doubt.
const TOO_WIDE: f64 = 0.35;
/// The same after a ladder that the budget made smaller: of eight modes of widths 1 to 7 in five dimensions such runs miss one more often.
const TOO_WIDE_OF_FEW: f64 = 0.18;

/// What a population has found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Found {
    /// Where circles are cut: density, points and niches are seen from there.
    #[serde(default)]
    pub circles: Circles,
    /// The frozen density, if one was learned.
    pub density: Option<JumpDensity>,
    /// Whether it is good: k̂ below .5 and a stable efficiency on fresh draws.
    pub is_good: bool,
    /// Points of the posterior, one after another.
    pub points: Vec<f64>,
    /// ln of their weights, whose mean is an estimate of Z where there is a density.
    #[serde(with = "where_there_is_one")]
    pub log_weights: Vec<f64>,
    /// All niches, the highest first.
    pub niches: Vec<Niche>,
    /// log Z of the ladders, or of the looks where there was no full ladder.
    pub ladders: Vec<f64>,
    /// Whether there was no full ladder.
    pub only_looks: bool,
    /// What the draws of all rounds say; slightly biased, since each density was fitted to the draws before.
    pub rounds: Option<Estimate>,
    /// What fresh draws from the frozen density say.
    pub frozen: Option<Estimate>,
    /// What the draws of the last rounds say together.
    pub late: Option<Estimate>,
    /// The number of particles of the last ladder, or of the looks.
    #[serde(default)]
    pub particles: usize,
    /// The number of evaluations, and of batches one after another.
    pub evaluations: u64,
    /// The batches.
    pub batches: u64,
    /// The number of points at which the likelihood was NaN or +∞.
    pub invalid: u64,
    /// The best point, by which the likelihood is known again.
    pub witness: Option<Witness>,
    /// Why it may be wrong or incomplete; empty if nothing is known against it.
    pub doubts: Vec<Doubt>,
}

/// A mode, by the points of the pool that are nearest to its niche.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mode {
    /// Its top.
    pub top: Vec<f64>,
    /// Its share of the posterior.
    pub weight: f64,
    /// The standard error of that.
    pub error: f64,
    /// ln of its part of Z.
    pub log_z: f64,
}

impl Found {
    /// Of rounds whose density is believed, or not: then there are points only.
    pub(super) fn new(
        niches: Vec<Niche>,
        rounds: Option<&Rounds>,
        states: &Particles,
        log_weights: &[f64],
        believed: bool,
    ) -> Self {
        let density = rounds.and_then(Rounds::frozen).filter(|_| believed).cloned();
        let pool = rounds.map(Rounds::pool).filter(|(_, logs)| {
            density.is_some() || (!believed && effective_number(logs) > effective_number(log_weights))
        });
        let (points, log_weights) = pool.unwrap_or_else(|| (states.points.clone(), log_weights.to_vec()));
        let drawn = rounds.filter(|rounds| rounds.count() > 0);
        let rounds = rounds.filter(|_| believed);
        Self {
            is_good: rounds.is_some_and(Rounds::is_good),
            rounds: drawn.map(Rounds::all),
            frozen: rounds.and_then(Rounds::checked),
            late: rounds.and_then(Rounds::late),
            circles: Circles::default(),
            density,
            points,
            log_weights,
            niches,
            ladders: Vec::new(),
            only_looks: false,
            particles: 0,
            evaluations: 0,
            batches: 0,
            invalid: 0,
            witness: None,
            doubts: Vec::new(),
        }
    }

    pub(super) fn count(&mut self, particles: usize, evaluations: u64, batches: u64, invalid: u64) {
        self.particles = particles;
        (self.evaluations, self.batches, self.invalid) = (evaluations, batches, invalid);
    }

    /// Says what is known against it. `needed` is how many evaluations there should have been for what was called for and could not be
    /// afforded: the full ladder after looks, or its further draws from the prior. `stopped` is whether the budget ended it, and whether a
    /// full ladder and its search had ended by then; `has_rounds` is whether the rounds after a full ladder came to their end. `different`
    /// are the modes that further ladders found new, and those that they missed.
    pub(super) fn judge(
        &mut self,
        ladders: &[f64],
        only_looks: bool,
        needed: Option<u64>,
        stopped: Option<bool>,
        has_rounds: bool,
        different: (usize, usize),
    ) {
        (self.ladders, self.only_looks) = (ladders.to_vec(), only_looks);
        let several = self.niches.len() > 1;
        let mut doubts = Vec::new();
        if let Some(searched) = stopped {
            doubts.push(Doubt::Stopped { searched: searched && self.density.is_some() });
        } else if self.points.is_empty() {
            doubts.push(Doubt::Nowhere);
        }
        // A density that the budget left no draws to test is not known to be bad, and of one mode chains learn it by themselves.
        if has_rounds && !self.is_good && self.niches.len() != 1 && !self.points.is_empty() {
            doubts.push(Doubt::NoGoodDensity);
        }
        if let Some(Estimate { pareto_k, log_z, .. }) = self.frozen {
            // NaN is no good k̂.
            if pareto_k.is_nan() || pareto_k > LARGEST_K {
                doubts.push(Doubt::HeavyTail { pareto_k });
            }
            doubts.extend(self.far_ladder(log_z).map(|ladder| Doubt::FarLadder { ladder, log_z }));
        }
        // Looks that were stopped say nothing of how many modes there are.
        if let Some(needed) = needed.filter(|_| several && !(only_looks && stopped.is_some())) {
            doubts.push(if only_looks { Doubt::OnlyLooks { needed } } else { Doubt::FewDraws { needed } });
        }
        let (new, missed) = different;
        if new + missed > 0 {
            doubts.push(Doubt::Different { new, missed });
        }
        let too_wide = if self.particles < USUAL_PARTICLES && !only_looks { TOO_WIDE_OF_FEW } else { TOO_WIDE };
        if let Some(narrowest) = self.narrowest().filter(|narrowest| *narrowest > too_wide) {
            doubts.push(Doubt::Narrow { dim: self.niches[0].top.len(), narrowest });
        }
        self.doubts = doubts;
    }

    /// The width of the narrowest mode that a point is likely to meet, over that of the widest; none for one mode.
    fn narrowest(&self) -> Option<f64> {
        let several = self.niches.get(1)?;
        Some(libm::pow(OF_A_LEVEL * self.evaluations as f64, -1.0 / several.top.len() as f64))
    }

    /// log Z of a ladder that is far from this one, which a density gave; none if all are near.
    pub fn far_ladder(&self, log_z: f64) -> Option<f64> {
        far_ladder(&self.ladders, log_z, self.only_looks)
    }

    /// log Z of all ladders together; none without a ladder that came to its end.
    pub fn ladder_log_z(&self) -> Option<f64> {
        mean_log_z(&self.ladders)
    }

    /// Whether what was read from elsewhere is for points in `dim` dimensions.
    pub fn fits(&self, dim: usize) -> bool {
        self.circles.fits(dim)
            && self.density.as_ref().is_none_or(|density| density.fits(dim))
            && self.points.len() == self.log_weights.len() * dim
            && self.points.iter().all(|x| x.is_finite())
            && self.niches.iter().all(|niche| niche.fits(dim))
            && self.witness.as_ref().is_none_or(|witness| witness.fits(dim))
    }

    /// For each niche the share of the posterior that is nearest to it, by the points of the pool, and the standard error of that.
    pub fn shares(&self) -> Vec<(f64, f64)> {
        let total = log_sum_exp(self.log_weights.iter().copied());
        let weights = self.log_weights.iter().map(|log| libm::exp(log - total));
        let assigned: Vec<(usize, f64)> = nearest_niches(&self.niches, &self.points).into_iter().zip(weights).collect();
        let mut sums = vec![(0.0, 0.0); self.niches.len()];
        assigned.iter().for_each(|(nearest, weight)| sums[*nearest].0 += weight);
        for (nearest, weight) in assigned {
            for (k, sum) in sums.iter_mut().enumerate() {
                let off = f64::from(u8::from(k == nearest)) - sum.0;
                sum.1 += weight * weight * off * off;
            }
        }
        sums.into_iter().map(|(share, variance)| (share, variance.sqrt())).collect()
    }

    /// The top of a niche as a point of the prior, not seen from cuts.
    pub fn top(&self, niche: &Niche) -> Vec<f64> {
        let mut top = niche.top.clone();
        self.circles.turn_back(&mut top);
        top
    }

    /// For each of these points, which are not seen from cuts, the one of some niches that explains it best; empty without niches.
    pub fn nearest(&self, niches: &[Niche], points: &[f64]) -> Vec<usize> {
        let Some(first) = niches.first() else { return Vec::new() };
        let mut points = points.to_vec();
        Circles::default().seen_from(&self.circles, &mut points, first.top.len(), |_, _| {});
        nearest_niches(niches, &points)
    }

    /// The modes, the heaviest first.
    pub fn modes(&self) -> Vec<Mode> {
        // The weights of a ladder's states do not tell Z.
        let log_z = match (&self.density, self.ladders.last()) {
            (Some(_), _) => {
                let total = log_sum_exp(self.log_weights.iter().copied());
                total - libm::log(self.log_weights.len() as f64)
            }
            (None, ladder) => ladder.copied().unwrap_or(f64::NAN),
        };
        let mode = |(niche, (weight, error)): (&Niche, (f64, f64))| Mode {
            top: self.top(niche),
            weight,
            error,
            log_z: log_z + libm::log(weight.max(f64::MIN_POSITIVE)),
        };
        let mut modes: Vec<Mode> = self.niches.iter().zip(self.shares()).map(mode).collect();
        modes.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        modes
    }
}

/// For each of these points, one after another, the niche that explains it best; empty without niches.
pub(super) fn nearest_niches(niches: &[Niche], points: &[f64]) -> Vec<usize> {
    let Some(mixture) = mixture(niches) else { return Vec::new() };
    let mut shares = Vec::new();
    let mut nearest = |x: &[f64]| {
        mixture.responsibilities(x, &mut shares);
        (0..shares.len()).fold(0, |best, k| if shares[k] > shares[best] { k } else { best })
    };
    points.chunks_exact(mixture.dim()).map(&mut nearest).collect()
}

/// log Z of several ladders together.
fn mean_log_z(ladders: &[f64]) -> Option<f64> {
    let sum = log_sum_exp(ladders.iter().copied());
    (!ladders.is_empty()).then(|| sum - libm::log(ladders.len() as f64))
}

/// log Z of a ladder that is far from that of a density: of a full one, or of all looks together; the largest of them, for that of a
/// ladder that lost modes says little. None if there is none.
pub(super) fn far_ladder(ladders: &[f64], log_z: f64, looks: bool) -> Option<f64> {
    if looks {
        return mean_log_z(ladders).filter(|_| lost(ladders, log_z));
    }
    ladders.iter().copied().filter(|ladder| (ladder - log_z).abs() > FAR).max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_known_before_the_budget_ended_it_is_not_forgotten() {
        let niche = |at: f64| Niche::new(vec![at], 0.0, vec![1.0]);
        let mut states = Particles::default();
        states.push(&Particles { points: vec![0.0], log_prior: vec![0.0], log_likelihood: vec![0.0] }, 0);
        let doubts = |needed, stopped, has_rounds| {
            let mut found = Found::new(vec![niche(0.0), niche(9.0)], None, &states, &[0.0], false);
            found.judge(&[], false, needed, stopped, has_rounds, (0, 0));
            found.doubts
        };
        // Draws that could not be afforded, and a density that was not good before a further ladder was begun.
        assert!(doubts(Some(50_000), Some(true), false).contains(&Doubt::FewDraws { needed: 50_000 }));
        assert!(doubts(None, Some(true), true).contains(&Doubt::NoGoodDensity));
        // One that could not be tested is not known to be bad.
        assert!(!doubts(None, Some(true), false).contains(&Doubt::NoGoodDensity));
    }
}
