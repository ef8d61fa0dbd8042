//! Coordinates that are circles: where each is cut open, and how points are seen from that cut.
//!
//! A place p in (0, 1) on a circle has the coordinate u = Φ⁻¹(p), so that a uniform law is a standard normal one. That cuts the circle at
//! p = 0. The default sampler learns from places that were turned, so that the cut is where the target has least mass: a mode
//! at the cut would be two. Targets, draws and stored points know nothing of it.

mod normal;

pub use normal::{coordinate, log_slope, place};

use crate::random::{Purpose, stream};
use rand::RngExt;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// The stream of random numbers: that of a chain beyond all that a plan can have.
const STREAM: u64 = 1 << 41;
/// The number of places at which a cut is tried.
const BINS: usize = 128;
/// The width of what counts as near to a cut, in sin πδ of the distance δ.
const NEAR: f64 = 0.05;

/// The coordinates that are circles, and where each is cut.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Circles {
    cuts: Vec<(usize, f64)>,
}

impl Circles {
    /// These coordinates, each cut at what `cut` says of it.
    pub fn new(coordinates: &[usize], mut cut: impl FnMut(usize) -> f64) -> Self {
        Self { cuts: coordinates.iter().map(|i| (*i, wrapped(cut(*i)))).collect() }
    }

    /// These coordinates, each cut at a place that depends on the seed alone.
    pub fn random(coordinates: &[usize], seed: u64) -> Self {
        let mut rng = stream(seed, STREAM, Purpose::Start);
        Self::new(coordinates, |_| rng.random())
    }

    /// Whether no coordinate is a circle.
    pub fn is_empty(&self) -> bool {
        self.cuts.is_empty()
    }

    /// The coordinates that are circles.
    pub fn coordinates(&self) -> Vec<usize> {
        self.cuts.iter().map(|(i, _)| *i).collect()
    }

    /// Replaces a point by how it is seen from the cuts, and tells ln |dv/du| of that change from u to v.
    pub fn turn(&self, x: &mut [f64]) -> f64 {
        self.cuts.iter().map(|(i, cut)| moved(&mut x[*i], -cut)).sum()
    }

    /// The inverse of [`Circles::turn`]; it tells the same.
    pub fn turn_back(&self, x: &mut [f64]) -> f64 {
        self.cuts.iter().map(|(i, cut)| -moved(&mut x[*i], *cut)).sum()
    }

    /// Replaces points in `dim` dimensions that are seen from these cuts, one after another, by how they are seen from others; `change`
    /// is told, for each, what is to be added to a log density there.
    pub fn seen_from(&self, others: &Self, points: &mut [f64], dim: usize, mut change: impl FnMut(usize, f64)) {
        for (k, x) in points.chunks_exact_mut(dim).enumerate() {
            let before = self.turn_back(x);
            change(k, before - others.turn(x));
        }
    }

    /// The same circles with each cut where these points, each with its weight and seen from p = 0, are fewest; none unless at one of the present
    /// cuts there are more by this factor.
    pub fn emptier<'a>(&self, points: impl Iterator<Item = (&'a [f64], f64)> + Clone, factor: f64) -> Option<Self> {
        let mut better = self.clone();
        for (i, cut) in &mut better.cuts {
            let crowd = Crowd::new(points.clone().map(|(x, weight)| (place(x[*i]), weight)))?;
            let (best, least) = crowd.least();
            if crowd.at(*cut) > factor * least {
                *cut = best;
            }
        }
        (better != *self).then_some(better)
    }

    /// Brings a covariance of small steps from `x`, seen from the cuts, into the coordinates of `x`, row by row.
    pub fn covariance_back(&self, x: &[f64], covariance: &mut [f64]) {
        let d = x.len();
        for (i, cut) in &self.cuts {
            let slope = libm::exp(-moved(&mut { x[*i] }, -cut));
            (0..d).for_each(|j| covariance[i * d + j] *= slope);
            (0..d).for_each(|j| covariance[j * d + i] *= slope);
        }
    }

    /// Whether what was read from elsewhere is of points in `dim` dimensions.
    pub fn fits(&self, dim: usize) -> bool {
        let fits = |pair: &[(usize, f64)]| pair[0].0 < pair[1].0;
        self.cuts.iter().all(|(i, cut)| *i < dim && (0.0..1.0).contains(cut)) && self.cuts.windows(2).all(fits)
    }
}

/// The part of a number after its integer part, from 0 on and below 1.
pub fn wrapped(p: f64) -> f64 {
    let part = p - p.floor();
    if part < 1.0 { part } else { 0.0 }
}

/// Moves a coordinate along its circle, from u to v, and tells ln |dv/du| = ln φ(u) − ln φ(v) = (v² − u²)/2.
fn moved(u: &mut f64, by: f64) -> f64 {
    let before = *u;
    *u = coordinate(wrapped(place(before) + by));
    0.5 * (*u * *u - before * before)
}

/// How many points are near to each place, counted from the first of them, so that it turns with them.
struct Crowd {
    origin: f64,
    near: Vec<f64>,
}

impl Crowd {
    /// None without points.
    fn new(mut places: impl Iterator<Item = (f64, f64)> + Clone) -> Option<Self> {
        let origin = places.clone().next()?.0;
        let mut counts = vec![0.0; BINS];
        places.by_ref().for_each(|(p, weight)| counts[bin(p, origin)] += weight);
        let nearness = |distance: usize| {
            let sine = libm::sin(PI * distance as f64 / BINS as f64);
            1.0 / (NEAR * NEAR + sine * sine)
        };
        let kernel: Vec<f64> = (0..BINS).map(nearness).collect();
        let near = |a: usize| (0..BINS).map(|b| counts[b] * kernel[(BINS + a - b) % BINS]).sum();
        Some(Self { origin, near: (0..BINS).map(near).collect() })
    }

    fn at(&self, p: f64) -> f64 {
        self.near[bin(p, self.origin)]
    }

    /// The emptiest place, and what is near there.
    fn least(&self) -> (f64, f64) {
        let best = (0..BINS).fold(0, |best, k| if self.near[k] < self.near[best] { k } else { best });
        (wrapped(self.origin + best as f64 / BINS as f64), self.near[best])
    }
}

/// Which of the places that are counted from the origin is nearest.
fn bin(p: f64, origin: f64) -> usize {
    (wrapped(p - origin) * BINS as f64 + 0.5) as usize % BINS
}

#[cfg(test)]
mod tests;
