//! The summary as a plain-text table: aligned, and with as many digits as the draws can answer for.

use super::ParameterSummary;

/// What the cells of a line of the table are.
pub const HEADER: [&str; 10] = ["parameter", "mean", "sd", "MCSE", "5%", "50%", "95%", "ESS bulk", "ESS tail", "R-hat"];
/// Longer names are cut.
const NAME_WIDTH: usize = 24;
/// The most digits shown of any number: beyond these, more only looks precise.
const MOST_DIGITS: i32 = 9;

/// One line for each parameter under a header: names to the left, numbers to the right.
pub(super) fn aligned(parameters: &[ParameterSummary]) -> String {
    let rows: Vec<[String; 10]> = std::iter::once(HEADER.map(String::from)).chain(parameters.iter().map(row)).collect();
    let widths: [usize; 10] = std::array::from_fn(|c| rows.iter().map(|row| width(&row[c])).max().unwrap_or(0));
    let mut text = String::new();
    for row in rows {
        let space = |c: usize| " ".repeat(widths[c] - width(&row[c]));
        text += &row[0];
        text += &space(0);
        for (c, cell) in row.iter().enumerate().skip(1) {
            text += &format!("  {}{cell}", space(c));
        }
        text.push('\n');
    }
    text
}

pub(super) fn row(p: &ParameterSummary) -> [String; 10] {
    let numbers = [p.mean, p.sd, p.q5, p.q50, p.q95];
    let digits = Digits::new(p.mcse_mean, numbers.iter().map(|v| v.abs()).fold(0.0, f64::max));
    let [mean, sd, q5, q50, q95] = numbers.map(|v| digits.show(v));
    let ess = |ess: f64| format!("{ess:.0}");
    let (bulk, tail) = (ess(p.ess_bulk), ess(p.ess_tail));
    [cut(&p.name), mean, sd, digits.show_error(p.mcse_mean), q5, q50, q95, bulk, tail, format!("{:.3}", p.r_hat)]
}

/// How the numbers of one parameter are written: all down to the same digit, the second of the standard error.
struct Digits {
    /// The power of ten of the last digit.
    last: i32,
    scientific: bool,
}

impl Digits {
    /// For a standard error of the mean, and numbers up to `largest`. Without an error, four digits.
    fn new(error: f64, largest: f64) -> Self {
        let first = exponent(largest);
        let wanted = if error > 0.0 { exponent(error) - 1 } else { first - 3 };
        let last = wanted.clamp(first - MOST_DIGITS + 1, first);
        Self { last, scientific: !(-4..=6).contains(&first) }
    }

    fn show(&self, value: f64) -> String {
        if !value.is_finite() {
            return format!("{value}");
        }
        if self.scientific && value != 0.0 {
            return format!("{value:.*e}", (exponent(value) - self.last).max(0) as usize);
        }
        let text = format!("{value:.*}", self.last.min(0).unsigned_abs() as usize);
        // What rounds to zero has no sign.
        match text.strip_prefix('-') {
            Some(zero) if zero.chars().all(|c| matches!(c, '0' | '.')) => zero.into(),
            _ => text,
        }
    }

    /// The error itself, which may lie below all digits shown.
    fn show_error(&self, error: f64) -> String {
        if error > 0.0 && exponent(error) < self.last { format!("{error:.1e}") } else { self.show(error) }
    }
}

/// The power of ten of the first digit; 0 for zero and what is not finite.
fn exponent(value: f64) -> i32 {
    if value == 0.0 || !value.is_finite() { 0 } else { value.abs().log10().floor() as i32 }
}

/// The name on one line, cut to its column with an ellipsis.
fn cut(name: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if width(&name) <= NAME_WIDTH {
        return name;
    }
    let mut used = 0;
    let fits = |c: &char| {
        used += char_width(*c);
        used < NAME_WIDTH
    };
    name.chars().take_while(fits).chain(['…']).collect()
}

/// How many columns a terminal gives the text.
fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// None for combining marks, two for East Asian characters and emoji, one for the rest: near enough for names.
fn char_width(c: char) -> usize {
    match c as u32 {
        0x300..=0x36f | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff | 0x200b..=0x200f | 0x20d0..=0x20ff | 0xfe00..=0xfe2f => 0,
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xff00..=0xff60 => 2,
        0x1f300..=0x1faff | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}
