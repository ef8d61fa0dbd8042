//! What moves on a canvas: SMIL animations that go round for ever. Where nothing moves, the end is shown.

use super::svg::Canvas;
use std::fmt::Write;

/// The time of an animation: a number of steps of equal length, and a rest at the end.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The number of steps.
    pub steps: usize,
    /// Seconds for a step.
    pub step: f64,
    /// Seconds at the end, in which all is shown.
    pub rest: f64,
}

impl Clock {
    fn seconds(self) -> f64 {
        self.steps as f64 * self.step + self.rest
    }

    /// The share of the time after which a step, from 0, is shown.
    fn share(self, step: usize) -> f64 {
        (step + 1) as f64 * self.step / self.seconds()
    }

    fn animate(self, attribute: &str, values: &str, times: &str) -> String {
        let seconds = self.seconds();
        format!(
            r#"<animate attributeName="{attribute}" dur="{seconds:.1}s" repeatCount="indefinite" calcMode="discrete" values="{values}" keyTimes="{times}"/>"#
        )
    }
}

impl Canvas {
    /// For readers who asked their system for less motion: all discs at once, and nothing that moves.
    pub fn calm(&mut self) {
        self.add(format_args!(
            "<style>@media (prefers-reduced-motion: reduce) {{ .later circle {{ opacity: 1 !important }} .moving {{ display: none }} }}</style>"
        ));
    }

    /// Discs that appear, each at its step, and stay.
    pub fn later_discs(&mut self, discs: impl Iterator<Item = (usize, (f64, f64))>, colour: &str, clock: Clock) {
        self.add(format_args!(r#"<g class="later" fill="{colour}" fill-opacity="0.55">"#));
        for (step, (x, y)) in discs {
            let appears = clock.animate("opacity", "0;1", &format!("0;{:.3}", clock.share(step)));
            self.add(format_args!(r#"<circle cx="{x:.0}" cy="{y:.0}" r="3">{appears}</circle>"#));
        }
        self.add(format_args!("</g>"));
    }

    /// Thin lines, each through points.
    pub fn lines(&mut self, lines: impl Iterator<Item = Vec<(f64, f64)>>, colour: &str) {
        let mut data = String::new();
        for line in lines {
            for (k, (x, y)) in line.into_iter().enumerate() {
                let command = if k == 0 { 'M' } else { 'L' };
                write!(data, "{command}{x:.1} {y:.1}").expect("strings take whatever is written");
            }
        }
        self.add(format_args!(r#"<path d="{data}" fill="none" stroke="{colour}" stroke-width="1.3"/>"#));
    }

    /// A disc that moves along the points, one at each step, with a line from where it was before.
    pub fn moving_disc(&mut self, points: &[(f64, f64)], colour: &str, clock: Clock) {
        let (mut times, mut from, mut to) =
            ("0".to_owned(), [String::new(), String::new()], [String::new(), String::new()]);
        for (step, point) in points.iter().enumerate() {
            let before = points[step.saturating_sub(1)];
            // The first value is that until the first step is shown.
            for _ in 0..if step == 0 { 2 } else { 1 } {
                push(&mut from, before);
                push(&mut to, *point);
            }
            write!(times, ";{:.3}", clock.share(step)).expect("strings take whatever is written");
        }
        let line: String = [("x1", &from[0]), ("y1", &from[1]), ("x2", &to[0]), ("y2", &to[1])]
            .map(|(attribute, values)| clock.animate(attribute, values, &times))
            .concat();
        let disc = clock.animate("cx", &to[0], &times) + &clock.animate("cy", &to[1], &times);
        self.add(format_args!(
            r#"<g class="moving"><line stroke="{colour}" stroke-width="2" stroke-opacity="0.7">{line}</line><circle r="6" fill="{colour}" stroke="white" stroke-width="1.5">{disc}</circle></g>"#
        ));
    }

    /// A bar that grows to this width while the steps go by.
    pub fn growing_bar(&mut self, (x, y): (f64, f64), width: f64, colour: &str, clock: Clock) {
        let (seconds, end) = (clock.seconds(), clock.share(clock.steps.saturating_sub(1)).min(1.0));
        self.add(format_args!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="4" fill="{colour}"><animate attributeName="width" dur="{seconds:.1}s" repeatCount="indefinite" values="0;{width:.1};{width:.1}" keyTimes="0;{end:.4};1"/></rect>"#
        ));
    }
}

fn push(values: &mut [String; 2], point: (f64, f64)) {
    for (list, value) in values.iter_mut().zip([point.0, point.1]) {
        let separator = if list.is_empty() { "" } else { ";" };
        write!(list, "{separator}{value:.0}").expect("strings take whatever is written");
    }
}
