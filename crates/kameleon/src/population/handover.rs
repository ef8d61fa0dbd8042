//! From a population to chains: where they start, and what they know from the beginning.
//!
//! The density is frozen already, so chains learn nothing but the scales of their local moves, in a short warm-up.

use super::found::{Found, nearest_niches};
use super::temper::resample;
use crate::Rng;
use crate::diagnose::{Estimate, effective_number, log_sum_exp};
use crate::mixture::Sample;
use crate::moves::{HistoryModel, Jump, JumpDensity, Model, MoveId};
use crate::points::Points;
use crate::random::{Purpose, stream};
use crate::warmup::{Fit, jump_share, regions_at, shrunk_frame, weights};

/// The iterations in which chains learn the scales of local moves.
pub const SETTLING: u64 = 200;
/// A mode of less than this share has no chain of its own.
const LEAST_MODE: f64 = 0.001;
/// The least and the largest share of jumps: the density has only been tested by its own draws, and local steps lead out of tails that it
/// lacks.
const JUMPS: (f64, f64) = (0.3, 0.95);
/// The expected squared distance of a good local step, in units of the posterior, whatever the dimension: a quarter of 2.38².
const STEP_WORTH: f64 = 1.4;
/// One in this many points of the pool is held out.
const HELD_OUT: usize = 3;
/// The points of the posterior by which it is told what regions were met.
const MET: usize = 2000;

impl Found {
    /// Where chains start: one in each mode, from the heaviest on, and the others anywhere in the posterior. Empty if no point has a
    /// positive density.
    pub fn starts(&self, chains: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut rng = stream(seed, super::STREAM, Purpose::Start);
        if !self.log_weights.iter().any(|log| log.is_finite()) {
            return Vec::new();
        }
        let dim = self.points.len() / self.log_weights.len();
        let nearest = nearest_niches(&self.niches, &self.points);
        let mut of_modes: Vec<(f64, Vec<f64>)> = (0..self.niches.len())
            .map(|k| {
                let of = |(log, niche): (&f64, &usize)| if *niche == k { *log } else { f64::NEG_INFINITY };
                let logs: Vec<f64> = self.log_weights.iter().zip(&nearest).map(of).collect();
                (log_sum_exp(logs.iter().copied()), logs)
            })
            .collect();
        let total = log_sum_exp(self.log_weights.iter().copied());
        of_modes.retain(|(log, _)| log - total > libm::log(LEAST_MODE));
        of_modes.sort_by(|a, b| b.0.total_cmp(&a.0));
        of_modes.truncate(chains);
        let mut chosen: Vec<usize> = of_modes.iter().map(|(_, logs)| resample(logs, 1, &mut rng)[0]).collect();
        let others = chains - chosen.len();
        chosen.extend(resample(&self.log_weights, others, &mut rng));
        let start = |i: usize| {
            let mut start = self.points[i * dim..(i + 1) * dim].to_vec();
            self.circles.turn_back(&mut start);
            start
        };
        chosen.into_iter().map(start).collect()
    }

    /// What chains know from the beginning, with `n` points of a history; none without a density, or if the points are too much
    /// alike.
    pub fn fit(&self, n: usize, seed: u64) -> Option<Fit> {
        let density = self.density.clone()?;
        let dim = density.parts().frame.dim();
        let mut rng = stream(seed, super::STREAM, Purpose::Move);
        let metric = shrunk_frame(&self.sample(dim))?;
        let z = self.history(dim, n, &mut rng).mapped(dim, |x, u| metric.coordinates(x, u));
        let history = HistoryModel::new(Points::from_rows(&z.points, dim), metric.clone());
        let met = self.met(&density, &mut rng);
        let model = Model { metric, history, density: Some(density) };
        let mut shares = weights(&model, &[], false);
        // A jump that is accepted moves by the distance of two independent draws.
        let worth = |frozen: Estimate| 2.0 * dim as f64 * frozen.efficiency;
        let jumps = self.frozen.map_or(JUMPS.0, |frozen| jump_share(worth(frozen), STEP_WORTH).clamp(JUMPS.0, JUMPS.1));
        let jump = MoveId::of(&Jump);
        let factor = (1.0 - jumps) / (1.0 - shares[jump]);
        MoveId::all().for_each(|id| shares[id] = if id == jump { jumps } else { factor * shares[id] });
        let fit = Fit {
            number: 1,
            weights: shares,
            circles: self.circles.clone(),
            model,
            before: None,
            next: None,
            end: Some(SETTLING),
            learning: None,
            met,
            late: self.late,
        };
        Some(fit).filter(|fit| fit.fits(dim))
    }

    /// The components of the density that points of the posterior and the tops of modes belong to.
    fn met(&self, density: &JumpDensity, rng: &mut Rng) -> Vec<usize> {
        let dim = density.parts().frame.dim();
        let points = self.history(dim, MET, rng).points;
        let modes = self.niches.iter().zip(self.shares()).filter(|(_, (share, _))| *share > LEAST_MODE);
        regions_at(density, points.chunks_exact(dim).chain(modes.map(|(niche, _)| niche.top.as_slice())))
    }

    /// The pool, with weights that sum to its effective size.
    fn sample(&self, dim: usize) -> Sample {
        let effective = effective_number(&self.log_weights);
        let total = log_sum_exp(self.log_weights.iter().copied());
        let mut sample = Sample::new(dim);
        for (i, (x, log)) in self.points.chunks_exact(dim).zip(&self.log_weights).enumerate() {
            if log.is_finite() {
                sample.push(x, effective * libm::exp(log - total), i % HELD_OUT == 0);
            }
        }
        sample
    }

    /// At most `n` different points of the posterior.
    fn history(&self, dim: usize, n: usize, rng: &mut Rng) -> Sample {
        let mut chosen = resample(&self.log_weights, n, rng);
        chosen.dedup();
        let mut sample = Sample::new(dim);
        chosen.into_iter().for_each(|i| sample.push(&self.points[i * dim..(i + 1) * dim], 1.0, false));
        sample
    }
}
