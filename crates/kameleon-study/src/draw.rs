//! Figures as SVG, and SVG as PNG.

mod axes;
mod bars;
mod contour;
mod curves;
mod heat;
mod motion;
mod strips;
mod style;
mod svg;

pub use axes::{Axis, Frame};
pub use bars::{BarRow, bars};
pub use contour::Grid;
pub use curves::curves;
pub use heat::{CIVIDIS, GREYS, Heat, cell_centre};
pub use motion::Clock;
pub use strips::{Dot, Strip, strips};
pub use style::{BLUE, FONT, GREEN, INK, PURPLE, RED};
pub use svg::{Anchor, Canvas};

use resvg::{tiny_skia, usvg};
use std::sync::Arc;

/// The figure with two pixels per unit, in the font that comes with the program: the same everywhere.
pub fn png(svg: &str) -> Vec<u8> {
    const PIXELS: f32 = 2.0;
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_font_data(include_bytes!("../fonts/DejaVuSans.ttf").to_vec());
    fonts.load_font_data(include_bytes!("../fonts/DejaVuSans-Bold.ttf").to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let options = usvg::Options { fontdb: Arc::new(fonts), font_family: "DejaVu Sans".into(), ..Default::default() };
    let tree = usvg::Tree::from_str(svg, &options).expect("figures are sound SVG");
    let size = tree.size().to_int_size().scale_by(PIXELS).expect("figures are not empty");
    let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height()).expect("figures are not huge");
    resvg::render(&tree, tiny_skia::Transform::from_scale(PIXELS, PIXELS), &mut pixels.as_mut());
    pixels.encode_png().expect("memory takes whatever is written")
}
