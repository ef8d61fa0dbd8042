//! Curves with error bars, panels side by side.

use super::axes::{Axis, Frame};
use super::bars::{LEGEND, legend};
use super::style::looks;
use super::svg::Canvas;
use crate::results::Results;

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 400.0;

/// Measures on a target against iterations, a panel for each measure with its label, a curve for each sampler.
pub fn curves(results: &Results, target: &str, panels: &[(&str, &str)]) -> String {
    let samplers = results.samplers();
    let looks = looks(&samplers);
    let mut canvas = Canvas::new(WIDTH, LEGEND + HEIGHT);
    legend(&mut canvas, &samplers, &looks, (Frame::LEFT, 8.0), WIDTH - Frame::LEFT, true);
    let share = WIDTH / panels.len() as f64;
    for (p, (measure, label)) in panels.iter().enumerate() {
        let curve =
            |sampler: &&str| results.curve(target, sampler, measure).map(|e| (e.at as f64, e.interval)).collect();
        let curves: Vec<Vec<_>> = samplers.iter().map(curve).collect();
        let far = curves.iter().flatten().map(|(x, _)| *x).fold(0.0, f64::max);
        let most = curves.iter().flatten().map(|(_, y)| y.high).fold(0.0, f64::max);
        let frame = Frame {
            corner: (p as f64 * share + Frame::LEFT, LEGEND + 8.0),
            size: (share - Frame::LEFT - 24.0, HEIGHT - Frame::BOTTOM - 8.0),
            x: Axis::new(0.0, 1.03 * far, 4, "iterations after burn-in"),
            y: Axis::up_to(most, 6, label),
        };
        frame.grid(&mut canvas);
        for (s, (curve, look)) in curves.iter().zip(&looks).enumerate() {
            // Slightly shifted against each other, so that no error bar hides another.
            let shift = 0.004 * far * (s as f64 - 0.5 * (curves.len() as f64 - 1.0));
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
