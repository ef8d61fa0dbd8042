//! Rows of grouped bars with error bars, one row for each target.

use super::axes::{Axis, Frame};
use super::style::{FONT, INK, Look, looks};
use super::svg::{Anchor, Canvas, text_width};
use crate::interval::Interval;

/// One row: groups of bars, a bar for each sampler.
pub struct BarRow {
    pub title: String,
    /// The names of the groups, each with a bar for every sampler.
    pub groups: Vec<(String, Vec<Interval>)>,
}

const WIDTH: f64 = 1000.0;
const ROW: f64 = 210.0;
const GAP: f64 = 64.0;

/// The whole figure; `label` is that of the y axis of each row, `below` a text under it.
pub fn bars(samplers: &[&str], rows: &[BarRow], label: &str, below: &str) -> String {
    let looks = looks(samplers);
    let mut canvas = Canvas::new(WIDTH, LEGEND + rows.len() as f64 * (ROW + GAP));
    legend(&mut canvas, samplers, &looks, (Frame::LEFT, 8.0), WIDTH - Frame::LEFT, false);
    for (k, row) in rows.iter().enumerate() {
        let top = LEGEND + 26.0 + k as f64 * (ROW + GAP);
        let frame = draw_row(&mut canvas, row, &looks, top, label);
        let (right, bottom) = (frame.corner.0 + frame.size.0, frame.corner.1 + frame.size.1);
        canvas.text((right, bottom + 10.0 + 2.2 * FONT), Anchor::End, below);
    }
    canvas.finish()
}

fn draw_row(canvas: &mut Canvas, row: &BarRow, looks: &[Look], top: f64, label: &str) -> Frame {
    let all = row.groups.iter().flat_map(|(_, bars)| bars);
    let most = all.map(|bar| bar.high).fold(0.0, f64::max);
    let count = row.groups.len() as f64;
    let frame = Frame {
        corner: (Frame::LEFT, top),
        size: (WIDTH - Frame::LEFT - 12.0, ROW - 26.0),
        x: Axis::bare(0.0, count),
        y: Axis::up_to(most, 4, label),
    };
    frame.grid(canvas);
    let width = 0.8 / looks.len() as f64;
    for (g, (name, bars)) in row.groups.iter().enumerate() {
        for (s, (bar, look)) in bars.iter().zip(looks).enumerate() {
            let left = g as f64 + 0.1 + s as f64 * width;
            let (upper, lower) = (frame.at(left, bar.mean), frame.at(left + 0.92 * width, 0.0));
            canvas.rectangle(upper, (lower.0 - upper.0, lower.1 - upper.1), look.colour);
            let middle = left + 0.46 * width;
            canvas.line(frame.at(middle, bar.low.max(0.0)), frame.at(middle, bar.high), INK, 1.6);
            for end in [bar.low.max(0.0), bar.high] {
                let (x, y) = frame.at(middle, end);
                canvas.line((x - 3.0, y), (x + 3.0, y), INK, 1.6);
            }
        }
        let (x, y) = frame.at(g as f64 + 0.5, 0.0);
        canvas.text((x, y + 6.0 + FONT), Anchor::Middle, name);
    }
    frame.axes(canvas);
    canvas.bold((Frame::LEFT, top - 8.0), Anchor::Start, &row.title);
    frame
}

/// The height of a legend.
pub const LEGEND: f64 = 36.0;

/// The names of the samplers with their colours, on one line outside all panels.
pub fn legend(canvas: &mut Canvas, samplers: &[&str], looks: &[Look], (left, top): (f64, f64), room: f64, marks: bool) {
    let widths: Vec<f64> = samplers.iter().map(|name| 54.0 + text_width(name)).collect();
    let squeeze = (room / widths.iter().sum::<f64>()).min(1.0);
    let mut x = left;
    for ((name, look), width) in samplers.iter().zip(looks).zip(widths) {
        let middle = top + 11.0;
        if marks {
            canvas.line((x, middle), (x + 26.0, middle), look.colour, 2.5);
            canvas.mark((x + 13.0, middle), look.mark, look.colour);
        } else {
            canvas.rectangle((x, top + 3.0), (22.0, 16.0), look.colour);
        }
        canvas.text((x + 31.0, middle + 0.36 * FONT), Anchor::Start, name);
        x += width * squeeze;
    }
}
