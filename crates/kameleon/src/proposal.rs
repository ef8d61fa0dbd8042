//! Where to go next: one file per proposal, all behind one trait.

mod adaptive_metropolis;
mod differential_evolution;
mod kameleon;
mod kamh;
mod kamh_pca;
mod kmc;
mod mala;
mod principal_components;
mod random_walk;
mod subsample;

pub use adaptive_metropolis::{AdaptiveMetropolis, AdaptiveMetropolisSettings};
pub use differential_evolution::{DifferentialEvolution, DifferentialEvolutionSettings};
pub use kameleon::{FUNNEL, Kameleon, KameleonSettings};
pub use kamh::{Kamh, KamhSettings, Local as KamhLocal};
pub use kamh_pca::{KamhPca, KamhPcaSettings, Local as KamhPcaLocal};
pub use kmc::{Kmc, KmcSettings};
pub use mala::{Local as MalaLocal, Mala, MalaSettings};
pub use principal_components::{PrincipalComponents, PrincipalComponentsSettings};
pub use random_walk::{RandomWalk, RandomWalkSettings, gelman_scale};

/// Calls a macro with the names of all proposals.
macro_rules! all_proposals {
    ($call:ident) => {
        $call!(
            RandomWalk,
            AdaptiveMetropolis,
            PrincipalComponents,
            Kamh,
            KamhPca,
            Kameleon,
            DifferentialEvolution,
            Mala,
            Kmc
        );
    };
}
pub(crate) use all_proposals;

use crate::Rng;
use crate::circles::Circles;
use crate::learner::Learner;
use crate::report::{Regions, Report};
use crate::step::{Drawn, Step, Tried};

/// A proposal distribution q(·|x) that may learn from the chain.
///
/// Accept and reject are not its business: it draws a point, tells the ratio of its densities in the two directions, and
/// learns from the step that came of it. Whatever it computes at a point and may need again is kept in a `Local`, two of
/// which exist per chain and are swapped when a point is accepted.
pub trait Proposal {
    /// What the proposal knows at a point.
    type Local: Send;

    /// Room for what is known at a point. No other call allocates, but for a refresh of what is learned in the warm-up.
    fn allocate(&self, dim: usize) -> Self::Local;

    /// Whether it needs the gradient of the log density at every point.
    fn needs_gradient(&self) -> bool {
        false
    }

    /// Keeps the gradient of the log density at the point that `at` is for, where one is needed: called before [`Proposal::locate`] or
    /// [`Proposal::log_ratio`] looks at that point.
    fn take_gradient(&self, _gradient: &[f64], _at: &mut Self::Local) {}

    /// Works out from scratch what is known at `x`: nothing, unless the proposal depends on it.
    fn locate(&self, _x: &[f64], _at: &mut Self::Local) {}

    /// Draws `y` from q(·|x) and tells which component of the proposal it came from (0 if there is one only). It may work out
    /// what it needs at `x` and was not known yet.
    fn draw(&self, x: &[f64], at: &mut Self::Local, rng: &mut Rng, y: &mut [f64]) -> usize;

    /// ln q(x|y) − ln q(y|x) with `at_x` as `draw` or `locate` left it, filling `at_y`; zero, as here, for a symmetric
    /// proposal. Where each component is a Metropolis-Hastings kernel of its own in a fixed mixture, q is that of the
    /// `component` which `y` was drawn from.
    fn log_ratio(
        &self,
        _x: &[f64],
        _at_x: &Self::Local,
        _y: &[f64],
        _at_y: &mut Self::Local,
        _component: usize,
    ) -> f64 {
        0.0
    }

    /// How many points in a row are drawn from a density that does not depend on where the chain is, and judged together; one
    /// if each is judged by itself.
    fn block(&self) -> usize {
        1
    }

    /// Sets that number, where the proposal has such a density.
    fn set_block(&mut self, _size: usize) {}

    /// Says before the first step which coordinates are circles ([`crate::circles`]); a proposal may take them as they are.
    fn set_circles(&mut self, _circles: Circles) {}

    /// For a component whose points are judged in blocks: a spot in (0, 1) at which [`Proposal::draw_at`] may have drawn `x`, drawn among
    /// these; none for others.
    fn spot(&self, _component: usize, _x: &[f64], _at: &mut Self::Local, _rng: &mut Rng) -> Option<f64> {
        None
    }

    /// Draws a `y` of a block, in place of what `draw` gave, from the part at a spot of the density that does not depend on where the
    /// chain is, and tells the number of that part.
    fn draw_at(&self, _spot: f64, _rng: &mut Rng, _y: &mut [f64]) -> u8 {
        Drawn::NO_PART
    }

    /// The share of each part of that density; nothing where there is none.
    fn shares_of_parts(&self) -> Vec<f64> {
        Vec::new()
    }

    /// ln Q at a point that was drawn from a density Q which does not depend on where the chain was, with `at` as `log_ratio`
    /// left it; none for other components.
    fn log_jump_density(&self, _at: &Self::Local, _component: usize) -> Option<f64> {
        None
    }

    /// ln Q of that density at any point, where there is one.
    fn log_jump_density_at(&self, _x: &[f64]) -> Option<f64> {
        None
    }

    /// The number of regions that the warm-up met, and how many of them no draw has visited, where the proposal knows.
    fn regions(&self, _draws: &[&[f64]]) -> Option<Regions> {
        None
    }

    /// Sees what a step tried, before [`Proposal::adapt`].
    fn observe(&mut self, _step: &Step, _tried: Tried<'_>) {}

    /// Learns from a step that ended at `x`, and leaves in `at` nothing else than a fresh `locate` would, though maybe less.
    fn adapt(&mut self, x: &[f64], at: &mut Self::Local, step: &Step, rng: &mut Rng);

    /// The number of iterations of the warm-up, where the proposal learns when to end it and has learned that.
    fn warmup_end(&self) -> Option<u64> {
        None
    }

    /// The scale ν in use (the first, if there are several).
    fn scale(&self) -> f64;

    /// What is wrong with a proposal that was read from elsewhere, for points in `dim` dimensions.
    fn problem(&self, _dim: usize) -> Option<&'static str> {
        None
    }

    /// The covariance of q(·|x), row by row, where it is known; of a mixture that also jumps, that of its local steps.
    /// To be shown to people, so it may allocate.
    fn covariance(&self, _x: &[f64], _at: &Self::Local) -> Option<Vec<f64>> {
        None
    }

    /// What it learned, for people.
    fn report(&self) -> Report {
        Report::default()
    }

    /// What a person should know of a chain with this proposal, whose parameters have these names.
    fn advice(&self, _names: &[String]) -> Vec<String> {
        Vec::new()
    }

    /// Itself, where it can learn together with others, …
    fn learner(&self) -> Option<&dyn Learner> {
        None
    }

    /// … and to be refreshed.
    fn learner_mut(&mut self) -> Option<&mut dyn Learner> {
        None
    }

    /// The kernel's bandwidth σ, where there is a kernel that has one.
    fn bandwidth(&self) -> Option<f64> {
        None
    }
}
