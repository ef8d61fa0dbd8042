//! The default sampler: it leaves the target as it is, and broken versions of it are caught.
//!
//! For the false alarms see `tests/invariance.rs`, whose test this is: sixteen p-values more, an alarm at 1e-6.

mod circles;
#[path = "../common/mod.rs"]
mod common;
mod mutants;

use common::replicates::*;
use common::*;
use kameleon::moves::*;
use kameleon::proposal::{Kameleon, KameleonSettings};
use kameleon::random::{Purpose, stream};
use kameleon::target::{Banana, Flower, Funnel, Gaussian, StudentT, TwoModes};
use kameleon::*;
use rand::RngExt;

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

// Blocks of three candidates leave out most of what a stride does. These are begun, judged and shown within the steps.
#[test]
fn blocks_of_the_length_that_users_have_leave_the_banana() {
    let mut proposal = learned(default_sampler(4, 3000, 100), &mut banana(), 3000);
    proposal.set_block(48);
    let p = exact_p_after(130, &proposal, &banana());
    assert!(p > ALARM, "p = {p}");
}

#[test]
fn jumps_in_a_few_of_many_directions_leave_the_banana() {
    let target = Banana::new(24, 0.03, 100.0).unwrap();
    let proposal = learned(default_sampler(24, 8000, 100), &mut target.clone(), 8000);
    let density = proposal.fit().model.density.as_ref().unwrap();
    assert!(density.parts().few.is_some() && proposal.fit().weight(&Jump) > 0.0);
    let p = exact_p(&proposal, &target);
    assert!(p > ALARM, "p = {p}");
}

/// Four chains from starts that know nothing, 20,000 evaluations in all: where are they in the last fifth?
fn reaches(name: &str, target: impl Known + Clone + Send) {
    let dim = target.dim().unwrap();
    // Fewer points of z than the default has, for the time that it takes.
    let sampler = Sampler::Kameleon(KameleonSettings { n: 300 });
    let plan = Plan { sampler, warmup: Warmup::Iterations(4000), draws: Some(1000), seed: 71, ..Plan::default() };
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
        let mut chain = Chain::new(default_sampler(dim, 1500, 60), &vec![0.0; dim], settings).unwrap();
        let mut target = Banana::new(dim, 0.1, 25.0).unwrap();
        let mut compared = 0;
        for _ in 0..2000 {
            chain.step(&mut target).unwrap();
            let mut fresh = chain.proposal().allocate(dim);
            chain.proposal().locate(chain.base(), &mut fresh);
            compared += same(chain.local(), &fresh);
        }
        assert!(compared > 1000, "{compared}");
        assert!(chain.proposal().fit().weights.values().all(|weight| *weight > 0.0));
    }
}

#[test]
fn each_move_is_told_its_own_acceptance_though_draws_are_shown_late() {
    let settings = ChainSettings { warmup: 1500, ..frozen(0, 3, 0, 0.0) };
    let mut chain = Chain::new(default_sampler(3, 1500, 60), &[0.0; 3], settings).unwrap();
    let mut target = Banana::new(3, 0.1, 25.0).unwrap();
    let (mut made, mut moved) = (0, 0);
    for _ in 0..6000 {
        let before = chain.base().to_vec();
        let step = chain.step(&mut target).unwrap();
        if !step.warm && step.jump.is_none() {
            made += 1;
            moved += u64::from(chain.base() != before);
        }
    }
    let report = chain.proposal().report();
    let told = report.moves.iter().filter(|told| told.name != "jump");
    let (proposed, accepted) = told.fold((0, 0), |(p, a), told| (p + told.proposed, a + told.accepted));
    assert!(made > 50 && (proposed, accepted) == (made, moved), "{proposed} {accepted}, {made} {moved}");
}

#[test]
fn a_stored_jump_density_whose_rows_are_not_orthonormal_is_refused() {
    let mut target = Banana::new(8, 0.1, 100.0).unwrap();
    let proposal = learned(default_sampler(8, 6000, 100), &mut target, 6000);
    let stored = serde_json::to_value(&proposal).unwrap();
    let changed_by = |change: f64| {
        let mut stored = stored.clone();
        let entry = stored.pointer_mut("/fit/density/few/rows/0").unwrap();
        *entry = serde_json::json!(entry.as_f64().unwrap() + change);
        serde_json::from_value::<Kameleon>(stored)
    };
    assert!(changed_by(0.0).is_ok_and(|proposal| proposal.problem(8).is_none()));
    for change in [1e-4, 0.1, -2.5] {
        assert!(changed_by(change).is_err(), "{change}");
    }
}

#[test]
fn what_was_learned_is_told_and_a_funnel_is_recognised() {
    fn told(target: impl Known + Clone + Send) -> (Report, String) {
        let dim = target.dim().unwrap();
        let plan = Plan { warmup: Warmup::Iterations(6000), draws: Some(2000), seed: 3, ..Plan::default() };
        let run = sample(target, &[vec![0.5; dim]], &plan, Control::default()).unwrap();
        (run.chains[0].report.clone(), run.warnings().join(" "))
    }
    let (report, advice) = told(Funnel::new(5, 3.0).unwrap());
    assert!(advice.contains("looks like a funnel") && advice.contains("change with x1 "), "{advice}");
    for name in ["components of the jump density", "in directions", "points of the history", "jump", "kernel step"] {
        let mut names = report.facts.iter().map(|(name, _)| name).chain(report.moves.iter().map(|row| &row.name));
        assert!(names.any(|known| known == name), "{name}: {report:?}");
    }
    for advice in [told(banana()).1, told(flower()).1, told(StudentT::new(5, 3.0).unwrap()).1] {
        assert!(!advice.contains("funnel"), "{advice}");
    }
}
