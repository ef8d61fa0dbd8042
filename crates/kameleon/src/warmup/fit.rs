//! What was learned at a refresh: the model that moves read, and how often each move is made. All chains of a group share
//! one.

use super::weights::weights;
use crate::moves::{DensityShape, Frame, HistoryModel, Model, Move, MoveId, PerMove, Subspace, SubspaceModel};
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
    /// What moves read.
    pub model: Model,
}

impl Fit {
    /// Before anything is known: unit steps.
    pub fn unknown(dim: usize) -> Self {
        let model = Model::unknown(dim);
        Self { number: 0, weights: weights(&model, &[]), model }
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
            && self.weights.values().all(|weight| *weight >= 0.0)
            && (sum - 1.0).abs() < 1e-9
            && MoveId::all().all(possible)
    }
}

/// A fit as it is stored: what follows from z is worked out again.
#[derive(Serialize, Deserialize)]
struct SavedFit {
    number: u64,
    metric: Frame,
    weights: PerMove<f64>,
    history: Option<(DensityShape, Points)>,
    subspace: Option<(Subspace, DensityShape, Points)>,
}

impl From<Fit> for SavedFit {
    fn from(fit: Fit) -> Self {
        let Fit { number, weights, model: Model { metric, history } } = fit;
        let parts = |model: SubspaceModel| (model.subspace, model.history.shape, model.history.z);
        let (history, subspace) =
            history.map(|history| ((history.shape, history.z), history.subspace.map(parts))).unzip();
        Self { number, metric, weights, history, subspace: subspace.flatten() }
    }
}

impl TryFrom<SavedFit> for Fit {
    type Error = &'static str;

    fn try_from(saved: SavedFit) -> Result<Self, Self::Error> {
        const DAMAGED: &str = "what was learned does not fit together";
        let SavedFit { number, metric, weights, history, subspace } = saved;
        let dim = metric.dim();
        if dim == 0 || !metric.fits(dim) {
            return Err(DAMAGED);
        }
        let restore = |shape: DensityShape, z: Points, metric: &Frame| {
            let whole = shape.is_valid() && z.dim() == metric.dim();
            whole.then(|| HistoryModel::new(shape, z, metric)).flatten().ok_or(DAMAGED)
        };
        let mut history = history.map(|(shape, z)| restore(shape, z, &metric)).transpose()?;
        if let Some((subspace, shape, z)) = subspace {
            let history = history.as_mut().filter(|_| subspace.fits(dim)).ok_or(DAMAGED)?;
            let there = restore(shape, z, &subspace.metric())?;
            history.subspace = SubspaceModel::new(subspace, there);
        }
        let fit = Self { number, weights, model: Model { metric, history } };
        if fit.fits(dim) { Ok(fit) } else { Err(DAMAGED) }
    }
}
