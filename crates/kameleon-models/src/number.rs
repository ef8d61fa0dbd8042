//! Numbers that carry slopes, for exact gradients in forward mode: one formula, written once, gives value and gradient.

use spec_math::Gamma;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// How many slopes are carried at once: a gradient of more parameters takes several passes.
pub const SLOPES: usize = 4;

/// A number that formulas can be written in: a plain one, or one with slopes.
pub trait Number:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + Sum
{
    /// A constant.
    fn of(value: f64) -> Self;

    /// Without its slopes.
    fn value(self) -> f64;

    /// A function of it, by its value and its slope here.
    fn map(self, value: f64, slope: impl FnOnce() -> f64) -> Self;

    /// A function of two numbers, by its value and its slopes along both.
    fn map_two(self, other: Self, value: f64, slopes: impl FnOnce() -> (f64, f64)) -> Self;

    /// eˣ
    fn exp(self) -> Self {
        let value = self.value().exp();
        self.map(value, || value)
    }

    /// ln x
    fn ln(self) -> Self {
        self.map(self.value().ln(), || 1.0 / self.value())
    }

    /// ln(1 + x)
    fn ln_1p(self) -> Self {
        self.map(self.value().ln_1p(), || 1.0 / (1.0 + self.value()))
    }

    /// xᵖ
    fn powf(self, power: f64) -> Self {
        self.map(self.value().powf(power), || power * self.value().powf(power - 1.0))
    }

    /// ln Γ(x)
    fn ln_gamma(self) -> Self {
        self.map(libm::lgamma(self.value()), || self.value().digamma())
    }
}

impl Number for f64 {
    fn of(value: f64) -> Self {
        value
    }

    fn value(self) -> f64 {
        self
    }

    fn map(self, value: f64, _slope: impl FnOnce() -> f64) -> Self {
        value
    }

    fn map_two(self, _other: Self, value: f64, _slopes: impl FnOnce() -> (f64, f64)) -> Self {
        value
    }
}

/// A number with its slopes along some of the parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dual {
    /// The number.
    pub value: f64,
    /// Its slopes.
    pub slopes: [f64; SLOPES],
}

/// What a slope adds along a parameter: nothing where one of them is zero, even if the other is infinite.
fn part(slope: f64, along: f64) -> f64 {
    if slope == 0.0 || along == 0.0 { 0.0 } else { slope * along }
}

impl Number for Dual {
    fn of(value: f64) -> Self {
        Self { value, slopes: [0.0; SLOPES] }
    }

    fn value(self) -> f64 {
        self.value
    }

    fn map(self, value: f64, slope: impl FnOnce() -> f64) -> Self {
        let slope = slope();
        Self { value, slopes: self.slopes.map(|along| part(slope, along)) }
    }

    fn map_two(self, other: Self, value: f64, slopes: impl FnOnce() -> (f64, f64)) -> Self {
        let (a, b) = slopes();
        Self { value, slopes: std::array::from_fn(|k| part(a, self.slopes[k]) + part(b, other.slopes[k])) }
    }
}

/// The gradient of `f` at `x`, and its value: one pass for every [`SLOPES`] parameters. `room` is for the point with its slopes.
pub fn gradient(x: &[f64], room: &mut Vec<Dual>, gradient: &mut [f64], mut f: impl FnMut(&[Dual]) -> Dual) -> f64 {
    room.clear();
    room.extend(x.iter().map(|x| Dual::of(*x)));
    let mut value = f64::NAN;
    for first in (0..x.len()).step_by(SLOPES) {
        let pass = first..x.len().min(first + SLOPES);
        pass.clone().for_each(|i| room[i].slopes[i - first] = 1.0);
        let found = f(room);
        value = found.value;
        gradient[pass.clone()].iter_mut().zip(found.slopes).for_each(|(g, slope)| *g = slope);
        pass.for_each(|i| room[i].slopes = [0.0; SLOPES]);
    }
    value
}

impl Neg for Dual {
    type Output = Self;

    fn neg(self) -> Self {
        Self { value: -self.value, slopes: self.slopes.map(|slope| -slope) }
    }
}

impl Add for Dual {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { value: self.value + other.value, slopes: std::array::from_fn(|k| self.slopes[k] + other.slopes[k]) }
    }
}

impl Sub for Dual {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { value: self.value - other.value, slopes: std::array::from_fn(|k| self.slopes[k] - other.slopes[k]) }
    }
}

// The rule of the derivative.
#[allow(clippy::suspicious_arithmetic_impl)]
impl Mul for Dual {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let slopes = std::array::from_fn(|k| part(other.value, self.slopes[k]) + part(self.value, other.slopes[k]));
        Self { value: self.value * other.value, slopes }
    }
}

// The rule of the derivative.
#[allow(clippy::suspicious_arithmetic_impl)]
impl Div for Dual {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self { value, slopes: std::array::from_fn(|k| (self.slopes[k] - part(value, other.slopes[k])) / other.value) }
    }
}

impl Add<f64> for Dual {
    type Output = Self;

    fn add(self, other: f64) -> Self {
        Self { value: self.value + other, ..self }
    }
}

impl Sub<f64> for Dual {
    type Output = Self;

    fn sub(self, other: f64) -> Self {
        Self { value: self.value - other, ..self }
    }
}

impl Mul<f64> for Dual {
    type Output = Self;

    fn mul(self, other: f64) -> Self {
        Self { value: self.value * other, slopes: self.slopes.map(|slope| slope * other) }
    }
}

impl Div<f64> for Dual {
    type Output = Self;

    fn div(self, other: f64) -> Self {
        Self { value: self.value / other, slopes: self.slopes.map(|slope| slope / other) }
    }
}

impl AddAssign for Dual {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Dual {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Dual {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::of(0.0), Add::add)
    }
}
