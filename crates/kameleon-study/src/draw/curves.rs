//! Curves with error bars, panels side by side.

use super::axes::{Axis, Frame};
use super::bars::{LEGEND, legend};
use super::style::looks;
use super::svg::Canvas;
use crate::cells::Cells;
use crate::interval::Interval;

/// One panel: a curve for each sampler.
pub struct CurvePanel {
    /// What y is.
    pub label: String,
    /// For each sampler in order, x with the mean and its interval.
    pub curves: Vec<Vec<(f64, Interval)>>,
}

impl CurvePanel {
    /// A measure on a target against iterations, for all samplers.
    pub fn of(cells: &Cells, target: &str, measure: &str, label: &str) -> Self {
        let curve = |s: &&str| cells.curve(target, s, measure).map(|c| (c.at as f64, c.interval)).collect();
        Self { label: label.into(), curves: cells.samplers().iter().map(curve).collect() }
    }
}

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 400.0;

/// The whole figure.
pub fn curves(samplers: &[&str], panels: &[CurvePanel], x_label: &str) -> String {
    let looks = looks(samplers);
    let mut canvas = Canvas::new(WIDTH, LEGEND + HEIGHT);
    legend(&mut canvas, samplers, &looks, (Frame::LEFT, 8.0), WIDTH - Frame::LEFT, true);
    let share = WIDTH / panels.len() as f64;
    for (p, panel) in panels.iter().enumerate() {
        let points = || panel.curves.iter().flatten();
        let far = points().map(|(x, _)| *x).fold(0.0, f64::max);
        let most = points().map(|(_, y)| y.high).fold(0.0, f64::max);
        let frame = Frame {
            corner: (p as f64 * share + Frame::LEFT, LEGEND + 8.0),
            size: (share - Frame::LEFT - 24.0, HEIGHT - Frame::BOTTOM - 8.0),
            x: Axis::new(0.0, 1.03 * far, 4, x_label),
            y: Axis::up_to(most, 6, &panel.label),
        };
        frame.grid(&mut canvas);
        let count = panel.curves.len() as f64;
        for (s, (curve, look)) in panel.curves.iter().zip(&looks).enumerate() {
            // A little to the side of each other, so that no error bar hides another.
            let shift = 0.004 * far * (s as f64 - 0.5 * (count - 1.0));
            canvas.path(curve.iter().map(|(x, y)| frame.at(x + shift, y.mean)), false, look.colour, 2.5);
            for (x, y) in curve {
                canvas.line(frame.at(x + shift, y.low.max(0.0)), frame.at(x + shift, y.high), look.colour, 1.8);
                canvas.mark(frame.at(x + shift, y.mean), look.mark, look.colour);
            }
        }
        frame.axes(&mut canvas);
    }
    canvas.finish()
}
