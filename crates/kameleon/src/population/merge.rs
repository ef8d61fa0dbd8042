//! Which tops are of the same mode: those between which the posterior does not dip (hill-valley test, Ursem 1999).

use super::links::DIP;
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
        for (k, (a, b)) in self.pairs.iter().enumerate() {
            let n = BETWEEN.len();
            let lowest = (0..n).map(|t| told.log_posterior(k * n + t)).fold(f64::INFINITY, f64::min);
            if lowest >= self.tops[*a].min(self.tops[*b]) - DIP {
                is_left[*a] = false;
            }
        }
        let mut left: Vec<usize> = (0..is_left.len()).filter(|i| is_left[*i]).collect();
        left.sort_by(|a, b| self.tops[*b].total_cmp(&self.tops[*a]));
        left.truncate(MOST);
        left
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

/// Niches of several ladders, of which those on the same hill become one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Unite {
    niches: Vec<Niche>,
    pairs: Option<Pairs>,
}

impl Unite {
    /// Of all these niches.
    pub(super) fn new(niches: Vec<Niche>) -> Self {
        Self { pairs: Some(Pairs::new(&niches, false)), niches }
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
}

impl Stage for Unite {
    fn propose(&mut self, _: &dyn Prior, _: &mut Rng) -> Option<Vec<f64>> {
        self.pairs.as_ref().map(|pairs| pairs.points(&self.niches))
    }

    fn learn(&mut self, told: Particles, _: &dyn Prior, _: &mut Rng) {
        if let Some(pairs) = self.pairs.take() {
            self.niches = pairs.survivors(&told).into_iter().map(|i| self.niches[i].clone()).collect();
        }
    }
}

#[cfg(test)]
mod tests;
