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
        for _ in 0..TRIES {
            self.target().draw_prior(rng, u);
            if u.iter().zip(self.bounds()).all(|(x, bound)| bound.contains(*x)) {
                u.iter_mut().zip(self.bounds()).for_each(|(u, bound)| *u = bound.unbounded(*u));
                return;
            }
        }
        // Of no density, so that it is left out.
        u.fill(f64::NAN);
    }

    fn log_density(&self, u: &[f64]) -> f64 {
        let (x, jacobians): (Vec<f64>, Vec<f64>) =
            u.iter().zip(self.bounds()).map(|(u, bound)| bound.bounded(*u)).unzip();
        match x.iter().all(|x| x.is_finite()) {
            true => self.target().log_prior(&x) + jacobians.iter().sum::<f64>(),
            false => f64::NEG_INFINITY,
        }
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
