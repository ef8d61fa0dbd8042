//! The targets that a study can name.

use kameleon::Target;
use kameleon::target::{Banana, Flower, Funnel, Gaussian, Known, StudentT, TwoModes};
use kameleon_gp::{GpClassification, Settings, glass};
use kameleon_models::posteriors::{Cbpp, StochasticVolatility};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// A target as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Density {
    /// B(b, v), the twisted Gaussian.
    Banana(BananaParameters),
    /// F(r0, A, ω, σ), the flower.
    Flower(FlowerParameters),
    /// A band around a circle.
    Ring(RingParameters),
    /// Independent coordinates of mean zero.
    Gaussian(GaussianParameters),
    /// Neal's funnel.
    Funnel(FunnelParameters),
    /// Student's t with unit scale.
    StudentT(StudentTParameters),
    /// Two Gaussian modes.
    TwoModes(TwoModesParameters),
    /// The hyperparameters of Gaussian-process classification of the Glass data.
    Glass(GlassParameters),
    /// Logistic regression with random effects for the herds of the cbpp data.
    Cbpp(CbppParameters),
    /// Stochastic volatility of daily returns of sterling.
    StochasticVolatility(VolatilityParameters),
}

/// Of the banana.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BananaParameters {
    b: f64,
    v: f64,
}

/// Of the flower.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowerParameters {
    r0: f64,
    a: f64,
    omega: f64,
    sigma: f64,
}

/// Of the ring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RingParameters {
    radius: f64,
    variance: f64,
}

/// Of the Gaussian: one variance for each dimension.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GaussianParameters {
    variances: Vec<f64>,
}

/// Of the funnel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunnelParameters {
    s: f64,
}

/// Of Student's t.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudentTParameters {
    freedom: f64,
}

/// Of the two modes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwoModesParameters {
    distance: f64,
    weight: f64,
}

/// Of the Glass posterior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GlassParameters {
    /// How many importance samples an estimate takes.
    pub n_imp: usize,
    /// Whether the model is that of the published runs or that of the paper's text.
    #[serde(default = "yes")]
    pub published: bool,
}

/// Of the posterior of the herds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct CbppParameters {
    /// How many importance samples an estimate takes for each herd.
    pub n_imp: usize,
}

impl Default for CbppParameters {
    fn default() -> Self {
        Self { n_imp: Cbpp::N_IMP }
    }
}

/// Of the posterior of the returns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VolatilityParameters {
    particles: usize,
}

impl Default for VolatilityParameters {
    fn default() -> Self {
        Self { particles: StochasticVolatility::PARTICLES }
    }
}

fn yes() -> bool {
    true
}

/// A target ready to be evaluated.
pub enum Built {
    /// One whose truth is known.
    Known(Box<dyn Known + Send>),
    /// One that is known through an estimate.
    Estimated(Box<dyn Target + Send>),
}

impl Built {
    /// To be sampled.
    pub fn target(self) -> Box<dyn Target + Send> {
        match self {
            Self::Known(target) => target,
            Self::Estimated(target) => target,
        }
    }

    /// To be compared with, if the truth is known.
    pub fn known(&self) -> Option<&dyn Known> {
        match self {
            Self::Known(target) => Some(target.as_ref()),
            Self::Estimated(_) => None,
        }
    }
}

impl Density {
    /// The target in `dim` dimensions, or what is wrong with its parameters.
    pub fn build(&self, dim: usize) -> Result<Built, String> {
        let known = |target: Result<Box<dyn Known + Send>, kameleon::target::TargetError>| {
            target.map(Built::Known).map_err(|error| error.to_string())
        };
        match self {
            Self::Banana(p) => known(Banana::new(dim, p.b, p.v).map(|t| Box::new(t) as _)),
            Self::Flower(_) | Self::Ring(_) => known(self.flower(dim).map(|t| Box::new(t) as _)),
            Self::Gaussian(p) if p.variances.len() != dim => {
                Err(format!("gaussian needs {dim} variances, one for each dimension"))
            }
            Self::Gaussian(p) => known(Gaussian::diagonal(&p.variances).map(|t| Box::new(t) as _)),
            Self::Funnel(p) => known(Funnel::new(dim, p.s).map(|t| Box::new(t) as _)),
            Self::StudentT(p) => known(StudentT::new(dim, p.freedom).map(|t| Box::new(t) as _)),
            Self::TwoModes(p) => known(TwoModes::new(dim, p.distance, p.weight).map(|t| Box::new(t) as _)),
            Self::Glass(p) => {
                let settings = if p.published { Settings::published() } else { Settings::default() };
                let settings = Settings { n_imp: p.n_imp, ..settings };
                let target = GpClassification::new(&glass(), settings).map_err(|error| error.to_string())?;
                estimated("the Glass posterior", Box::new(target), dim)
            }
            Self::Cbpp(p) => {
                let target = Cbpp::new(p.n_imp).map_err(|error| error.to_string())?;
                estimated("cbpp", Box::new(target), dim)
            }
            Self::StochasticVolatility(p) => {
                let returns = StochasticVolatility::sterling();
                let target = StochasticVolatility::new(&returns, p.particles).map_err(|error| error.to_string())?;
                estimated("stochastic-volatility", Box::new(target), dim)
            }
        }
    }

    fn flower(&self, dim: usize) -> Result<Flower, kameleon::target::TargetError> {
        match self {
            Self::Flower(p) => Flower::new(dim, p.r0, p.a, p.omega, p.sigma),
            Self::Ring(p) => Flower::ring(dim, p.radius, p.variance),
            _ => unreachable!("only flowers and rings are asked"),
        }
    }

    /// Points along the ridge in the first two coordinates, and the ridge's direction at each (a unit vector).
    pub fn ridge(&self, count: usize) -> Option<Vec<([f64; 2], [f64; 2])>> {
        let share = |k: usize| k as f64 / count as f64;
        let curve: Box<dyn Fn(f64) -> [f64; 2]> = match self {
            Self::Banana(p) => {
                let (b, v) = (p.b, p.v);
                // Out to two standard deviations on either side.
                Box::new(move |s| {
                    let x1 = 2.0 * v.sqrt() * (2.0 * s - 1.0);
                    [x1, b * (x1 * x1 - v)]
                })
            }
            Self::Flower(_) | Self::Ring(_) => {
                let flower = self.flower(2).ok()?;
                Box::new(move |s| {
                    let theta = TAU * s;
                    [flower.ridge(theta) * theta.cos(), flower.ridge(theta) * theta.sin()]
                })
            }
            _ => return None,
        };
        // The middle of each of `count` equal pieces.
        let at = |k: usize| {
            let (s, step) = (share(k) + 0.5 / count as f64, 1e-5);
            let ([x0, y0], [x1, y1]) = (curve(s - step), curve(s + step));
            let norm = (x1 - x0).hypot(y1 - y0);
            (curve(s), [(x1 - x0) / norm, (y1 - y0) / norm])
        };
        Some((0..count).map(at).collect())
    }
}

/// A target that knows its dimension, which must be the one asked for.
fn estimated(name: &str, target: Box<dyn Target + Send>, dim: usize) -> Result<Built, String> {
    match target.dim() {
        Some(d) if d != dim => Err(format!("{name} has dim = {d}, not {dim}")),
        _ => Ok(Built::Estimated(target)),
    }
}
