//! Roots: points from which every way to a better point leads through a dip.
//!
//! Of the points that were evaluated at a level each is linked to its nearest better one. If many others are nearer than that, it may
//! be another mode's; whether it is, is tested by evaluations along the link (nearest-better clustering, Preuss 2010).
//! A narrow mode is mostly met at its rim. From there a link leads out of it at once, or across it: then the dip comes after a
//! point that is better than where the link begins, and that point is the root.

use super::particles::Particles;
use super::settings::LadderSettings;
use super::{Prior, Stage};
use crate::Rng;
use serde::{Deserialize, Serialize};

/// A link is tested only if at least this many points are nearer to its worse end than the better one.
const LEAST_AROUND: f64 = 2.0;
/// Where on a link the density is looked at, from its worse end.
const AT: [f64; 4] = [0.07, 0.2, 0.45, 0.75];
/// The most points of a level that are linked, the best ones.
pub(super) const MOST_LINKED: usize = 20_000;
/// A hill is small or large by the share of the points, those around its top, that the top is the best of.
const SMALL: f64 = 1.0 / 400.0;
const MIDDLING: f64 = 1.0 / 60.0;
const LARGE: f64 = 1.0 / 20.0;
/// The most small hills: more than these are not hills but a bent ridge.
const MOST_SMALL: usize = 8;
/// A dip on the log scale.
pub(super) const DIP: f64 = 0.1;
/// The length of the first steps from a root, over the mean link.
const FIRST_STEP: f64 = 0.3;

/// Where a climb starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Root {
    /// The point.
    pub point: Vec<f64>,
    /// The log posterior there.
    pub log_density: f64,
    /// The length of the first steps in each coordinate.
    pub steps: Vec<f64>,
}

/// A link that is tested: its worse end, and the log posterior at its better one, …
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Link {
    from: Root,
    better: f64,
    /// How many points are nearer to the worse end than the better one is.
    around: f64,
}

/// The test of links of all levels, in one batch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Links {
    /// The links that are tested, and the points where they are.
    tested: Vec<Link>,
    points: Vec<f64>,
    /// Roots that need no test: the best points.
    best: Vec<Root>,
    /// The most roots after a dip.
    most_roots: usize,
    is_done: bool,
    roots: Vec<Root>,
}

impl Links {
    /// Between the points of each level, of which the first ones are draws from the prior. The best point of each level is a root, or
    /// only the best of all.
    pub fn new(levels: &[Particles], first: usize, settings: &LadderSettings, best_of_each: bool) -> Self {
        let most = settings.links;
        let mut links = Self {
            tested: Vec::new(),
            points: Vec::new(),
            best: Vec::new(),
            most_roots: settings.climbs,
            is_done: false,
            roots: Vec::new(),
        };
        for (k, level) in levels.iter().enumerate() {
            links.add(level, if k < first { most.0 } else { most.1 });
        }
        if !best_of_each {
            let best = links.best.drain(..).max_by(|a, b| a.log_density.total_cmp(&b.log_density));
            links.best.extend(best);
        }
        links
    }

    /// The roots, once links are tested.
    pub fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// Whether what was read from elsewhere is for points in `dim` dimensions.
    pub(super) fn fits(&self, dim: usize) -> bool {
        let root = |root: &Root| root.point.len() == dim && root.steps.len() == dim;
        let tested = self.tested.iter().map(|link| &link.from);
        tested.chain(&self.best).chain(&self.roots).all(root) && self.points.len() == self.tested.len() * AT.len() * dim
    }

    fn add(&mut self, level: &Particles, most: usize) {
        let d = level.dim();
        let Some(nearest) = nearest_better(level, &log_posteriors(level)) else { return };
        let NearestBetter { order, scale, links, around } = nearest;
        let mean = links.iter().skip(1).map(|(length, _)| length).sum::<f64>() / (links.len() - 1) as f64;
        let steps: Vec<f64> = scale.iter().map(|s| FIRST_STEP * mean * s).collect();
        let root = |rank: usize| {
            let i = order[rank];
            Root { point: level.point(i).to_vec(), log_density: level.log_posterior(i), steps: steps.clone() }
        };
        self.best.push(root(0));
        let mut tops: Vec<usize> = (1..links.len()).filter(|rank| around[*rank] >= LEAST_AROUND).collect();
        tops.sort_by(|a, b| around[*b].total_cmp(&around[*a]));
        for rank in tops.into_iter().take(most) {
            let (from, end) = (root(rank), order[links[rank].1]);
            let to = level.point(end);
            for t in AT {
                self.points.extend((0..d).map(|k| from.point[k] + t * (to[k] - from.point[k])));
            }
            self.tested.push(Link { from, better: level.log_posterior(end), around: around[rank] });
        }
    }
}

/// The points of a level from the best on, and the link of each.
pub(super) struct NearestBetter {
    pub(super) order: Vec<usize>,
    /// The standard deviation of each coordinate.
    pub(super) scale: Vec<f64>,
    /// The length of the link of each point, in units of the standard deviations, and the rank of its better end.
    pub(super) links: Vec<(f64, usize)>,
    /// How many points are nearer to each than its better one: it is the best of these.
    pub(super) around: Vec<f64>,
}

/// Whether draws from the prior show several large hills, and not a bent ridge.
pub(super) fn shows_large_hills(draws: &Particles) -> bool {
    let Some(NearestBetter { around, .. }) = nearest_better(draws, &log_posteriors(draws)) else { return false };
    let n = around.len() as f64;
    let between = |low: f64, high: f64| around.iter().filter(|a| (low * n..high * n).contains(*a)).count();
    between(LARGE, 1.0) >= 2 && between(SMALL, MIDDLING) <= MOST_SMALL
}

fn log_posteriors(level: &Particles) -> Vec<f64> {
    (0..level.len()).map(|i| level.log_posterior(i)).collect()
}

/// The nearest better point of each, by these values; none if there are fewer than two.
pub(super) fn nearest_better(level: &Particles, values: &[f64]) -> Option<NearestBetter> {
    let (n, d) = (level.len().min(MOST_LINKED), level.dim());
    if n < 2 {
        return None;
    }
    let mut order: Vec<usize> = (0..level.len()).collect();
    order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
    order.truncate(n);
    let column = |k: usize| order.iter().map(move |i| level.points[i * d + k]);
    let deviation = |k: usize| {
        let mean = column(k).sum::<f64>() / n as f64;
        (column(k).map(|x| (x - mean) * (x - mean)).sum::<f64>() / n as f64).sqrt().max(1e-300)
    };
    let scale: Vec<f64> = (0..d).map(deviation).collect();
    // Coordinate by coordinate, so that the distances to all better points are found at once.
    let columns: Vec<Vec<f64>> = (0..d).map(|k| column(k).map(|x| x / scale[k]).collect()).collect();
    let mut squared = vec![0.0; n];
    let mut links = vec![(0.0, 0)];
    let (mut around, mut reach) = (vec![0.0; n], vec![f64::INFINITY; n]);
    for i in 1..n {
        squared[..i].fill(0.0);
        for column in &columns {
            let here = column[i];
            squared[..i].iter_mut().zip(column).for_each(|(sum, x)| *sum += (x - here) * (x - here));
        }
        let nearest = (0..i).fold(0, |best, j| if squared[j] < squared[best] { j } else { best });
        links.push((squared[nearest].sqrt(), nearest));
        reach[i] = squared[nearest];
        let nearer = squared[..i].iter().zip(&reach).map(|(squared, reach)| f64::from(u8::from(squared < reach)));
        around.iter_mut().zip(nearer).for_each(|(around, nearer)| *around += nearer);
    }
    Some(NearestBetter { order, scale, links, around })
}

/// Where the highest value is before the first dip, if there is one.
fn before_a_dip(values: &[f64]) -> Option<usize> {
    let highest = |values: &[f64]| (0..values.len()).fold(0, |best, i| if values[i] > values[best] { i } else { best });
    (1..values.len() - 1).find_map(|i| {
        let (before, after) = (highest(&values[..i]), i + 1 + highest(&values[i + 1..]));
        (values[i] < values[before].min(values[after]) - DIP).then_some(before)
    })
}

impl Stage for Links {
    fn propose(&mut self, _: &dyn Prior, _: &mut Rng) -> Option<Vec<f64>> {
        (!self.is_done).then(|| self.points.clone())
    }

    fn learn(&mut self, told: Particles, _: &dyn Prior, _: &mut Rng) {
        let mut found = Vec::new();
        for (k, Link { from, better, around }) in std::mem::take(&mut self.tested).into_iter().enumerate() {
            let at = |t: usize| k * AT.len() + t - 1;
            let mut values = vec![from.log_density];
            values.extend((1..=AT.len()).map(|t| told.log_posterior(at(t))));
            values.push(better);
            match before_a_dip(&values) {
                Some(0) => found.push((around, from)),
                Some(t) => {
                    found.push((around, Root { point: told.point(at(t)).to_vec(), log_density: values[t], ..from }))
                }
                None => {}
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut roots = std::mem::take(&mut self.best);
        roots.extend(found.into_iter().take(self.most_roots).map(|(_, root)| root));
        self.points.clear();
        self.roots = roots;
        self.is_done = true;
    }
}

#[cfg(test)]
mod tests;
