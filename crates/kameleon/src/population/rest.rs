//! The search for the rest: for what known niches do not explain.
//!
//! By a Laplace approximation each niche says what the log posterior is anywhere, if there is nothing else. Most of the points that meet a
//! narrow mode are at the rim of its basin and no better than their neighbours, so that no link shows them. But they lie higher than
//! is explained: those that do, and more so than others around them, are roots of further climbs.
//!
//! If the draws from the prior show large hills, and few of them met one of the known niches, or there are several in four dimensions and
//! more, further draws come first: more where the known niches would leave
//! little room to a narrow mode. The basin of one is a ball whose radius grows with the distance to the niches that it has to
//! outdo, in standard deviations of theirs.
//!
//! Where the niches do not explain what draws from the prior are worth, the posterior is of another kind. Then more draws are spread
//! as the prior is, and links between them are tested.

use super::climb::Climb;
use super::links::{Links, MOST_LINKED, NearestBetter, Root, nearest_better, shows_large_hills};
use super::looks::least_mass;
use super::niche::Niche;
use super::particles::Particles;
use super::settings::LadderSettings;
use super::{Prior, Stage};
use crate::Rng;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// More draws are chosen from this many times as many.
const POOL: usize = 10;
/// A point is not explained if it is higher by this.
const UNEXPLAINED: f64 = 1.5;
/// Niches explain the posterior if fewer than this share of the draws from the prior are not explained.
const FEW: f64 = 0.1;
/// A root is higher above what is explained than at least this many points that are nearer than one that is higher still.
const LEAST_AROUND: f64 = 2.0;
/// A niche is small if it has fewer than this share of the draws from the prior.
const SMALL: f64 = 1.0 / 400.0;
/// From this dimension on a mode a tenth as wide as another is likely to have met no draw: .1⁴ of 20,000 is two.
const MANY: usize = 4;
/// More niches than this are taken for those of a ridge or a ring.
const MOST_MODES: usize = 12;
/// The most climbs.
const MOST_CLIMBS: usize = 20;
/// The length of their first steps, over the mean distance to a better point: longer ones leave a small basin.
const FIRST_STEP: f64 = 0.05;

/// The search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rest {
    settings: LadderSettings,
    /// The climbs so far, and the niches that they explain the posterior by, on the scale of Gaussians.
    climb: Climb,
    explaining: Vec<Niche>,
    /// Whether these explain it.
    explains: bool,
    /// All points that were evaluated, for each level.
    levels: Vec<Particles>,
    /// How many more draws from the prior there are to be, and whether a narrow mode may be missing without them.
    more: usize,
    #[serde(default)]
    may_miss: bool,
    /// The test of links between more draws.
    links: Option<Links>,
}

impl Rest {
    /// After these climbs among points of these levels, of which the first one is of draws from the prior.
    pub(super) fn new(climb: Climb, levels: Vec<Particles>, settings: LadderSettings, prior: &dyn Prior) -> Self {
        let explaining = climb.explaining(prior);
        let rest = Self { settings, climb, explaining, explains: false, levels, more: 0, may_miss: false, links: None };
        let Some(draws) = rest.levels.first().filter(|_| !rest.explaining.is_empty()) else { return rest };
        let unexplained = rest.excess(draws, prior).iter().filter(|excess| **excess > UNEXPLAINED).count();
        let explains = (unexplained as f64) < FEW * draws.len() as f64;
        // Where hills are seen, nothing of another one may have been met: since there are few points of one that is known, or there are
        // several and a narrow one, in many dimensions, is rarely met.
        let met = rest.met(draws, prior);
        let any_small = met.iter().any(|met| (*met as f64) < SMALL * draws.len() as f64);
        let many = met.len() > 1 && draws.dim() >= MANY;
        let hills = shows_large_hills(draws);
        let more = if hills && (any_small || many) { settings.more } else { 0 };
        let may_miss = explains && met.len() <= MOST_MODES && ((hills && any_small) || many);
        Self { explains, more, may_miss, ..rest }
    }

    /// How many draws met each mode that is known.
    fn met(&self, draws: &Particles, prior: &dyn Prior) -> Vec<usize> {
        let mut met = vec![0; self.explaining.len()];
        let draws = draws.on_gaussian_scale(prior);
        (0..draws.len()).for_each(|i| met[self.explained(draws.point(i)).1] += 1);
        let least = least_mass(&self.explaining);
        let counts = self.explaining.iter().zip(met).filter(|(niche, _)| niche.log_mass() > least);
        counts.map(|(_, met)| met).collect()
    }

    /// Whether a narrow mode may be missing, and no more draws from the prior could be afforded.
    pub(super) fn lacks_draws(&self) -> bool {
        self.may_miss && self.settings.more == 0
    }

    /// All climbs, with those that are still to be made.
    pub(super) fn climb(self, prior: &dyn Prior) -> Climb {
        let roots = match &self.links {
            Some(links) => links.roots().to_vec(),
            None if self.explains => self.roots(prior),
            None => Vec::new(),
        };
        self.climb.further(&roots)
    }

    /// Whether what was read from elsewhere is for points in `dim` dimensions.
    pub(super) fn fits(&self, dim: usize) -> bool {
        self.climb.fits(dim)
            && self.explaining.iter().all(|niche| niche.fits(dim))
            && self.levels.iter().all(|level| level.fits(dim))
            && self.links.as_ref().is_none_or(|links| links.fits(dim))
    }

    /// The log posterior that the niches explain at a point on their scale, and the niche that does.
    fn explained(&self, x: &[f64]) -> (f64, usize) {
        let of = |(k, niche): (usize, &Niche)| (niche.log_density - 0.5 * niche.squared_distance(x), k);
        let higher = |a: (f64, usize), b: (f64, usize)| if b.0 > a.0 { b } else { a };
        self.explaining.iter().enumerate().map(of).fold((f64::NEG_INFINITY, 0), higher)
    }

    /// By how much each point lies higher.
    fn excess(&self, level: &Particles, prior: &dyn Prior) -> Vec<f64> {
        let level = level.on_gaussian_scale(prior);
        (0..level.len()).map(|i| level.log_posterior(i) - self.explained(level.point(i)).0).collect()
    }

    /// Draws from the prior, each with a chance that goes with one over the size of the basin that a narrow mode would have there.
    fn draws(&self, prior: &dyn Prior, rng: &mut Rng) -> Vec<f64> {
        let d = prior.dim();
        let pool = prior.draws(rng, POOL * self.more);
        let top = self.explaining.iter().map(|niche| niche.log_density).fold(f64::NEG_INFINITY, f64::max);
        // The radius goes with the square root of the fall.
        let weight = |u: &[f64]| {
            let mut x = u.to_vec();
            prior.to_gaussian_scale(&mut x);
            libm::pow((top - self.explained(&x).0).max(1.0), -0.5 * d as f64)
        };
        let weights: Vec<f64> = pool.chunks_exact(d).map(weight).collect();
        let factor = factor_for(&weights, self.more as f64);
        let chosen = pool.chunks_exact(d).zip(weights).filter(|(_, w)| rng.random::<f64>() < factor * w);
        chosen.flat_map(|(x, _)| x).copied().collect()
    }

    /// The points that rise most above what is explained: of the most points around them.
    fn roots(&self, prior: &dyn Prior) -> Vec<Root> {
        let mut roots: Vec<(f64, Root)> = self.levels.iter().flat_map(|level| self.roots_of(level, prior)).collect();
        roots.sort_by(|a, b| b.0.total_cmp(&a.0));
        roots.into_iter().take(MOST_CLIMBS).map(|(_, root)| root).collect()
    }

    fn roots_of(&self, level: &Particles, prior: &dyn Prior) -> Vec<(f64, Root)> {
        let excess = self.excess(level, prior);
        if !excess.iter().any(|excess| *excess > UNEXPLAINED) {
            return Vec::new();
        }
        let Some(NearestBetter { order, scale, links, mut around }) = nearest_better(level, &excess) else {
            return Vec::new();
        };
        around[0] = links.len() as f64;
        let mean = links.iter().skip(1).map(|(length, _)| length).sum::<f64>() / (links.len() - 1) as f64;
        let steps: Vec<f64> = scale.iter().map(|s| FIRST_STEP * mean * s).collect();
        let is_root = |rank: &usize| excess[order[*rank]] > UNEXPLAINED && around[*rank] >= LEAST_AROUND;
        let root = |rank: usize| {
            let i = order[rank];
            let point = level.point(i).to_vec();
            (
                around[rank] / links.len() as f64,
                Root { point, log_density: level.log_posterior(i), steps: steps.clone() },
            )
        };
        (0..links.len()).filter(is_root).map(root).collect()
    }
}

/// The factor with which chances of at most one add up to this number, or nearly.
fn factor_for(weights: &[f64], number: f64) -> f64 {
    let sum = |factor: f64| weights.iter().map(|w| (factor * w).min(1.0)).sum::<f64>();
    let least = number / weights.iter().sum::<f64>();
    let (mut low, mut high) = (libm::log(least), libm::log(least) + 40.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if sum(libm::exp(middle)) < number { low = middle } else { high = middle }
    }
    libm::exp(low)
}

impl Stage for Rest {
    fn propose(&mut self, prior: &dyn Prior, rng: &mut Rng) -> Option<Vec<f64>> {
        if let Some(links) = &mut self.links {
            return links.propose(prior, rng);
        }
        let points = match self.more {
            0 => return None,
            more if !self.explains => prior.draws(rng, more),
            _ => self.draws(prior, rng),
        };
        (!points.is_empty()).then_some(points)
    }

    fn learn(&mut self, told: Particles, prior: &dyn Prior, rng: &mut Rng) {
        if let Some(links) = &mut self.links {
            return links.learn(told, prior, rng);
        }
        let mut possible = Particles::default();
        possible.extend_possible(&told);
        // The search is quadratic in the number of points.
        let count = possible.len().div_ceil(MOST_LINKED).max(1);
        let draws: Vec<Particles> = (0..count).map(|k| possible.chosen((k..possible.len()).step_by(count))).collect();
        if !self.explains {
            self.links = Some(Links::new(&draws, count, &self.settings, false));
        }
        self.levels.extend(draws);
        self.more = 0;
    }
}

#[cfg(test)]
mod tests;
