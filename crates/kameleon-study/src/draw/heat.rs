//! Heat maps of functions of the plane, with colours that the colour-blind read in order too.

use super::axes::Frame;
use super::style::INK;
use super::svg::{Anchor, Canvas};
use base64::Engine as _;
use resvg::tiny_skia::{ColorU8, Pixmap};

/// Colours from low to high, equally spaced.
pub type Ramp = &'static [[u8; 3]];

/// White to grey, so that points and ellipses stand out.
pub const GREYS: Ramp = &[[255, 255, 255], [150, 150, 150]];

/// Cividis, dark for small, light for large.
pub const CIVIDIS: Ramp = &[
    [0, 34, 78],
    [47, 65, 107],
    [87, 93, 109],
    [112, 113, 115],
    [138, 134, 120],
    [167, 157, 113],
    [202, 183, 88],
    [254, 232, 56],
];

/// The centre of one of `count` equal cells of a range.
pub fn cell_centre((low, high): (f64, f64), cell: usize, count: usize) -> f64 {
    low + (high - low) * (cell as f64 + 0.5) / count as f64
}

/// Values on a grid, row by row from the top.
pub struct Heat {
    columns: usize,
    values: Vec<f64>,
    low: f64,
    high: f64,
}

impl Heat {
    /// `f` at the centre of each cell of a grid over the ranges `x` and `y`.
    pub fn new(x: (f64, f64), y: (f64, f64), columns: usize, rows: usize, mut f: impl FnMut(f64, f64) -> f64) -> Self {
        let at =
            |cell: usize| (cell_centre(x, cell % columns, columns), cell_centre(y, rows - 1 - cell / columns, rows));
        let values: Vec<f64> = (0..columns * rows).map(at).map(|(x, y)| f(x, y)).collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Self { columns, values, low, high }
    }

    /// The values, row by row from the top.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Fills the frame with colour.
    pub fn draw(&self, canvas: &mut Canvas, frame: &Frame, ramp: Ramp) {
        let scale = 1.0 / (self.high - self.low).max(f64::MIN_POSITIVE);
        let shares: Vec<f64> = self.values.iter().map(|value| (value - self.low) * scale).collect();
        canvas.image(frame.corner, frame.size, &picture(&shares, self.columns, ramp));
    }

    /// The scale of the colours, as a bar at the right of the frame.
    pub fn bar(&self, canvas: &mut Canvas, frame: &Frame, ramp: Ramp, label: &str) {
        let ((left, top), (width, height)) = (frame.corner, frame.size);
        let (corner, size) = ((left + width + 14.0, top), (18.0, height));
        let shares: Vec<f64> = (0..64).map(|k| 1.0 - f64::from(k) / 63.0).collect();
        canvas.image(corner, size, &picture(&shares, 1, ramp));
        canvas.frame(corner, size);
        for (share, value) in [(1.0, self.low), (0.5, 0.5 * (self.low + self.high)), (0.0, self.high)] {
            let y = top + 6.0 + share * (height - 8.0);
            let (right, at) = (corner.0 + size.0, top + share * height);
            canvas.line((right, at), (right + 4.0, at), INK, 1.0);
            canvas.text((right + 7.0, y), Anchor::Start, &format!("{value:.1}").replace('-', "−"));
        }
        canvas.text((corner.0, top - 9.0), Anchor::Start, label);
    }
}

/// A PNG file in base64, of shares from 0 to 1 row by row.
fn picture(shares: &[f64], columns: usize, ramp: Ramp) -> String {
    let mut pixels = Pixmap::new(columns as u32, (shares.len() / columns) as u32).expect("pictures are not empty");
    for (pixel, share) in pixels.pixels_mut().iter_mut().zip(shares) {
        let place = share.clamp(0.0, 1.0) * (ramp.len() - 1) as f64;
        let below = (place as usize).min(ramp.len() - 2);
        let mix = |c: usize| {
            let (a, b) = (f64::from(ramp[below][c]), f64::from(ramp[below + 1][c]));
            (a + (b - a) * (place - below as f64)).round() as u8
        };
        *pixel = ColorU8::from_rgba(mix(0), mix(1), mix(2), 255).premultiply();
    }
    base64::engine::general_purpose::STANDARD.encode(pixels.encode_png().expect("memory takes whatever is written"))
}
