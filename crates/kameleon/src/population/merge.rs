//! Which tops are of the same mode: those between which the posterior does not dip (hill-valley test, Ursem 1999).

use super::links::DIP;
use super::looks::least_mass;
use super::niche::Niche;
use super::particles::Particles;
use super::{Prior, Stage};
use crate::Rng;
use serde::{Deserialize, Serialize};

/// Each top is compared with this many better ones that are nearest.
const COMPARED: usize = 4;
/// Where between two tops the density is looked at.
const BETWEEN: [f64; 3] = [0.25, 0.5, 0.75];
/// Of climbs under way only those are compared that are closer than this many of their standard deviations.
const CLOSE: f64 = 2.0;
/// The most niches.
pub(super) const MOST: usize = 30;

/// Pairs of tops, a worse and a better one, that are compared.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Pairs {
    pairs: Vec<(usize, usize)>,
    /// The log posterior at each top.
    tops: Vec<f64>,
}

impl Pairs {
    /// Of all niches, or of those that are close to each other.
    pub(super) fn new(niches: &[Niche], only_close: bool) -> Self {
        let mut pairs = Vec::new();
        let better = |b: usize, a: usize| {
            let (b_top, a_top) = (niches[b].log_density, niches[a].log_density);
            b_top > a_top || (b_top == a_top && b < a)
        };
        for a in 0..niches.len() {
            let mut others: Vec<(f64, usize)> = (0..niches.len())
                .filter(|b| better(*b, a))
                .map(|b| (distance(&niches[a], &niches[b]), b))
                .filter(|(distance, _)| !only_close || *distance < CLOSE)
                .collect();
            others.sort_by(|a, b| a.0.total_cmp(&b.0));
            pairs.extend(others.into_iter().take(COMPARED).map(|(_, b)| (a, b)));
        }
        Self { pairs, tops: niches.iter().map(|niche| niche.log_density).collect() }
    }

    /// Whether what was read from elsewhere compares this many tops.
    pub(super) fn fits(&self, tops: usize) -> bool {
        self.tops.len() == tops && self.pairs.iter().all(|(a, b)| *a < tops && *b < tops)
    }

    /// The points to be evaluated.
    pub(super) fn points(&self, niches: &[Niche]) -> Vec<f64> {
        let mut points = Vec::new();
        for (a, b) in &self.pairs {
            let (a, b) = (&niches[*a].top, &niches[*b].top);
            for t in BETWEEN {
                points.extend(a.iter().zip(b).map(|(a, b)| b + t * (a - b)));
            }
        }
        points
    }

    /// The tops that are left: those from which no way without a dip leads to a better one. The best come first.
    pub(super) fn survivors(&self, told: &Particles) -> Vec<usize> {
        let mut is_left = vec![true; self.tops.len()];
        self.without_dip(told).for_each(|(a, _)| is_left[a] = false);
        let mut left: Vec<usize> = (0..is_left.len()).filter(|i| is_left[*i]).collect();
        left.sort_by(|a, b| self.tops[*b].total_cmp(&self.tops[*a]));
        left.truncate(MOST);
        left
    }

    /// For each top whether it, or one from which ways without a dip lead up to it, is of the first `known`; and of the others.
    fn origins(&self, told: &Particles, known: usize) -> Vec<(bool, bool)> {
        let mut origins: Vec<(bool, bool)> = (0..self.tops.len()).map(|i| (i < known, i >= known)).collect();
        let mut ways: Vec<(usize, usize)> = self.without_dip(told).collect();
        // The worst first: what leads to a top is known before the way on from it.
        ways.sort_by(|(a, _), (b, _)| self.tops[*a].total_cmp(&self.tops[*b]).then(b.cmp(a)));
        for (from, to) in ways {
            origins[to].0 |= origins[from].0;
            origins[to].1 |= origins[from].1;
        }
        origins
    }

    /// The pairs between which the posterior does not dip.
    fn without_dip(&self, told: &Particles) -> impl Iterator<Item = (usize, usize)> {
        let n = BETWEEN.len();
        let lowest = move |k: usize| (0..n).map(|t| told.log_posterior(k * n + t)).fold(f64::INFINITY, f64::min);
        let pairs = self.pairs.iter().copied().enumerate();
        pairs.filter(move |(k, (a, b))| lowest(*k) >= self.tops[*a].min(self.tops[*b]) - DIP).map(|(_, pair)| pair)
    }
}

/// The root mean square over coordinates of the distance in sums of standard deviations.
fn distance(a: &Niche, b: &Niche) -> f64 {
    let d = a.top.len();
    let deviation = |niche: &Niche, i: usize| niche.factor[i * d..=i * d + i].iter().map(|l| l * l).sum::<f64>().sqrt();
    let square = |i: usize| {
        let apart = (a.top[i] - b.top[i]) / (deviation(a, i) + deviation(b, i));
        apart * apart
    };
    ((0..d).map(square).sum::<f64>() / d as f64).sqrt()
}

/// Niches that were known, and those that a further ladder found, of which those on the same hill become one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unite {
    niches: Vec<Niche>,
    /// How many of them were known.
    known: usize,
    pairs: Option<Pairs>,
    /// The modes that only the further ladder found, and those that it did not find.
    different: (usize, usize),
}

impl Unite {
    pub(super) fn new(known: &[Niche], found: &[Niche]) -> Self {
        let niches = [known, found].concat();
        Self { pairs: Some(Pairs::new(&niches, false)), niches, known: known.len(), different: (0, 0) }
    }

    /// Whether what was read from elsewhere is for points in `dim` dimensions.
    pub(super) fn fits(&self, dim: usize) -> bool {
        self.niches.iter().all(|niche| niche.fits(dim))
            && self.pairs.as_ref().is_none_or(|pairs| pairs.fits(self.niches.len()))
    }

    /// The niches that are left, the best first.
    pub(super) fn niches(&self) -> &[Niche] {
        &self.niches
    }

    /// The number of modes that only the further ladder found, and of those that it did not find. Niches without mass are no modes.
    pub(super) fn different(&self) -> (usize, usize) {
        self.different
    }
}

impl Stage for Unite {
    fn propose(&mut self, _: &dyn Prior, _: &mut Rng) -> Option<Vec<f64>> {
        self.pairs.as_ref().map(|pairs| pairs.points(&self.niches))
    }

    fn learn(&mut self, told: Particles, _: &dyn Prior, _: &mut Rng) {
        let Some(pairs) = self.pairs.take() else { return };
        let (left, origins) = (pairs.survivors(&told), pairs.origins(&told, self.known));
        let least = least_mass(&self.niches);
        let modes = || left.iter().filter(|i| self.niches[**i].log_mass() > least).map(|i| origins[*i]);
        self.different = (modes().filter(|by| *by == (false, true)).count(), modes().filter(|by| !by.1).count());
        self.niches = left.iter().map(|i| self.niches[*i].clone()).collect();
    }
}

#[cfg(test)]
mod tests;
