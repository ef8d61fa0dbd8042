//! KMC and KMC-finite, kernel Hamiltonian Monte Carlo (Strathmann, Sejdinovic, Livingstone, Szabó and Gretton 2015): leapfrog steps along the
//! gradient of a density that is fitted to the history by score matching, accepted by the target itself; now and then a random walk.

mod basis;
mod features;
mod fit;
mod frame;
mod kernels;
mod leapfrog;
mod objective;
mod past;
mod surrogate;

use super::Proposal;
use super::random_walk::gelman_scale;
use crate::adapt::{ACCEPTANCE, Scale, Until, rate};
use crate::covariance::LearnedCovariance;
use crate::linalg::multiply_lower;
use crate::registry::{
    ANY, OPEN_PROBABILITY, POSITIVE, PROBABILITY, Range, Setting, Settings, SettingsError, Values, read_over,
};
use crate::report::Report;
use crate::simd::Block;
use crate::step::Step;
use crate::{Length, Rng, settings};
use frame::Frame;
use leapfrog::Leapfrog;
use past::Past;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};
use surrogate::Surrogate;

/// The shares of the warm-up, after the discard, at which the density is fitted; after the first ones the history begins anew.
const FITS: [f64; 5] = [1.0 / 16.0, 1.0 / 8.0, 1.0 / 4.0, 1.0 / 2.0, 3.0 / 4.0];
/// The number of fits after which the history begins anew.
const FORGOTTEN: usize = 3;
/// How much shorter than the longest a path may get.
const MOST_SHORTENED: f64 = 40.0;
/// The fewest past states that a density is fitted to.
const FEWEST: usize = 40;
/// The stream of a path's random numbers under its own seed; chains use others.
const PATHS: u64 = u64::MAX;

settings! {
    /// The settings of [`Kmc`].
    pub struct KmcSettings {
        /// Whether f is a sum of random Fourier features (KMC-finite) or of kernels at past states (KMC).
        finite: bool = false, ANY;
        /// The number of kernels or of features.
        n: usize = 300, Range::within(1.0, 5000.0);
        /// The most past states that f is fitted to. Bandwidth and regularisation are those whose fit to each half is best on the other.
        history: usize = 1000, Range::within(80.0, 1e6);
        /// Whether the fitted density is a Gaussian times exp f, or exp f alone, as published.
        gaussian: bool = true, ANY;
        /// The largest number of leapfrog steps of a path; a path has at least half of it.
        steps: usize = 10, Range::within(1.0, 1000.0);
        /// The longest path, in units of the history's standard deviation: quarter of the period of a Gaussian is 1.57.
        path: f64 = 2.0, POSITIVE;
        /// The share of random walk steps.
        walk: f64 = 0.1, PROBABILITY;
        /// The acceptance rate that the length of a path is learned for.
        acceptance: f64 = 0.4, OPEN_PROBABILITY;
        /// The number of iterations before a covariance or a density is learned.
        discard: u64 = 500, ANY;
    }
}

impl KmcSettings {
    /// As chosen, with features or kernels.
    pub(crate) fn chosen(finite: bool, given: Values) -> Result<Self, SettingsError> {
        read_over(&Self { finite, ..Self::default() }, given)
    }

    /// The settings that can be chosen.
    pub(crate) fn table(finite: bool) -> Vec<Setting> {
        let mut table = <Self as Settings>::table();
        table[0].default = finite.into();
        table
    }
}

/// Paths of a Hamiltonian whose energy is fitted, and a random walk N(y, ν²Σ)
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kmc {
    settings: KmcSettings,
    /// The iterations at which the density is fitted, in order; those that are past are removed.
    fits: Vec<u64>,
    /// Σ
    covariance: LearnedCovariance,
    /// ν of the random walk.
    walk: Scale,
    /// The past states that the density is fitted to.
    past: Past,
    surrogate: Option<Surrogate>,
    /// The iteration of the last fit.
    fitted: u64,
    /// ε, the length of a leapfrog step in the frame.
    epsilon: Scale,
}

/// Room for a path, and what came of the last one.
#[derive(Clone, Debug)]
pub struct Local {
    leapfrog: Leapfrog,
    weights: Block,
    /// The component, and K(p) − K(p') of its path.
    kinetic: Option<(usize, f64)>,
}

impl Kmc {
    /// A proposal in `dim` dimensions for a run of the given length.
    pub fn new(settings: &KmcSettings, dim: usize, length: Length) -> Result<Self, SettingsError> {
        settings.check()?;
        length.outlasts(settings.discard, Until::Warmup)?;
        let span = (length.warmup - settings.discard) as f64;
        let fits = FITS.iter().rev().map(|share| settings.discard + (share * span) as u64).collect();
        let nu = gelman_scale(dim);
        Ok(Self {
            settings: settings.clone(),
            fits,
            covariance: LearnedCovariance::new(&vec![1.0; dim], false),
            walk: Scale::new(nu * nu),
            past: Past::new(dim, settings.history),
            surrogate: None,
            fitted: 0,
            epsilon: Scale::new((0.5 * settings.path / settings.steps as f64).powi(2)),
        })
    }

    /// The log of the fitted density at x, up to a constant, once there is one.
    pub fn log_surrogate(&self, x: &[f64]) -> Option<f64> {
        let surrogate = self.surrogate.as_ref()?;
        let mut u = vec![0.0; x.len()];
        surrogate.frame.enter(x, &mut u);
        Some(surrogate.log_density(&u))
    }

    /// Follows the path of this component from x; tells K(p) − K(p') of the momenta at its ends.
    fn follow(&self, surrogate: &Surrogate, x: &[f64], component: usize, at: &mut Local) -> f64 {
        let mut rng = Rng::seed_from_u64(component as u64);
        rng.set_stream(PATHS);
        let Local { leapfrog, weights, .. } = at;
        surrogate.frame.enter(x, &mut leapfrog.position);
        leapfrog.momentum.iter_mut().for_each(|p| *p = rng.sample(StandardNormal));
        let most = self.settings.steps;
        let steps = rng.random_range(most.div_ceil(2)..=most);
        let epsilon = self.epsilon.nu() * rng.random_range(0.8..1.0);
        let before = leapfrog.kinetic();
        leapfrog.run(steps, epsilon, |u, g| surrogate.gradient(u, weights, g));
        before - leapfrog.kinetic()
    }

    /// Learns the scale of the kind of step that was made.
    fn learn_scales(&mut self, step: &Step) {
        if step.component == 0 {
            if let Some(rate) = rate(step.t, 0, 0.5) {
                self.walk.learn(rate, step.acceptance, ACCEPTANCE);
            }
        } else if let Some(rate) = rate(step.t, self.fitted, 0.5) {
            self.epsilon.learn(rate, step.acceptance, self.settings.acceptance);
            let steps = self.settings.steps as f64;
            let longest = self.settings.path / steps;
            // Noise that no step can be accepted with must not make paths vanish.
            let epsilon = self.epsilon.nu().clamp(longest / MOST_SHORTENED, longest);
            self.epsilon = Scale::new(epsilon * epsilon);
        }
    }

    /// Fits the density.
    fn fit(&mut self, t: u64) {
        let KmcSettings { n, history, finite, gaussian, .. } = self.settings;
        let Some(frame) = Frame::new(self.past.states(), self.past.dim()) else { return };
        self.surrogate = Some(Surrogate::new(frame, self.past.states(), n, finite, gaussian));
        self.fitted = t + 1;
        if FITS.len() - self.fits.len() <= FORGOTTEN {
            self.past = Past::new(self.past.dim(), history);
        }
    }
}

impl Proposal for Kmc {
    type Local = Local;

    fn allocate(&self, dim: usize) -> Local {
        Local { leapfrog: Leapfrog::new(dim), weights: Block::ZERO, kinetic: None }
    }

    /// A random walk is component 0; that of a path is the seed of its random numbers, from which it can be followed again.
    fn draw(&self, x: &[f64], at: &mut Local, rng: &mut Rng, y: &mut [f64]) -> usize {
        let path = self.surrogate.as_ref().filter(|_| rng.random::<f64>() >= self.settings.walk);
        let Some(surrogate) = path else {
            y.iter_mut().for_each(|y| *y = rng.sample(StandardNormal));
            multiply_lower(self.covariance.factor(), y);
            let nu = self.walk.nu();
            y.iter_mut().zip(x).for_each(|(y, x)| *y = x + nu * *y);
            return 0;
        };
        let component = 1 + (rng.random::<u32>() >> 1) as usize;
        let kinetic = self.follow(surrogate, x, component, at);
        surrogate.frame.leave(&at.leapfrog.position, y);
        at.kinetic = Some((component, kinetic));
        component
    }

    fn log_ratio(&self, x: &[f64], at_x: &Local, _y: &[f64], at_y: &mut Local, component: usize) -> f64 {
        match (&self.surrogate, at_x.kinetic) {
            (Some(_), Some((of, kinetic))) if of == component => kinetic,
            // Of a chain that was stored between question and answer.
            (Some(surrogate), _) if component > 0 => self.follow(surrogate, x, component, at_y),
            _ => 0.0,
        }
    }

    fn adapt(&mut self, x: &[f64], _at: &mut Local, step: &Step, _rng: &mut Rng) {
        if !step.warm {
            return;
        }
        self.learn_scales(step);
        if step.t < self.settings.discard {
            return;
        }
        // Weights that grow with the square of the time forget the start.
        self.covariance.learn(x, 3.0 / ((step.t - self.settings.discard) as f64 + 4.0));
        self.past.remember(x);
        if self.fits.last().is_some_and(|t| *t <= step.t) {
            self.fits.pop();
            if self.past.len() >= FEWEST {
                self.fit(step.t);
            }
        }
    }

    fn scale(&self) -> f64 {
        if self.surrogate.is_some() { self.epsilon.nu() } else { self.walk.nu() }
    }

    fn problem(&self, dim: usize) -> Option<&'static str> {
        let surrogate = self.surrogate.as_ref().is_none_or(|surrogate| surrogate.fits(dim));
        let past = self.past.fits(dim, self.settings.history);
        let fits =
            (surrogate && past).then_some(()).ok_or("its fitted density or its history does not fit its dimension");
        fits.err().or(self.covariance.problem(dim))
    }

    fn report(&self) -> Report {
        let chosen = self.surrogate.as_ref().map(Surrogate::chosen);
        let fact = |name: &str, value: String| (name.to_string(), value);
        let facts = match chosen {
            None => vec![],
            Some(None) if self.settings.gaussian => vec![fact("fitted density", "the Gaussian alone".into())],
            Some(None) => vec![fact("fitted density", "none: paths are straight".into())],
            Some(Some((_, lambda))) => vec![fact("regularisation", format!("{lambda:.0e}"))],
        };
        Report { facts, ..Report::default() }
    }

    fn bandwidth(&self) -> Option<f64> {
        self.surrogate.as_ref()?.chosen().map(|(sigma, _)| sigma)
    }
}

#[cfg(test)]
mod tests;
