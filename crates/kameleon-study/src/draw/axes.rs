//! A panel with its axes: from the units of the data to those of the canvas.

use super::style::{FONT, GRID, INK};
use super::svg::{Anchor, Canvas};

/// An axis: its range, label and ticks.
#[derive(Clone, Debug)]
pub struct Axis {
    low: f64,
    high: f64,
    label: String,
    ticks: Vec<(f64, String)>,
}

impl Axis {
    /// From `low` to `high`, with about `count` ticks at round numbers.
    pub fn new(low: f64, high: f64, count: usize, label: &str) -> Self {
        let step = round_step((high - low) / count as f64);
        let digits = (-step.log10().floor()).clamp(0.0, 8.0) as usize;
        let (first, last) = ((low / step).ceil() as i64, (high / step + 1e-9).floor() as i64);
        let tick = |k: i64| (k as f64 * step, number(k as f64 * step, digits));
        Self { low, high, label: label.into(), ticks: (first..=last).map(tick).collect() }
    }

    /// From zero to slightly above the largest value.
    pub fn up_to(most: f64, count: usize, label: &str) -> Self {
        let most = if most > 0.0 { most } else { 1.0 };
        Self::new(0.0, 1.05 * most, count, label)
    }

    /// Without ticks, for bars.
    pub fn bare(low: f64, high: f64) -> Self {
        Self { low, high, label: String::new(), ticks: Vec::new() }
    }

    /// The same without ticks near its ends, whose texts would reach into the panel beside it.
    pub fn away_from_ends(mut self) -> Self {
        const NEAR: f64 = 0.06;
        let shares: Vec<f64> = self.ticks.iter().map(|(value, _)| self.share(*value)).collect();
        let mut shares = shares.into_iter();
        self.ticks.retain(|_| shares.next().is_some_and(|share| (NEAR..=1.0 - NEAR).contains(&share)));
        self
    }

    /// Of decimal logarithms, with a tick at each power of ten.
    pub fn decades(low: f64, high: f64, label: &str) -> Self {
        let tick = |k: i32| (f64::from(k), number(10f64.powi(k), (-k).max(0) as usize));
        let ticks = (low.ceil() as i32..=high.floor() as i32).map(tick).collect();
        Self { low, high, label: label.into(), ticks }
    }

    /// A row of height 1 for each name, from the top.
    pub fn names(names: &[&str]) -> Self {
        let row = |(k, name): (usize, &&str)| ((names.len() - k) as f64 - 0.5, (*name).to_owned());
        let ticks = names.iter().enumerate().map(row).collect();
        Self { low: 0.0, high: names.len() as f64, label: String::new(), ticks }
    }

    /// The same range without ticks and label, for a panel beside one that has them.
    pub fn without_ticks(&self) -> Self {
        Self::bare(self.low, self.high)
    }

    /// Upright lines of the grid, below the data, at the ticks of this axis along the bottom of a frame.
    pub fn upright_grid(&self, canvas: &mut Canvas, frame: &Frame) {
        for (x, _) in &self.ticks {
            let (across, _) = frame.at(*x, frame.y.low);
            canvas.line((across, frame.corner.1), (across, frame.corner.1 + frame.size.1), GRID, 1.0);
        }
    }

    fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }
}

/// 1, 2 or 5 times a power of ten, at least as large as `step`.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0, 10.0].into_iter().find(|f| f * power >= step * 0.999).unwrap_or(10.0);
    factor * power
}

/// A number with a proper minus, and a narrow space between thousands.
fn number(value: f64, digits: usize) -> String {
    let mut text = format!("{:.digits$}", value.abs());
    if digits == 0 && text.len() > 4 {
        let at = text.len() - 3;
        text.insert(at, '\u{a0}');
    }
    if value < 0.0 { format!("−{text}") } else { text }
}

/// A panel: its position on the canvas, and its axes.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The upper left corner.
    pub corner: (f64, f64),
    /// Width and height.
    pub size: (f64, f64),
    /// Along the bottom.
    pub x: Axis,
    /// Along the left side.
    pub y: Axis,
}

impl Frame {
    /// Space for the ticks and label of the y axis.
    pub const LEFT: f64 = 78.0;
    /// Space for the ticks and label of the x axis.
    pub const BOTTOM: f64 = 56.0;

    /// The position of a data point on the canvas.
    pub fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let ((left, top), (width, height)) = (self.corner, self.size);
        (left + width * self.x.share(x), top + height * (1.0 - self.y.share(y)))
    }

    /// The lines of the grid along y, below the data.
    pub fn grid(&self, canvas: &mut Canvas) {
        for (y, _) in &self.y.ticks {
            let (_, height) = self.at(self.x.low, *y);
            canvas.line((self.corner.0, height), (self.corner.0 + self.size.0, height), GRID, 1.0);
        }
    }

    /// Axes, ticks and labels, above the data.
    pub fn axes(&self, canvas: &mut Canvas) {
        let ((left, top), (width, height)) = (self.corner, self.size);
        let bottom = top + height;
        canvas.frame(self.corner, self.size);
        for (value, text) in &self.x.ticks {
            let (x, _) = self.at(*value, self.y.low);
            canvas.line((x, bottom), (x, bottom + 5.0), INK, 1.0);
            canvas.text((x, bottom + 7.0 + FONT), Anchor::Middle, text);
        }
        for (value, text) in &self.y.ticks {
            let (_, y) = self.at(self.x.low, *value);
            canvas.line((left - 5.0, y), (left, y), INK, 1.0);
            canvas.text((left - 9.0, y + 0.36 * FONT), Anchor::End, text);
        }
        canvas.text((left + width / 2.0, bottom + 12.0 + 2.2 * FONT), Anchor::Middle, &self.x.label);
        canvas.upwards((left - Self::LEFT + FONT, top + height / 2.0), &self.y.label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_within_the_range() {
        let axis = Axis::new(-3.2, 12.0, 5, "x");
        let texts: Vec<&str> = axis.ticks.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["0", "5", "10"]);
        let axis = Axis::new(-0.1, 0.1, 4, "x");
        let texts: Vec<&str> = axis.ticks.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["−0.10", "−0.05", "0.00", "0.05", "0.10"]);
        let axis = Axis::new(-20.5, 20.5, 5, "x").away_from_ends();
        let texts: Vec<&str> = axis.ticks.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["−10", "0", "10"]);
        let axis = Axis::decades(-2.0, 3.4, "x");
        let texts: Vec<&str> = axis.ticks.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["0.01", "0.1", "1", "10", "100", "1000"]);
    }

    #[test]
    fn the_corners_of_the_data_are_the_corners_of_the_frame() {
        let (x, y) = (Axis::new(0.0, 1.0, 2, ""), Axis::new(-1.0, 1.0, 2, ""));
        let frame = Frame { corner: (10.0, 20.0), size: (100.0, 50.0), x, y };
        assert_eq!(frame.at(0.0, 1.0), (10.0, 20.0));
        assert_eq!(frame.at(1.0, -1.0), (110.0, 70.0));
    }
}
