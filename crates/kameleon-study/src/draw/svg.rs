//! A canvas: SVG element by element, in its own units.

use super::style::{FONT, INK};
use kameleon_runs::output::escape;
use std::fmt::Write;

/// Which part of a text is at its position.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// A canvas of given size.
pub struct Canvas {
    width: f64,
    height: f64,
    body: String,
}

impl Canvas {
    /// A white canvas.
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    /// Adds an element.
    pub(super) fn add(&mut self, arguments: std::fmt::Arguments<'_>) {
        self.body.write_fmt(arguments).expect("strings take whatever is written");
        self.body.push('\n');
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), colour: &str, width: f64) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.add(format_args!(
            r#"<line x1="{x1:.2}" y1="{y1:.2}" x2="{x2:.2}" y2="{y2:.2}" stroke="{colour}" stroke-width="{width}"/>"#
        ));
    }

    /// A filled rectangle.
    pub fn rectangle(&mut self, corner: (f64, f64), size: (f64, f64), fill: &str) {
        let ((x, y), (w, h)) = (corner, size);
        self.add(format_args!(r#"<rect x="{x:.2}" y="{y:.2}" width="{w:.2}" height="{h:.2}" fill="{fill}"/>"#));
    }

    /// An empty rectangle.
    pub fn frame(&mut self, corner: (f64, f64), size: (f64, f64)) {
        let ((x, y), (w, h)) = (corner, size);
        self.add(format_args!(
            r#"<rect x="{x:.2}" y="{y:.2}" width="{w:.2}" height="{h:.2}" fill="none" stroke="{INK}"/>"#
        ));
    }

    /// A line through points, closed or not.
    pub fn path(&mut self, points: impl IntoIterator<Item = (f64, f64)>, closed: bool, colour: &str, width: f64) {
        let data = outline(points, closed);
        self.add(format_args!(
            r#"<path d="{data}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"/>"#
        ));
    }

    /// A filled outline.
    pub fn fill(&mut self, points: impl IntoIterator<Item = (f64, f64)>, colour: &str, opacity: f64) {
        let data = outline(points, true);
        self.add(format_args!(r#"<path d="{data}" fill="{colour}" fill-opacity="{opacity}"/>"#));
    }

    /// A disc.
    pub fn disc(&mut self, (x, y): (f64, f64), radius: f64, colour: &str, opacity: f64) {
        self.add(format_args!(
            r#"<circle cx="{x:.2}" cy="{y:.2}" r="{radius}" fill="{colour}" fill-opacity="{opacity}"/>"#
        ));
    }

    /// A sampler's mark: disc, square, triangle or diamond.
    pub fn mark(&mut self, (x, y): (f64, f64), shape: usize, colour: &str) {
        const R: f64 = 5.0;
        let around = |angles: &[f64]| -> Vec<(f64, f64)> {
            angles.iter().map(|a| a.to_radians()).map(|a| (x + R * 1.25 * a.cos(), y + R * 1.25 * a.sin())).collect()
        };
        match shape {
            0 => self.disc((x, y), R, colour, 1.0),
            1 => self.fill(around(&[45.0, 135.0, 225.0, 315.0]), colour, 1.0),
            2 => self.fill(around(&[-90.0, 30.0, 150.0]), colour, 1.0),
            _ => self.fill(around(&[0.0, 90.0, 180.0, 270.0]), colour, 1.0),
        }
    }

    /// A text.
    pub fn text(&mut self, at: (f64, f64), anchor: Anchor, text: &str) {
        self.styled(at, anchor, text, "");
    }

    /// A text in bold.
    pub fn bold(&mut self, at: (f64, f64), anchor: Anchor, text: &str) {
        self.styled(at, anchor, text, r#" font-weight="bold""#);
    }

    /// A vertical text.
    pub fn upwards(&mut self, at: (f64, f64), text: &str) {
        let turn = format!(r#" transform="rotate(-90 {:.2} {:.2})""#, at.0, at.1);
        self.styled(at, Anchor::Middle, text, &turn);
    }

    fn styled(&mut self, (x, y): (f64, f64), anchor: Anchor, text: &str, style: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escape(text);
        self.add(format_args!(r#"<text x="{x:.2}" y="{y:.2}" text-anchor="{anchor}"{style}>{text}</text>"#));
    }

    /// A PNG image in base64, stretched to the rectangle.
    pub fn image(&mut self, corner: (f64, f64), size: (f64, f64), png: &str) {
        let ((x, y), (w, h)) = (corner, size);
        self.add(format_args!(
            r#"<image x="{x:.2}" y="{y:.2}" width="{w:.2}" height="{h:.2}" preserveAspectRatio="none" href="data:image/png;base64,{png}"/>"#
        ));
    }

    /// What `draw` draws, clipped to the rectangle.
    pub fn clipped(&mut self, corner: (f64, f64), size: (f64, f64), draw: impl FnOnce(&mut Self)) {
        let ((x, y), (w, h)) = (corner, size);
        let id = format!("clip{}", self.body.len());
        self.add(format_args!(
            r#"<clipPath id="{id}"><rect x="{x:.2}" y="{y:.2}" width="{w:.2}" height="{h:.2}"/></clipPath><g clip-path="url(#{id})">"#
        ));
        draw(self);
        self.add(format_args!("</g>"));
    }

    /// The finished figure.
    pub fn finish(self) -> String {
        let Self { width, height, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"'DejaVu Sans', Verdana, sans-serif\" \
             font-size=\"{FONT}\" fill=\"{INK}\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
        )
    }
}

fn outline(points: impl IntoIterator<Item = (f64, f64)>, closed: bool) -> String {
    let mut data = String::new();
    for (k, (x, y)) in points.into_iter().enumerate() {
        let command = if k == 0 { 'M' } else { 'L' };
        write!(data, "{command}{x:.2} {y:.2}").expect("strings take whatever is written");
    }
    if closed {
        data.push('Z');
    }
    data
}

/// The approximate width of a text.
pub fn text_width(text: &str) -> f64 {
    0.6 * FONT * text.chars().count() as f64
}
