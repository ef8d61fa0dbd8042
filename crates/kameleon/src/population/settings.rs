//! How large a population is, and how long each stage goes on.

use crate::registry::SettingsError;
use serde::{Deserialize, Serialize};

/// The usual number of particles, and how many there are for each dimension if that is more: with fewer, a covariance in many
/// dimensions is not known well enough for independent moves.
pub(super) const USUAL_PARTICLES: usize = 1000;
const PARTICLES_EACH: usize = 60;
/// The fewest particles of a ladder.
const LEAST_PARTICLES: usize = 50;
/// The fewest evaluations: the first draws of a look.
pub(crate) const LEAST_EVALUATIONS: u64 = 2000;
/// A larger number is a mistake.
const MOST_PARTICLES: usize = 1_000_000;
/// The draws from the prior for each particle of a full ladder: many, since they are one batch, make the first level a long one, and
/// are what finds narrow modes.
const FIRST: usize = 20;
/// The fewest particles of a ladder whose number is not given: if what is left is not enough for that many, there is none. With more draws
/// from the prior there are at least `LEAST_EACH` for each dimension: these draws, which go with their number, find narrow modes.
const LEAST_FULL: usize = 200;
const LEAST_EACH: usize = 100;
/// The evaluations of a full ladder for each particle: a number, and a number for each dimension.
const PARTICLE_COSTS: [u64; 2] = [45, 8];
/// What comes after it, which costs the same for any number of particles: tests of links; climbs, each by its dimension, of which there are
/// more than niches that are known before; and rounds.
const LINKS_COST: u64 = 5000;
const CLIMB_COSTS: [u64; 2] = [400, 200];
const CLIMBS_EACH: f64 = 1.5;
const USUAL_ROUNDS: u64 = 6;
/// The smallest ladder is begun where this share of its cost is left: where modes are easy it costs less.
const LEAST_LEFT: f64 = 0.6;
/// The draws of a round after a full ladder: for each dimension, and within which bounds.
const ROUND_EACH: usize = 200;
const ROUND: (usize, usize) = (1000, 3000);
/// How many more there are after the ladder, for each particle, if the first ones show small hills; and the most evaluations of
/// ladder and draws together.
const MORE: usize = 55;
const MOST_WITH_MORE: usize = 110;
/// Up to this dimension they are looked at for that; in more a prior shows none.
const MORE_UP_TO: usize = 12;
/// The particles of a short look, for each dimension of at least three: with fewer, or with fewer sweeps, two looks take several
/// modes for one in seven and eight dimensions.
const LOOK_EACH: usize = 40;
/// Sweeps of a look at each level and the effective share that a level leaves, up to five dimensions and beyond.
const LOOK_LEVELS: [(usize, f64); 2] = [(2, 0.3), (3, 0.4)];
/// The draws from the prior of a look, for each dimension up to five: they are what meets a narrow mode beside a wide one. In more
/// dimensions none of them would, and there are fewer.
const LOOK_FIRST_EACH: usize = 400;
const LOOK_FIRST_BEYOND: usize = 1000;
/// The most climbs of a look.
const LOOK_CLIMBS: usize = 15;
/// In more dimensions looks cost as much as they may save, and the full ladder begins at once.
const LOOKS_UP_TO: usize = 12;
/// The evaluations of a look: a number, and a number for each dimension squared.
const LOOK_COSTS: [u64; 2] = [1000, 130];

/// By what moves the particles of a ladder go on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moves {
    /// Draws from a mixture, and local steps by differences of states, by the covariance and by those of components.
    #[default]
    Usual,
    /// Draws from a mixture, and kernel steps, whose covariance follows the local shape of the level (kernel adaptive SMC).
    Kernel,
}

/// How large a population is, and what it may spend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// The number of particles of a full ladder; by default 1000, and in many dimensions 60 for each.
    pub particles: Option<usize>,
    /// How many short looks come first, up to 12 dimensions. If they show one mode, no full ladder is run. Zero: the full ladder at
    /// once.
    pub looks: usize,
    /// Whether a full ladder follows looks that show one mode but no good density. If not, the chains start from their points and learn
    /// by themselves, which is cheaper.
    pub ladder_when_unsure: bool,
    /// The most full ladders: another one follows where no good density was learned, k̂ is high, log Z of the ladder is far above that of the
    /// density, or the last ladder found other modes than those before.
    pub ladders: usize,
    /// By what moves particles go on: `"usual"`, or `"kernel"` for kernel adaptive SMC.
    pub moves: Moves,
    /// The number of fresh draws that a frozen density is tested on.
    pub check: usize,
    /// The most evaluations of the likelihood; the population ends before the batch that would exceed it.
    pub max_evaluations: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            particles: None,
            looks: 2,
            ladder_when_unsure: false,
            ladders: 2,
            moves: Moves::Usual,
            check: 2000,
            max_evaluations: None,
        }
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
        let most = self.max_evaluations.unwrap_or(LEAST_EVALUATIONS);
        let what = format!("must be at least {LEAST_EVALUATIONS}, not {most}");
        SettingsError::demand("max-evaluations", most >= LEAST_EVALUATIONS, &what)
    }

    /// Whether the first batch in `dim` dimensions can be afforded.
    pub(super) fn check_first(&self, dim: usize) -> Result<(), SettingsError> {
        let Some(most) = self.max_evaluations else { return Ok(()) };
        let first = if self.looks(dim) > 0 { self.look(dim).first } else { self.smallest_ladder(dim).first };
        let what = format!(
            "must be at least {first}, for the first draws from the prior, not {most} (a population takes at most half of the evaluations of a \
             run)"
        );
        SettingsError::demand("max-evaluations", most >= first as u64, &what)
    }

    /// How a full ladder is run in `dim` dimensions if this many evaluations are left and this many niches are known. Unless the number of
    /// particles is given, half of what is left beyond the smallest ladder goes into more of them: the other half is for rounds, which
    /// take longer where the posterior is hard to learn.
    pub(super) fn affordable(&self, dim: usize, left: Option<u64>, niches: usize) -> Affordable {
        let usual = self.ladder(dim);
        let Some(left) = left else { return Affordable::All(usual) };
        let of = |[one, each]: [u64; 2]| one + each * dim as u64;
        let climbs = (CLIMBS_EACH * niches.max(1) as f64).ceil() as u64;
        let rest = LINKS_COST + climbs * of(CLIMB_COSTS) + USUAL_ROUNDS * self.round(dim) as u64 + self.check as u64;
        let more_each = (usual.more / usual.particles.min(USUAL_PARTICLES)) as u64;
        // With more draws from the prior, and without.
        let least = |fewest: usize| self.particles.unwrap_or(fewest);
        let full = (least(usual.particles.min(LEAST_FULL.max(LEAST_EACH * dim))), of(PARTICLE_COSTS) + more_each);
        let bare = (least(LEAST_FULL), of(PARTICLE_COSTS));
        let cost = |(least, each): (usize, u64)| least as u64 * each + rest;
        let with = |(least, each): (usize, u64)| {
            let beyond = left.checked_sub(cost((least, each)))? / 2 / each;
            let particles = self.particles.unwrap_or(usual.particles.min(least + beyond as usize));
            Some(Self { particles: Some(particles), ..self.clone() }.ladder(dim))
        };
        let may_do = self.particles.is_some() || left as f64 >= LEAST_LEFT * cost(bare) as f64;
        let smallest = || may_do.then(|| self.smallest_ladder(dim));
        match (with(full), with(bare).or_else(smallest)) {
            (Some(ladder), _) => Affordable::All(ladder),
            (None, Some(ladder)) => Affordable::WithoutMore(LadderSettings { more: 0, ..ladder }, cost(full)),
            (None, None) => Affordable::Nothing(cost(bare)),
        }
    }

    /// The smallest full ladder, unless the number of its particles is given.
    pub(super) fn smallest_ladder(&self, dim: usize) -> LadderSettings {
        let particles = self.particles.or(Some(LEAST_FULL));
        LadderSettings { more: 0, ..Self { particles, ..self.clone() }.ladder(dim) }
    }

    /// The draws of a round after a full ladder.
    pub(super) fn round(&self, dim: usize) -> usize {
        (ROUND_EACH * dim).clamp(ROUND.0, ROUND.1)
    }

    /// How a full ladder is run in `dim` dimensions.
    pub(super) fn ladder(&self, dim: usize) -> LadderSettings {
        let usual = USUAL_PARTICLES.max(PARTICLES_EACH * dim).min(MOST_PARTICLES);
        let particles = self.particles.unwrap_or(usual);
        LadderSettings {
            particles,
            first: FIRST * particles.min(USUAL_PARTICLES),
            more: if dim <= MORE_UP_TO { MORE * particles.min(USUAL_PARTICLES) } else { 0 },
            least_sweeps: 3,
            most_sweeps: 10,
            effective: 0.5,
            links: (600, 120),
            climbs: 150,
            moves: self.moves,
        }
    }

    /// How many short looks come first in `dim` dimensions: as many as can be afforded, but one at least.
    pub(super) fn looks(&self, dim: usize) -> usize {
        let cost = LOOK_COSTS[0] + LOOK_COSTS[1] * (dim * dim) as u64;
        let affordable = self.max_evaluations.map_or(self.looks, |most| (most / cost).max(1) as usize);
        if dim <= LOOKS_UP_TO { self.looks.min(affordable) } else { 0 }
    }

    /// How a short look is run in `dim` dimensions.
    pub(super) fn look(&self, dim: usize) -> LadderSettings {
        let particles = LOOK_EACH * dim.max(3);
        let ((sweeps, effective), first) = match dim {
            0..=5 => (LOOK_LEVELS[0], LOOK_FIRST_EACH * dim),
            _ => (LOOK_LEVELS[1], LOOK_FIRST_BEYOND),
        };
        LadderSettings {
            particles,
            first,
            more: 0,
            least_sweeps: sweeps,
            most_sweeps: sweeps,
            effective,
            links: (60, 20),
            climbs: LOOK_CLIMBS,
            moves: self.moves,
        }
    }
}

/// What a budget allows.
pub(super) enum Affordable {
    All(LadderSettings),
    /// A ladder without more draws from the prior, should they be called for; and how many evaluations it would take with them.
    WithoutMore(LadderSettings, u64),
    /// How many it would take.
    Nothing(u64),
}

/// How one ladder is run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderSettings {
    /// The number of particles, in two lineages of half of them.
    pub particles: usize,
    /// The number of draws from the prior.
    pub first: usize,
    /// How many more there are after the ladder if the first ones show large hills, and a narrow one may have been missed.
    pub more: usize,
    /// The fewest and the most sweeps at each level.
    pub least_sweeps: usize,
    /// The most of them.
    pub most_sweeps: usize,
    /// The effective share of the particles that a level leaves.
    pub effective: f64,
    /// The most links between points that are tested for a dip: of the draws from the prior, and of each further level.
    pub links: (usize, usize),
    /// The most climbs from roots after a dip. Where a bent ridge is taken for many hills, they are those with most points around
    /// them.
    pub climbs: usize,
    /// By what moves particles go on.
    pub moves: Moves,
}

impl LadderSettings {
    /// With fewer draws from the prior to come if the ladder has taken many evaluations.
    pub(super) fn after(self, spent: usize) -> Self {
        let most = MOST_WITH_MORE * self.particles.min(USUAL_PARTICLES);
        Self { more: self.more.min(most.saturating_sub(spent)), ..self }
    }
}
