//! What was learned at a refresh: the model that moves read, how often each move is made, and when to learn again. All chains
//! of a group share one.

use super::learning::Learning;
use super::schedule::Schedule;
use super::weights::weights;
use crate::circles::Circles;
use crate::diagnose::Estimate;
use crate::moves::{Frame, HistoryModel, JumpDensity, Model, Move, MoveId, PerMove};
use crate::points::Points;
use serde::{Deserialize, Serialize};

/// What was learned at a refresh.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "SavedFit", into = "SavedFit")]
pub struct Fit {
    /// Which refresh, from 1; 0 before the first.
    pub number: u64,
    /// How often each move is made.
    pub weights: PerMove<f64>,
    /// Where circles are cut: moves see points from there.
    pub circles: Circles,
    /// What moves read.
    pub model: Model,
    /// The density that chains which run ahead jumped from while this one was learned.
    pub before: Option<JumpDensity>,
    /// The iteration at which chains that have this fit take the next; none after the last.
    pub next: Option<u64>,
    /// The number of iterations of the warm-up, once it is known.
    pub end: Option<u64>,
    /// What is known besides; none after the last refresh.
    pub learning: Option<Learning>,
    /// The components of the jump density that the warm-up met, once it is frozen.
    pub met: Vec<usize>,
    /// What the jump proposals of the last rounds before it was frozen say.
    pub late: Option<Estimate>,
}

impl Fit {
    /// Before anything is known: unit steps.
    pub fn unknown(dim: usize, schedule: Schedule) -> Self {
        let model = Model::unknown(dim);
        let (weights, first) = (weights(&model, &[], true), schedule.first());
        let next = if schedule.runs_ahead() { first.and_then(|t| schedule.after(t, 0.0, false)) } else { first };
        Self {
            number: 0,
            weights,
            circles: Circles::default(),
            model,
            before: None,
            next,
            end: None,
            learning: None,
            met: Vec::new(),
            late: None,
        }
    }

    /// The same without what only the group learns from.
    pub fn light(&self) -> Self {
        Self {
            circles: self.circles.clone(),
            model: self.model.clone(),
            before: None,
            learning: None,
            met: self.met.clone(),
            ..*self
        }
    }

    /// How often a move is made.
    pub fn weight(&self, of: &dyn Move) -> f64 {
        *self.weights.of(of)
    }

    /// Whether what was read from elsewhere is for points in `dim` dimensions.
    pub fn fits(&self, dim: usize) -> bool {
        let sum: f64 = self.weights.values().sum();
        let possible = |id: MoveId| self.weights[id] == 0.0 || id.get().is_possible(&self.model);
        self.model.metric.fits(dim)
            && self.circles.fits(dim)
            && self.weights.values().all(|weight| *weight >= 0.0)
            && (sum - 1.0).abs() < 1e-9
            && MoveId::all().all(possible)
            && self.before.as_ref().is_none_or(|before| before.fits(dim))
            && self.learning.as_ref().is_none_or(|learning| learning.fits(dim))
    }
}

/// A fit as it is stored: what follows from z is worked out again.
#[derive(Serialize, Deserialize)]
struct SavedFit {
    number: u64,
    #[serde(default)]
    circles: Circles,
    metric: Frame,
    weights: PerMove<f64>,
    history: Option<Points>,
    density: Option<JumpDensity>,
    before: Option<JumpDensity>,
    next: Option<u64>,
    end: Option<u64>,
    learning: Option<Learning>,
    met: Vec<usize>,
    late: Option<Estimate>,
}

impl From<Fit> for SavedFit {
    fn from(fit: Fit) -> Self {
        let Fit { number, weights, circles, model, before, next, end, learning, met, late } = fit;
        let Model { metric, history, density } = model;
        let history = history.map(|history| history.z);
        Self { number, circles, metric, weights, history, density, before, next, end, learning, met, late }
    }
}

impl TryFrom<SavedFit> for Fit {
    type Error = &'static str;

    fn try_from(saved: SavedFit) -> Result<Self, Self::Error> {
        const DAMAGED: &str = "what was learned does not fit together";
        let SavedFit { number, circles, metric, weights, history, density, before, next, end, learning, met, late } =
            saved;
        let dim = metric.dim();
        if dim == 0 || !metric.fits(dim) || density.as_ref().is_some_and(|density| !density.fits(dim)) {
            return Err(DAMAGED);
        }
        let restore = |z: Points| HistoryModel::new(z, metric.clone()).ok_or(DAMAGED);
        let history = history.map(restore).transpose()?;
        let model = Model { metric, history, density };
        let fit = Self { number, weights, circles, model, before, next, end, learning, met, late };
        if fit.fits(dim) { Ok(fit) } else { Err(DAMAGED) }
    }
}
