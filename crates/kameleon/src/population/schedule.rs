//! Which stage follows which.
//!
//! Short looks come first, small ladders with their search for niches that go on together. One niche in all of them: rounds, and if
//! these end well, nothing else; if not, chains take the points and learn by themselves. Two or more: the full ladder, its search, and
//! rounds.

mod present;

use super::Prior;
use super::climb::Climb;
use super::found::{Found, far_ladder};
use super::ladder::Ladder;
use super::laplace::laplace;
use super::links::{Links, Root};
use super::looks;
use super::merge::Unite;
use super::niche::Niche;
use super::particles::Particles;
use super::rest::Rest;
use super::rounds::{LARGEST_K, RoundSettings, Rounds};
use super::settings::{Affordable, LadderSettings, Settings};
use super::together::Together;
use super::turned::Turned;
use crate::Rng;
use crate::circles::Circles;
use crate::warmup::where_there_is_one;
use present::Present;
use serde::{Deserialize, Serialize};

/// The sizes of rounds after looks, and the most of them.
const LOOK_ROUNDS: ([usize; 2], usize) = ([500, 1000], 9);
/// After this many rounds after a full ladder they have twice as many draws, since what is not learned by then needs more; and the most of
/// them.
const SHORT_ROUNDS: usize = 4;
const FULL_ROUNDS: usize = 15;
/// The fresh draws that a density learned after looks is tested on: fewer do not show a tail that it lacks.
const LOOK_CHECK: usize = 1500;
/// The points that are kept for a Laplace approximation.
const BEST_KEPT: usize = 2000;

/// The stages so far and the present one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Schedule {
    dim: usize,
    settings: Settings,
    stage: Present,
    /// Where circles are cut: all stages see points from there.
    #[serde(default)]
    circles: Circles,
    /// The evaluations that are left.
    #[serde(default)]
    left: Option<u64>,
    /// How many evaluations there should have been in all for a full ladder, or for its further draws from the prior, which the budget did
    /// not allow; and whether these were called for.
    #[serde(default)]
    needed: u64,
    #[serde(default)]
    lacks_draws: bool,
    /// The particles of the last ladder.
    #[serde(default)]
    particles: usize,
    /// The number of full ladders that were begun.
    ladders: usize,
    /// The draws from the prior of looks: a full ladder begins with them.
    drawn: Particles,
    /// All niches so far; the best points of looks.
    niches: Vec<Niche>,
    best: Particles,
    /// The points of a full ladder among which the search for the rest is still to come, and how that ladder was run.
    #[serde(default)]
    searched: Option<(Vec<Particles>, LadderSettings)>,
    /// The last states of ladders, with ln of their weights.
    states: Particles,
    #[serde(with = "where_there_is_one")]
    log_weights: Vec<f64>,
    /// log Z of each full ladder, or of each look before there is one.
    log_z: Vec<f64>,
    /// The modes that further full ladders found and that were not known before, and those that they did not find.
    different: (usize, usize),
    /// Whether the last one did so.
    differs: bool,
    rounds: Option<Rounds>,
    /// Whether the rounds after looks gave a density to believe.
    #[serde(default)]
    content: bool,
}

impl Schedule {
    pub(super) fn new(dim: usize, settings: &Settings) -> Self {
        let mut schedule = Self {
            dim,
            settings: settings.clone(),
            stage: Present::Done,
            circles: Circles::default(),
            left: settings.max_evaluations,
            needed: 0,
            lacks_draws: false,
            particles: 0,
            ladders: 0,
            drawn: Particles::default(),
            niches: Vec::new(),
            best: Particles::default(),
            searched: None,
            states: Particles::default(),
            log_weights: Vec::new(),
            log_z: Vec::new(),
            different: (0, 0),
            differs: false,
            rounds: None,
            content: false,
        };
        match settings.looks(dim) {
            0 => schedule.begin_ladder(),
            looks => schedule.begin(vec![Ladder::new(settings.look(dim)); looks]),
        }
        schedule
    }

    pub(super) fn set_circles(&mut self, circles: Circles) {
        self.circles = circles;
    }

    /// Where circles are cut.
    pub(super) fn circles(&self) -> &Circles {
        &self.circles
    }

    /// The points of the next batch, if this many evaluations are left.
    pub(super) fn propose(&mut self, left: Option<u64>, prior: &dyn Prior, rng: &mut Rng) -> Option<Vec<f64>> {
        self.left = left;
        while !matches!(self.stage, Present::Done) {
            let turned = Turned { prior, circles: &self.circles };
            if let Some(points) = self.stage.as_stage()?.propose(&turned, rng) {
                return Some(points);
            }
            self.advance(prior, rng);
        }
        None
    }

    pub(super) fn learn(&mut self, told: Particles, prior: &dyn Prior, rng: &mut Rng) {
        let turned = Turned { prior, circles: &self.circles };
        if self.is_look() && self.drawn.is_empty() {
            self.drawn = told.clone();
        }
        if let Some(stage) = self.stage.as_stage() {
            stage.learn(told, &turned, rng);
        }
    }

    /// Whether there are only short looks so far.
    fn is_look(&self) -> bool {
        self.ladders == 0
    }

    /// Unless what is left is too little for it.
    fn begin_ladder(&mut self) {
        let spent = self.settings.max_evaluations.unwrap_or(0).saturating_sub(self.left.unwrap_or(0));
        let (settings, needed) = match self.settings.affordable(self.dim, self.left, self.niches.len()) {
            Affordable::All(settings) => (settings, 0),
            Affordable::WithoutMore(settings, needed) => (settings, spent + needed),
            // Without points from looks chains could not begin.
            Affordable::Nothing(needed) if self.states.is_empty() => {
                (self.settings.smallest_ladder(self.dim), spent + needed)
            }
            Affordable::Nothing(needed) => {
                // That there is no second ladder says nothing of the first.
                if self.is_look() {
                    self.needed = spent + needed;
                }
                return;
            }
        };
        self.needed = needed;
        self.ladders += 1;
        let ladder = Ladder::new(settings).begun_with(std::mem::take(&mut self.drawn));
        self.begin(vec![ladder]);
    }

    fn begin(&mut self, ladders: Vec<Ladder>) {
        self.particles = ladders.first().map_or(0, |ladder| ladder.settings().particles);
        self.stage = Present::Ladders(Together::new(ladders));
    }

    /// From a stage that is done to the next.
    fn advance(&mut self, prior: &dyn Prior, rng: &mut Rng) {
        match std::mem::replace(&mut self.stage, Present::Done) {
            Present::Ladders(Together { stages: mut ladders, .. }) => {
                self.cut_circles(&mut ladders);
                self.after_ladders(ladders);
            }
            Present::Links(links) => {
                let roots: Vec<Root> = links.stages.iter().flat_map(Links::roots).cloned().collect();
                self.stage = Present::Climb(Climb::new(&roots));
            }
            Present::Rest(rest) => {
                // A ladder that had them makes up for a later one that could not.
                let may_lack = self.ladders == 1 || self.lacks_draws;
                self.lacks_draws = may_lack && rest.lacks_draws() && self.needed > 0;
                self.stage = Present::Climb(rest.climb(prior));
            }
            Present::Climb(climb) => self.after_climb(climb, prior, rng),
            Present::Unite(unite) => {
                let (new, missed) = unite.different();
                if self.ladders > 1 {
                    self.differs = new + missed > 0;
                    self.different = (self.different.0 + new, self.different.1 + missed);
                }
                if new > 0 {
                    // A density that knows nothing of a mode is worth less than the points that do.
                    self.rounds = None;
                }
                self.niches = unite.niches().to_vec();
                self.after_niches(rng);
            }
            Present::Rounds(rounds) => self.after_rounds(*rounds),
            Present::Done => {}
        }
    }

    /// Cuts circles where the posterior is least, by ladders that ended before anything else was learned.
    fn cut_circles(&mut self, ladders: &mut [Ladder]) {
        let (mut states, mut log_weights) = (Particles::default(), Vec::new());
        for (own, logs) in ladders.iter().filter(|ladder| ladder.is_complete()).map(Ladder::states) {
            (0..own.len()).for_each(|i| states.push(&own, i));
            log_weights.extend(logs);
        }
        let Some(better) = states.better_cuts(&self.circles, &log_weights).filter(|_| self.niches.is_empty()) else {
            return;
        };
        ladders.iter_mut().for_each(|ladder| ladder.see_from(&self.circles, &better));
        self.drawn.see_from(&self.circles, &better);
        self.circles = better;
    }

    fn after_ladders(&mut self, mut ladders: Vec<Ladder>) {
        ladders.iter().for_each(|ladder| self.keep_states(ladder));
        ladders.retain(Ladder::is_complete);
        if ladders.is_empty() {
            // Too few draws of the prior were possible for looks; the full ladder has many more.
            if self.is_look() {
                self.begin_ladder();
            }
            return;
        }
        if self.ladders == 1 {
            // Those of looks tell less.
            self.log_z.clear();
        }
        self.log_z.extend(ladders.iter().map(Ladder::log_z));
        if self.is_look() {
            self.keep_best(&ladders);
        } else {
            self.searched =
                ladders.first().map(|ladder| (ladder.evaluated().0.to_vec(), ladder.settings().after(ladder.spent())));
        }
        let links = |ladder: &Ladder| {
            let (levels, first) = ladder.evaluated();
            Links::new(levels, first, ladder.settings(), !self.is_look())
        };
        self.stage = Present::Links(Together::new(ladders.iter().map(links).collect()));
    }

    /// Keeps the best points of looks.
    fn keep_best(&mut self, looks: &[Ladder]) {
        looks.iter().flat_map(|look| look.evaluated().0).for_each(|level| self.best.extend_possible(level));
        let mut order: Vec<usize> = (0..self.best.len()).collect();
        order.sort_by(|a, b| self.best.log_posterior(*b).total_cmp(&self.best.log_posterior(*a)));
        order.truncate(BEST_KEPT);
        self.best = self.best.chosen(order);
    }

    fn after_climb(&mut self, climb: Climb, prior: &dyn Prior, rng: &mut Rng) {
        if let Some((levels, settings)) = self.searched.take() {
            self.stage = Present::Rest(Box::new(Rest::new(climb, levels, settings, prior)));
            return;
        }
        let mut found = climb.niches();
        found.retain(|niche| niche.fits(self.dim));
        if self.niches.is_empty() {
            self.niches = found;
            self.after_niches(rng);
        } else {
            self.stage = Present::Unite(Unite::new(&self.niches, &found));
        }
    }

    /// Adds the states of a ladder, weighted for the posterior wherever it stands.
    fn keep_states(&mut self, ladder: &Ladder) {
        let (states, logs) = ladder.states();
        // What looks have left is used no more once there is something better, but for their niches.
        if self.ladders == 1 && !states.is_empty() {
            (self.states, self.log_weights) = Default::default();
        }
        let left = 1.0 - ladder.beta();
        for (i, log) in logs.into_iter().enumerate() {
            if states.log_posterior(i).is_finite() {
                self.states.push(&states, i);
                self.log_weights.push(log + left * states.log_likelihood[i]);
            }
        }
    }

    fn after_niches(&mut self, rng: &mut Rng) {
        if self.is_look() {
            self.niches = looks::with_mass(std::mem::take(&mut self.niches));
        }
        let one = self.niches.len() == 1;
        if self.is_look() && !one {
            return self.begin_ladder();
        }
        let settings = if self.is_look() {
            let (sizes, most) = LOOK_ROUNDS;
            RoundSettings { sizes: sizes.to_vec(), most, at_once: true, check: LOOK_CHECK }
        } else {
            let size = self.settings.round(self.dim);
            let mut sizes = vec![size; SHORT_ROUNDS];
            sizes.push(2 * size);
            RoundSettings { sizes, most: FULL_ROUNDS, at_once: false, check: self.settings.check }
        };
        let approximated = self.niches.first().filter(|_| one && self.is_look());
        let niches: Vec<Niche> = match approximated.and_then(|niche| laplace(niche, &self.best)) {
            Some(niche) if niche.fits(self.dim) => vec![niche],
            _ => self.niches.clone(),
        };
        let rounds = Rounds::new(settings, &self.states, &self.log_weights, &niches, rng);
        self.stage = Present::Rounds(Box::new(rounds));
    }

    fn after_rounds(&mut self, rounds: Rounds) {
        // Modes that only the last ladder found, or that it did not find, say that there may be more.
        let sees_all = !std::mem::take(&mut self.differs);
        let (is_enough, may_go_on) = if self.is_look() {
            self.content = looks::are_content(&rounds, &self.niches, &self.log_z);
            (self.content, self.settings.ladder_when_unsure)
        } else {
            let last = rounds.last();
            // That its log Z is smaller says nothing: most ladders lose modes on their way, which the search looks for again.
            let lost = far_ladder(&self.log_z, last.log_z, false).is_some_and(|ladder| ladder > last.log_z);
            let is_enough = rounds.is_good() && last.pareto_k <= LARGEST_K && !lost && sees_all;
            (is_enough, self.ladders < self.settings.ladders)
        };
        // What was learned stays, should the next ladder not come to its end.
        self.keep_rounds(rounds);
        if may_go_on && !is_enough {
            self.begin_ladder();
        }
    }

    /// Keeps rounds that came to a density, or that are the first; a good density is kept until there is another good one.
    fn keep_rounds(&mut self, rounds: Rounds) {
        let is_better = |old: &Rounds| rounds.is_good() || (rounds.frozen().is_some() && !old.is_good());
        if self.rounds.as_ref().is_none_or(is_better) {
            self.rounds = Some(rounds);
        }
    }

    /// What was found, at the end or where it was stopped.
    pub(super) fn found(&mut self, evaluations: u64, batches: u64, invalid: u64) -> Found {
        let is_look = self.is_look();
        // Whether it was stopped, and whether a full ladder and its search had ended by then.
        let stopped = match std::mem::replace(&mut self.stage, Present::Done) {
            Present::Ladders(ladders) => {
                ladders.stages.iter().for_each(|ladder| self.keep_states(ladder));
                Some(self.ladders > 1)
            }
            Present::Rounds(rounds) => {
                self.keep_rounds(*rounds);
                Some(!is_look)
            }
            Present::Done => None,
            _ => Some(self.ladders > 1),
        };
        // Chains that learn by themselves are better than a density that is not to be believed, unless there are modes that they would not
        // come back to.
        let is_good = self.rounds.as_ref().is_some_and(Rounds::is_good);
        let believed = if is_look { self.content } else { is_good || self.niches.len() > 1 };
        let mut found =
            Found::new(self.niches.clone(), self.rounds.as_ref(), &self.states, &self.log_weights, believed);
        found.circles = self.circles.clone();
        found.count(self.particles, evaluations, batches, invalid);
        let needed = (is_look || self.lacks_draws).then_some(self.needed);
        let has_rounds = self.ladders > 1 || (self.ladders == 1 && stopped.is_none());
        found.judge(&self.log_z, is_look, needed, stopped, has_rounds, self.different);
        found
    }

    /// The particles of the last ladder, and whether it is a look.
    pub(super) fn particles(&self) -> (usize, bool) {
        (self.particles, self.is_look())
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// A line for people.
    pub(super) fn progress(&self) -> String {
        let which = if self.is_look() { "looks".to_owned() } else { format!("ladder {}", self.ladders) };
        self.stage.progress(&which, self.particles, self.niches.len())
    }

    /// Whether what was read from elsewhere is for points in `dim` dimensions.
    pub(super) fn fits(&self, dim: usize) -> bool {
        self.stage.fits(dim)
            && self.dim == dim
            && self.circles.fits(dim)
            && self.niches.iter().all(|niche| niche.fits(dim))
            && [&self.best, &self.drawn, &self.states].into_iter().all(|particles| particles.fits(dim))
            && self.searched.iter().flat_map(|(levels, _)| levels).all(|level| level.fits(dim))
            && self.log_weights.len() == self.states.len()
            && self.rounds.as_ref().is_none_or(|rounds| rounds.fits(dim))
    }
}
