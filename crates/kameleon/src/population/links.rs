//! Roots: points from which every way to a better point leads through a dip.
//!
//! Of the points that were evaluated at a level each is linked to its nearest better one. A link that is much longer than most
//! may lead from one mode to another; whether it does is tested by evaluations along it (nearest-better clustering, Preuss 2010).

use super::particles::Particles;
use super::{Prior, Stage};
use crate::Rng;
use serde::{Deserialize, Serialize};

/// A link is long if it is more than this many times the mean.
const LONG: f64 = 1.2;
/// Where on a link the density is looked at, from its worse end.
const AT: [f64; 3] = [0.07, 0.2, 0.45];
/// The most points of a level that are linked.
const MOST_LINKED: usize = 20_000;
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

/// The test of all long links of all levels, in one batch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Links {
    /// The worse ends of the links that are tested, and the points where they are.
    tested: Vec<Root>,
    points: Vec<f64>,
    /// Roots that need no test: the best points.
    best: Vec<Root>,
    is_done: bool,
    roots: Vec<Root>,
}

impl Links {
    /// Between the points of each level: at most `most` links each. The best point of each level is a root, or only the best of
    /// all.
    pub fn new(levels: &[Particles], most: usize, best_of_each: bool) -> Self {
        let mut links =
            Self { tested: Vec::new(), points: Vec::new(), best: Vec::new(), is_done: false, roots: Vec::new() };
        for level in levels {
            links.add(level, most);
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
        [&self.tested, &self.best, &self.roots].into_iter().flatten().all(root)
            && self.points.len() == self.tested.len() * AT.len() * dim
    }

    fn add(&mut self, level: &Particles, most: usize) {
        let d = level.dim();
        let Some(nearest) = nearest_better(level) else { return };
        let NearestBetter { order, scale, links } = nearest;
        let mean = links.iter().skip(1).map(|(length, _)| length).sum::<f64>() / (links.len() - 1) as f64;
        let steps: Vec<f64> = scale.iter().map(|s| FIRST_STEP * mean * s).collect();
        let root = |rank: usize| {
            let i = order[rank];
            Root { point: level.point(i).to_vec(), log_density: level.log_posterior(i), steps: steps.clone() }
        };
        self.best.push(root(0));
        let mut long: Vec<usize> = (1..links.len()).filter(|rank| links[*rank].0 > LONG * mean).collect();
        long.sort_by(|a, b| links[*b].0.total_cmp(&links[*a].0));
        for rank in long.into_iter().take(most) {
            let from = root(rank);
            let to = level.point(order[links[rank].1]);
            for t in AT {
                self.points.extend((0..d).map(|k| from.point[k] + t * (to[k] - from.point[k])));
            }
            self.tested.push(from);
        }
    }
}

/// The points of a level from the best on, and the link of each.
struct NearestBetter {
    order: Vec<usize>,
    /// The standard deviation of each coordinate.
    scale: Vec<f64>,
    /// The length of the link of each point, in units of the standard deviations, and the rank of its better end.
    links: Vec<(f64, usize)>,
}

/// The nearest better point of each; none if there are fewer than two.
fn nearest_better(level: &Particles) -> Option<NearestBetter> {
    let (n, d) = (level.len().min(MOST_LINKED), level.dim());
    if n < 2 {
        return None;
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| level.log_posterior(*b).total_cmp(&level.log_posterior(*a)));
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
    for i in 1..n {
        squared[..i].fill(0.0);
        for column in &columns {
            let here = column[i];
            squared[..i].iter_mut().zip(column).for_each(|(sum, x)| *sum += (x - here) * (x - here));
        }
        let nearest = (0..i).fold(0, |best, j| if squared[j] < squared[best] { j } else { best });
        links.push((squared[nearest].sqrt(), nearest));
    }
    Some(NearestBetter { order, scale, links })
}

impl Stage for Links {
    fn propose(&mut self, _: &dyn Prior, _: &mut Rng) -> Option<Vec<f64>> {
        (!self.is_done).then(|| self.points.clone())
    }

    fn learn(&mut self, told: Particles, _: &dyn Prior, _: &mut Rng) {
        let mut roots = std::mem::take(&mut self.best);
        for (k, root) in std::mem::take(&mut self.tested).into_iter().enumerate() {
            let lowest = (0..AT.len()).map(|t| told.log_posterior(k * AT.len() + t)).fold(f64::INFINITY, f64::min);
            if lowest < root.log_density - DIP {
                roots.push(root);
            }
        }
        self.points.clear();
        self.roots = roots;
        self.is_done = true;
    }
}

#[cfg(test)]
mod tests;
