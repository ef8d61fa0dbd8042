//! Priors of single parameters: their log density, draws, and a target that has them added.

mod density;
mod text;

use crate::bounds::Bound;
use crate::error::{ModelError, demand};
use kameleon::{Evaluation, Noise, Rng, Target};
use rand_distr::{Beta, Cauchy, Distribution, Gamma, LogNormal, Normal, Uniform};
use serde::{Deserialize, Serialize};

/// A prior, with settings that have been checked. As text: `normal(0, 1)`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Prior {
    family: Family,
    /// The two settings; those with one leave the second unused.
    settings: [f64; 2],
    /// Log of the normalising constant.
    log_constant: f64,
}

/// The kinds of prior.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Normal,
    Uniform,
    Gamma,
    Beta,
    HalfCauchy,
    LogNormal,
}

impl Prior {
    /// Normal, with its mean and standard deviation.
    pub fn normal(mean: f64, sd: f64) -> Result<Self, ModelError> {
        finite("normal", "mean", mean)?;
        positive("normal", "sd", sd)?;
        Ok(Self::build(Family::Normal, [mean, sd]))
    }

    /// Uniform on [lower, upper].
    pub fn uniform(lower: f64, upper: f64) -> Result<Self, ModelError> {
        finite("uniform", "lower", lower)?;
        finite("uniform", "upper", upper)?;
        let ok = lower < upper && (upper - lower).is_finite();
        demand(ok, "prior uniform", || format!("lower, {lower}, must be less than upper, {upper}"))?;
        Ok(Self::build(Family::Uniform, [lower, upper]))
    }

    /// Gamma, with its shape α and rate β: the mean is α/β.
    pub fn gamma(shape: f64, rate: f64) -> Result<Self, ModelError> {
        positive("gamma", "shape", shape)?;
        positive("gamma", "rate", rate)?;
        Ok(Self::build(Family::Gamma, [shape, rate]))
    }

    /// Beta on (0, 1), with its two shapes: the mean is α/(α + β).
    pub fn beta(alpha: f64, beta: f64) -> Result<Self, ModelError> {
        positive("beta", "alpha", alpha)?;
        positive("beta", "beta", beta)?;
        Ok(Self::build(Family::Beta, [alpha, beta]))
    }

    /// The positive half of a Cauchy around 0: the median is the scale.
    pub fn half_cauchy(scale: f64) -> Result<Self, ModelError> {
        positive("half-cauchy", "scale", scale)?;
        Ok(Self::build(Family::HalfCauchy, [scale, 0.0]))
    }

    /// Log-normal, with the mean and the standard deviation of the logarithm.
    pub fn log_normal(mu: f64, sigma: f64) -> Result<Self, ModelError> {
        finite("log-normal", "mu", mu)?;
        positive("log-normal", "sigma", sigma)?;
        Ok(Self::build(Family::LogNormal, [mu, sigma]))
    }

    fn build(family: Family, settings: [f64; 2]) -> Self {
        Self { family, settings, log_constant: density::log_constant(family, settings) }
    }

    /// The log density at `x`, normalised; −∞ outside the support.
    pub fn log_density(&self, x: f64) -> f64 {
        if self.contains(x) {
            density::log_kernel(self.family, self.settings, x) + self.log_constant
        } else {
            f64::NEG_INFINITY
        }
    }

    /// The interval outside which the density is zero, for use as bounds.
    pub fn support(&self) -> Bound {
        let [lower, upper] = self.settings;
        let support = match self.family {
            Family::Normal => Ok(Bound::FREE),
            Family::Uniform => Bound::between(lower, upper),
            Family::Gamma | Family::HalfCauchy | Family::LogNormal => Bound::above(0.0),
            Family::Beta => Bound::between(0.0, 1.0),
        };
        support.expect("the settings have been checked")
    }

    /// Whether the density is positive at `x`. A density that is finite at the end of its support includes it.
    fn contains(&self, x: f64) -> bool {
        match self.family {
            Family::Uniform => (self.settings[0]..=self.settings[1]).contains(&x),
            Family::HalfCauchy => (0.0..f64::INFINITY).contains(&x),
            _ => self.support().contains(x),
        }
    }

    /// One draw.
    pub fn sample(&self, rng: &mut Rng) -> f64 {
        const CHECKED: &str = "the settings have been checked";
        let [a, b] = self.settings;
        let draw = match self.family {
            Family::Normal => Normal::new(a, b).expect(CHECKED).sample(rng),
            Family::Uniform => Uniform::new(a, b).expect(CHECKED).sample(rng),
            Family::Gamma => Gamma::new(a, 1.0).expect(CHECKED).sample(rng) / b,
            Family::Beta => Beta::new(a, b).expect(CHECKED).sample(rng),
            Family::HalfCauchy => Cauchy::new(0.0, a).expect(CHECKED).sample(rng).abs(),
            Family::LogNormal => LogNormal::new(a, b).expect(CHECKED).sample(rng),
        };
        // A tiny shape can round a draw to the end of the support, or beyond the largest number.
        let support = self.support();
        let lowest = support.lower().map_or(f64::MIN, f64::next_up);
        draw.clamp(lowest, support.upper().map_or(f64::MAX, f64::next_down).max(lowest))
    }
}

fn finite(prior: &str, name: &str, value: f64) -> Result<(), ModelError> {
    demand(value.is_finite(), &format!("prior {prior}"), || format!("{name} must be finite, not {value}"))
}

fn positive(prior: &str, name: &str, value: f64) -> Result<(), ModelError> {
    let ok = value > 0.0 && value.is_finite();
    demand(ok, &format!("prior {prior}"), || format!("{name} must be positive and finite, not {value}"))
}

/// A target with the log densities of priors added. Outside their support the target is not asked.
#[derive(Clone, Debug)]
pub struct WithPrior<T> {
    target: T,
    priors: Vec<Option<Prior>>,
}

impl<T: Target> WithPrior<T> {
    /// A prior, or none (flat), for each parameter of `target`.
    pub fn new(target: T, priors: Vec<Option<Prior>>) -> Result<Self, ModelError> {
        let (found, wanted) = (priors.len(), target.dim().unwrap_or(priors.len()));
        demand(found == wanted, "priors", || format!("there are {found} where the target has {wanted} parameters"))?;
        Ok(Self { target, priors })
    }

    /// The priors, in the order of the parameters.
    pub fn priors(&self) -> &[Option<Prior>] {
        &self.priors
    }

    /// The sum of the priors' log densities at `x`.
    pub fn log_prior(&self, x: &[f64]) -> f64 {
        self.priors.iter().zip(x).filter_map(|(prior, &x)| Some(prior.as_ref()?.log_density(x))).sum()
    }
}

impl<T: Target> Target for WithPrior<T> {
    fn dim(&self) -> Option<usize> {
        Some(self.priors.len())
    }

    fn names(&self, dim: usize) -> Vec<String> {
        self.target.names(dim)
    }

    fn normals(&self) -> usize {
        self.target.normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        let log_prior = self.log_prior(x);
        if log_prior == f64::NEG_INFINITY {
            return Ok(log_prior);
        }
        Ok(log_prior + self.target.log_density(x, noise)?)
    }
}
