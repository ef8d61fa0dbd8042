//! Positive definite kernels: values, gradients, and the gradient weights of a whole block of points at once.
//!
//! Every kernel here is a profile φ of the squared distance ‖x − x'‖² or of the inner product ⟨x, x'⟩, or a sum of scaled
//! ones, so its gradient in x is always `a (x' − x) + b x'` with two numbers a and b. That is all the samplers need.

mod gaussian;
mod inverse_multiquadric;
mod linear;
mod matern;
mod polynomial;
mod rational_quadratic;

pub use gaussian::Gaussian;
pub use inverse_multiquadric::InverseMultiquadric;
pub use linear::Linear;
pub use matern::{Matern, MaternSettings};
pub use polynomial::Polynomial;
pub use rational_quadratic::RationalQuadratic;

use crate::linalg::dot;
use crate::registry::{self, Choice, Entry, Kind, Settings, SettingsError, Typed, USUAL_SIZE, read, values_of};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use crate::simd::{BLOCK, Block};

/// Every kernel by name. With the median heuristic its length scale is learned.
#[rustfmt::skip]
pub const KERNELS: &[Entry<Kernel>] = &[
    Entry { name: "gaussian", class: "Gaussian", settings: Gaussian::table, about: "exp(−‖x − x'‖²/2σ²)",
        make: |given| read(given).map(Kernel::Gaussian) },
    Entry { name: "matern", class: "Matern", settings: MaternSettings::table,
        about: "the Matérn family in the paper's scaling, a function of ‖x − x'‖/ρ",
        make: |given| read(given).map(|MaternSettings { order, rho }| Kernel::matern(order, rho)) },
    Entry { name: "rational-quadratic", class: "RationalQuadratic", settings: RationalQuadratic::table,
        about: "(1 + ‖x − x'‖²/2αℓ²)^−α", make: |given| read(given).map(Kernel::RationalQuadratic) },
    Entry { name: "inverse-multiquadric", class: "InverseMultiquadric", settings: InverseMultiquadric::table,
        about: "(1 + ‖x − x'‖²/c²)^−½", make: |given| read(given).map(Kernel::InverseMultiquadric) },
    Entry { name: "linear", class: "Linear", settings: Vec::new,
        about: "⟨x, x'⟩: the proposal becomes that of adaptive Metropolis", make: |_| Ok(Kernel::Linear(Linear)) },
    Entry { name: "polynomial", class: "Polynomial", settings: Polynomial::table, about: "(1 + ⟨x, x'⟩)^degree",
        make: |given| read(given).map(Kernel::Polynomial) },
];

/// A kernel that is a function φ(s) of one number s: one file each.
pub trait Profile {
    /// φ(s)
    fn value(&self, s: f64) -> f64;

    /// The gradient is weight × (x' − x), weight = −2φ'(s), for a function of s = ‖x − x'‖²; and weight × x',
    /// weight = φ'(s), for a function of s = ⟨x, x'⟩.
    fn weight(&self, s: f64) -> f64;

    /// Replaces every s of a block by its weight.
    fn weights(&self, s: &mut Block) {
        for s in s.iter_mut() {
            *s = self.weight(*s);
        }
    }

    /// The bandwidth σ of the Gaussian kernel that this one resembles, if it has a length scale.
    fn bandwidth(&self) -> Option<f64> {
        None
    }

    /// Sets the length scale to resemble a Gaussian kernel of bandwidth σ.
    fn set_bandwidth(&mut self, _sigma: f64) {}
}

/// A kernel k(x, x'), with its parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kernel {
    /// ⟨x, x'⟩: the proposal becomes that of adaptive Metropolis.
    Linear(Linear),
    /// (1 + ⟨x, x'⟩)^p
    Polynomial(Polynomial),
    /// exp(−‖x − x'‖²/2σ²)
    Gaussian(Gaussian),
    /// The Matérn family, in the paper's scaling.
    Matern(Matern),
    /// (1 + ‖x − x'‖²/2αℓ²)^−α
    RationalQuadratic(RationalQuadratic),
    /// (1 + ‖x − x'‖²/c²)^−½
    InverseMultiquadric(InverseMultiquadric),
    /// Σ k_i(x, x')
    Sum(Vec<Kernel>),
    /// c k(x, x')
    Scaled(f64, Box<Kernel>),
}

/// What a profile is a function of.
#[derive(PartialEq)]
enum Of {
    Distance,
    Product,
}

impl Typed for Kernel {
    const KIND: Kind = Kind::Kernel;
}

impl Kernel {
    /// exp(−‖x − x'‖²/2σ²)
    pub fn gaussian(sigma: f64) -> Self {
        Self::Gaussian(Gaussian { sigma })
    }

    /// The Matérn kernel of order ϑ > 1 and scale ρ.
    pub fn matern(order: f64, rho: f64) -> Self {
        Self::Matern(Matern::new(order, rho))
    }

    /// (1 + ⟨x, x'⟩)^degree
    pub fn polynomial(degree: u32) -> Self {
        Self::Polynomial(Polynomial { degree })
    }

    /// The kernel that is meant: text such as `matern:order=1.5`, a table with `name` and the same keys,
    /// `{ sum = […] }` of several kernels, or `{ scaled = [factor, kernel] }`.
    pub fn from_value(value: &Value) -> Result<Self, SettingsError> {
        let wrong = |what: &str| SettingsError::new("name", what);
        let kernel = match (value.get("sum"), value.get("scaled")) {
            (Some(Value::Array(kernels)), None) => {
                Self::Sum(kernels.iter().map(Self::from_value).collect::<Result<_, _>>()?)
            }
            (None, Some(Value::Array(parts))) => match parts.as_slice() {
                [Value::Number(factor), kernel] => {
                    Self::Scaled(factor.as_f64().unwrap_or(f64::NAN), Box::new(Self::from_value(kernel)?))
                }
                _ => return Err(wrong("scaled: should be a list of a number and a kernel")),
            },
            _ => {
                let Choice { name, settings } = Choice::from_value(value.clone())?;
                registry::find("kernel", &name, KERNELS.iter())?.build(&settings)?
            }
        };
        kernel.check()?;
        Ok(kernel)
    }

    /// The table that means this kernel.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Sum(kernels) => json!({ "sum": kernels.iter().map(Self::to_value).collect::<Vec<_>>() }),
            Self::Scaled(factor, kernel) => json!({ "scaled": [factor, kernel.to_value()] }),
            // Serde's tags are the names of the table.
            one => {
                let (name, settings) = values_of(one).into_iter().next().unwrap_or_default();
                Choice { name, settings: values_of(&settings) }.to_table().into()
            }
        }
    }

    /// k(x, x')
    pub fn value(&self, x: &[f64], y: &[f64]) -> f64 {
        let (distance, product) = (squared_distance(x, y), dot(x, y));
        let mut value = 0.0;
        self.visit(1.0, &mut |factor, of, profile| {
            value += factor * profile.value(if of == Of::Distance { distance } else { product });
        });
        value
    }

    /// ∇_x k(x, y)
    pub fn gradient(&self, x: &[f64], y: &[f64], gradient: &mut [f64]) {
        let (distance, product) = (squared_distance(x, y), dot(x, y));
        let (mut a, mut b) = (0.0, 0.0);
        self.visit(1.0, &mut |factor, of, profile| match of {
            Of::Distance => a += factor * profile.weight(distance),
            Of::Product => b += factor * profile.weight(product),
        });
        for ((g, x), y) in gradient.iter_mut().zip(x).zip(y) {
            *g = a * (y - x) + b * y;
        }
    }

    /// The gradient weights of a block: with squared distances and inner products in, the gradient at each point is
    /// `distances[a] (z_a − x) + products[a] z_a` out.
    pub(crate) fn weights(&self, distances: &mut Block, products: &mut Block) {
        match self {
            Self::Sum(_) | Self::Scaled(..) => {
                let (r2, inner) = (*distances, *products);
                distances.fill(0.0);
                products.fill(0.0);
                self.visit(1.0, &mut |factor, of, profile| {
                    let (mut block, sum) = match of {
                        Of::Distance => (r2, &mut *distances),
                        Of::Product => (inner, &mut *products),
                    };
                    profile.weights(&mut block);
                    sum.iter_mut().zip(block.iter()).for_each(|(sum, w)| *sum += factor * w);
                });
            }
            _ => self.visit(1.0, &mut |_, of, profile| {
                profile.weights(if of == Of::Distance { &mut *distances } else { &mut *products });
            }),
        }
    }

    /// Whether the gradient has a part along (x' − x), and one along x'.
    pub(crate) fn parts(&self) -> (bool, bool) {
        let mut parts = (false, false);
        self.visit(1.0, &mut |_, of, _| match of {
            Of::Distance => parts.0 = true,
            Of::Product => parts.1 = true,
        });
        parts
    }

    /// The bandwidth σ of the first part that has one.
    pub fn bandwidth(&self) -> Option<f64> {
        let mut found = None;
        self.visit(1.0, &mut |_, _, profile| found = found.or(profile.bandwidth()));
        found
    }

    /// Gives every part with a length scale the bandwidth σ.
    pub fn set_bandwidth(&mut self, sigma: f64) {
        match self {
            Self::Linear(_) | Self::Polynomial(_) => {}
            Self::Gaussian(k) => k.set_bandwidth(sigma),
            Self::Matern(k) => k.set_bandwidth(sigma),
            Self::RationalQuadratic(k) => k.set_bandwidth(sigma),
            Self::InverseMultiquadric(k) => k.set_bandwidth(sigma),
            Self::Sum(kernels) => kernels.iter_mut().for_each(|k| k.set_bandwidth(sigma)),
            Self::Scaled(_, kernel) => kernel.set_bandwidth(sigma),
        }
    }

    /// An error for parameters outside their range.
    pub fn check(&self) -> Result<(), SettingsError> {
        match self {
            Self::Linear(_) => Ok(()),
            Self::Polynomial(k) => k.check(),
            Self::Gaussian(k) => k.check(),
            Self::Matern(k) => k.settings().check(),
            Self::RationalQuadratic(k) => k.check(),
            Self::InverseMultiquadric(k) => k.check(),
            Self::Sum(kernels) => {
                SettingsError::demand("sum", !kernels.is_empty(), "needs at least one kernel")?;
                kernels.iter().try_for_each(Kernel::check)
            }
            Self::Scaled(factor, kernel) => {
                USUAL_SIZE.check("factor", factor)?;
                kernel.check()
            }
        }
    }

    /// Shows every profile with its factor.
    fn visit(&self, factor: f64, see: &mut dyn FnMut(f64, Of, &dyn Profile)) {
        match self {
            Self::Linear(k) => see(factor, Of::Product, k),
            Self::Polynomial(k) => see(factor, Of::Product, k),
            Self::Gaussian(k) => see(factor, Of::Distance, k),
            Self::Matern(k) => see(factor, Of::Distance, k),
            Self::RationalQuadratic(k) => see(factor, Of::Distance, k),
            Self::InverseMultiquadric(k) => see(factor, Of::Distance, k),
            Self::Sum(kernels) => kernels.iter().for_each(|k| k.visit(factor, see)),
            Self::Scaled(scale, kernel) => kernel.visit(factor * scale, see),
        }
    }
}

/// ‖x − y‖²
fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum()
}

#[cfg(test)]
mod tests;
