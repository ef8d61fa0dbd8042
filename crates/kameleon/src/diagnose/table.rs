//! The summary as a plain-text table: aligned, and with as many digits as the draws can answer for.

use super::ParameterSummary;
use super::verdict::{show_ess, show_r_hat};

/// What the cells of a line of the table are.
pub const HEADER: [&str; 10] = ["parameter", "mean", "sd", "MCSE", "5%", "50%", "95%", "ESS bulk", "ESS tail", "R-hat"];
/// The most columns of a terminal that a line of the table takes.
const WIDTH: usize = 80;

/// How much room the cells of a table have.
#[derive(Clone, Copy)]
struct Layout {
    /// Longer names are cut.
    name: usize,
    /// The most significant digits of a number: beyond nine, more only looks precise.
    digits: i32,
    /// The space between two columns.
    gap: usize,
}

const FULL: Layout = Layout { name: 24, digits: 9, gap: 2 };

/// The layouts in the order in which they are tried, until one fits: digits that the draws answer for are dropped first,
/// down to four, then names are cut shorter, and at last columns move together.
fn layouts() -> impl Iterator<Item = Layout> {
    let down_to = |least: i32, from: Layout| (least..=from.digits).rev().map(move |digits| Layout { digits, ..from });
    down_to(4, FULL)
        .chain(down_to(3, Layout { name: 12, digits: 5, gap: 2 }))
        .chain(down_to(1, Layout { name: 9, digits: 4, gap: 1 }))
}

/// One line for each parameter under a header: names to the left, numbers to the right. A heading of two words takes two
/// lines.
pub(super) fn aligned(parameters: &[ParameterSummary]) -> String {
    let mut text = String::new();
    for layout in layouts() {
        text = in_layout(parameters, layout);
        if text.lines().all(|line| width(line) <= WIDTH) {
            break;
        }
    }
    text
}

fn in_layout(parameters: &[ParameterSummary], layout: Layout) -> String {
    let heading = HEADER.map(|title| title.split_once(' ').unwrap_or(("", title)));
    let heading = [heading.map(|(above, _)| above.into()), heading.map(|(_, below)| below.into())];
    let rows: Vec<[String; 10]> = heading.into_iter().chain(parameters.iter().map(|p| row(p, layout))).collect();
    let widths: [usize; 10] = std::array::from_fn(|c| rows.iter().map(|row| width(&row[c])).max().unwrap_or(0));
    let mut text = String::new();
    for row in rows {
        let space = |c: usize| " ".repeat(widths[c] - width(&row[c]));
        let numbers = (1..row.len()).map(|c| format!("{:gap$}{}{}", "", space(c), row[c], gap = layout.gap));
        let line = format!("{}{}{}", row[0], space(0), numbers.collect::<String>());
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// The cells of a line with all digits that the draws answer for.
pub(super) fn cells(p: &ParameterSummary) -> [String; 10] {
    row(p, FULL)
}

fn row(p: &ParameterSummary, layout: Layout) -> [String; 10] {
    let numbers = [p.mean, p.sd, p.q5, p.q50, p.q95];
    let largest = numbers.iter().map(|v| v.abs()).filter(|v| v.is_finite()).fold(0.0, f64::max);
    let digits = Digits::new(p.mcse_mean, largest, layout.digits);
    let [mean, _, q5, q50, q95] = numbers.map(|v| digits.show(v));
    let [sd, error] = [p.sd, p.mcse_mean].map(|v| digits.show_small(v));
    let [bulk, tail] = [p.ess_bulk, p.ess_tail].map(show_ess);
    let name = cut(&p.name, layout.name);
    [name, mean, sd, error, q5, q50, q95, bulk, tail, show_r_hat(p.r_hat)]
}

/// How the numbers of one parameter are written: all down to the same digit, the second of the standard error.
struct Digits {
    /// The power of ten of the last digit.
    last: i32,
    scientific: bool,
}

impl Digits {
    /// For a standard error of the mean, and numbers up to `largest`, with at most this number of significant digits.
    /// Without an error, four digits.
    fn new(error: f64, largest: f64, most: i32) -> Self {
        let first = exponent(largest);
        let wanted = if error > 0.0 { exponent(error) - 1 } else { first - 3 };
        let last = wanted.clamp(first - most + 1, first);
        Self { last, scientific: !(-4..=(most + 3).min(6)).contains(&first) }
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

    /// A number that may lie below the last digit of all others: two digits of it at least.
    fn show_small(&self, value: f64) -> String {
        let last = self.last.min(exponent(value) - 1);
        if value > 0.0 && !self.scientific && last < -5 && exponent(value) < -4 {
            return format!("{value:.1e}");
        }
        Self { last: if value > 0.0 { last } else { self.last }, ..*self }.show(value)
    }
}

/// The power of ten of the first digit; 0 for zero and what is not finite.
fn exponent(value: f64) -> i32 {
    if value == 0.0 || !value.is_finite() { 0 } else { value.abs().log10().floor() as i32 }
}

/// The name on one line, cut to its column with an ellipsis.
fn cut(name: &str, most: usize) -> String {
    let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if width(&name) <= most {
        return name;
    }
    let mut used = 0;
    let fits = |c: &char| {
        used += char_width(*c);
        used < most
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
