//! Colours, marks and sizes: the same in every figure.

/// Text and axes.
pub const INK: &str = "#222222";
/// Points of z.
pub const BLUE: &str = "#0072B2";
/// Proposals.
pub const RED: &str = "#D55E00";
/// A third and a fourth colour beside them.
pub const GREEN: &str = "#009E73";
pub const PURPLE: &str = "#CC79A7";
/// Lines of the grid.
pub const GRID: &str = "#e4e4e4";
/// The font size, large enough for a figure at half its width.
pub const FONT: f64 = 17.0;

/// The samplers of the paper and the usual extras, with the colours of Okabe and Ito, which the colour-blind can tell
/// apart (and grey instead of black, on which error bars would be invisible).
const KNOWN: [(&str, &str); 7] = [
    ("SM", "#E69F00"),
    ("AM-FS", "#56B4E9"),
    ("AM-LS", "#0072B2"),
    ("KAMH-LS", "#D55E00"),
    ("AM-LS frozen", "#009E73"),
    ("AM-PCA", "#CC79A7"),
    ("PCA-Kameleon", "#8C8C8C"),
];

/// For samplers of other names, in turn.
const OTHERS: [&str; 5] = ["#F0E442", "#000000", "#009E73", "#CC79A7", "#8C8C8C"];

/// The look of a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    pub colour: &'static str,
    /// Its mark, so that colour is not the only cue: 0 a disc, 1 a square, 2 a triangle, 3 a diamond.
    pub mark: usize,
}

/// The look of each sampler.
pub fn looks(samplers: &[&str]) -> Vec<Look> {
    let mut others = 0;
    let look = |name: &&str| {
        let mark = KNOWN.iter().position(|(known, _)| known == name);
        others += usize::from(mark.is_none());
        let colour = mark.map_or_else(|| OTHERS[(others - 1) % OTHERS.len()], |at| KNOWN[at].1);
        Look { colour, mark: mark.unwrap_or(others) % 4 }
    };
    samplers.iter().map(look).collect()
}
