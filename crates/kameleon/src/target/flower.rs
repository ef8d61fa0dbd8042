//! The flower F(r₀, A, ω, σ): a band around a circle whose radius waves, and its special case the ring.

use super::{DIM, Evaluation, Known, Noise, Target, chi_squared_level};
use crate::registry::{ANY, NOT_NEGATIVE, POSITIVE, Settings, SettingsError};
use crate::{Rng, settings};
use rand::RngExt;
use rand_distr::StandardNormal;
use spec_math::NormDist;
use std::f64::consts::{PI, TAU};

settings! {
    /// The settings of [`Flower`].
    pub struct FlowerSettings {
        /// The radius r₀ of the circle.
        r0: f64 = 10.0, POSITIVE;
        /// The amplitude A of the waves, of size below r₀.
        amplitude: f64 = 6.0, ANY;
        /// The number of waves ω, a whole number.
        omega: f64 = 6.0, NOT_NEGATIVE;
        /// The standard deviation across the band.
        sigma: f64 = 1.0, POSITIVE;
    }
}

settings! {
    /// The settings of a ring, which is a [`Flower`] without waves.
    pub struct RingSettings {
        /// The radius of the circle.
        radius: f64 = 3.5, POSITIVE;
        /// The variance across the band.
        variance: f64 = 0.05, POSITIVE;
    }
}

/// exp(−(r − r₀ − A cos ωθ)² / 2σ²) N(x₃…x_d; 0, I), with r and θ the polar coordinates of (x₁, x₂).
#[derive(Clone, Debug)]
pub struct Flower {
    dim: usize,
    r0: f64,
    amplitude: f64,
    omega: f64,
    sigma: f64,
}

/// How many angles the exact moments are summed over; the integrand is periodic, so this is exact to rounding.
const ANGLES: usize = 4096;

impl Flower {
    /// F(r₀, A, ω, σ) in `dim` ≥ 2 dimensions.
    pub fn new(dim: usize, r0: f64, amplitude: f64, omega: f64, sigma: f64) -> Result<Self, SettingsError> {
        DIM.check("dim", &dim)?;
        FlowerSettings { r0, amplitude, omega, sigma }.check()?;
        let what = format!("must be below r0 = {r0} in size, not {amplitude}");
        SettingsError::demand("amplitude", amplitude.abs() < r0, &what)?;
        SettingsError::demand("omega", omega.fract() == 0.0, &format!("must be a whole number, not {omega}"))?;
        Ok(Self { dim, r0, amplitude, omega, sigma })
    }

    /// The ring: a band of the given radius, and variance across it.
    pub fn ring(dim: usize, radius: f64, variance: f64) -> Result<Self, SettingsError> {
        RingSettings { radius, variance }.check()?;
        Self::new(dim, radius, 0.0, 0.0, variance.sqrt())
    }

    /// The radius of the ridge at angle θ.
    fn radius_at(&self, theta: f64) -> f64 {
        self.r0 + self.amplitude * libm::cos(self.omega * theta)
    }

    fn squared_radius(&self, x: &[f64]) -> f64 {
        let across = (libm::hypot(x[0], x[1]) - self.radius_at(libm::atan2(x[1], x[0]))) / self.sigma;
        across * across + x[2..].iter().map(|x| x * x).sum::<f64>()
    }

    /// ∫₀^∞ rᵏ N(r; μ(θ), σ²) dr for k = 0 … 3, by parts. The Cartesian density carries a factor r in polar form, so the
    /// weight of an angle is the first of these moments, not 1.
    fn radial_moments(&self, theta: f64) -> [f64; 4] {
        let (mu, sigma) = (self.radius_at(theta), self.sigma);
        let s = mu / sigma;
        let edge = sigma * (-0.5 * s * s).exp() / TAU.sqrt();
        let m0 = s.norm_cdf();
        let m1 = mu * m0 + edge;
        let m2 = mu * m1 + sigma * sigma * m0;
        let m3 = mu * m2 + 2.0 * sigma * sigma * m1;
        [m0, m1, m2, m3]
    }

    /// (mean of x₁, mean of x₂, E[x₁² + x₂²]) by the periodic trapezoidal rule over the angle.
    fn plane_moments(&self) -> (f64, f64, f64) {
        let (mut weight, mut x1, mut x2, mut square) = (0.0, 0.0, 0.0, 0.0);
        for k in 0..ANGLES {
            let theta = (k as f64 + 0.5) * TAU / ANGLES as f64 - PI;
            let [_, m1, m2, m3] = self.radial_moments(theta);
            weight += m1;
            x1 += m2 * theta.cos();
            x2 += m2 * theta.sin();
            square += m3;
        }
        (x1 / weight, x2 / weight, square / weight)
    }
}

impl Target for Flower {
    fn dim(&self) -> Option<usize> {
        Some(self.dim)
    }

    fn log_density(&mut self, x: &[f64], _noise: Noise<'_>) -> Evaluation {
        Ok(-0.5 * self.squared_radius(x))
    }

    fn has_gradient(&self) -> bool {
        true
    }

    fn gradient(&mut self, x: &[f64], _noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        let (r, theta) = (libm::hypot(x[0], x[1]), libm::atan2(x[1], x[0]));
        let across = (r - self.radius_at(theta)) / self.sigma;
        // The slope of the ridge's radius along the angle; at the centre there is no direction, and no slope is given.
        let turn = self.amplitude * self.omega * libm::sin(self.omega * theta);
        let (outwards, around) = if r > 0.0 { (1.0 / r, turn / (r * r)) } else { (0.0, 0.0) };
        gradient.iter_mut().zip(x).for_each(|(g, x)| *g = -x);
        gradient[0] = -across / self.sigma * (x[0] * outwards - x[1] * around);
        gradient[1] = -across / self.sigma * (x[1] * outwards + x[0] * around);
        Ok(-0.5 * self.squared_radius(x))
    }

    fn known(&self) -> Option<&dyn Known> {
        Some(self)
    }
}

impl Known for Flower {
    fn sample(&self, rng: &mut Rng, x: &mut [f64]) {
        // The first moment grows with the ridge radius, which is largest at r₀ + |A|.
        let widest = if self.amplitude < 0.0 && self.omega > 0.0 { PI / self.omega } else { 0.0 };
        let bound = self.radial_moments(widest)[1];
        let theta = loop {
            let theta = rng.random_range(-PI..PI);
            if rng.random::<f64>() * bound <= self.radial_moments(theta)[1] {
                break theta;
            }
        };
        // r N(r; μ, σ²) lies below its tangent envelope N(r; r*, σ²) at the mode r*.
        let mu = self.radius_at(theta);
        let mode = 0.5 * (mu + (mu * mu + 4.0 * self.sigma * self.sigma).sqrt());
        let r = loop {
            let r = mode + self.sigma * rng.sample::<f64, _>(StandardNormal);
            if r > 0.0 && rng.random::<f64>() <= r / mode * (1.0 - r / mode).exp() {
                break r;
            }
        };
        (x[1], x[0]) = (r * theta.sin(), r * theta.cos());
        for x in &mut x[2..] {
            *x = rng.sample(StandardNormal);
        }
    }

    fn ridge(&self, share: f64) -> Option<[f64; 2]> {
        let theta = TAU * share;
        Some([self.radius_at(theta) * theta.cos(), self.radius_at(theta) * theta.sin()])
    }

    fn mean(&self) -> Vec<f64> {
        let (x1, x2, _) = self.plane_moments();
        let mut mean = vec![0.0; self.dim];
        (mean[0], mean[1]) = (x1, x2);
        mean
    }

    fn total_variance(&self) -> f64 {
        let (x1, x2, square) = self.plane_moments();
        square - x1 * x1 - x2 * x2 + (self.dim - 2) as f64
    }

    /// Exact while the ridge is some four σ from the centre, as in F(10, 6, 6, 1), where it is off by 1e-4: the odd part of
    /// the radial Jacobian cancels but for the mass that would fall beyond the centre. A ridge within a few σ of the centre
    /// has no such simple regions, and the level is then only a rough one.
    fn level(&self, x: &[f64]) -> f64 {
        chi_squared_level(self.dim - 1, self.squared_radius(x))
    }
}
