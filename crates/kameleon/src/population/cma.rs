//! One climb: an evolution strategy with covariance matrix adaptation (CMA-ES, Hansen 2016), a generation at a time.

use super::Prior;
use super::laplace::laplace;
use super::links::Root;
use super::niche::Niche;
use super::particles::Particles;
use crate::Rng;
use crate::linalg::{cholesky, dot, multiply_lower, solve_lower, times_transpose};
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// It ends when generations of this many points together, and no fewer than this many generations, gain less than this.
const STILL: (usize, usize) = (120, 5);
const LEAST_GAIN: f64 = 0.5;
/// Few climbs have larger generations, so that a batch has this many points: up to four times as many as one among many.
const TOGETHER: usize = 100;
/// The points of this many generations are kept, to tell the scale of the mode.
const REMEMBERED: usize = 12;

/// A climb.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Climber {
    mean: Vec<f64>,
    sigma: f64,
    /// L with LLᵀ = C, the shape of the steps.
    factor: Vec<f64>,
    path: Vec<f64>,
    path_sigma: Vec<f64>,
    /// The best point, and the log posterior there after each generation.
    best: Vec<f64>,
    bests: Vec<f64>,
    /// The possible points of the last generations.
    recent: Vec<Particles>,
    pub(super) is_active: bool,
}

/// The constants of the strategy in d dimensions.
struct Constants {
    weights: Vec<f64>,
    mass: f64,
    sigma_rate: f64,
    damping: f64,
    path_rate: f64,
    rank_one: f64,
    rank_mu: f64,
    /// The mean length of a standard normal.
    length: f64,
}

/// λ, the number of points of a generation of one of these climbs.
pub(super) fn generation(d: usize, climbs: usize) -> usize {
    let least = 10.max(4 + (3.0 * libm::log(d as f64)) as usize) + 2;
    (TOGETHER / climbs.max(1)).clamp(least, 4 * least)
}

impl Constants {
    fn new(d: usize, lambda: usize) -> Self {
        let parents = lambda / 2;
        let raw: Vec<f64> = (1..=parents).map(|i| libm::log(parents as f64 + 0.5) - libm::log(i as f64)).collect();
        let total: f64 = raw.iter().sum();
        let weights: Vec<f64> = raw.into_iter().map(|w| w / total).collect();
        let (n, mass) = (d as f64, 1.0 / dot(&weights, &weights));
        let sigma_rate = (mass + 2.0) / (n + mass + 5.0);
        let rank_one = 2.0 / ((n + 1.3) * (n + 1.3) + mass);
        Self {
            sigma_rate,
            damping: 1.0 + sigma_rate + 2.0 * (((mass - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0),
            path_rate: (4.0 + mass / n) / (n + 4.0 + 2.0 * mass / n),
            rank_one,
            rank_mu: (1.0 - rank_one).min(2.0 * (mass - 2.0 + 1.0 / mass) / ((n + 2.0) * (n + 2.0) + mass)),
            length: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
            weights,
            mass,
        }
    }
}

impl Climber {
    /// From a root.
    pub fn new(root: &Root) -> Self {
        let d = root.point.len();
        let mut factor = vec![0.0; d * d];
        factor.iter_mut().step_by(d + 1).zip(&root.steps).for_each(|(l, step)| *l = step.max(1e-300));
        Self {
            mean: root.point.clone(),
            sigma: 1.0,
            factor,
            path: vec![0.0; d],
            path_sigma: vec![0.0; d],
            best: root.point.clone(),
            bests: vec![root.log_density],
            recent: Vec::new(),
            is_active: true,
        }
    }

    /// The log posterior at its best point.
    pub fn log_density(&self) -> f64 {
        *self.bests.last().unwrap_or(&f64::NEG_INFINITY)
    }

    /// Whether what was read from elsewhere is for points in `dim` dimensions.
    pub(super) fn fits(&self, dim: usize) -> bool {
        [&self.mean, &self.path, &self.path_sigma, &self.best].into_iter().all(|x| x.len() == dim)
            && self.factor.len() == dim * dim
            && self.recent.iter().all(|points| points.fits(dim))
    }

    /// Appends the points of the next generation, λ of them.
    pub(super) fn ask(&self, lambda: usize, rng: &mut Rng, points: &mut Vec<f64>) {
        let d = self.mean.len();
        for _ in 0..lambda {
            let mut y: Vec<f64> = (0..d).map(|_| rng.sample(StandardNormal)).collect();
            multiply_lower(&self.factor, &mut y);
            points.extend(y.iter().zip(&self.mean).map(|(y, m)| m + self.sigma * y));
        }
    }

    /// Learns from the values of a generation.
    pub(super) fn tell(&mut self, told: Particles) {
        let constants = Constants::new(self.mean.len(), told.len());
        let mut order: Vec<usize> = (0..told.len()).collect();
        order.sort_by(|a, b| told.log_posterior(*b).total_cmp(&told.log_posterior(*a)));
        order.truncate(constants.weights.len());
        let mut best = self.log_density();
        if told.log_posterior(order[0]) > best {
            best = told.log_posterior(order[0]);
            self.best = told.point(order[0]).to_vec();
        }
        self.bests.push(best);
        let step = |i: usize| told.point(i).iter().zip(&self.mean).map(|(x, m)| (x - m) / self.sigma).collect();
        let steps: Vec<Vec<f64>> = order.iter().map(|i| step(*i)).collect();
        self.update(&constants, &steps);
        let mut possible = Particles::default();
        possible.extend_possible(&told);
        self.recent.push(possible);
        if self.recent.len() > REMEMBERED {
            self.recent.remove(0);
        }
        let (n, last, still) = (self.bests.len(), self.log_density(), STILL.1.max(STILL.0 / told.len()));
        if n > still + 2 && last - self.bests[n - 1 - still] < LEAST_GAIN {
            self.is_active = false;
        }
    }

    /// The strategy's update from the steps of the parents, from the best on.
    fn update(&mut self, by: &Constants, steps: &[Vec<f64>]) {
        let d = self.mean.len();
        let mut mean = vec![0.0; d];
        for (w, step) in by.weights.iter().zip(steps) {
            mean.iter_mut().zip(step).for_each(|(m, y)| *m += w * y);
        }
        self.mean.iter_mut().zip(&mean).for_each(|(m, y)| *m += self.sigma * y);
        let mut white = mean.clone();
        solve_lower(&self.factor, &mut white);
        let gain = (by.sigma_rate * (2.0 - by.sigma_rate) * by.mass).sqrt();
        self.path_sigma.iter_mut().zip(&white).for_each(|(p, z)| *p = (1.0 - by.sigma_rate) * *p + gain * z);
        let length = dot(&self.path_sigma, &self.path_sigma).sqrt();
        let goes_on = length < 1.5 * (1.4 + 2.0 / (d as f64 + 1.0)) * by.length;
        let gain = if goes_on { (by.path_rate * (2.0 - by.path_rate) * by.mass).sqrt() } else { 0.0 };
        self.path.iter_mut().zip(&mean).for_each(|(p, y)| *p = (1.0 - by.path_rate) * *p + gain * y);
        let mut shape = vec![0.0; d * d];
        times_transpose(&self.factor, d, &mut shape);
        for i in 0..d {
            for j in 0..d {
                let parents: f64 = by.weights.iter().zip(steps).map(|(w, y)| w * y[i] * y[j]).sum();
                let old = (1.0 - by.rank_one - by.rank_mu) * shape[i * d + j];
                shape[i * d + j] = old + by.rank_one * self.path[i] * self.path[j] + by.rank_mu * parents;
            }
        }
        self.sigma *= libm::exp((by.sigma_rate / by.damping * (length / by.length - 1.0)).min(1.0));
        if cholesky(&mut shape, d) && self.sigma > 0.0 && self.sigma.is_finite() {
            self.factor = shape;
        } else {
            self.is_active = false;
        }
    }

    /// What explains the log posterior around it, on the scale of Gaussians: a Laplace approximation by its last points, if they show a top.
    pub(super) fn explaining(&self, prior: &dyn Prior) -> Niche {
        let mut points = Particles::default();
        self.recent.iter().for_each(|recent| points.extend_possible(recent));
        let best = self.niche().on_gaussian_scale(prior);
        let Some(found) = laplace(&best, &points.on_gaussian_scale(prior)) else { return best };
        // Its own top is a little higher than the best point.
        let mut niche = Niche::new(found.centre, best.log_density, found.factor);
        niche.log_density += 0.5 * niche.squared_distance(&best.top);
        niche
    }

    /// The niche that was reached: its top, and steps as wide as the mode.
    pub fn niche(&self) -> Niche {
        let (d, top) = (self.mean.len(), self.log_density());
        let mut u = vec![0.0; d];
        let mut scales = |least: f64, most: f64| -> Vec<f64> {
            let mut scales = Vec::new();
            for points in &self.recent {
                for i in 0..points.len() {
                    let fall = top - points.log_posterior(i);
                    if fall > least && fall < most {
                        u.iter_mut().zip(points.point(i)).zip(&self.best).for_each(|((u, x), m)| *u = x - m);
                        solve_lower(&self.factor, &mut u);
                        scales.push(dot(&u, &u) / (2.0 * fall));
                    }
                }
            }
            scales
        };
        let mut found = scales(0.02, 50.0);
        if found.len() < 5 {
            found = scales(0.0, f64::INFINITY);
        }
        found.sort_by(f64::total_cmp);
        let squared = found.get(found.len() / 2).copied().unwrap_or(self.sigma * self.sigma);
        Niche::new(self.best.clone(), top, self.factor.iter().map(|l| squared.sqrt() * l).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    #[test]
    fn a_climb_finds_the_top_of_a_valley_and_its_direction() {
        // Standard deviations 3 and 0.3, turned by 45 degrees, from far away.
        let log = |x: &[f64]| {
            let (a, b) = ((x[0] + x[1] - 3.0) / 2f64.sqrt(), (x[0] - x[1]) / 2f64.sqrt());
            -0.5 * (a * a / 9.0 + b * b / 0.09)
        };
        let point = vec![15.0, -20.0];
        let root = Root { log_density: log(&point), point, steps: vec![2.0; 2] };
        let mut climber = Climber::new(&root);
        let mut rng = stream(1, 0, Purpose::Learn);
        let mut generations = 0;
        while climber.is_active && generations < 200 {
            let mut points = Vec::new();
            climber.ask(generation(2, 1), &mut rng, &mut points);
            let log_likelihood: Vec<f64> = points.chunks_exact(2).map(log).collect();
            climber.tell(Particles { points, log_prior: vec![0.0; log_likelihood.len()], log_likelihood });
            generations += 1;
        }
        let niche = climber.niche();
        assert!(niche.log_density > -0.5 && generations < 120, "{niche:?} {generations}");
        let mut covariance = [0.0; 4];
        times_transpose(&niche.factor, 2, &mut covariance);
        let (mean, between) = (0.5 * (covariance[0] + covariance[3]), covariance[1]);
        let (along, across) = (mean + between, mean - between);
        // It ends before its steps have the whole length of the valley, but they lie along it.
        assert!((0.5..40.0).contains(&along) && (0.02..0.4).contains(&across), "{covariance:?}");
    }
}
