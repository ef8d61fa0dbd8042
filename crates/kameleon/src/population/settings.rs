//! How large a population is, and how long each stage goes on.

use crate::registry::SettingsError;
use serde::{Deserialize, Serialize};

/// The usual number of particles, and how many there are for each dimension if that is more: with fewer, a covariance in many
/// dimensions is not known well enough for independent moves.
const USUAL_PARTICLES: usize = 1000;
const PARTICLES_EACH: usize = 60;
/// The fewest particles of a ladder.
const LEAST_PARTICLES: usize = 50;
/// A larger number is a mistake.
const MOST_PARTICLES: usize = 1_000_000;
/// The draws from the prior for each particle of a full ladder: many, since they are one batch, make the first level a long one, and
/// are what finds narrow modes.
const FIRST: usize = 20;
/// The particles of a short look, for each dimension of at least five: with fewer its log Z is worth nothing.
const LOOK_EACH: usize = 40;
/// Sweeps of a look at each level, up to five dimensions and beyond.
const LOOK_SWEEPS: (usize, usize) = (2, 4);
/// In more dimensions looks cost as much as they may save, and the full ladder begins at once.
const LOOKS_UP_TO: usize = 12;

/// How large a population is, and what it may spend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// The number of particles of a full ladder; by default 1000, and in many dimensions 60 for each.
    pub particles: Option<usize>,
    /// How many short looks come first, up to 12 dimensions. If they show one mode, and a good density whose log Z is near theirs, no
    /// full ladder is run. Zero: the full ladder at once.
    pub looks: usize,
    /// Whether a full ladder follows looks that show one mode but no good density. If not, the chains take the particles.
    pub ladder_when_unsure: bool,
    /// The most full ladders: another one follows where the evidence moved far from the ladder's, k̂ is high, or the last ladder found
    /// modes that others did not.
    pub ladders: usize,
    /// The number of fresh draws that a frozen density is tested on.
    pub check: usize,
    /// The most evaluations of the likelihood; the population ends before the batch that would exceed it.
    pub max_evaluations: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { particles: None, looks: 2, ladder_when_unsure: true, ladders: 2, check: 2000, max_evaluations: None }
    }
}

impl Settings {
    /// The first invalid setting.
    pub fn check(&self) -> Result<(), SettingsError> {
        let particles = self.particles.unwrap_or(USUAL_PARTICLES);
        let what = format!("must be from {LEAST_PARTICLES} to {MOST_PARTICLES}, not {particles}");
        SettingsError::demand("particles", (LEAST_PARTICLES..=MOST_PARTICLES).contains(&particles), &what)?;
        SettingsError::at_least_one("ladders", self.ladders as u64)?;
        let what = format!("must be from 100 to {MOST_PARTICLES}, not {}", self.check);
        SettingsError::demand("check", (100..=MOST_PARTICLES).contains(&self.check), &what)?;
        SettingsError::at_least_one("max-evaluations", self.max_evaluations.unwrap_or(1))
    }

    /// How a full ladder is run in `dim` dimensions.
    pub(super) fn ladder(&self, dim: usize) -> LadderSettings {
        let usual = USUAL_PARTICLES.max(PARTICLES_EACH * dim).min(MOST_PARTICLES);
        let particles = self.particles.unwrap_or(usual);
        LadderSettings {
            particles,
            first: FIRST * particles.min(USUAL_PARTICLES),
            least_sweeps: 5,
            most_sweeps: 12,
            effective: 0.5,
            links: 200,
        }
    }

    /// The number of particles in `dim` dimensions: of a full ladder, or of a look.
    pub fn particles(&self, dim: usize, only_looks: bool) -> usize {
        if only_looks { self.look(dim).particles } else { self.ladder(dim).particles }
    }

    /// How many short looks come first in `dim` dimensions.
    pub(super) fn looks(&self, dim: usize) -> usize {
        if dim <= LOOKS_UP_TO { self.looks } else { 0 }
    }

    /// How a short look is run in `dim` dimensions.
    pub(super) fn look(&self, dim: usize) -> LadderSettings {
        let particles = LOOK_EACH * dim.max(5);
        let sweeps = if dim <= 5 { LOOK_SWEEPS.0 } else { LOOK_SWEEPS.1 };
        LadderSettings {
            particles,
            first: particles,
            least_sweeps: sweeps,
            most_sweeps: sweeps,
            effective: 0.3,
            links: 20,
        }
    }
}

/// How one ladder is run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderSettings {
    /// The number of particles, in two lineages of half of them.
    pub particles: usize,
    /// The number of draws from the prior.
    pub first: usize,
    /// The fewest and the most sweeps at each level.
    pub least_sweeps: usize,
    /// The most of them.
    pub most_sweeps: usize,
    /// The effective share of the particles that a level leaves.
    pub effective: f64,
    /// The most links between points that are tested for a dip, for each level.
    pub links: usize,
}
