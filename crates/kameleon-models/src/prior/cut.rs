//! A prior within bounds: how much of it they leave, and its density normalised again.

use super::{Prior, least_inside};
use crate::bounds::Bound;
use crate::error::ModelError;
use kameleon::Rng;
use rand::RngExt;
use rand::distr::Open01;

/// Below this share of the smaller tail, the difference of two tails is less accurate than the density in the middle times the
/// width: the density then hardly varies between the bounds.
const NARROW: f64 = 1e-6;

impl Prior {
    /// ln P(X within `bound`), accurate in both tails: what the log density is to be reduced by for a prior that bounds cut.
    /// An error if nothing is left, or less than floating-point numbers can tell.
    pub fn log_mass(&self, bound: Bound) -> Result<f64, ModelError> {
        let mass = self.mass(bound);
        if mass >= f64::MIN_POSITIVE {
            return Ok(mass.ln());
        }
        let ends = match (bound.lower(), bound.upper()) {
            (Some(a), Some(b)) => format!("between {a} and {b}"),
            (Some(a), None) => format!("above {a}"),
            (None, Some(b)) => format!("below {b}"),
            (None, None) => "anywhere".into(),
        };
        Err(ModelError::new(
            format_args!("prior {self}"),
            format_args!("has no mass {ends}, or too little to normalise it"),
        ))
    }

    /// A draw strictly inside `bound`, however far that is in a tail. An error as of [`Prior::log_mass`].
    pub fn sample_within(&self, bound: Bound, rng: &mut Rng) -> Result<f64, ModelError> {
        Ok(CutPrior::new(*self, bound)?.sample(rng))
    }

    fn mass(&self, bound: Bound) -> f64 {
        let lower = bound.lower().unwrap_or(f64::NEG_INFINITY).max(self.support().lower().unwrap_or(f64::NEG_INFINITY));
        let upper = bound.upper().unwrap_or(f64::INFINITY).min(self.support().upper().unwrap_or(f64::INFINITY));
        if lower >= upper {
            return 0.0;
        }
        let (below, above) = (self.cdf(lower), self.tail(upper));
        let (mass, smaller) = if below > 0.5 {
            (self.tail(lower) - above, above)
        } else if above > 0.5 {
            (self.cdf(upper) - below, below)
        } else {
            (1.0 - below - above, below.min(above))
        };
        let narrow = mass < NARROW * smaller.max(f64::MIN_POSITIVE);
        if narrow { self.log_density(lower.midpoint(upper)).exp() * (upper - lower) } else { mass }
    }

    /// P(X > x), accurate where [`Prior::cdf`] is close to one.
    fn tail(&self, x: f64) -> f64 {
        if self.support().contains(x) { (self.family.tail)(self.values, x) } else { 1.0 - self.cdf(x) }
    }
}

/// A prior within a bound.
#[derive(Clone, Copy, Debug)]
pub(super) struct CutPrior {
    prior: Prior,
    bound: Bound,
    log_mass: f64,
}

impl CutPrior {
    pub fn new(prior: Prior, bound: Bound) -> Result<Self, ModelError> {
        Ok(Self { prior, bound, log_mass: prior.log_mass(bound)? })
    }

    /// The log density at `x`, normalised; −∞ outside.
    pub fn log_density(&self, x: f64) -> f64 {
        let inside = self.bound.lower().is_none_or(|a| a <= x) && self.bound.upper().is_none_or(|b| x <= b);
        if inside { self.prior.log_density(x) - self.log_mass } else { f64::NEG_INFINITY }
    }

    /// The slope of the log density at an `x` inside.
    pub fn slope(&self, x: f64) -> f64 {
        self.prior.slope(x)
    }

    /// One draw, strictly inside. Masses, not values of the distribution function, are compared: in the upper tail these are all
    /// close to one.
    pub fn sample(&self, rng: &mut Rng) -> f64 {
        let share: f64 = rng.sample(Open01);
        let (prior, support) = (self.prior, self.prior.support());
        if self.bound == support {
            return prior.quantile(share);
        }
        let wanted = share * self.log_mass.exp();
        let lower = self.bound.lower().or(support.lower());
        let upper = self.bound.upper().or(support.upper());
        let below = |x: f64| Bound::new(lower, Some(x)).map_or(0.0, |below| prior.mass(below));
        Bound::new(lower, upper).map_or(f64::NAN, |bound| least_inside(bound, |x| below(x) >= wanted))
    }
}
