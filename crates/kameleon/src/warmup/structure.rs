//! Which mixture jumps are drawn from: in all directions or in a few, with how many components; whichever predicts what was
//! held out best.
//!
//! No target evaluation is spent. Of the chains' states whole blocks of time are held out, since draws next to each other are
//! alike, and an estimate judged on randomly held-out draws confirms itself.

use super::correlation::shrunk_frame;
use super::directions::directions;
use crate::Rng;
use crate::mixture::{FREEDOMS, MOST_COMPONENTS, Mixture, Part, Sample, Start, fit};
use crate::moves::{FewDirections, Frame, JumpDensity, Student};
use multiversion::multiversion;

/// How much work a search may be.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// How many points a candidate is fitted to and judged by.
    fitted: usize,
    judged: usize,
    /// How many the chosen one is fitted to.
    most_fitted: usize,
    /// The numbers of directions that are tried.
    counts: &'static [usize],
    /// Whether the search may stay in the few directions of the density before.
    may_stay: bool,
}

impl Effort {
    /// For a density that the next refresh replaces.
    pub const LEARNING: Self = Self { fitted: 1200, judged: 1000, most_fitted: 4000, counts: &[2, 4], may_stay: true };
    /// For the one that stays.
    pub const FINAL: Self = Self { fitted: 2000, judged: 1500, most_fitted: 6000, counts: &[2, 3, 4], may_stay: false };
}
/// Iterations for a candidate, for each of three beginnings of the chosen one, and for the best of these.
const TRIED: usize = 6;
const BEGUN: usize = 5;
const FINISHED: usize = 15;
/// A component has at least this many effective points.
const POINTS_EACH: f64 = 3.0;
/// A higher number of components is no better if it gains less than this in the mean log density; that ends the search, …
const LEAST_GAIN: f64 = 1e-3;
/// … but up to this many it must happen twice: two components may fit no better than one, and many more do.
const UNSURE: usize = 4;
/// Up to this dimension covariances may be free in all directions, …
const FREE_UP_TO: usize = 12;
/// … and beyond this one mixtures in all directions have few components.
const MANY_UP_TO: usize = 20;
const FEW_COMPONENTS: usize = 16;
/// Directions are compared with this many components.
const MIDDLING: usize = 16;

/// A mixture in the white frame of its sample.
pub struct Fitted {
    pub frame: Frame,
    pub few: Option<FewDirections>,
    pub mixture: Mixture,
}

/// The best of all structures; `last` is the density before. None if the sample is too small to tell.
pub fn learn_density(sample: &Sample, last: Option<&JumpDensity>, effort: Effort, rng: &mut Rng) -> Option<Fitted> {
    let frame = shrunk_frame(sample)?;
    let white = |part, most| sample.part(part, most).mapped(sample.dim, |x, u| frame.coordinates(x, u));
    let (fitted, judged) = (white(Part::Fitted, effort.fitted), white(Part::HeldOut, effort.judged));
    if fitted.len() <= sample.dim + 1 || judged.is_empty() {
        return None;
    }
    let mut search = Search { fitted, judged, counts: effort.counts, rng, best: None };
    let last = last.map(JumpDensity::parts).and_then(|last| Some(last.few.as_ref()?.rows_in(&last.frame, &frame)));
    let guide = search.all_directions(effort.may_stay && last.is_some())?;
    search.few_directions(&guide, &frame, last.as_deref());
    let Choice { rows, own, components, .. } = search.best?;
    let white = white(Part::All, effort.most_fitted);
    let (mixture, few) = if rows.is_empty() {
        (best_of_three(&white, effort, components, own, rng)?, None)
    } else {
        let (near, rest) = split(&white, &rows);
        let rest = fit_rest(&rest, sample.dim - own);
        (best_of_three(&near, effort, components, own, rng)?, Some(FewDirections { rows, rest }))
    };
    Some(Fitted { frame, few, mixture })
}

/// A bad beginning is worse than any choice: the best of three goes on.
fn best_of_three(sample: &Sample, effort: Effort, components: usize, own: usize, rng: &mut Rng) -> Option<Mixture> {
    let beginnings = if components > 1 { 3 } else { 1 };
    let few = sample.part(Part::All, effort.fitted);
    let mut best: Option<(f64, Mixture)> = None;
    for _ in 0..beginnings {
        if let Some(mixture) = fit(&few, Start::Clusters(components, rng), own, BEGUN) {
            let score = few.mean_log_density(&mixture);
            if best.as_ref().is_none_or(|(highest, _)| score > *highest) {
                best = Some((score, mixture));
            }
        }
    }
    fit(sample, Start::From(&best?.1), own, FINISHED)
}

/// A set of directions that mixtures are tried in.
struct Space {
    /// The rows of a few directions; empty for all.
    rows: Vec<f64>,
    /// How many directions of its own each covariance has.
    own: usize,
    fitted: Sample,
    judged: Sample,
    /// The mean log density of the rest.
    rest: f64,
}

struct Search<'a> {
    fitted: Sample,
    judged: Sample,
    counts: &'static [usize],
    rng: &'a mut Rng,
    best: Option<Choice>,
}

/// The structure with the highest score.
struct Choice {
    score: f64,
    /// As in its [`Space`].
    rows: Vec<f64>,
    own: usize,
    /// K, the number of components it is given; fits may drop some.
    components: usize,
}

impl Search<'_> {
    /// Tries mixtures in all directions; gives the best of them. If it is only to find directions, one is enough.
    fn all_directions(&mut self, only_guide: bool) -> Option<Mixture> {
        let d = self.fitted.dim;
        let most = if d <= MANY_UP_TO { MOST_COMPONENTS } else { FEW_COMPONENTS };
        let (owns, numbers) = match d {
            _ if only_guide => (vec![2.min(d)], (FEW_COMPONENTS, FEW_COMPONENTS)),
            _ if d <= FREE_UP_TO => (vec![d, 0, 1, 2], (1, most)),
            _ => (vec![1, 0], (1, most)),
        };
        let mut guide: Option<Tried> = None;
        for own in owns.into_iter().filter(|own| *own <= d) {
            let (fitted, judged) = (self.fitted.clone(), self.judged.clone());
            let space = Space { rows: Vec::new(), own, fitted, judged, rest: 0.0 };
            // With the number of components that suits the first.
            let numbers = guide.as_ref().map_or(numbers, |guide| (guide.components, guide.components));
            let best = self.try_numbers(&space, numbers);
            guide = [guide, best].into_iter().flatten().max_by(|a, b| a.score.total_cmp(&b.score));
        }
        guide.map(|guide| guide.mixture)
    }

    /// Tries mixtures in a few directions times one t for the rest: all directions with a middling number of components, then
    /// all numbers in the best directions.
    fn few_directions(&mut self, guide: &Mixture, frame: &Frame, last: Option<&[f64]>) {
        let d = self.fitted.dim;
        let mut best: Option<(f64, Space)> = None;
        let counts = self.counts.iter().filter(|count| **count < d);
        let all = directions(&self.fitted, guide, frame);
        let leading = all.iter().flat_map(|rows| counts.clone().map(move |count| &rows[..count * d]));
        for rows in leading.chain(last.filter(|rows| rows.len() < d * d)) {
            let space = self.space(rows);
            if let Some(tried) = self.try_numbers(&space, (MIDDLING, MIDDLING))
                && best.as_ref().is_none_or(|(score, _)| tried.score > *score)
            {
                best = Some((tried.score, space));
            }
        }
        if let Some((_, space)) = best {
            self.try_numbers(&space, (2, MOST_COMPONENTS));
        }
    }

    fn space(&self, rows: &[f64]) -> Space {
        let d = self.fitted.dim;
        let count = rows.len() / d;
        let (fitted, rest) = split(&self.fitted, rows);
        let (judged, rest_judged) = split(&self.judged, rows);
        let (student, others) = (fit_rest(&rest, d - count), (d - count) as f64);
        let log_density = student.log_density(others);
        let rest = rest_judged.mean(|squared| log_density(squared[0]));
        Space { rows: rows.to_vec(), own: count, fitted, judged, rest }
    }

    /// Tries numbers of components, each twice the last, until more are no better; gives the best.
    fn try_numbers(&mut self, space: &Space, (least, most): (usize, usize)) -> Option<Tried> {
        let (mut failures, mut best) = (0, None::<Tried>);
        let mut components = least.max(1);
        let enough = |components: usize| components as f64 * POINTS_EACH <= space.fitted.size();
        while !enough(components) && components > 1 {
            components /= 2;
        }
        while components <= most && (components == 1 || enough(components)) && failures < 2 {
            let start = Start::Clusters(components, self.rng);
            let Some(mixture) = fit(&space.fitted, start, space.own, TRIED) else { break };
            let score = space.judged.mean_log_density(&mixture) + space.rest;
            if self.best.as_ref().is_none_or(|best| score > best.score) {
                self.best = Some(Choice { score, rows: space.rows.clone(), own: space.own, components });
            }
            let better = best.as_ref().is_none_or(|best| score > best.score + LEAST_GAIN);
            failures = if better { 0 } else { failures + if components > UNSURE { 2 } else { 1 } };
            if better {
                best = Some(Tried { score, components, mixture });
            }
            components *= 2;
        }
        best
    }
}

/// A candidate that was tried.
struct Tried {
    score: f64,
    components: usize,
    mixture: Mixture,
}

/// White points as their coordinates in the directions of the rows, and the squared length of what is left.
fn split(white: &Sample, rows: &[f64]) -> (Sample, Sample) {
    let d = white.dim;
    let k = rows.len() / d;
    let dot = crate::linalg::dot;
    let near = white.mapped(k, |u, s| s.iter_mut().zip(rows.chunks_exact(d)).for_each(|(s, row)| *s = dot(row, u)));
    let mut index = 0;
    let rest = white.mapped(1, |u, r| {
        let s = &near.points[index * k..(index + 1) * k];
        r[0] = (dot(u, u) - dot(s, s)).max(0.0);
        index += 1;
    });
    (near, Sample { dim: 1, ..rest })
}

/// The t in `others` dimensions that fits squared lengths best.
fn fit_rest(squared: &Sample, others: usize) -> Student {
    let d = others as f64;
    let mut scales = [1.0; FREEDOMS.len()];
    for _ in 0..8 {
        scales = better_scales(&squared.points, &squared.weights, d, &scales);
    }
    let fits = std::array::from_fn::<_, { FREEDOMS.len() }, _>(|i| {
        let student = Student { freedom: FREEDOMS[i], scale: scales[i].max(f64::MIN_POSITIVE) };
        let log_density = student.log_density(d);
        (squared.mean(|q| log_density(q[0])), student)
    });
    fits.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).expect("there are degrees of freedom").1
}

/// One step of expectation maximisation for the scale of a t, for all degrees of freedom at once.
#[multiversion(targets("x86_64+avx2+fma"))]
fn better_scales(squared: &[f64], weights: &[f64], d: f64, scales: &[f64; FREEDOMS.len()]) -> [f64; FREEDOMS.len()] {
    let (mut sums, mut size) = ([0.0; FREEDOMS.len()], 0.0);
    for (q, w) in squared.iter().zip(weights) {
        for i in 0..FREEDOMS.len() {
            sums[i] += w * (q * (FREEDOMS[i] + d) / (FREEDOMS[i] + q / scales[i]));
        }
        size += w;
    }
    sums.map(|sum| sum / size / d)
}

#[cfg(test)]
mod tests;
