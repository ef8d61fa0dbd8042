//! The table of priors. A new prior is one more entry here: reading, listing, bounds, draws and tests follow from it.

use libm::{atan, atan2, erf, erfc, exp, expm1, lgamma, log, log1p};
use spec_math::cephes64::{igam, igamc, incbet};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI, PI, TAU};

/// The parameters of a prior; those that a family does not have are 0.
pub type Values = [f64; 4];

/// What there is to know of one family of priors. The density is exp(`log_constant` + `log_kernel`).
pub struct Family {
    pub name: &'static str,
    /// For people, in the list of priors.
    pub about: &'static str,
    pub parameters: &'static [(&'static str, Range)],
    /// The ends of the support, or what is wrong with parameters that are each in their range.
    pub support: fn(Values) -> Result<(f64, f64), String>,
    /// The part of the log density that does not depend on x.
    pub log_constant: fn(Values) -> f64,
    /// The part that does. At an end of the support where the density is zero or infinite, it is not finite.
    pub log_kernel: fn(Values, f64) -> f64,
    /// The slope of the log density at an x strictly inside the support.
    pub slope: fn(Values, f64) -> f64,
    /// P(X ≤ x) for an x strictly inside the support.
    pub cdf: fn(Values, f64) -> f64,
    /// P(X > x) for an x strictly inside the support, accurate where `cdf` is close to one.
    pub tail: fn(Values, f64) -> f64,
}

/// The range of a parameter.
#[derive(Clone, Copy)]
pub enum Range {
    Finite,
    Positive,
    /// A limit, which may be infinite.
    Limit,
}

impl Range {
    pub fn contains(self, value: f64) -> bool {
        match self {
            Self::Finite => value.is_finite(),
            Self::Positive => value.is_finite() && value > 0.0,
            Self::Limit => !value.is_nan(),
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Self::Finite => "finite",
            Self::Positive => "positive and finite",
            Self::Limit => "a number or infinite",
        }
    }
}

use Range::{Finite, Limit, Positive};

/// Supports that do not depend on the parameters.
const REAL_LINE: fn(Values) -> Result<(f64, f64), String> = |_| Ok((f64::NEG_INFINITY, f64::INFINITY));
const POSITIVE: fn(Values) -> Result<(f64, f64), String> = |_| Ok((0.0, f64::INFINITY));

/// All priors, in the order of `kameleon list`.
pub static PRIORS: [Family; 14] = [
    Family {
        name: "normal",
        about: "normal; sd is the standard deviation",
        parameters: &[("mean", Finite), ("sd", Positive)],
        support: REAL_LINE,
        log_constant: |[_, sd, ..]| -log(sd) - 0.5 * log(TAU),
        log_kernel: |[mean, sd, ..], x| -0.5 * square((x - mean) / sd),
        slope: |[mean, sd, ..], x| (mean - x) / sd / sd,
        cdf: |[mean, sd, ..], x| normal_cdf((x - mean) / sd),
        tail: |[mean, sd, ..], x| normal_cdf((mean - x) / sd),
    },
    Family {
        name: "student-t",
        about: "Student's t",
        parameters: &[("freedom", Positive), ("location", Finite), ("scale", Positive)],
        support: REAL_LINE,
        log_constant: |[nu, _, scale, ..]| {
            lgamma(0.5 * (nu + 1.0)) - lgamma(0.5 * nu) - 0.5 * log(nu * PI) - log(scale)
        },
        log_kernel: |[nu, location, scale, ..], x| -0.5 * (nu + 1.0) * log1p_square((x - location) / scale / nu.sqrt()),
        slope: |[nu, location, scale, ..], x| -(nu + 1.0) * cauchy_slope((x - location) / scale, nu) / scale,
        cdf: |[nu, location, scale, ..], x| student_t_cdf(nu, (x - location) / scale),
        tail: |[nu, location, scale, ..], x| student_t_cdf(nu, (location - x) / scale),
    },
    Family {
        name: "cauchy",
        about: "Cauchy; the median is the location",
        parameters: &[("location", Finite), ("scale", Positive)],
        support: REAL_LINE,
        log_constant: |[_, scale, ..]| -log(PI) - log(scale),
        log_kernel: |[location, scale, ..], x| -log1p_square((x - location) / scale),
        slope: |[location, scale, ..], x| -2.0 * cauchy_slope((x - location) / scale, 1.0) / scale,
        cdf: |[location, scale, ..], x| atan2(1.0, (location - x) / scale) / PI,
        tail: |[location, scale, ..], x| atan2(1.0, (x - location) / scale) / PI,
    },
    Family {
        name: "uniform",
        about: "constant from lower to upper",
        parameters: &[("lower", Finite), ("upper", Finite)],
        support: |[lower, upper, ..]| interval(lower, upper),
        log_constant: |[lower, upper, ..]| -log(upper - lower),
        log_kernel: |_, _| 0.0,
        slope: |_, _| 0.0,
        cdf: |[lower, upper, ..], x| (x - lower) / (upper - lower),
        tail: |[lower, upper, ..], x| (upper - x) / (upper - lower),
    },
    Family {
        name: "triangular",
        about: "rises to its mode, then falls",
        parameters: &[("lower", Finite), ("mode", Finite), ("upper", Finite)],
        support: |[lower, mode, upper, ..]| match interval(lower, upper) {
            Ok(_) if mode < lower || mode > upper => {
                Err(format!("mode, {mode}, must be between lower, {lower}, and upper, {upper}"))
            }
            ends => ends,
        },
        log_constant: |[lower, _, upper, ..]| log(2.0 / (upper - lower)),
        // At a mode that is also an end, one of the two is NaN, which `min` ignores.
        log_kernel: |[lower, mode, upper, ..], x| log(((x - lower) / (mode - lower)).min((upper - x) / (upper - mode))),
        slope: |[lower, mode, upper, ..], x| if x < mode { 1.0 / (x - lower) } else { -1.0 / (upper - x) },
        cdf: |[lower, mode, upper, ..], x| triangular_cdf(x - lower, mode - lower, upper - x, upper - mode),
        tail: |[lower, mode, upper, ..], x| triangular_cdf(upper - x, upper - mode, x - lower, mode - lower),
    },
    Family {
        name: "truncated-normal",
        about: "normal between limits, maybe inf",
        parameters: &[("mean", Finite), ("sd", Positive), ("lower", Limit), ("upper", Limit)],
        support: |[mean, sd, lower, upper]| match normal_mass((lower - mean) / sd, (upper - mean) / sd) {
            mass if lower < upper && mass < f64::MIN_POSITIVE => {
                Err("the limits are too far out in the tail of the normal".into())
            }
            _ => interval(lower, upper),
        },
        log_constant: |[mean, sd, lower, upper]| {
            -log(sd) - 0.5 * log(TAU) - log(normal_mass((lower - mean) / sd, (upper - mean) / sd))
        },
        log_kernel: |[mean, sd, ..], x| -0.5 * square((x - mean) / sd),
        slope: |[mean, sd, ..], x| (mean - x) / sd / sd,
        cdf: |[mean, sd, lower, upper], x| {
            let [a, z, b] = [lower, x, upper].map(|x| (x - mean) / sd);
            normal_mass(a, z) / normal_mass(a, b)
        },
        tail: |[mean, sd, lower, upper], x| {
            let [a, z, b] = [lower, x, upper].map(|x| (x - mean) / sd);
            normal_mass(z, b) / normal_mass(a, b)
        },
    },
    Family {
        name: "beta",
        about: "on (0, 1), mean alpha/(alpha + beta)",
        parameters: &[("alpha", Positive), ("beta", Positive)],
        support: |_| Ok((0.0, 1.0)),
        log_constant: |[a, b, ..]| lgamma(a + b) - lgamma(a) - lgamma(b),
        log_kernel: |[a, b, ..], x| (a - 1.0) * log(x) + (b - 1.0) * log1p(-x),
        slope: |[a, b, ..], x| (a - 1.0) / x - (b - 1.0) / (1.0 - x),
        cdf: |[a, b, ..], x| incbet(a, b, x),
        tail: |[a, b, ..], x| incbet(b, a, 1.0 - x),
    },
    Family {
        name: "exponential",
        about: "x > 0, with mean 1/rate",
        parameters: &[("rate", Positive)],
        support: POSITIVE,
        log_constant: |[rate, ..]| log(rate),
        log_kernel: |[rate, ..], x| -rate * x,
        slope: |[rate, ..], _| -rate,
        cdf: |[rate, ..], x| -expm1(-rate * x),
        tail: |[rate, ..], x| exp(-rate * x),
    },
    Family {
        name: "gamma",
        about: "x > 0, with mean shape/rate",
        parameters: &[("shape", Positive), ("rate", Positive)],
        support: POSITIVE,
        log_constant: |[shape, rate, ..]| shape * log(rate) - lgamma(shape),
        log_kernel: |[shape, rate, ..], x| (shape - 1.0) * log(x) - rate * x,
        slope: |[shape, rate, ..], x| (shape - 1.0) / x - rate,
        cdf: |[shape, rate, ..], x| igam(shape, rate * x),
        tail: |[shape, rate, ..], x| igamc(shape, rate * x),
    },
    Family {
        name: "inverse-gamma",
        about: "1/x is gamma(shape, rate = scale)",
        parameters: &[("shape", Positive), ("scale", Positive)],
        support: POSITIVE,
        log_constant: |[shape, scale, ..]| shape * log(scale) - lgamma(shape),
        log_kernel: |[shape, scale, ..], x| -(shape + 1.0) * log(x) - scale / x,
        slope: |[shape, scale, ..], x| (scale / x - shape - 1.0) / x,
        cdf: |[shape, scale, ..], x| igamc(shape, scale / x),
        tail: |[shape, scale, ..], x| igam(shape, scale / x),
    },
    Family {
        name: "half-normal",
        about: "|x| of normal(0, scale)",
        parameters: &[("scale", Positive)],
        support: POSITIVE,
        log_constant: |[scale, ..]| 0.5 * log(FRAC_2_PI) - log(scale),
        log_kernel: |[scale, ..], x| -0.5 * square(x / scale),
        slope: |[scale, ..], x| -x / scale / scale,
        cdf: |[scale, ..], x| erf(x / scale * FRAC_1_SQRT_2),
        tail: |[scale, ..], x| erfc(x / scale * FRAC_1_SQRT_2),
    },
    Family {
        name: "half-cauchy",
        about: "|x| of cauchy(0, scale)",
        parameters: &[("scale", Positive)],
        support: POSITIVE,
        log_constant: |[scale, ..]| log(FRAC_2_PI) - log(scale),
        log_kernel: |[scale, ..], x| -log1p_square(x / scale),
        slope: |[scale, ..], x| -2.0 * cauchy_slope(x / scale, 1.0) / scale,
        cdf: |[scale, ..], x| FRAC_2_PI * atan(x / scale),
        tail: |[scale, ..], x| FRAC_2_PI * atan(scale / x),
    },
    Family {
        name: "log-normal",
        about: "log x is normal(mu, sigma)",
        parameters: &[("mu", Finite), ("sigma", Positive)],
        support: POSITIVE,
        log_constant: |[_, sigma, ..]| -log(sigma) - 0.5 * log(TAU),
        log_kernel: |[mu, sigma, ..], x| -log(x) - 0.5 * square((log(x) - mu) / sigma),
        slope: |[mu, sigma, ..], x| -(1.0 + (log(x) - mu) / sigma / sigma) / x,
        cdf: |[mu, sigma, ..], x| normal_cdf((log(x) - mu) / sigma),
        tail: |[mu, sigma, ..], x| normal_cdf((mu - log(x)) / sigma),
    },
    Family {
        name: "log-uniform",
        about: "log x is uniform; density 1/x",
        parameters: &[("lower", Positive), ("upper", Positive)],
        support: |[lower, upper, ..]| interval(lower, upper),
        log_constant: |[lower, upper, ..]| -log(log1p((upper - lower) / lower)),
        log_kernel: |_, x| -log(x),
        slope: |_, x| -1.0 / x,
        cdf: |[lower, upper, ..], x| log1p((x - lower) / lower) / log1p((upper - lower) / lower),
        tail: |[lower, upper, ..], x| log1p((upper - x) / x) / log1p((upper - lower) / lower),
    },
];

fn interval(lower: f64, upper: f64) -> Result<(f64, f64), String> {
    if lower < upper { Ok((lower, upper)) } else { Err(format!("lower, {lower}, must be less than upper, {upper}")) }
}

fn square(x: f64) -> f64 {
    x * x
}

/// log(1 + x²), also where x² overflows.
fn log1p_square(x: f64) -> f64 {
    if x.abs() < 1e100 { log1p(x * x) } else { 2.0 * log(x.abs()) }
}

/// z/(ν + z²), also where z² overflows.
fn cauchy_slope(z: f64, nu: f64) -> f64 {
    1.0 / (nu / z + z)
}

fn normal_cdf(z: f64) -> f64 {
    0.5 * erfc(-z * FRAC_1_SQRT_2)
}

/// The probability of a standard normal between `a` and `b`, without cancellation in the tails.
fn normal_mass(a: f64, b: f64) -> f64 {
    let (a, b) = (a * FRAC_1_SQRT_2, b * FRAC_1_SQRT_2);
    if a > 0.0 {
        0.5 * (erfc(a) - erfc(b))
    } else if b < 0.0 {
        0.5 * (erfc(-b) - erfc(-a))
    } else {
        0.5 * (erf(b) - erf(a))
    }
}

/// P(X ≤ x) by the distances of x and of the mode from the lower end, then from the upper end; with the ends exchanged,
/// P(X > x).
fn triangular_cdf(x: f64, mode: f64, x_left: f64, mode_left: f64) -> f64 {
    let length = mode + mode_left;
    if x < mode { x / length * (x / mode) } else { (mode + (x - mode) * (1.0 + x_left / mode_left)) / length }
}

/// Each of the two forms of the incomplete beta integral is accurate where the other cancels.
fn student_t_cdf(nu: f64, z: f64) -> f64 {
    if z * z < nu {
        return 0.5 + 0.5 * z.signum() * incbet(0.5, 0.5 * nu, z * z / (nu + z * z));
    }
    let tail = 0.5 * incbet(0.5 * nu, 0.5, nu / (nu + z * z));
    if z < 0.0 { tail } else { 1.0 - tail }
}
