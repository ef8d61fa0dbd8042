//! One setting: its type, its default, its range, and a line about it.

use super::SettingsError;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// What the values of a setting are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A number.
    Number,
    /// A whole number.
    Whole,
    /// True or false.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of numbers.
    Numbers,
    /// A list of points.
    Points,
    /// A kernel.
    Kernel,
    /// `median`, `fixed` or a number.
    Bandwidth,
    /// A probability, or one that changes with the iterations.
    Schedule,
}

/// A type that a setting may have.
pub trait Typed: Serialize {
    /// What its values are.
    const KIND: Kind;
    /// Whether it may be left open.
    const OPTIONAL: bool = false;

    /// The numbers that a range holds for.
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }
}

macro_rules! typed {
    ($($type:ty, $kind:ident, $numbers:expr;)*) => {
        $(impl Typed for $type {
            const KIND: Kind = Kind::$kind;

            fn numbers(&self) -> Vec<f64> {
                $numbers(self)
            }
        })*
    };
}

typed! {
    f64, Number, |x: &f64| vec![*x];
    usize, Whole, |x: &usize| vec![*x as f64];
    u64, Whole, |x: &u64| vec![*x as f64];
    u32, Whole, |x: &u32| vec![f64::from(*x)];
    bool, Flag, |_| Vec::new();
    Vec<f64>, Numbers, Vec::<f64>::clone;
    Vec<Vec<f64>>, Points, |points: &Vec<Vec<f64>>| points.concat();
}

impl<T: Typed> Typed for Option<T> {
    const KIND: Kind = T::KIND;
    const OPTIONAL: bool = true;

    fn numbers(&self) -> Vec<f64> {
        self.as_ref().map_or_else(Vec::new, T::numbers)
    }
}

/// An interval that a number must be in; always finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
    /// Whether the ends themselves are left out.
    open: (bool, bool),
}

/// Any finite number.
pub const ANY: Range = Range { low: f64::NEG_INFINITY, high: f64::INFINITY, open: (true, true) };
/// Above zero.
pub const POSITIVE: Range = Range { low: 0.0, ..ANY };
/// Zero or above.
pub const NOT_NEGATIVE: Range = Range { open: (false, true), ..POSITIVE };
/// From 1.
pub const AT_LEAST_ONE: Range = Range { low: 1.0, ..NOT_NEGATIVE };
/// From 0 to 1.
pub const PROBABILITY: Range = Range::within(0.0, 1.0);
/// Strictly between 0 and 1.
pub const OPEN_PROBABILITY: Range = Range::between(0.0, 1.0);
/// Positive, and neither the square nor the inverse of that over- or underflows.
pub const USUAL_SIZE: Range = Range::within(1e-150, 1e150);

impl Range {
    /// From `low` to `high`, both included.
    pub const fn within(low: f64, high: f64) -> Self {
        Self { low, high, open: (false, false) }
    }

    /// Above `low`, up to `high`.
    pub const fn above(low: f64, high: f64) -> Self {
        Self { low, high, open: (true, false) }
    }

    /// Strictly between.
    pub const fn between(low: f64, high: f64) -> Self {
        Self { low, high, open: (true, true) }
    }

    fn holds(&self, x: f64) -> bool {
        let low = if self.open.0 { x > self.low } else { x >= self.low };
        let high = if self.open.1 { x < self.high } else { x <= self.high };
        x.is_finite() && low && high
    }

    /// An error that names the setting if one of its numbers is outside.
    pub fn check(&self, field: &str, value: &impl Typed) -> Result<(), SettingsError> {
        match value.numbers().into_iter().find(|x| !self.holds(*x)) {
            None => Ok(()),
            Some(x) => Err(SettingsError::new(key(field), format!("must be {}, not {x}", self.words()))),
        }
    }

    /// The range in a sentence.
    fn words(&self) -> String {
        let Range { low, high, open } = *self;
        match (low.is_finite(), high.is_finite()) {
            _ if *self == POSITIVE => "positive and finite".into(),
            _ if *self == NOT_NEGATIVE => "zero or positive and finite".into(),
            _ if *self == USUAL_SIZE => "positive, from 1e-150 to 1e150".into(),
            (false, _) => "finite".into(),
            (true, false) => format!("{} {low}", if open.0 { "above" } else { "at least" }),
            (true, true) if open == (false, false) => format!("from {low} to {high}"),
            (true, true) => format!("above {low} and {} {high}", if open.1 { "below" } else { "at most" }),
        }
    }

    /// The range in a table; empty if there is nothing to say.
    pub fn short(&self) -> String {
        let Range { low, high, open } = *self;
        match (low.is_finite(), high.is_finite()) {
            _ if *self == USUAL_SIZE => "> 0".into(),
            (false, _) => String::new(),
            (true, false) => format!("{} {low}", if open.0 { ">" } else { "≥" }),
            (true, true) if open == (false, false) => format!("{low} to {high}"),
            (true, true) => format!("> {low}, {} {high}", if open.1 { "<" } else { "≤" }),
        }
    }
}

/// A setting's key in files and on the command line.
fn key(field: &str) -> String {
    field.replace('_', "-")
}

/// A setting of a sampler, kernel or target.
#[derive(Clone, Debug, Serialize)]
pub struct Setting {
    /// Its key.
    pub key: String,
    /// What its values are.
    #[serde(rename = "type")]
    pub kind: Kind,
    /// Whether it may be left open; then its default is null.
    pub optional: bool,
    /// The value that it has unless another is given.
    pub default: Value,
    /// Where its numbers must be.
    #[serde(serialize_with = "short")]
    pub range: Range,
    /// A line about it.
    pub about: &'static str,
}

impl Setting {
    /// The setting of this field.
    pub fn new<T: Typed>(field: &str, about: &'static str, default: &T, range: Range) -> Self {
        let default = serde_json::to_value(default).unwrap_or_default();
        Self { key: key(field), kind: T::KIND, optional: T::OPTIONAL, default, range, about: about.trim() }
    }

    /// What its values are, in a sentence.
    pub(super) fn words(&self) -> String {
        match self.kind {
            Kind::Number => "a number".into(),
            Kind::Whole => "a whole number, 0 or more".into(),
            Kind::Flag => "true or false".into(),
            Kind::Word(words) => words.join(" or "),
            Kind::Numbers => "a list of numbers".into(),
            Kind::Points => "a list of points".into(),
            Kind::Kernel => "a kernel".into(),
            Kind::Bandwidth => "median, fixed or a number".into(),
            Kind::Schedule => "a number, { power = a } or { steps = [[t, p], …] }".into(),
        }
    }
}

fn short<S: Serializer>(range: &Range, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&range.short())
}
