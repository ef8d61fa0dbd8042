//! Bounded parameters, sampled on the real line through a logarithm or a logit, and periodic ones, through a normal quantile; with the
//! Jacobian.

use crate::batch::{change_gradients, evaluate_others};
use crate::error::{ModelError, demand};
use kameleon::circles::{coordinate, log_slope, place, wrapped};
use kameleon::target::WrongSlope;
use kameleon::{Evaluation, Noise, Target};
use serde::{Deserialize, Serialize};

/// The open interval a parameter lives in, or the circle that an interval is closed to; x is a function of an unbounded u.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Limits")]
pub struct Bound {
    #[serde(skip_serializing_if = "Option::is_none")]
    lower: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper: Option<f64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    periodic: bool,
}

/// A bound as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Limits {
    lower: Option<f64>,
    upper: Option<f64>,
    #[serde(default)]
    periodic: bool,
}

impl TryFrom<Limits> for Bound {
    type Error = ModelError;

    fn try_from(limits: Limits) -> Result<Self, ModelError> {
        let bound = Self::new(limits.lower, limits.upper)?;
        if limits.periodic { bound.closed() } else { Ok(bound) }
    }
}

impl Bound {
    /// The real line.
    pub const FREE: Self = Self { lower: None, upper: None, periodic: false };

    /// The numbers above `lower` and below `upper`; `None` is no bound.
    pub fn new(lower: Option<f64>, upper: Option<f64>) -> Result<Self, ModelError> {
        for value in [lower, upper].into_iter().flatten() {
            let why = || format!("must be finite, not {value}; omit it for no bound");
            demand(value.is_finite(), "bound", why)?;
        }
        if let (Some(a), Some(b)) = (lower, upper) {
            demand(a < b, "bounds", || format!("lower, {a}, must be less than upper, {b}"))?;
            demand((b - a).is_finite(), "bounds", || format!("{a} and {b} are too far apart"))?;
        }
        Ok(Self { lower, upper, periodic: false })
    }

    /// The circle of the numbers from `lower` to `upper`, which are the same place.
    pub fn circle(lower: f64, upper: f64) -> Result<Self, ModelError> {
        Self::between(lower, upper)?.closed()
    }

    /// The interval closed to a circle; an error unless it has both ends.
    pub fn closed(self) -> Result<Self, ModelError> {
        let has_ends = self.lower.is_some() && self.upper.is_some();
        demand(has_ends, "bounds", || "a periodic parameter needs both lower and upper".into())?;
        Ok(Self { periodic: true, ..self })
    }

    /// Whether it has two ends, which are not the same place.
    pub fn is_interval(self) -> bool {
        self.lower.is_some() && self.upper.is_some() && !self.periodic
    }

    /// Whether the two ends are the same place.
    pub fn is_periodic(self) -> bool {
        self.periodic
    }

    /// The number in the interval that is the same place of a circle; x itself where there is no circle.
    pub fn wrap(self, x: f64) -> f64 {
        match (self.periodic, self.lower, self.upper) {
            (true, Some(a), Some(b)) if !(a <= x && x < b) => {
                (a + (b - a) * wrapped((x - a) / (b - a))).min(b.next_down())
            }
            _ => x,
        }
    }

    /// The numbers above `lower`.
    pub fn above(lower: f64) -> Result<Self, ModelError> {
        Self::new(Some(lower), None)
    }

    /// The numbers below `upper`.
    pub fn below(upper: f64) -> Result<Self, ModelError> {
        Self::new(None, Some(upper))
    }

    /// The numbers between `lower` and `upper`.
    pub fn between(lower: f64, upper: f64) -> Result<Self, ModelError> {
        Self::new(Some(lower), Some(upper))
    }

    /// The lower bound, if there is one.
    pub fn lower(self) -> Option<f64> {
        self.lower
    }

    /// The upper bound, if there is one.
    pub fn upper(self) -> Option<f64> {
        self.upper
    }

    /// x itself, or the number of the same place of a circle that is nearest to another.
    pub fn nearest_to(self, other: f64, x: f64) -> f64 {
        match (self.periodic, self.lower, self.upper) {
            (true, Some(a), Some(b)) => x + (b - a) * libm::round((other - x) / (b - a)),
            _ => x,
        }
    }

    /// Whether x is strictly inside; any finite number is on a circle.
    pub fn contains(self, x: f64) -> bool {
        x.is_finite() && (self.periodic || self.lower.is_none_or(|a| a < x) && self.upper.is_none_or(|b| x < b))
    }

    /// u(x), for an x inside.
    pub fn unbounded(self, x: f64) -> f64 {
        match (self.lower, self.upper) {
            (None, None) => x,
            (Some(a), None) => libm::log(x - a),
            (None, Some(b)) => libm::log(b - x),
            (Some(a), Some(b)) if self.periodic => coordinate((self.wrap(x) - a) / (b - a)),
            (Some(a), Some(b)) => libm::log(x - a) - libm::log(b - x),
        }
    }

    /// x(u) alone.
    pub fn value(self, u: f64) -> f64 {
        if self == Self::FREE { u } else { self.bounded(u).0 }
    }

    /// x(u) = a + eᵘ, b − eᵘ, a + (b − a) / (1 + e⁻ᵘ) or, on a circle, a + (b − a) Φ(u), and log |dx/du|. Rounding never puts x on a bound, where a density may be infinite.
    pub fn bounded(self, u: f64) -> (f64, f64) {
        match (self.lower, self.upper) {
            (None, None) => (u, 0.0),
            (Some(a), None) => ((a + libm::exp(u)).max(a.next_up()), u),
            (None, Some(b)) => ((b - libm::exp(u)).min(b.next_down()), u),
            (Some(a), Some(b)) if self.periodic => {
                let distance = (b - a) * place(-u.abs());
                let x = if u < 0.0 { a + distance } else { b - distance };
                (x.clamp(a, b.next_down()), libm::log(b - a) + log_slope(u))
            }
            (Some(a), Some(b)) => {
                // e^{−|u|} never overflows, and measures the distance to the nearer bound without cancellation.
                let small = libm::exp(-u.abs());
                let distance = (b - a) * (small / (1.0 + small));
                let x = if u < 0.0 { a + distance } else { b - distance };
                let log_jacobian = libm::log(b - a) - u.abs() - 2.0 * libm::log1p(small);
                (x.clamp(a.next_up(), b.next_down().max(a.next_up())), log_jacobian)
            }
        }
    }

    /// dx/du at u, and the slope of log |dx/du| there.
    fn slopes(self, u: f64) -> (f64, f64) {
        match (self.lower, self.upper) {
            (None, None) => (1.0, 0.0),
            (Some(_), None) => (libm::exp(u), 1.0),
            (None, Some(_)) => (-libm::exp(u), 1.0),
            (Some(_), Some(_)) if self.periodic => (libm::exp(self.bounded(u).1), -u),
            (Some(_), Some(_)) => (libm::exp(self.bounded(u).1), -libm::tanh(0.5 * u)),
        }
    }
}

/// A target with bounded parameters, transformed to a target on the whole space.
///
/// A chain on it moves the unbounded u; [`Bounded::to_bounded`] gives back the parameters in their own units. Its log
/// density is that of u, the inner target's at x(u) plus [`Bounded::log_jacobian`].
#[derive(Clone, Debug)]
pub struct Bounded<T> {
    target: T,
    bounds: Vec<Bound>,
    x: Vec<f64>,
}

impl<T: Target> Bounded<T> {
    /// One bound for each parameter of `target`.
    pub fn new(target: T, bounds: Vec<Bound>) -> Result<Self, ModelError> {
        let (found, wanted) = (bounds.len(), target.dim().unwrap_or(bounds.len()));
        demand(found == wanted, "bounds", || format!("{found} given for {wanted} parameters of the target"))?;
        Ok(Self { target, x: vec![0.0; found], bounds })
    }

    /// The bounds, in the order of the parameters.
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// The parameters that are periodic, by their places: chains and populations are told of these circles.
    pub fn circles(&self) -> Vec<usize> {
        (0..self.bounds.len()).filter(|i| self.bounds[*i].is_periodic()).collect()
    }

    /// The unbounded point u of x; an error unless x is strictly inside the bounds.
    pub fn to_unbounded(&self, x: &[f64]) -> Result<Vec<f64>, ModelError> {
        let (found, wanted) = (x.len(), self.bounds.len());
        demand(found == wanted, "start", || format!("must have {wanted} coordinates, not {found}"))?;
        let names = self.target.names(wanted);
        for ((&x, bound), name) in x.iter().zip(&self.bounds).zip(&names) {
            demand(bound.contains(x), "start", || {
                let above = bound.lower().map(|a| format!("above {a}"));
                let below = bound.upper().map(|b| format!("below {b}"));
                let mut inside = [above, below].into_iter().flatten().collect::<Vec<_>>().join(" and ");
                if inside.is_empty() {
                    inside = "a finite number".into();
                }
                format!("parameter `{name}` is {x}; it must be {inside}")
            })?;
        }
        Ok(x.iter().zip(&self.bounds).map(|(&x, bound)| bound.unbounded(x)).collect())
    }

    /// The parameters x at u, in their own units.
    ///
    /// # Panics
    /// Unless `u` and `x` have one coordinate for each parameter.
    pub fn to_bounded(&self, u: &[f64], x: &mut [f64]) {
        assert!(u.len() == self.bounds.len() && x.len() == u.len(), "one coordinate for each parameter");
        for i in 0..u.len() {
            x[i] = self.bounds[i].bounded(u[i]).0;
        }
    }

    /// log |dx/du| at u: the log density of u minus that of x.
    pub fn log_jacobian(&self, u: &[f64]) -> f64 {
        self.bounds.iter().zip(u).map(|(bound, &u)| bound.bounded(u).1).sum()
    }

    /// Goes to x(u), and tells log |dx/du|; none where the transformation overflows and the model is not to be evaluated.
    fn place(&mut self, u: &[f64]) -> Option<f64> {
        let mut log_jacobian = 0.0;
        for ((x, bound), u) in self.x.iter_mut().zip(&self.bounds).zip(u) {
            let (at, more) = bound.bounded(*u);
            *x = at;
            log_jacobian += more;
        }
        self.x.iter().all(|x| !x.is_infinite()).then_some(log_jacobian)
    }

    /// The gradient by u in place of that by x.
    fn to_unbounded_gradient(&self, u: &[f64], gradient: &mut [f64]) {
        for ((g, bound), u) in gradient.iter_mut().zip(&self.bounds).zip(u) {
            let (stretch, more) = bound.slopes(*u);
            *g = *g * stretch + more;
        }
    }

    /// The target within the bounds.
    pub fn target(&self) -> &T {
        &self.target
    }
}

impl<T: Target> Target for Bounded<T> {
    fn inner(&self) -> Option<&dyn Target> {
        Some(&self.target)
    }

    fn dim(&self) -> Option<usize> {
        Some(self.bounds.len())
    }

    fn log_density(&mut self, u: &[f64], noise: Noise<'_>) -> Evaluation {
        match self.place(u) {
            Some(log_jacobian) => Ok(self.target.log_density(&self.x, noise)? + log_jacobian),
            None => Ok(f64::NEG_INFINITY),
        }
    }

    fn has_gradient(&self) -> bool {
        self.target.has_gradient()
    }

    fn gradient(&mut self, u: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        let Some(log_jacobian) = self.place(u) else { return Ok(f64::NEG_INFINITY) };
        let value = self.target.gradient(&self.x, noise, gradient)? + log_jacobian;
        self.to_unbounded_gradient(u, gradient);
        Ok(value)
    }

    fn wrong_slope_of_model(&self, wrong: WrongSlope) -> WrongSlope {
        let (u, i) = (&wrong.x, wrong.parameter);
        let (stretch, more) = self.bounds[i].slopes(u[i]);
        let own = |slope: f64| (slope - more) / stretch;
        let x = u.iter().zip(&self.bounds).map(|(u, bound)| bound.value(*u)).collect();
        let wrong = WrongSlope { x, parameter: i, given: own(wrong.given), found: own(wrong.found) };
        self.target.wrong_slope_of_model(wrong)
    }

    fn log_densities(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>) -> Vec<Evaluation> {
        self.gradients(points, noise, &mut [])
    }

    fn gradients(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>, gradients: &mut [f64]) -> Vec<Evaluation> {
        let mut x = vec![0.0; self.bounds.len() * points.len()];
        x.chunks_exact_mut(self.bounds.len()).zip(points).for_each(|(x, u)| self.to_bounded(u, x));
        let x: Vec<&[f64]> = x.chunks_exact(self.bounds.len()).collect();
        let outside = |x: &&[f64]| x.iter().any(|x| x.is_infinite()).then_some(Ok(f64::NEG_INFINITY));
        let known = x.iter().map(outside).collect();
        let log_jacobians: Vec<f64> = points.iter().map(|u| self.log_jacobian(u)).collect();
        let values = evaluate_others(&mut self.target, &x, noise, known, &log_jacobians, gradients);
        change_gradients(&values, points, gradients, |u, gradient| self.to_unbounded_gradient(u, gradient));
        values
    }
}
