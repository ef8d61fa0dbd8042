//! A prior as it is seen from the cuts of circles, and a ladder that is seen from other cuts.

use super::Prior;
use super::particles::Particles;
use crate::Rng;
use crate::circles::Circles;

/// The cuts stay unless near one of them is more of the posterior, by this factor, than at the emptiest place.
const MORE: f64 = 1.5;

/// A prior of turned coordinates.
pub(super) struct Turned<'a> {
    pub prior: &'a dyn Prior,
    pub circles: &'a Circles,
}

impl Prior for Turned<'_> {
    fn dim(&self) -> usize {
        self.prior.dim()
    }

    fn draw(&self, rng: &mut Rng, x: &mut [f64]) {
        self.prior.draw(rng, x);
        self.circles.turn(x);
    }

    fn log_density(&self, x: &[f64]) -> f64 {
        self.log_densities(x)[0]
    }

    fn draws(&self, rng: &mut Rng, count: usize) -> Vec<f64> {
        let mut points = self.prior.draws(rng, count);
        for x in points.chunks_exact_mut(self.dim()) {
            self.circles.turn(x);
        }
        points
    }

    fn log_densities(&self, points: &[f64]) -> Vec<f64> {
        if self.circles.is_empty() {
            return self.prior.log_densities(points);
        }
        let mut points = points.to_vec();
        let log_slopes: Vec<f64> = points.chunks_exact_mut(self.dim()).map(|x| self.circles.turn_back(x)).collect();
        self.prior.log_densities(&points).into_iter().zip(log_slopes).map(|(log, slope)| log - slope).collect()
    }

    fn to_gaussian_scale(&self, x: &mut [f64]) -> f64 {
        // Circles have none of their own.
        self.prior.to_gaussian_scale(x)
    }

    fn failure(&self) -> Option<String> {
        self.prior.failure()
    }
}

impl Particles {
    /// The same points, seen from other cuts.
    pub(super) fn see_from(&mut self, old: &Circles, new: &Circles) {
        let (dim, log_prior) = (self.dim(), &mut self.log_prior);
        if dim > 0 {
            old.seen_from(new, &mut self.points, dim, |k, change| log_prior[k] += change);
        }
    }

    /// Better cuts for these points, seen from cuts, with ln of their weights; none if the present ones are good enough.
    pub(super) fn better_cuts(&self, circles: &Circles, log_weights: &[f64]) -> Option<Circles> {
        if circles.is_empty() || self.is_empty() {
            return None;
        }
        let mut points = self.points.clone();
        circles.seen_from(&Circles::default(), &mut points, self.dim(), |_, _| {});
        let largest = log_weights.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
        let weights = log_weights.iter().map(|log| libm::exp(log - largest));
        circles.emptier(points.chunks_exact(self.dim()).zip(weights), MORE)
    }
}
