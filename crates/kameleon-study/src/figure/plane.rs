//! What pictures of the plane share: exact draws z, ranges, and panels of equal scale.

use super::range;
use crate::draw::{Anchor, Axis, Canvas, Frame};
use crate::study::{ProposalEntry, Study};
use kameleon::random::{Purpose, stream};
use kameleon::target::Known;

/// A range.
pub type Range = (f64, f64);

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
        let mut rng = stream(seed, 0, Purpose::Move);
        let mut z = vec![[0.0; 2]; entry.n];
        z.iter_mut().for_each(|z| known.sample(&mut rng, z));
        let (x, y) = (range(z.iter().map(|z| z[0]), 0.08), range(z.iter().map(|z| z[1]), 0.08));
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
