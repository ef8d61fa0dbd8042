//! What was learned at a refresh: the metric Σ, the points z with the moves made of them, and how often each is made.
//! All chains of a group share one.

use super::choose::Choice;
use super::few::Few;
use super::frame::Frame;
use super::jump::Jump;
use super::moves::{Kind, PerKind};
use super::nearby::LocalFactors;
use super::subspace::Subspace;
use crate::bandwidth::MedianHeuristic;
use crate::points::Points;
use crate::spread::{Scratch, weighted_moments};
use serde::{Deserialize, Serialize};

/// The share of the typical spread that every direction has.
const FLOOR: f64 = 0.01;
/// No local spread is on average, over directions, more than so many times what is typical.
const LARGEST: f64 = 4.0;
/// How many points of z tell the median distance and the typical spread.
const TYPICAL_OF: usize = 300;

/// The weights of the moves while nothing is known of the past.
pub const STEPS_ONLY: PerKind<f64> = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];

/// What was learned at a refresh.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "SavedFit", into = "SavedFit")]
pub struct Fit {
    /// Which refresh, from 1; 0 before the first.
    pub number: u64,
    /// m and L with LLᵀ = Σ.
    pub metric: Frame,
    /// How often each kind of move is made.
    pub weights: PerKind<f64>,
    /// z and what is made of it; none early in the warm-up.
    pub past: Option<Past>,
}

/// z, its kernel and its density estimate, in the coordinates of the frame.
#[derive(Clone, Debug)]
pub struct Past {
    pub choice: Choice,
    pub frame: Frame,
    pub z: Points,
    /// σ, the size of a neighbourhood.
    pub sigma: f64,
    /// C is multiplied with this, so that its mean eigenvalue is typically that of Σ.
    pub unit: f64,
    /// What is added to it in every direction.
    pub floor: f64,
    /// The largest mean eigenvalue that C may have: far from z it would grow without end, and a step to where it is smaller
    /// would not be likely enough the other way.
    pub largest: f64,
    /// Jumps in all directions, if these are not too many.
    pub jump: Option<Jump>,
    /// Moves in a few.
    pub few: Option<Few>,
}

impl Fit {
    /// Before anything is known: unit steps around `start`.
    pub fn nothing(dim: usize) -> Self {
        Self { number: 0, metric: Frame::raw(vec![0.0; dim]), weights: STEPS_ONLY, past: None }
    }

    /// How often a kind of move is made.
    pub fn weight(&self, kind: Kind) -> f64 {
        self.weights[kind as usize]
    }

    /// Whether what was read from elsewhere is for points in `dim` dimensions.
    pub fn fits(&self, dim: usize) -> bool {
        let sum: f64 = self.weights.iter().sum();
        let needs_past = self.weights[1..].iter().any(|weight| *weight > 0.0);
        let has = |what: fn(&Past) -> bool| self.past.as_ref().is_some_and(what);
        let jumps = (self.weight(Kind::Jump) == 0.0 || has(|past| past.jump.is_some()))
            && (self.weight(Kind::PartialJump) + self.weight(Kind::PartialStep) == 0.0
                || has(|past| past.few.is_some()));
        self.metric.fits(dim)
            && self.weights.iter().all(|weight| *weight >= 0.0)
            && (sum - 1.0).abs() < 1e-9
            && (self.past.is_some() || !needs_past)
            && jumps
    }
}

impl Past {
    /// Everything that follows from z and the choice; none if the points are too few or too close.
    pub fn new(choice: Choice, z: Points, metric: &Frame) -> Option<Self> {
        let d = metric.dim();
        if z.len() < 2 {
            return None;
        }
        let median = MedianHeuristic::new(TYPICAL_OF, d).sigma(&z)?;
        let sigma = choice.width.unwrap_or(1.0) * median;
        let factor = if choice.white { Frame::raw(vec![0.0; d]).factor } else { metric.factor.clone() };
        let variance = factor.iter().map(|l| l * l).sum::<f64>() / d as f64;
        let typical = typical_spread(sigma, &z)?;
        let jump = choice.jump.then(|| {
            let locals = choice.width.map(|_| LocalFactors::new(&z, sigma));
            Jump::new(&z, locals.as_ref(), &factor, choice.h2, choice.delta)
        });
        let frame = choice.frame(metric);
        let (unit, floor, largest) = (variance / typical, FLOOR * variance, LARGEST * typical);
        Some(Self { choice, frame, z, sigma, unit, floor, largest, jump, few: None })
    }

    /// The `count` states at which the density estimate is lowest.
    pub fn least_likely<'a>(&self, states: Vec<&'a [f64]>, count: usize) -> Vec<&'a [f64]> {
        let Some(jump) = &self.jump else { return Vec::new() };
        let d = self.frame.dim();
        let (mut u, mut scratch) = (vec![0.0; d], Jump::scratch(d));
        let mut density = |x: &[f64]| {
            self.frame.coordinates(x, &mut u);
            jump.log_density(&u, &mut scratch)
        };
        let mut ranked: Vec<(f64, &[f64])> = states.into_iter().map(|x| (density(x), x)).collect();
        ranked.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        ranked.into_iter().take(count).map(|(_, x)| x).collect()
    }
}

/// The median over z of the mean eigenvalue of C.
fn typical_spread(sigma: f64, z: &Points) -> Option<f64> {
    let d = z.dim();
    let (mut scratch, mut x, mut s) = (Scratch::new(d), vec![0.0; d], vec![0.0; d * d]);
    let count = TYPICAL_OF.min(z.len());
    let mut traces: Vec<f64> = (0..count)
        .map(|a| {
            z.get(a * z.len() / count, &mut x);
            weighted_moments(sigma, z, &x, &mut scratch, &mut s);
            (0..d).map(|i| s[i * d + i]).sum::<f64>() / d as f64
        })
        .collect();
    traces.sort_by(f64::total_cmp);
    let median = traces[count / 2];
    (median > 0.0 && median.is_finite()).then_some(median)
}

/// A fit as it is stored: what follows from z is worked out again.
#[derive(Serialize, Deserialize)]
struct SavedFit {
    number: u64,
    metric: Frame,
    weights: PerKind<f64>,
    past: Option<(Choice, Points)>,
    few: Option<(Subspace, Choice, Points)>,
}

impl From<Fit> for SavedFit {
    fn from(fit: Fit) -> Self {
        let Fit { number, metric, weights, past } = fit;
        let few = past.as_ref().and_then(|past| past.few.clone());
        let few = few.map(|few| few.into_parts());
        Self { number, metric, weights, past: past.map(|past| (past.choice, past.z)), few }
    }
}

impl TryFrom<SavedFit> for Fit {
    type Error = &'static str;

    fn try_from(saved: SavedFit) -> Result<Self, Self::Error> {
        const DAMAGED: &str = "what was learned does not fit together";
        let SavedFit { number, metric, weights, past, few } = saved;
        let dim = metric.dim();
        if dim == 0 || !metric.fits(dim) {
            return Err(DAMAGED);
        }
        let restore = |choice: Choice, z: Points, metric: &Frame| {
            let whole = choice.is_valid() && z.dim() == metric.dim();
            whole.then(|| Past::new(choice, z, metric)).flatten().ok_or(DAMAGED)
        };
        let mut past = past.map(|(choice, z)| restore(choice, z, &metric)).transpose()?;
        if let Some((subspace, choice, z)) = few {
            let past = past.as_mut().filter(|_| subspace.fits(dim)).ok_or(DAMAGED)?;
            let there = restore(choice, z, &subspace.metric())?;
            past.few = Few::new(subspace, there);
        }
        let fit = Self { number, metric, weights, past };
        if fit.fits(dim) { Ok(fit) } else { Err(DAMAGED) }
    }
}
