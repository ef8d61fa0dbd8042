//! What is sampled: a log density, or an unbiased estimate of the density, known point by point.

pub mod any_target;
mod banana;
mod check_gradient;
mod flower;
mod funnel;
mod gaussian;
mod mixed_banana;
mod noisy;
mod student_t;
mod two_modes;
mod with_gradient;

pub use banana::{Banana, BananaSettings};
pub use check_gradient::WrongSlope;
pub(crate) use check_gradient::wrong_slope;
pub use flower::{Flower, FlowerSettings, RingSettings};
pub use funnel::{Funnel, FunnelSettings};
pub use gaussian::{Gaussian, GaussianSettings};
pub use mixed_banana::MixedBanana;
pub use noisy::Noisy;
pub use student_t::{StudentT, StudentTSettings};
pub use two_modes::{TwoModes, TwoModesSettings};
pub use with_gradient::WithGradient;

use crate::registry::{Entry, NOT_NEGATIVE, Range, Setting, Settings, SettingsError, Values, read};
use crate::{Rng, settings};
use any_target::AnyTarget;
use rand::RngExt;
use thiserror::Error;

/// Every built-in target by name; the truth of each is known.
#[rustfmt::skip]
pub const TARGETS: &[Entry<AnyTarget<'static>>] = &[
    Entry { name: "banana", class: "Banana", settings: with_common::<BananaSettings>,
        about: "twisted Gaussian B(b, v): the second coordinate is moved by b(x₁² − v)",
        make: |given| made(given, |dim, BananaSettings { b, v }| Banana::new(dim, b, v)) },
    Entry { name: "mixed-banana", class: "MixedBanana", settings: with_common::<BananaSettings>,
        about: "the same in coordinates that are mixed and in very different units",
        make: |given| made(given, MixedBanana::new) },
    Entry { name: "flower", class: "Flower", settings: with_common::<FlowerSettings>,
        about: "band around a circle whose radius waves, r₀ + A cos ωθ",
        make: |given| made(given, |dim, s: FlowerSettings| Flower::new(dim, s.r0, s.amplitude, s.omega, s.sigma)) },
    Entry { name: "ring", class: "Ring", settings: with_common::<RingSettings>, about: "band around a circle",
        make: |given| made(given, |dim, RingSettings { radius, variance }| Flower::ring(dim, radius, variance)) },
    Entry { name: "gaussian", class: "ScaledGaussian", settings: with_common::<GaussianSettings>,
        about: "Gaussian of mean zero, badly scaled or correlated on demand",
        make: |given| made(given, |dim, settings| Gaussian::of(dim, &settings)) },
    Entry { name: "funnel", class: "Funnel", settings: with_common::<FunnelSettings>,
        about: "Neal's funnel: the first coordinate is the log variance of the others",
        make: |given| made(given, |dim, FunnelSettings { s }| Funnel::new(dim, s)) },
    Entry { name: "student-t", class: "StudentT", settings: with_common::<StudentTSettings>,
        about: "Student's t with unit scale",
        make: |given| made(given, |dim, StudentTSettings { freedom }| StudentT::new(dim, freedom)) },
    Entry { name: "two-modes", class: "TwoModes", settings: with_common::<TwoModesSettings>,
        about: "two unit Gaussians at a distance along the first axis",
        make: |given| made(given, |dim, TwoModesSettings { distance, weight }| TwoModes::new(dim, distance, weight)) },
];

/// Built-in targets live in at least two dimensions, and their points must fit into memory.
const DIM: Range = Range::within(2.0, 1e6);

settings! {
    /// What every built-in target has besides its own settings.
    pub struct CommonSettings {
        /// The dimension.
        dim: usize = 8, DIM;
        /// The standard deviation of noise on the log density, for pseudo-marginal chains.
        noise: f64 = 0.0, NOT_NEGATIVE;
    }
}

/// The dimension first, then the target's own settings, then the noise.
fn with_common<S: Settings>() -> Vec<Setting> {
    let mut table = CommonSettings::table();
    table.splice(1..1, S::table());
    table
}

/// A target of its dimension and settings, with noise if any is asked for.
fn made<S: Settings, T: Target + Clone + Send + 'static>(
    mut given: Values,
    make: impl FnOnce(usize, S) -> Result<T, SettingsError>,
) -> Result<AnyTarget<'static>, SettingsError> {
    let common = ["dim", "noise"].into_iter().filter_map(|key| given.remove_entry(key)).collect();
    let CommonSettings { dim, noise } = read(common)?;
    let target = make(dim, read(given)?)?;
    Ok(if noise > 0.0 { AnyTarget::new(Noisy::new(target, noise)?) } else { AnyTarget::new(target) })
}

/// Why a target gave no value at a point.
#[derive(Debug, Error)]
pub enum EvalError {
    /// This point is bad: reject it, count it as invalid and continue.
    #[error("{0}")]
    Reject(String),
    /// The model failed at this point, and may work at others: treated like a rejected point, but no answer of the model.
    #[error("{0}")]
    Failed(String),
    /// Nothing more can be evaluated: stop and return what was drawn.
    #[error("{0}")]
    Fatal(Box<dyn std::error::Error + Send + Sync>),
}

impl EvalError {
    /// A point to be rejected, with the reason.
    pub fn reject(why: impl Into<String>) -> Self {
        Self::Reject(why.into())
    }

    /// A point at which the model failed, with the reason.
    pub fn failed(why: impl Into<String>) -> Self {
        Self::Failed(why.into())
    }

    /// An end to the run, with the reason: a message or an error.
    pub fn fatal(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Fatal(why.into())
    }
}

/// What a target gave at a point: a log density, or the reason there is none.
pub type Evaluation = Result<f64, EvalError>;

/// The randomness a noisy target may use. An exact target ignores it.
pub struct Noise<'a> {
    /// The chain's own stream for noise, apart from the one that moves it.
    pub rng: &'a mut Rng,
    /// As many standard normals as [`Target::normals`] asks for: the auxiliary u of the chain's state.
    pub normals: &'a [f64],
}

impl Noise<'_> {
    /// A seed for a generator outside Rust; below 2⁵³, so that every JSON reader gets it exactly.
    pub fn seed(&mut self) -> u64 {
        self.rng.random::<u64>() >> 11
    }
}

/// What a target without a gradient says when it is asked for one.
pub const NO_GRADIENT: &str = "this target has no gradient, and the sampler needs one: give it (docs/models.md says which \
                               kinds of models can have one), or choose a sampler without drift, such as KAMH-LS or the default";

/// A density on ℝᵈ known up to a constant, or through an unbiased estimate that is never negative.
///
/// A closure `|x: &[f64]| -> f64` is a target; so is one that returns [`Evaluation`].
pub trait Target {
    /// The target that this one is made of, if it is made of one: from there come dimension, names and normals.
    fn inner(&self) -> Option<&dyn Target> {
        None
    }

    /// The dimension, where the target knows it.
    fn dim(&self) -> Option<usize> {
        self.inner()?.dim()
    }

    /// The names of the `dim` parameters.
    fn names(&self, dim: usize) -> Vec<String> {
        self.inner().map_or_else(|| (1..=dim).map(|i| format!("x{i}")).collect(), |inner| inner.names(dim))
    }

    /// How many standard normals the estimate is a function of (beside the point). They live in the chain's state, so
    /// that a correlated pseudo-marginal chain can move them a little at a time.
    fn normals(&self) -> usize {
        self.inner().map_or(0, Target::normals)
    }

    /// The log density at `x`, up to a constant, or the log of an unbiased estimate of the density.
    /// −∞ means that `x` is outside the support.
    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation;

    /// Whether the gradient of the log density is known, so that [`Target::gradient`] may be called. A target that is made of
    /// another has to say so itself, as it has to pass on the gradient.
    fn has_gradient(&self) -> bool {
        false
    }

    /// The log density at `x` as [`Target::log_density`] gives it, and its gradient, written to `gradient`. That is not looked
    /// at where there is no finite log density. The gradient of an estimate may itself be an estimate: it is kept with its
    /// point, so that the chain stays exact.
    fn gradient(&mut self, _x: &[f64], _noise: Noise<'_>, _gradient: &mut [f64]) -> Evaluation {
        Err(EvalError::fatal(NO_GRADIENT))
    }

    /// An entry of the gradient that is wrong, as those who gave the gradient know it: in their coordinates, and without what was added.
    fn wrong_slope_of_model(&self, wrong: WrongSlope) -> WrongSlope {
        match self.inner() {
            Some(inner) => inner.wrong_slope_of_model(wrong),
            None => wrong,
        }
    }

    /// How many points it is best asked for at once, by [`Target::log_densities`]: one, unless many cost hardly more.
    fn batch(&self) -> usize {
        self.inner().map_or(1, Target::batch)
    }

    /// The log densities at many points, each with the noise that belongs to it: as if they were asked for one by one.
    fn log_densities(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>) -> Vec<Evaluation> {
        points.iter().zip(noise).map(|(x, noise)| self.log_density(x, noise)).collect()
    }

    /// The same with the gradients, one after another in `gradients`, each as [`Target::gradient`] gives it.
    fn gradients(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>, gradients: &mut [f64]) -> Vec<Evaluation> {
        let rooms = gradients.chunks_exact_mut(points.first().map_or(1, |x| x.len().max(1)));
        points.iter().zip(noise).zip(rooms).map(|((x, noise), room)| self.gradient(x, noise, room)).collect()
    }

    /// The target as one whose truth is known, if it is.
    fn known(&self) -> Option<&dyn Known> {
        None
    }
}

/// What a closure may return to be a target.
pub trait IntoEvaluation {
    /// The value as the chain wants it.
    fn into_evaluation(self) -> Evaluation;
}

impl IntoEvaluation for f64 {
    fn into_evaluation(self) -> Evaluation {
        Ok(self)
    }
}

impl IntoEvaluation for Evaluation {
    fn into_evaluation(self) -> Evaluation {
        self
    }
}

impl<F, R> Target for F
where
    F: FnMut(&[f64]) -> R,
    R: IntoEvaluation,
{
    fn log_density(&mut self, x: &[f64], _noise: Noise<'_>) -> Evaluation {
        self(x).into_evaluation()
    }
}

/// A target whose truth is known, so that a sampler can be judged on it.
pub trait Known: Target {
    /// One exact, independent draw.
    fn sample(&self, rng: &mut Rng, x: &mut [f64]);

    /// The exact mean: zero, unless the target says otherwise.
    fn mean(&self) -> Vec<f64> {
        vec![0.0; self.dim().unwrap_or(0)]
    }

    /// The exact trace of the covariance.
    fn total_variance(&self) -> f64;

    /// The probability of the smallest exact quantile region that holds `x`: uniform on (0, 1) for exact draws.
    fn level(&self, x: &[f64]) -> f64;

    /// The first two coordinates of a point of the ridge, where there is one; `share` goes from 0 to 1 along it.
    fn ridge(&self, _share: f64) -> Option<[f64; 2]> {
        None
    }
}

/// The exact levels of nested χ² balls: P(χ²_dof ≤ `squared_radius`).
fn chi_squared_level(dof: usize, squared_radius: f64) -> f64 {
    use spec_math::Gamma;
    (dof as f64 / 2.0).igamma(squared_radius / 2.0)
}
