//! The default sampler: it leaves the target as it is, and broken versions of it are caught.
//!
//! For the false alarms see `invariance.rs`, whose test this is: seven p-values more, an alarm at 1e-6.

mod common;

use common::replicates::*;
use common::*;
use kameleon::random::{Purpose, stream};
use kameleon::staged::{Fit, KINDS, Kameleon, KameleonSettings, Kind, Local};
use kameleon::target::{Banana, Flower, Funnel, Gaussian, StudentT, TwoModes};
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
    holds(staged(4, 3000, 100), banana());
}

#[test]
fn the_default_leaves_the_flower() {
    holds(staged(3, 3000, 100), flower());
}

#[test]
fn steps_and_jumps_in_few_directions_leave_the_banana_in_many_dimensions() {
    let target = Banana::new(24, 0.03, 4.0).unwrap();
    let settings = KameleonSettings { n: 100, jumps_up_to: 20 };
    let proposal = Kameleon::new(&settings, 24, Length { warmup: 3000, sampling: 0 }).unwrap();
    let proposal = learned(proposal, &mut target.clone(), 3000);
    let weight = |kind: Kind| proposal.fit().weights[kind as usize];
    assert!(weight(Kind::PartialStep) > 0.0 && weight(Kind::PartialJump) > 0.0 && weight(Kind::Jump) == 0.0);
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
    /// No ratio of densities for jumps in few directions.
    NoPartialRatio,
    /// Their Q in the ratio is that of other directions and another z.
    WrongDirections,
    /// No ratio of densities for steps of the Kameleon in few directions.
    NoPartialStepRatio,
    /// The weights of the moves go on changing with the place.
    NeverFrozen,
}

#[derive(Clone)]
struct Mutant {
    proposal: Kameleon,
    other: Kameleon,
    fault: Fault,
}

/// ln Q(x) of the proposal, with the weight of the wide component changed.
fn log_q(proposal: &Kameleon, x: &[f64], delta: Option<f64>) -> f64 {
    let past = proposal.fit().past.as_ref().unwrap();
    let (mut u, mut scratch) = (vec![0.0; x.len()], vec![simd::Block::ZERO; x.len()]);
    past.frame.coordinates(x, &mut u);
    let (near, wide) = past.jump.as_ref().unwrap().log_parts(&u, &mut scratch);
    let delta = delta.unwrap_or(past.choice.delta);
    ((1.0 - delta) * near.exp() + delta * wide.exp()).ln()
}

impl Mutant {
    fn log_wrong_partial(&self, x: &[f64]) -> f64 {
        let mut at = self.other.allocate(x.len());
        self.other.locate(x, &mut at);
        at.few().and_then(Local::log_jump_density).unwrap()
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
        self.proposal.draw(x, at, rng, y)
    }

    fn log_ratio(&self, x: &[f64], at_x: &Local, y: &[f64], at_y: &mut Local, component: usize) -> f64 {
        let right = self.proposal.log_ratio(x, at_x, y, at_y, component);
        match (Kind::of(component), self.fault) {
            (Kind::PartialJump, Fault::NoPartialRatio) | (Kind::PartialStep, Fault::NoPartialStepRatio) => return 0.0,
            (Kind::PartialJump, Fault::WrongDirections) => {
                return self.log_wrong_partial(x) - self.log_wrong_partial(y);
            }
            (Kind::Jump, _) => {}
            _ => return right,
        }
        let delta = self.proposal.fit().past.as_ref().unwrap().choice.delta;
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
            let weights = if x[0] > 0.0 { [0.4, 0.1, 0.5, 0.0, 0.0, 0.0] } else { [0.8, 0.1, 0.1, 0.0, 0.0, 0.0] };
            self.proposal.learn(&Arc::new(Fit { weights, ..Fit::clone(self.proposal.fit()) }));
        }
    }

    fn scale(&self) -> f64 {
        self.proposal.scale()
    }
}

fn mutant_p(fault: Fault) -> f64 {
    let proposal = learned(staged(4, 3000, 100), &mut banana(), 3000);
    let other = learned(staged(4, 2000, 60), &mut banana(), 2000);
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
fn a_jump_in_few_directions_without_its_ratio_is_caught() {
    let p = mutant_p(Fault::NoPartialRatio);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn a_density_in_the_wrong_directions_is_caught() {
    let p = mutant_p(Fault::WrongDirections);
    assert!(p < ALARM, "p = {p}");
}

/// Mostly steps in few directions, whose covariance changes too little for an error to show in their usual share.
fn partial_steps_p(fault: Fault) -> f64 {
    let mut proposal = learned(staged(4, 3000, 100), &mut banana(), 3000);
    proposal.learn(&Arc::new(Fit { weights: [0.1, 0.0, 0.0, 0.0, 0.0, 0.9], ..Fit::clone(proposal.fit()) }));
    exact_p(&Mutant { other: proposal.clone(), proposal, fault }, &banana())
}

#[test]
fn steps_in_few_directions_leave_the_banana_and_without_their_ratio_are_caught() {
    let p = partial_steps_p(Fault::None);
    assert!(p > ALARM, "p = {p}");
    let p = partial_steps_p(Fault::NoPartialStepRatio);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn learning_that_never_ends_is_caught() {
    let p = mutant_p(Fault::NeverFrozen);
    assert!(p < ALARM, "p = {p}");
}

/// What is in the cache is what a fresh look finds; it need not be everything. Tells how much there was.
fn same(cached: &Local, fresh: &Local) -> usize {
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
        let mut chain = Chain::new(staged(dim, 1500, 60), &vec![0.0; dim], settings).unwrap();
        let mut target = Banana::new(dim, 0.1, 25.0).unwrap();
        let mut compared = 0;
        for _ in 0..2000 {
            chain.step(&mut target).unwrap();
            let mut fresh = chain.proposal().allocate(dim);
            chain.proposal().locate(chain.position(), &mut fresh);
            compared += same(chain.local(), &fresh);
            if let (Some(cached), Some(fresh)) = (chain.local().few(), fresh.few()) {
                compared += same(cached, fresh);
            }
        }
        assert!(compared > 2000, "{compared}");
        assert!(KINDS.iter().all(|kind| chain.proposal().fit().weights[*kind as usize] > 0.0));
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
        (chain.learned(), chain.advice().join(" "))
    };
    let (learned, advice) = told(Box::new(|| Box::new(Funnel::new(5, 3.0).unwrap())), 5);
    assert!(advice.contains("looks like a funnel") && advice.contains("parameter 1"), "{advice}");
    for name in [
        "metric",
        "neighbourhood f",
        "h²",
        "δ",
        "jump",
        "jump in few directions",
        "Kameleon in few directions",
        "Kameleon",
    ] {
        assert!(learned.iter().any(|(known, _)| known == name), "{name}: {learned:?}");
    }
    let (_, advice) = told(Box::new(|| Box::new(banana())), 4);
    assert!(!advice.contains("funnel"), "{advice}");
    let (_, advice) = told(Box::new(|| Box::new(flower())), 3);
    assert!(!advice.contains("funnel"), "{advice}");
}
