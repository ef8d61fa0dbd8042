//! What pictures of the plane share: exact draws z, ranges, and panels of equal scale.

use super::range;
use crate::draw::{Anchor, Axis, Canvas, Frame, Heat};
use crate::study::{ProposalEntry, Study};
use kameleon::any_target::AnyTarget;
use kameleon::random::{Purpose, stream};
use kameleon::target::Known;
use kameleon::{Noise, Target};

/// A range.
pub type Range = (f64, f64);

/// This many exact draws.
pub fn exact_draws(known: &dyn Known, count: usize, seed: u64) -> Vec<[f64; 2]> {
    let mut rng = stream(seed, 0, Purpose::Move);
    let mut z = vec![[0.0; 2]; count];
    z.iter_mut().for_each(|z| known.sample(&mut rng, z));
    z
}

/// The ranges of a picture that shows all of these points.
pub fn shown(points: &[[f64; 2]]) -> [Range; 2] {
    [0, 1].map(|i| range(points.iter().map(|point| point[i]), 0.08))
}

/// The density of a target as a picture.
pub fn density(target: &AnyTarget<'_>, x: Range, y: Range, seed: u64) -> Heat {
    let (mut target, mut rng) = (target.clone(), stream(seed, 0, Purpose::Noise));
    Heat::new(x, y, 300, 300, |x, y| {
        let noise = Noise { rng: &mut rng, normals: &[] };
        target.log_density(&[x, y], noise).map_or(0.0, f64::exp)
    })
}

/// The truth of the first target, what is shown of it, and z: exact draws.
pub struct Plane<'a> {
    pub known: &'a dyn Known,
    pub entry: &'a ProposalEntry,
    pub z: Vec<[f64; 2]>,
    pub x: Range,
    pub y: Range,
}

impl<'a> Plane<'a> {
    /// For a study that has passed its checks.
    pub fn new(study: &'a Study, known: &'a dyn Known, seed: u64) -> Self {
        let entry = study.proposal();
        let z = exact_draws(known, entry.n, seed);
        let [x, y] = shown(&z);
        Self { known, entry, z, x, y }
    }

    /// Widens what is shown to these ranges.
    pub fn widen(&mut self, x: Range, y: Range) {
        self.x = (self.x.0.min(x.0), self.x.1.max(x.1));
        self.y = (self.y.0.min(y.0), self.y.1.max(y.1));
    }

    /// One panel for each title, with the same units along x and y, below each other if they are wide. A margin `right` is
    /// left beside each panel.
    pub fn panels(&self, titles: &[String], top: f64, right: f64) -> (Canvas, Vec<Frame>) {
        let shape = (self.y.1 - self.y.0) / (self.x.1 - self.x.0);
        let columns = if shape < 0.7 { 1 } else { titles.len().min(2) };
        let whole = if columns == 1 { 760.0 } else { 1000.0 };
        let width = whole / columns as f64 - Frame::LEFT - 20.0 - right;
        let (across, down) = (whole / columns as f64, width * shape + Frame::BOTTOM + 40.0);
        let rows = titles.len().div_ceil(columns);
        let mut canvas = Canvas::new(whole, (top + rows as f64 * down).ceil());
        let frames = (0..titles.len())
            .map(|k| Frame {
                corner: ((k % columns) as f64 * across + Frame::LEFT, top + (k / columns) as f64 * down + 32.0),
                size: (width, width * shape),
                x: Axis::new(self.x.0, self.x.1, 6, "x₁"),
                y: Axis::new(self.y.0, self.y.1, if columns == 1 { 4 } else { 6 }, "x₂"),
            })
            .collect::<Vec<Frame>>();
        for (frame, title) in frames.iter().zip(titles) {
            canvas.bold((frame.corner.0, frame.corner.1 - 9.0), Anchor::Start, title);
        }
        (canvas, frames)
    }
}
