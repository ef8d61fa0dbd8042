//! Choice of the number of importance samples: a short pilot run weighs the noise of log p̂ against the work.
//!
//! A noisy estimate makes a chain stick; more samples make each step costlier. With σ = sd(log p̂), Pitt, Silva, Giordani
//! and Kohn (2012) give the inefficiency of a chain that proposes from the posterior itself: the mean of (2 − p)/p over
//! z ~ N(σ²/2, σ²), where p = Φ(−z/σ − σ/2) + e^{−z} Φ(z/σ − σ/2) is the probability of leaving a point with noise
//! z. Doucet, Pitt, Deligiannidis and Kohn (2015) show that other proposals suffer less from noise, so this is the cautious
//! choice.
//!
//! Work is counted in floating-point operations rather than timed: the same run chooses the same n_imp on every machine.

use crate::estimate::{Estimator, log_mean_exp};
use crate::laplace::Accuracy;
use crate::likelihood::Likelihood;
use crate::quadrature::Quadrature;
use crate::statistics::Counters;
use crate::{GpClassification, GpError, Settings};
use kameleon::engine::{Engine, Job};
use kameleon::random::{self, Purpose};
use kameleon::record::{Keep, Recorded};
use kameleon::{ChainSettings, Control, EvalError, Length, Sampler, Target};
use rand_distr::{Distribution, StandardNormal};
use std::fmt;
use std::time::Duration;

/// The numbers of samples that are compared; 1 as well, without antithetic pairs.
const CANDIDATES: [usize; 11] = [2, 4, 6, 10, 16, 24, 40, 64, 100, 200, 400];
/// Weights drawn at each θ: forty estimates of the largest size.
const POOL: usize = FEWEST * 400;
const FEWEST: usize = 40;
const AT_ONCE: usize = 100;
/// No chain of a run uses the random streams from here down.
const CHAIN: u64 = u64::MAX / 4;
/// The chain that finds points at which to measure the noise: its steps, its samples for each estimate, and the steps
/// between two points. The points of its second half are used.
const STEPS: u64 = 2000;
const STEPS_N_IMP: usize = 10;
const EVERY: u64 = 125;

/// The efficiency of one number of samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The number of samples.
    pub n_imp: usize,
    /// sd(log p̂), the root mean square over the points of the pilot.
    pub sd: f64,
    /// Work of one estimate, in millions of floating-point operations.
    pub megaflops: f64,
    /// Inefficiency: the number of draws that are worth one draw without noise.
    pub inefficiency: f64,
    /// Effective draws per operation, relative to the best candidate.
    pub score: f64,
}

/// The result of a pilot run.
#[derive(Clone, Debug, PartialEq)]
pub struct Pilot {
    /// The candidates that were compared.
    pub candidates: Vec<Candidate>,
    /// The best of them.
    pub chosen: Candidate,
    /// The number of points at which the noise was measured.
    pub points: usize,
}

impl GpClassification {
    /// Runs a short chain of adaptive Metropolis from the prior mean, and a [`GpClassification::pilot`] at states of its
    /// second half. The result depends only on the data, the settings and the seed, not on the machine's speed.
    pub fn choose_n_imp(&self, seed: u64) -> Result<Pilot, GpError> {
        let mut target = self.clone();
        // Evaluations of the pilot are not counted as those of the run.
        target.counters = Counters::default();
        target.set_n_imp(STEPS_N_IMP)?;
        let settings = ChainSettings {
            index: (CHAIN / 2) as usize,
            seed,
            warmup: STEPS,
            normals: target.normals(),
            correlation: 0.0,
        };
        let length = Length::new(STEPS, 0);
        let start = self.model.prior_mean();
        let chain = Sampler::am_ls().chain(&start, settings, length).map_err(GpError::reference)?;
        let mut job = Job::new(chain, Box::new(target.clone()), Recorded::default());
        let keep = Keep { thin: EVERY, warmup: true, jumps: false };
        let engine = Engine { keep, threads: Some(1), limit: None, runner: None, control: Control::default() };
        engine.run_alone(&mut job, STEPS, Duration::MAX);
        job.error.take().map_or(Ok(()), |error| Err(GpError::reference(error)))?;
        let (_, recorded) = job.into_parts().map_err(GpError::reference)?;
        let states: Vec<Vec<f64>> = recorded.warmup.points.chunks(start.len()).map(<[f64]>::to_vec).collect();
        target.pilot(&states[states.len() / 2..], seed)
    }

    /// sd(log p̂) at θ with the n_imp in use, from at least forty estimates.
    pub fn noise(&mut self, theta: &[f64], seed: u64) -> Result<f64, EvalError> {
        self.check_length(theta)?;
        self.model.fit(theta, Accuracy::Loose)?;
        let n_imp = self.settings().n_imp;
        let count = POOL.max(FEWEST * n_imp);
        Ok(noise_variance(&self.pool(seed, 0, count), n_imp).sqrt())
    }

    /// Measures sd(log p̂) at the points `thetas` (a few states of a warm chain) and finds the n_imp with the
    /// most effective draws for the work. Points that cannot be evaluated are left out. [`GpClassification::set_n_imp`]
    /// then applies the choice.
    pub fn pilot(&mut self, thetas: &[Vec<f64>], seed: u64) -> Result<Pilot, GpError> {
        let singles = (!self.settings().antithetic).then_some(1);
        let counts: Vec<usize> = singles.into_iter().chain(CANDIDATES).collect();
        let mut variances = vec![0.0; counts.len()];
        let (mut points, mut base) = (0, 0.0);
        for (i, theta) in thetas.iter().enumerate() {
            if theta.len() != self.model.dim() || self.model.fit(theta, Accuracy::Loose).is_err() {
                continue;
            }
            points += 1;
            base += self.model.flops();
            let weights = self.pool(seed, i as u64, POOL);
            for (variance, &count) in variances.iter_mut().zip(&counts) {
                *variance += noise_variance(&weights, count);
            }
        }
        if points == 0 {
            return Err(GpError::none_usable(thetas.len()));
        }
        let mean = 1.0 / points as f64;
        let work = |n_imp| {
            let settings = Settings { n_imp, ..self.settings().clone() };
            mean * base + Estimator::new(&settings, self.model.y.len()).flops()
        };
        let candidates = counts.iter().zip(&variances).map(|(&n_imp, variance)| {
            let sd = (mean * variance).sqrt();
            let (megaflops, inefficiency) = (1e-6 * work(n_imp), inefficiency(sd));
            Candidate { n_imp, sd, megaflops, inefficiency, score: 1.0 / (inefficiency * megaflops) }
        });
        Ok(Pilot::choose(candidates.collect(), points))
    }

    /// At least `count` log weights at the θ of the last fit.
    fn pool(&self, seed: u64, point: u64, count: usize) -> Vec<f64> {
        let model = &self.model;
        let settings = Settings { n_imp: AT_ONCE, ..self.settings().clone() };
        let mut estimator = Estimator::new(&settings, model.y.len());
        let mut rng = random::stream(seed, CHAIN - point, Purpose::Noise);
        let mut normals = vec![0.0; estimator.normals()];
        let mut weights = Vec::with_capacity(count);
        while weights.len() < count {
            normals.fill_with(|| StandardNormal.sample(&mut rng));
            estimator.log_estimate(&model.y, &model.k_factor, &model.latent, &normals);
            weights.extend_from_slice(&estimator.log_weights);
        }
        weights
    }
}

impl Pilot {
    fn choose(mut candidates: Vec<Candidate>, points: usize) -> Self {
        let best = candidates.iter().map(|c| c.score).fold(0.0, f64::max);
        candidates.iter_mut().for_each(|c| c.score /= best);
        let chosen = *candidates.iter().find(|c| c.score >= 1.0).unwrap_or(&candidates[0]);
        Self { candidates, chosen, points }
    }

    /// The choice and its reason in one sentence.
    pub fn sentence(&self) -> String {
        let Candidate { n_imp, sd, megaflops, .. } = self.chosen;
        let points = match self.points {
            1 => "1 point".into(),
            more => format!("{more} points"),
        };
        format!(
            "n_imp = {n_imp}, with sd(log p̂) = {sd:.3} at {points} and {megaflops:.1} Mflop for an estimate, gives \
             the most effective draws for the work"
        )
    }
}

impl fmt::Display for Pilot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:", self.sentence())?;
        write!(f, "n_imp  sd(log p̂)  Mflop  inefficiency  relative efficiency")?;
        for c in &self.candidates {
            let Candidate { n_imp, sd, megaflops, inefficiency, score } = c;
            write!(f, "\n{n_imp:>5}  {sd:>9.3}  {megaflops:>5.1}  {inefficiency:>12.2}  {score:>19.2}")?;
        }
        Ok(())
    }
}

/// The variance of log p̂ over groups of `count` weights.
fn noise_variance(weights: &[f64], count: usize) -> f64 {
    let estimates: Vec<f64> = weights.chunks_exact(count).map(log_mean_exp).collect();
    let n = estimates.len() as f64;
    let mean = estimates.iter().sum::<f64>() / n;
    estimates.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / (n - 1.0)
}

/// The number of draws that are worth one draw without noise, if log p̂ is normal with standard deviation `sigma` and the
/// proposal is ideal.
fn inefficiency(sigma: f64) -> f64 {
    let rule = Quadrature::new();
    let log_cdf = |x: f64| Likelihood::Probit.log_likelihood(&[1.0], &[x]);
    let term = |t: f64| {
        let accept = log_cdf(-t - sigma).exp() + (log_cdf(t) - sigma * (t + 0.5 * sigma)).exp();
        (2.0 - accept) / accept.max(1e-300)
    };
    rule.nodes.iter().zip(&rule.weights).map(|(&t, w)| w * term(t)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inefficiency_is_one_without_noise_and_best_near_0_92_when_work_is_inverse_to_the_variance() {
        assert!((inefficiency(0.0) - 1.0).abs() < 1e-9);
        let cost = |sigma: f64| inefficiency(sigma) / (sigma * sigma);
        let best = (1..300).map(|i| f64::from(i) * 0.01).min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap();
        assert!((best - 0.92).abs() < 0.02, "{best}");
    }
}
