//! Priors of single parameters: log density, distribution function, draws, and a target with priors added.

mod cut;
mod table;
mod text;

pub use text::{entries, list};

use crate::batch::{change_gradients, evaluate_others};
use crate::bounds::Bound;
use crate::error::{ModelError, demand};
use cut::CutPrior;
use kameleon::target::WrongSlope;
use kameleon::{EvalError, Evaluation, Noise, Rng, Target, population};
use rand::RngExt;
use rand::distr::Open01;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;
use table::{Family, Values};

/// A prior whose parameters have been checked. As text: `normal(0, 1)`; [`list`] shows all there are.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Prior {
    family: &'static Family,
    /// The parameters in the family's order; those it does not have are 0.
    values: Values,
    support: Bound,
    log_constant: f64,
}

impl Prior {
    /// The prior of this name, with its parameters in the order of `kameleon list`.
    pub fn new(name: &str, parameters: &[f64]) -> Result<Self, ModelError> {
        let family = text::family(name).ok_or_else(|| text::unknown(name))?;
        let (found, wanted) = (parameters.len(), family.parameters.len());
        let of = format!("prior {}", family.name);
        demand(found == wanted, &of, || format!("takes {}, not {found}", family.wanted()))?;
        for (&(name, range), &value) in family.parameters.iter().zip(parameters) {
            demand(range.contains(value), &of, || format!("{name} must be {}, not {value}", range.words()))?;
        }
        let mut values = Values::default();
        values[..found].copy_from_slice(parameters);
        let (lower, upper) = (family.support)(values).map_err(|why| ModelError::new(&of, why))?;
        let support = Bound::new(lower.is_finite().then_some(lower), upper.is_finite().then_some(upper))?;
        let log_constant = (family.log_constant)(values);
        demand(log_constant.is_finite(), &of, || "its density is beyond the range of floating-point numbers".into())?;
        Ok(Self { family, values, support, log_constant })
    }

    /// The log density at `x`, normalised; −∞ outside the support. An end of the support belongs to it if the density
    /// is finite there.
    pub fn log_density(&self, x: f64) -> f64 {
        let inside = self.support.lower().is_none_or(|a| a <= x) && self.support.upper().is_none_or(|b| x <= b);
        let value = (self.family.log_kernel)(self.values, x) + self.log_constant;
        if inside && x.is_finite() && value.is_finite() { value } else { f64::NEG_INFINITY }
    }

    /// The slope of the log density at an `x` inside the support.
    pub fn slope(&self, x: f64) -> f64 {
        (self.family.slope)(self.values, x)
    }

    /// The interval outside which the density is zero, for use as bounds.
    pub fn support(&self) -> Bound {
        self.support
    }

    /// P(X ≤ x).
    pub fn cdf(&self, x: f64) -> f64 {
        if self.support.contains(x) {
            (self.family.cdf)(self.values, x)
        } else if self.support.lower().map_or(x == f64::NEG_INFINITY, |a| x <= a) {
            0.0
        } else if x.is_nan() {
            x
        } else {
            1.0
        }
    }

    /// The least number strictly inside the support at which [`Prior::cdf`] reaches `probability`; the largest if none
    /// does.
    pub fn quantile(&self, probability: f64) -> f64 {
        least_inside(self.support, |x| self.cdf(x) >= probability)
    }

    /// One draw, strictly inside the support.
    pub fn sample(&self, rng: &mut Rng) -> f64 {
        self.quantile(rng.sample(Open01))
    }
}

impl PartialEq for Prior {
    fn eq(&self, other: &Self) -> bool {
        self.family.name == other.family.name && self.values == other.values
    }
}

impl fmt::Debug for Prior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The least number strictly inside the bound at which `is_reached`, which no larger number loses; the largest if there is none.
fn least_inside(bound: Bound, is_reached: impl Fn(f64) -> bool) -> f64 {
    // By bisection of the floating-point numbers themselves: 64 evaluations for any family, however heavy its tails.
    let mut low = order(bound.lower().map_or(f64::MIN, f64::next_up));
    let mut high = order(bound.upper().map_or(f64::MAX, f64::next_down));
    while low < high {
        let middle = low.midpoint(high).min(high - 1);
        if is_reached(from_order(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    from_order(low)
}

/// The place of a number among all floating-point numbers.
fn order(x: f64) -> i64 {
    let bits = x.to_bits() as i64;
    if bits < 0 { bits ^ i64::MAX } else { bits }
}

/// The inverse of [`order`].
fn from_order(place: i64) -> f64 {
    f64::from_bits((if place < 0 { place ^ i64::MAX } else { place }) as u64)
}

/// A prior of all parameters together, in their own units, that another program knows.
pub type JointPrior = Arc<dyn population::Prior + Send + Sync>;

/// A target plus the log densities of priors. Outside their support the target is not evaluated.
#[derive(Clone)]
pub struct WithPrior<T> {
    target: T,
    priors: Vec<Option<CutPrior>>,
    joint: Option<JointPrior>,
}

impl<T: Target> WithPrior<T> {
    /// A prior, or none (flat), for each parameter of `target`.
    pub fn new(target: T, priors: Vec<Option<Prior>>) -> Result<Self, ModelError> {
        let free = vec![Bound::FREE; priors.len()];
        Self::within(target, priors, &free)
    }

    /// The same within `bounds`: each prior is cut by the bound of its parameter, and normalised again there. A bound that
    /// leaves no mass of its prior is an error.
    pub fn within(target: T, priors: Vec<Option<Prior>>, bounds: &[Bound]) -> Result<Self, ModelError> {
        let (found, wanted) = (priors.len(), target.dim().unwrap_or(priors.len()));
        demand(found == wanted, "priors", || format!("{found} given for {wanted} parameters of the target"))?;
        let (wanted, found) = (found, bounds.len());
        demand(found == wanted, "bounds", || format!("{found} given for {wanted} parameters of the target"))?;
        let cut = |(prior, bound): (Option<Prior>, &Bound)| prior.map(|prior| CutPrior::new(prior, *bound)).transpose();
        let priors = priors.into_iter().zip(bounds).map(cut).collect::<Result<_, _>>()?;
        Ok(Self { target, priors, joint: None })
    }

    /// One prior of all parameters; it must integrate to one within their bounds.
    pub fn joint(target: T, prior: JointPrior) -> Result<Self, ModelError> {
        let (found, wanted) = (prior.dim(), target.dim().unwrap_or(prior.dim()));
        demand(found == wanted, "prior", || format!("has {found} parameters, the target {wanted}"))?;
        Ok(Self { target, priors: vec![None; found], joint: Some(prior) })
    }

    /// The log density of the prior at `x`: the sum over parameters that have one.
    pub fn log_prior(&self, x: &[f64]) -> f64 {
        let joint = self.joint.as_ref().map_or(0.0, |prior| prior.log_density(x));
        joint + self.priors.iter().zip(x).filter_map(|(prior, &x)| Some(prior.as_ref()?.log_density(x))).sum::<f64>()
    }

    /// The slope of the log density of the prior of a parameter; zero if it has none.
    fn slope(&self, parameter: usize, x: f64) -> f64 {
        self.priors[parameter].as_ref().map_or(0.0, |prior| prior.slope(x))
    }

    /// Whether every parameter has a prior: then, with a likelihood for a target, the density integrates to the evidence.
    pub fn is_proper(&self) -> bool {
        self.joint.is_some() || self.priors.iter().all(Option::is_some)
    }

    /// [`WithPrior::log_prior`] at each of many points, which stand one after another.
    pub fn log_priors(&self, points: &[f64]) -> Vec<f64> {
        match &self.joint {
            Some(prior) => prior.log_densities(points),
            None => points.chunks_exact(self.priors.len()).map(|x| self.log_prior(x)).collect(),
        }
    }

    /// Why the prior cannot be evaluated any more, if so.
    pub fn prior_failure(&self) -> Option<String> {
        self.joint.as_ref()?.failure()
    }

    /// Whether it is one prior of all parameters together.
    pub fn is_joint(&self) -> bool {
        self.joint.is_some()
    }

    /// Draws this many points from the prior, one after another; NaN for a parameter that has none.
    pub fn draw_prior(&self, rng: &mut Rng, count: usize) -> Vec<f64> {
        if let Some(prior) = &self.joint {
            return prior.draws(rng, count);
        }
        let mut draw = |prior: &Option<CutPrior>| prior.as_ref().map_or(f64::NAN, |prior| prior.sample(rng));
        (0..count).flat_map(|_| self.priors.iter().map(&mut draw).collect::<Vec<f64>>()).collect()
    }

    /// The target without its priors.
    pub fn target(&self) -> &T {
        &self.target
    }

    /// Adds the slopes of the priors.
    fn add_slopes(&self, x: &[f64], gradient: &mut [f64]) {
        for (i, x) in x.iter().enumerate() {
            gradient[i] += self.slope(i, *x);
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for WithPrior<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("WithPrior");
        shown.field("target", &self.target).field("priors", &self.priors).field("joint", &self.joint.is_some()).finish()
    }
}

impl<T: Target> Target for WithPrior<T> {
    fn inner(&self) -> Option<&dyn Target> {
        Some(&self.target)
    }

    fn dim(&self) -> Option<usize> {
        Some(self.priors.len())
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        let log_prior = self.log_prior(x);
        if log_prior.is_nan() || log_prior == f64::NEG_INFINITY {
            return self.prior_failure().map_or(Ok(log_prior), |why| Err(EvalError::fatal(why)));
        }
        Ok(log_prior + self.target.log_density(x, noise)?)
    }

    /// The slope of a prior that another program knows is not known.
    fn has_gradient(&self) -> bool {
        self.target.has_gradient() && self.joint.is_none()
    }

    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        let log_prior = self.log_prior(x);
        if log_prior.is_nan() || log_prior == f64::NEG_INFINITY {
            return Ok(log_prior);
        }
        let value = log_prior + self.target.gradient(x, noise, gradient)?;
        self.add_slopes(x, gradient);
        Ok(value)
    }

    fn wrong_slope_of_model(&self, wrong: WrongSlope) -> WrongSlope {
        let more = self.slope(wrong.parameter, wrong.x[wrong.parameter]);
        let wrong = WrongSlope { given: wrong.given - more, found: wrong.found - more, ..wrong };
        self.target.wrong_slope_of_model(wrong)
    }

    fn log_densities(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>) -> Vec<Evaluation> {
        self.gradients(points, noise, &mut [])
    }

    fn gradients(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>, gradients: &mut [f64]) -> Vec<Evaluation> {
        let log_priors = self.log_priors(&points.concat());
        let failure = self.prior_failure();
        let outside = |log_prior: &f64| {
            let is_outside = log_prior.is_nan() || *log_prior == f64::NEG_INFINITY;
            is_outside.then(|| failure.clone().map_or(Ok(*log_prior), |why| Err(EvalError::fatal(why))))
        };
        let known = log_priors.iter().map(outside).collect();
        let values = evaluate_others(&mut self.target, points, noise, known, &log_priors, gradients);
        change_gradients(&values, points, gradients, |x, gradient| self.add_slopes(x, gradient));
        values
    }
}
