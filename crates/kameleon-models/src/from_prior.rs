//! A posterior taken apart on the unbounded scale of its chains, for a population: the prior of u, and the likelihood at x(u).
//!
//! What a population learns there is a density of u, so that chains can jump from it as it is.

use crate::bounds::{Bound, Bounded};
use crate::prior::WithPrior;
use kameleon::{Evaluation, Noise, Rng, Target, population};

/// How often a draw of the prior that falls outside the bounds is made again.
const TRIES: usize = 1000;

/// The prior of the unbounded u: that of x(u), with the Jacobian. It can be drawn from where [`WithPrior::is_proper`].
impl<T: Target> population::Prior for Bounded<WithPrior<T>> {
    fn dim(&self) -> usize {
        self.bounds().len()
    }

    fn draw(&self, rng: &mut Rng, u: &mut [f64]) {
        u.copy_from_slice(&self.draws(rng, 1));
    }

    fn log_density(&self, u: &[f64]) -> f64 {
        self.log_densities(u)[0]
    }

    /// That of the parameter itself between two bounds, where a logit bends what is far from a mode.
    fn to_gaussian_scale(&self, u: &mut [f64]) -> f64 {
        let change = |(u, bound): (&mut f64, &Bound)| {
            let (x, log_jacobian) = bound.bounded(*u);
            *u = x;
            log_jacobian
        };
        u.iter_mut().zip(self.bounds()).filter(|(_, bound)| bound.is_interval()).map(change).sum()
    }

    fn failure(&self) -> Option<String> {
        self.target().prior_failure()
    }

    fn draws(&self, rng: &mut Rng, count: usize) -> Vec<f64> {
        let (bounds, length) = (self.bounds(), count * self.bounds().len());
        let mut points = Vec::with_capacity(length);
        for _ in 0..TRIES {
            if points.len() == length || self.failure().is_some() {
                break;
            }
            let drawn = self.target().draw_prior(rng, count - points.len() / bounds.len());
            let is_inside = |x: &&[f64]| x.iter().zip(bounds).all(|(x, bound)| bound.contains(*x));
            for x in drawn.chunks_exact(bounds.len()).filter(is_inside) {
                points.extend(x.iter().zip(bounds).map(|(x, bound)| bound.unbounded(*x)));
            }
        }
        // Of no density, so that they are left out.
        points.resize(length, f64::NAN);
        points
    }

    fn log_densities(&self, points: &[f64]) -> Vec<f64> {
        let (bounds, mut inside) = (self.bounds(), Vec::with_capacity(points.len()));
        let mut log_jacobian = |u: &[f64]| {
            let (x, logs): (Vec<f64>, Vec<f64>) = u.iter().zip(bounds).map(|(u, bound)| bound.bounded(*u)).unzip();
            x.iter().all(|x| x.is_finite()).then(|| {
                inside.extend(x);
                logs.iter().sum::<f64>()
            })
        };
        let log_jacobians: Vec<Option<f64>> = points.chunks_exact(bounds.len()).map(&mut log_jacobian).collect();
        let mut log_priors = self.target().log_priors(&inside).into_iter();
        let total = |log: Option<f64>| log.and_then(|log| Some(log_priors.next()? + log)).unwrap_or(f64::NEG_INFINITY);
        log_jacobians.into_iter().map(total).collect()
    }
}

/// The likelihood of the unbounded u: the target at x(u), without its prior and without a Jacobian.
#[derive(Clone, Debug)]
pub struct Likelihood<T> {
    target: T,
    bounds: Vec<Bound>,
}

impl<T: Target + Clone> Likelihood<T> {
    /// That of a posterior.
    pub fn of(posterior: &Bounded<WithPrior<T>>) -> Self {
        Self { target: posterior.target().target().clone(), bounds: posterior.bounds().to_vec() }
    }
}

impl<T> Likelihood<T> {
    fn own_units(&self, u: &[f64]) -> Vec<f64> {
        u.iter().zip(&self.bounds).map(|(u, bound)| bound.bounded(*u).0).collect()
    }
}

impl<T: Target> Target for Likelihood<T> {
    fn inner(&self) -> Option<&dyn Target> {
        Some(&self.target)
    }

    fn dim(&self) -> Option<usize> {
        Some(self.bounds.len())
    }

    fn log_density(&mut self, u: &[f64], noise: Noise<'_>) -> Evaluation {
        let x = self.own_units(u);
        self.target.log_density(&x, noise)
    }

    fn log_densities(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>) -> Vec<Evaluation> {
        let points: Vec<Vec<f64>> = points.iter().map(|u| self.own_units(u)).collect();
        self.target.log_densities(&points.iter().map(Vec::as_slice).collect::<Vec<_>>(), noise)
    }
}
