//! The default sampler: it leaves the target as it is, and broken versions of it are caught.
//!
//! For the false alarms see `invariance.rs`, whose test this is: eleven p-values more, an alarm at 1e-6.

mod common;

use common::replicates::*;
use common::*;
use kameleon::moves::*;
use kameleon::proposal::{Kameleon, KameleonSettings};
use kameleon::random::{Purpose, stream};
use kameleon::target::{Banana, Flower, Funnel, Gaussian, StudentT, TwoModes};
use kameleon::warmup::Fit;
use kameleon::*;
use rand::RngExt;
use std::sync::Arc;

fn banana() -> Banana {
    Banana::new(4, 0.1, 25.0).unwrap()
}

fn flower() -> Flower {
    Flower::new(3, 5.0, 2.0, 3.0, 0.5).unwrap()
}

#[test]
fn the_default_leaves_the_banana() {
    holds(default_sampler(4, 3000, 100), banana());
}

#[test]
fn the_default_leaves_the_flower() {
    holds(default_sampler(3, 3000, 100), flower());
}

#[test]
fn subspace_moves_leave_the_banana_in_many_dimensions() {
    let target = Banana::new(24, 0.03, 4.0).unwrap();
    let settings = KameleonSettings { n: 100, jumps_up_to: 20 };
    let proposal = Kameleon::new(&settings, 24, Length { warmup: 3000, sampling: 0 }).unwrap();
    let proposal = learned(proposal, &mut target.clone(), 3000);
    let weight = |of: &dyn Move| proposal.fit().weight(of);
    assert!(weight(&SubspaceStep) > 0.0 && weight(&SubspaceJump) > 0.0 && weight(&Jump) == 0.0);
    let p = exact_p(&proposal, &target);
    assert!(p > ALARM, "p = {p}");
}

/// Four chains from starts that know nothing, 20,000 evaluations in all: where are they in the last fifth?
fn reaches(name: &str, target: impl Known + Clone + Send) {
    let dim = target.dim().unwrap();
    // Fewer points of z than the default has, for the time that it takes.
    let sampler = Sampler::Kameleon(KameleonSettings { n: 300, ..KameleonSettings::default() });
    let plan = Plan { sampler, warmup: 4000, draws: 1000, seed: 71, ..Plan::default() };
    let start = |chain: u64| {
        let mut rng = stream(plan.seed, chain, Purpose::Start);
        (0..dim).map(|_| rng.random_range(-2.0..2.0)).collect::<Vec<f64>>()
    };
    let starts: Vec<Vec<f64>> = (0..4).map(start).collect();
    let run = sample(target.clone(), &starts, &plan, Control::default()).unwrap();
    assert!(run.evaluations() <= 20_004);
    for (chain, draws) in run.draws().into_iter().enumerate() {
        // Of exact draws 99.9 % are within; of a chain that has not arrived, none.
        let within = draws.chunks_exact(dim).filter(|x| target.level(x) < 0.999).count();
        assert!(within > 800, "{name}: only {within} of 1000 draws of chain {chain} are where the target is");
    }
}

#[test]
fn the_typical_set_is_reached_in_20_000_evaluations() {
    reaches("B(0.03)", Banana::new(8, 0.03, 100.0).unwrap());
    reaches("B(0.1)", Banana::new(8, 0.1, 100.0).unwrap());
    reaches("flower", Flower::new(8, 10.0, 6.0, 6.0, 1.0).unwrap());
    reaches("ring, d = 2", Flower::ring(2, 3.5, 0.05).unwrap());
    reaches("ring, d = 8", Flower::ring(8, 3.5, 0.05).unwrap());
    reaches("funnel, d = 5", Funnel::new(5, 3.0).unwrap());
    reaches("funnel, d = 10", Funnel::new(10, 3.0).unwrap());
    reaches("two modes", TwoModes::new(5, 6.0, 0.5).unwrap());
    reaches("t3", StudentT::new(8, 3.0).unwrap());
    let variances: Vec<f64> = (0..10).map(|i| 10f64.powf(-8.0 * f64::from(i) / 9.0)).collect();
    reaches("condition 1e8", Gaussian::diagonal(&variances).unwrap());
    reaches("B(0.1), d = 2", Banana::new(2, 0.1, 100.0).unwrap());
    reaches("banana, d = 20", Banana::new(20, 0.03, 100.0).unwrap());
    reaches("banana, d = 50", Banana::new(50, 0.03, 100.0).unwrap());
}

/// How a broken version is broken.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// No ratio of densities for jumps.
    NoRatio,
    /// The wide component of Q has another weight in the ratio than in the draw.
    WrongWeight,
    /// Q in the ratio is that of another z.
    WrongPoints,
    /// No ratio of densities for subspace jumps.
    NoSubspaceJumpRatio,
    /// Their Q in the ratio is that of another subspace and another z.
    WrongSubspace,
    /// No ratio of densities for subspace kernel steps.
    NoSubspaceStepRatio,
    /// No ratio of densities for kernel steps.
    NoStepRatio,
    /// Differential evolution makes longer steps in one half of the space than in the other.
    UnevenDifferences,
    /// The weights of the moves go on changing with the place.
    NeverFrozen,
}

#[derive(Clone)]
struct Mutant {
    proposal: Kameleon,
    other: Kameleon,
    fault: Fault,
}

/// Makes these moves with these probabilities, and no other.
fn reweigh(proposal: &mut Kameleon, weights: &[(&dyn Move, f64)]) {
    let mut fit = Fit { weights: PerMove::default(), ..Fit::clone(proposal.fit()) };
    weights.iter().for_each(|(of, weight)| *fit.weights.of_mut(*of) = *weight);
    proposal.learn(Arc::new(fit));
}

/// ln Q(x) of the proposal, with the weight of the wide component changed.
fn log_q(proposal: &Kameleon, x: &[f64], delta: Option<f64>) -> f64 {
    let history = proposal.fit().model.history.as_ref().unwrap();
    let (mut u, mut scratch) = (vec![0.0; x.len()], vec![simd::Block::ZERO; x.len()]);
    history.frame.coordinates(x, &mut u);
    let (near, wide) = history.density.as_ref().unwrap().log_parts(&u, &mut scratch);
    let delta = delta.unwrap_or(history.shape.delta);
    ((1.0 - delta) * near.exp() + delta * wide.exp()).ln()
}

impl Mutant {
    fn log_wrong_subspace(&self, x: &[f64]) -> f64 {
        let mut at = self.other.allocate(x.len());
        self.other.locate(x, &mut at);
        at.subspace().and_then(Neighbourhood::log_jump_density).unwrap()
    }
}

impl Proposal for Mutant {
    type Local = Local;

    fn allocate(&self, dim: usize) -> Local {
        self.proposal.allocate(dim)
    }

    fn locate(&self, x: &[f64], at: &mut Local) {
        self.proposal.locate(x, at);
    }

    fn draw(&self, x: &[f64], at: &mut Local, rng: &mut Rng, y: &mut [f64]) -> usize {
        let component = self.proposal.draw(x, at, rng, y);
        let uneven = self.fault == Fault::UnevenDifferences && Pick::of(component).id == MoveId::of(&Difference);
        if uneven && x[0] > 0.0 {
            y.iter_mut().zip(x).for_each(|(y, x)| *y += *y - x);
        }
        component
    }

    fn log_ratio(&self, x: &[f64], at_x: &Local, y: &[f64], at_y: &mut Local, component: usize) -> f64 {
        let right = self.proposal.log_ratio(x, at_x, y, at_y, component);
        let made = |of: &dyn Move| Pick::of(component).id == MoveId::of(of);
        match self.fault {
            Fault::NoStepRatio if made(&KernelStep) => return 0.0,
            Fault::NoSubspaceJumpRatio if made(&SubspaceJump) => return 0.0,
            Fault::NoSubspaceStepRatio if made(&SubspaceStep) => return 0.0,
            Fault::WrongSubspace if made(&SubspaceJump) => {
                return self.log_wrong_subspace(x) - self.log_wrong_subspace(y);
            }
            _ if !made(&Jump) => return right,
            _ => {}
        }
        let delta = self.proposal.fit().model.history.as_ref().unwrap().shape.delta;
        let wrong = if delta < 0.5 { 0.9 } else { 0.05 };
        match self.fault {
            Fault::NoRatio => 0.0,
            Fault::WrongWeight => log_q(&self.proposal, x, Some(wrong)) - log_q(&self.proposal, y, Some(wrong)),
            Fault::WrongPoints => log_q(&self.other, x, None) - log_q(&self.other, y, None),
            _ => right,
        }
    }

    fn adapt(&mut self, x: &[f64], at: &mut Local, step: &Step, rng: &mut Rng) {
        self.proposal.adapt(x, at, step, rng);
        if self.fault == Fault::NeverFrozen {
            let (walks, jumps) = if x[0] > 0.0 { (0.4, 0.5) } else { (0.8, 0.1) };
            reweigh(&mut self.proposal, &[(&Walk, walks), (&KernelStep, 0.1), (&Jump, jumps)]);
        }
    }

    fn scale(&self) -> f64 {
        self.proposal.scale()
    }
}

fn mutant_p(fault: Fault) -> f64 {
    let proposal = learned(default_sampler(4, 3000, 100), &mut banana(), 3000);
    let other = learned(default_sampler(4, 2000, 60), &mut banana(), 2000);
    exact_p(&Mutant { proposal, other, fault }, &banana())
}

#[test]
fn the_mutant_that_is_none_is_not_caught() {
    let p = mutant_p(Fault::None);
    assert!(p > ALARM, "p = {p}");
}

#[test]
fn a_jump_without_its_ratio_is_caught() {
    let p = mutant_p(Fault::NoRatio);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn a_wrong_weight_in_the_ratio_is_caught() {
    let p = mutant_p(Fault::WrongWeight);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn a_density_of_the_wrong_points_is_caught() {
    let p = mutant_p(Fault::WrongPoints);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn a_subspace_jump_without_its_ratio_is_caught() {
    let p = mutant_p(Fault::NoSubspaceJumpRatio);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn a_density_in_the_wrong_subspace_is_caught() {
    let p = mutant_p(Fault::WrongSubspace);
    assert!(p < ALARM, "p = {p}");
}

/// With nine moves in ten of one kind: in its usual share an error in it might not show.
fn mostly_p(of: &dyn Move, fault: Fault) -> f64 {
    let mut proposal = learned(default_sampler(4, 3000, 100), &mut banana(), 3000);
    reweigh(&mut proposal, &[(&Walk, 0.1), (of, 0.9)]);
    exact_p(&Mutant { other: proposal.clone(), proposal, fault }, &banana())
}

/// Mostly such moves leave the banana, and with the fault they are caught.
fn is_caught(of: &dyn Move, fault: Fault) {
    let p = mostly_p(of, Fault::None);
    assert!(p > ALARM, "p = {p}");
    let p = mostly_p(of, fault);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn kernel_steps_leave_the_banana_and_without_their_ratio_are_caught() {
    is_caught(&KernelStep, Fault::NoStepRatio);
}

#[test]
fn differences_leave_the_banana_and_of_uneven_length_are_caught() {
    is_caught(&Difference, Fault::UnevenDifferences);
}

#[test]
fn subspace_steps_leave_the_banana_and_without_their_ratio_are_caught() {
    is_caught(&SubspaceStep, Fault::NoSubspaceStepRatio);
}

#[test]
fn learning_that_never_ends_is_caught() {
    let p = mutant_p(Fault::NeverFrozen);
    assert!(p < ALARM, "p = {p}");
}

/// What is in the cache is what a fresh look finds; it need not be everything. Tells how much there was.
fn same(cached: &Neighbourhood, fresh: &Neighbourhood) -> usize {
    if let Some(factor) = cached.factor() {
        assert_eq!(Some(factor), fresh.factor());
    }
    if let Some(log_q) = cached.log_jump_density() {
        assert_eq!(Some(log_q), fresh.log_jump_density());
    }
    usize::from(cached.factor().is_some()) + usize::from(cached.log_jump_density().is_some())
}

#[test]
fn after_every_step_the_cache_equals_a_fresh_look() {
    for dim in [3, 6] {
        let settings = ChainSettings { warmup: 1500, ..frozen(0, 3, 0, 0.0) };
        let mut chain = Chain::new(default_sampler(dim, 1500, 60), &vec![0.0; dim], settings).unwrap();
        let mut target = Banana::new(dim, 0.1, 25.0).unwrap();
        let mut compared = 0;
        for _ in 0..2000 {
            chain.step(&mut target).unwrap();
            let mut fresh = chain.proposal().allocate(dim);
            chain.proposal().locate(chain.position(), &mut fresh);
            compared += same(chain.local().full(), fresh.full());
            if let (Some(cached), Some(fresh)) = (chain.local().subspace(), fresh.subspace()) {
                compared += same(cached, fresh);
            }
        }
        assert!(compared > 2000, "{compared}");
        assert!(chain.proposal().fit().weights.values().all(|weight| *weight > 0.0));
    }
}

#[test]
fn a_stored_subspace_whose_rows_are_not_orthonormal_is_refused() {
    let proposal = learned(default_sampler(4, 3000, 100), &mut banana(), 3000);
    assert!(proposal.fit().weight(&SubspaceJump) > 0.0);
    let stored = serde_json::to_value(&proposal).unwrap();
    let changed_by = |change: f64| {
        let mut stored = stored.clone();
        let entry = stored.pointer_mut("/fit/subspace/0/rows/0").unwrap();
        *entry = serde_json::json!(entry.as_f64().unwrap() + change);
        serde_json::from_value::<Kameleon>(stored)
    };
    assert!(changed_by(0.0).is_ok_and(|proposal| proposal.problem(4).is_none()));
    for change in [1e-4, 0.1, -2.5] {
        assert!(changed_by(change).is_err(), "{change}");
    }
}

#[test]
fn what_was_learned_is_told_and_a_funnel_is_recognised() {
    let told = |target: Box<dyn Fn() -> Box<dyn Target>>, dim: usize| {
        let settings = ChainSettings { index: 0, seed: 3, warmup: 6000, normals: 0, correlation: 0.0 };
        let mut chain =
            Sampler::kameleon().chain(&vec![0.5; dim], settings, Length { warmup: 6000, sampling: 2000 }).unwrap();
        let mut target = target();
        for _ in 0..8000 {
            chain.step(target.as_mut()).unwrap();
        }
        (chain.report(), chain.advice().join(" "))
    };
    let (report, advice) = told(Box::new(|| Box::new(Funnel::new(5, 3.0).unwrap())), 5);
    assert!(advice.contains("looks like a funnel") && advice.contains("parameter 1"), "{advice}");
    for name in ["metric", "neighbourhood f", "h²", "δ", "jump", "subspace jump", "subspace kernel step", "kernel step"]
    {
        let mut names = report.facts.iter().map(|(name, _)| name).chain(report.moves.iter().map(|row| &row.name));
        assert!(names.any(|known| known == name), "{name}: {report:?}");
    }
    let (_, advice) = told(Box::new(|| Box::new(banana())), 4);
    assert!(!advice.contains("funnel"), "{advice}");
    let (_, advice) = told(Box::new(|| Box::new(flower())), 3);
    assert!(!advice.contains("funnel"), "{advice}");
}
