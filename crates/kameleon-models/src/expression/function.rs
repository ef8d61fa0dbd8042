//! The functions and constants that an expression may use.

use super::code::{Slopes, TwoArguments, power_slopes};
use spec_math::Gamma;
use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LN_10};

/// A function with its slopes, by the number of its arguments. A slope is a function of the arguments and of the value there.
#[derive(Clone, Copy)]
pub enum Function {
    One(fn(f64) -> f64, fn(f64, f64) -> f64),
    Two(TwoArguments, Slopes),
    /// Two or more: folded from the left.
    Fold(TwoArguments, Slopes),
}

impl Function {
    /// The number of its arguments, in words.
    pub fn wants(self) -> &'static str {
        match self {
            Self::One(..) => "one argument",
            Self::Two(..) => "two arguments",
            Self::Fold(..) => "two or more arguments",
        }
    }
}

const FUNCTIONS: &[(&str, Function)] = &[
    ("abs", Function::One(f64::abs, |x, _| sign(x))),
    ("acos", Function::One(libm::acos, |x, _| -1.0 / (1.0 - x * x).sqrt())),
    ("acosh", Function::One(libm::acosh, |x, _| 1.0 / (x * x - 1.0).sqrt())),
    ("asin", Function::One(libm::asin, |x, _| 1.0 / (1.0 - x * x).sqrt())),
    ("asinh", Function::One(libm::asinh, |x, _| 1.0 / (1.0 + x * x).sqrt())),
    ("atan", Function::One(libm::atan, |x, _| 1.0 / (1.0 + x * x))),
    ("atan2", Function::Two(libm::atan2, |y, x, _| (x / (x * x + y * y), -y / (x * x + y * y)))),
    ("atanh", Function::One(libm::atanh, |x, _| 1.0 / (1.0 - x * x))),
    ("cbrt", Function::One(libm::cbrt, |_, y| 1.0 / (3.0 * y * y))),
    ("ceil", Function::One(f64::ceil, |_, _| 0.0)),
    ("cos", Function::One(libm::cos, |x, _| -libm::sin(x))),
    ("cosh", Function::One(libm::cosh, |x, _| libm::sinh(x))),
    ("erf", Function::One(libm::erf, |x, _| FRAC_2_SQRT_PI * libm::exp(-x * x))),
    ("erfc", Function::One(libm::erfc, |x, _| -FRAC_2_SQRT_PI * libm::exp(-x * x))),
    ("exp", Function::One(libm::exp, |_, y| y)),
    ("expm1", Function::One(libm::expm1, |_, y| y + 1.0)),
    ("floor", Function::One(f64::floor, |_, _| 0.0)),
    ("hypot", Function::Two(libm::hypot, |a, b, c| (a / c, b / c))),
    ("lgamma", Function::One(libm::lgamma, |x, _| x.digamma())),
    ("ln", Function::One(libm::log, |x, _| 1.0 / x)),
    ("log", Function::One(libm::log, |x, _| 1.0 / x)),
    ("log10", Function::One(libm::log10, |x, _| 1.0 / (LN_10 * x))),
    ("log1p", Function::One(libm::log1p, |x, _| 1.0 / (1.0 + x))),
    ("log2", Function::One(libm::log2, |x, _| 1.0 / (LN_2 * x))),
    ("logaddexp", Function::Fold(log_add_exp, |a, b, c| (libm::exp(a - c), libm::exp(b - c)))),
    ("max", Function::Fold(max, |a, b, _| if a > b { (1.0, 0.0) } else { (0.0, 1.0) })),
    ("min", Function::Fold(min, |a, b, _| if a < b { (1.0, 0.0) } else { (0.0, 1.0) })),
    ("pow", Function::Two(libm::pow, power_slopes)),
    ("round", Function::One(f64::round, |_, _| 0.0)),
    ("sign", Function::One(sign, |_, _| 0.0)),
    ("sin", Function::One(libm::sin, |x, _| libm::cos(x))),
    ("sinh", Function::One(libm::sinh, |x, _| libm::cosh(x))),
    ("sqrt", Function::One(f64::sqrt, |_, y| 0.5 / y)),
    ("tan", Function::One(libm::tan, |_, y| 1.0 + y * y)),
    ("tanh", Function::One(libm::tanh, |_, y| 1.0 - y * y)),
];

const CONSTANTS: &[(&str, f64)] = &[
    ("pi", std::f64::consts::PI),
    ("tau", std::f64::consts::TAU),
    ("e", std::f64::consts::E),
    ("inf", f64::INFINITY),
    ("π", std::f64::consts::PI),
];

/// The function called `name`.
pub fn function(name: &str) -> Option<Function> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
}

/// The constant called `name`.
pub fn constant(name: &str) -> Option<f64> {
    CONSTANTS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// The names of all functions.
pub fn names() -> Vec<&'static str> {
    FUNCTIONS.iter().map(|(name, _)| *name).collect()
}

/// The smaller, or NaN if either is NaN, which `f64::min` would hide.
fn min(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}

/// The larger, or NaN if either is NaN.
fn max(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// −1, 0 or 1.
fn sign(a: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a.signum() }
}

/// ln(eᵃ + eᵇ) without overflow or underflow, for mixtures.
fn log_add_exp(a: f64, b: f64) -> f64 {
    let (low, high) = (min(a, b), max(a, b));
    if low.is_infinite() { high } else { high + libm::log1p(libm::exp(low - high)) }
}
