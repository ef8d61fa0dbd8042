//! Numbers on a logarithmic axis: a panel for each target, in it a row for each sampler.

use super::axes::{Axis, Frame};
use super::style::{BLUE, FONT, GRID, RED};
use super::svg::{Anchor, Canvas, text_width};
use crate::interval::Interval;

/// A number of a sampler on a target.
pub struct Dot {
    pub interval: Interval,
    /// Whether it says little, since the chains do not agree.
    pub doubtful: bool,
}

/// A panel: a number for each sampler that has one.
pub struct Strip {
    pub title: String,
    pub dots: Vec<Option<Dot>>,
}

const WIDTH: f64 = 780.0;
const COLUMNS: usize = 2;
/// Between panels.
const GAP: f64 = 18.0;
const ROW: f64 = 25.0;
const TITLE: f64 = 34.0;
const LEGEND: f64 = 34.0;

/// The figure of samplers, given by name and whether they need a gradient.
pub fn strips(samplers: &[(&str, bool)], strips: &[Strip], label: &str) -> String {
    let names: Vec<&str> = samplers.iter().map(|(name, _)| *name).collect();
    let left = names.iter().map(|name| text_width(name)).fold(0.0, f64::max) + 16.0;
    let columns = COLUMNS.min(strips.len());
    let width = (WIDTH - left - 12.0 - GAP * (columns as f64 - 1.0)) / columns as f64;
    let height = ROW * samplers.len() as f64;
    let rows = strips.len().div_ceil(columns) as f64;
    let mut canvas = Canvas::new(WIDTH, (LEGEND + rows * (TITLE + height) + Frame::BOTTOM).ceil());
    legend(&mut canvas);
    let (x, y) = (axis(strips, label), Axis::names(&names));
    for (k, strip) in strips.iter().enumerate() {
        let (row, column) = ((k / columns) as f64, k % columns);
        let frame = Frame {
            corner: (left + column as f64 * (width + GAP), LEGEND + row * (TITLE + height) + TITLE),
            size: (width, height),
            x: if k + columns >= strips.len() { x.clone() } else { x.without_ticks() },
            y: if column == 0 { y.clone() } else { y.without_ticks() },
        };
        x.upright_grid(&mut canvas, &frame);
        dots(&mut canvas, &frame, samplers, strip);
        frame.axes(&mut canvas);
        canvas.bold((frame.corner.0, frame.corner.1 - 9.0), Anchor::Start, &strip.title);
    }
    canvas.finish()
}

/// Whole decades that hold all numbers.
fn axis(strips: &[Strip], label: &str) -> Axis {
    let logs = || strips.iter().flat_map(|strip| &strip.dots).flatten().map(|dot| log(dot.interval.mean));
    let (low, high) = (logs().fold(f64::INFINITY, f64::min), logs().fold(f64::NEG_INFINITY, f64::max));
    let (low, high) = if low > high { (0.0, 1.0) } else { (low.floor(), high.ceil().max(low.floor() + 1.0)) };
    Axis::decades(low, high, label).away_from_ends()
}

fn log(value: f64) -> f64 {
    value.max(1e-6).log10()
}

fn dots(canvas: &mut Canvas, frame: &Frame, samplers: &[(&str, bool)], strip: &Strip) {
    let count = samplers.len();
    canvas.clipped(frame.corner, frame.size, |canvas| {
        for (k, ((_, needs_gradient), dot)) in samplers.iter().zip(&strip.dots).enumerate() {
            let height = (count - k) as f64 - 0.5;
            let across = frame.at(0.0, height).1;
            canvas.line((frame.corner.0, across), (frame.corner.0 + frame.size.0, across), GRID, 1.0);
            let Some(Dot { interval: Interval { mean, low, high }, doubtful }) = dot else { continue };
            let colour = if *needs_gradient { RED } else { BLUE };
            canvas.line(frame.at(log(*low), height), frame.at(log(*high), height), colour, 2.2);
            mark(canvas, frame.at(log(*mean), height), *needs_gradient, *doubtful);
        }
    });
}

/// A disc, or a square for a sampler that needs a gradient; hollow where the number says little.
fn mark(canvas: &mut Canvas, at: (f64, f64), needs_gradient: bool, doubtful: bool) {
    let (shape, colour) = if needs_gradient { (1, RED) } else { (0, BLUE) };
    canvas.mark(at, shape, colour);
    if doubtful {
        canvas.disc(at, 2.9, "white", 1.0);
    }
}

fn legend(canvas: &mut Canvas) {
    let mut x = 12.0;
    for (needs_gradient, doubtful, text) in
        [(false, false, "without gradients"), (true, false, "with gradients"), (false, true, "hollow: R-hat above 1.1")]
    {
        mark(canvas, (x, 16.0), needs_gradient, doubtful);
        canvas.text((x + 14.0, 16.0 + 0.36 * FONT), Anchor::Start, text);
        x += 34.0 + text_width(text);
    }
}
