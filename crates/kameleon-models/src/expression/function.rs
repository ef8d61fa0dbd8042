//! The functions and constants that an expression may use.

/// A function, by the number of its arguments.
#[derive(Clone, Copy)]
pub enum Function {
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    /// Two or more: folded from the left.
    Fold(fn(f64, f64) -> f64),
}

impl Function {
    /// The number of its arguments, in words.
    pub fn wants(self) -> &'static str {
        match self {
            Self::One(_) => "one argument",
            Self::Two(_) => "two arguments",
            Self::Fold(_) => "two or more arguments",
        }
    }
}

const FUNCTIONS: &[(&str, Function)] = &[
    ("abs", Function::One(f64::abs)),
    ("acos", Function::One(libm::acos)),
    ("acosh", Function::One(libm::acosh)),
    ("asin", Function::One(libm::asin)),
    ("asinh", Function::One(libm::asinh)),
    ("atan", Function::One(libm::atan)),
    ("atan2", Function::Two(libm::atan2)),
    ("atanh", Function::One(libm::atanh)),
    ("cbrt", Function::One(libm::cbrt)),
    ("ceil", Function::One(f64::ceil)),
    ("cos", Function::One(libm::cos)),
    ("cosh", Function::One(libm::cosh)),
    ("erf", Function::One(libm::erf)),
    ("erfc", Function::One(libm::erfc)),
    ("exp", Function::One(libm::exp)),
    ("expm1", Function::One(libm::expm1)),
    ("floor", Function::One(f64::floor)),
    ("hypot", Function::Two(libm::hypot)),
    ("lgamma", Function::One(libm::lgamma)),
    ("ln", Function::One(libm::log)),
    ("log", Function::One(libm::log)),
    ("log10", Function::One(libm::log10)),
    ("log1p", Function::One(libm::log1p)),
    ("log2", Function::One(libm::log2)),
    ("logaddexp", Function::Fold(log_add_exp)),
    ("max", Function::Fold(max)),
    ("min", Function::Fold(min)),
    ("pow", Function::Two(libm::pow)),
    ("round", Function::One(f64::round)),
    ("sign", Function::One(sign)),
    ("sin", Function::One(libm::sin)),
    ("sinh", Function::One(libm::sinh)),
    ("sqrt", Function::One(f64::sqrt)),
    ("tan", Function::One(libm::tan)),
    ("tanh", Function::One(libm::tanh)),
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
