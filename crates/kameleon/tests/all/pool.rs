//! Chains that learn together do so in the same way on any number of threads, interrupted or not.

use crate::common::*;
use kameleon::any_chain::SavedChain;
use kameleon::chain::ChainError;
use kameleon::target::{Banana, Gaussian};
use kameleon::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

fn banana() -> Banana {
    Banana::new(4, 0.1, 25.0).unwrap()
}

/// So many that chains run ahead of each other.
const MANY: usize = 20;

fn plan(chains: usize) -> Plan {
    let warmup = if chains < MANY { 1500 } else { 300 };
    Plan { warmup: Warmup::Iterations(warmup), draws: Some(300), chains, seed: 17, ..Plan::default() }
}

/// The samplers whose chains learn together.
fn pooled() -> [Sampler; 2] {
    [Sampler::kameleon(), Sampler::de_mc_z()]
}

#[test]
fn chains_that_learn_together_share_what_they_learned() {
    for chains in [5, MANY] {
        let run = sample(banana(), &[vec![0.0; 4]], &plan(chains), Control::default()).unwrap();
        let fits: Vec<_> = run
            .chains
            .iter()
            .map(|chain| match &chain.state {
                SavedChain::Kameleon(state) => {
                    Chain::resume(*state.clone()).unwrap().proposal().fit().model.metric.clone()
                }
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(fits.iter().all(|fit| *fit == fits[0]));
    }
    for sampler in pooled() {
        let draws = |pool| {
            let plan = Plan { pool, sampler: sampler.clone(), ..plan(5) };
            sample(banana(), &[vec![0.0; 4]], &plan, Control::default()).unwrap().draws().concat()
        };
        assert_ne!(draws(true), draws(false));
    }
}

#[test]
fn a_chain_that_learns_alone_needs_no_runner() {
    let settings = ChainSettings { index: 0, seed: 17, warmup: 1500, normals: 0, correlation: 0.0 };
    let length = Length::new(1500, 300);
    let mut chain = Sampler::kameleon().chain(&[0.0; 4], settings, length).unwrap();
    let mut draws = Vec::new();
    while chain.iterations() < 1800 {
        let x = chain.ask().to_vec();
        if chain.tell(Ok(exact(&mut banana(), &x))).unwrap().is_some_and(|step| !step.warm) {
            draws.extend_from_slice(chain.position());
        }
    }
    let run = sample(banana(), &[vec![0.0; 4]], &plan(1), Control::default()).unwrap();
    assert_eq!(draws, run.chains[0].draws.points);
}

#[test]
fn a_group_stopped_and_saved_anywhere_goes_on_as_if_it_had_not_been() {
    pooled().into_iter().for_each(|sampler| goes_on(Plan { threads: Some(3), sampler, ..plan(4) }));
}

#[test]
fn chains_that_run_ahead_stopped_and_saved_anywhere_go_on_as_if_they_had_not_been() {
    goes_on(Plan { threads: Some(3), ..plan(MANY) });
}

#[test]
fn chains_that_run_ahead_make_the_same_draws_on_any_number_of_threads() {
    let draws = |threads| {
        let plan = Plan { threads: Some(threads), ..plan(MANY) };
        sample(banana(), &[vec![0.0; 4]], &plan, Control::default()).unwrap().draws().concat()
    };
    let one = draws(1);
    assert!(one == draws(2) && one == draws(7));
}

fn goes_on(plan: Plan) {
    let whole = sample(banana(), &[vec![0.0; 4]], &plan, Control::default()).unwrap();
    for after in [0, 350, 2200, 4000, 6500] {
        let stop = AtomicBool::new(false);
        let calls = AtomicU64::new(0);
        let target = |x: &[f64]| {
            if calls.fetch_add(1, Ordering::Relaxed) == after {
                stop.store(true, Ordering::Relaxed);
            }
            exact(&mut banana(), x)
        };
        let first =
            sample(target, &[vec![0.0; 4]], &plan, Control { stop: Some(&stop), ..Control::default() }).unwrap();
        let saved = |chain: &run::ChainRun| serde_json::to_string(&chain.state).unwrap();
        let states = first.chains.iter().map(|chain| serde_json::from_str(&saved(chain)).unwrap()).collect();
        let second = resume(banana(), states, &plan, Control::default()).unwrap();
        for ((whole, first), second) in whole.chains.iter().zip(&first.chains).zip(&second.chains) {
            assert_eq!(whole.draws.points, [first.draws.points.as_slice(), &second.draws.points].concat());
            assert_eq!(whole.statistics, second.statistics);
        }
    }
}

/// A group of two, driven by hand to the refresh that comes next.
fn to_the_next_refresh(chains: &mut [Box<dyn any_chain::AnyChain>]) {
    for chain in chains {
        while !chain.waits() {
            chain.step(&mut banana()).unwrap();
        }
    }
}

#[test]
fn a_chain_saved_before_it_learned_takes_over_what_the_others_know() {
    pooled().into_iter().for_each(takes_over);
}

fn takes_over(sampler: Sampler) {
    let start = |index| {
        let settings = ChainSettings { index, seed: 5, warmup: 1500, normals: 0, correlation: 0.0 };
        let mut chain = sampler.chain(&[0.0; 4], settings, Length::new(1500, 0)).unwrap();
        chain.join();
        chain
    };
    let mut chains = [start(0), start(1)];
    for _ in 0..6 {
        to_the_next_refresh(&mut chains);
        let behind: SavedChain = chains[1].save();
        let [a, b] = &mut chains;
        assert!(pool::refresh(&mut [a.as_mut(), b.as_mut()]));
        assert!(!pool::refresh(&mut [a.as_mut(), b.as_mut()]), "one refresh at a time");
        let mut behind = behind.resume().unwrap();
        assert!(pool::refresh(&mut [a.as_mut(), behind.as_mut()]));
        for _ in 0..10 {
            b.step(&mut banana()).unwrap();
            behind.step(&mut banana()).unwrap();
        }
        assert_eq!(b.position(), behind.position());
    }
}

#[test]
fn a_chain_that_waits_says_so() {
    let settings = ChainSettings { index: 2, seed: 5, warmup: 1500, normals: 0, correlation: 0.0 };
    let mut chain = Sampler::kameleon().chain(&[0.0; 4], settings, Length::new(1500, 0)).unwrap();
    chain.join();
    to_the_next_refresh(std::slice::from_mut(&mut chain));
    assert_eq!(chain.iterations(), 100);
    assert_eq!(chain.ask().to_vec(), chain.position());
    for error in [chain.tell(Ok(0.0)).unwrap_err(), chain.step(&mut banana()).unwrap_err()] {
        assert!(matches!(error, ChainError::Waiting { chain: 2 }));
    }
    assert!(pool::refresh(&mut [chain.as_mut()]), "a group of one");
    chain.step(&mut banana()).unwrap();
}

#[test]
fn a_common_archive_finds_scales_that_one_chain_does_not() {
    let variances: Vec<f64> = (0..6).map(|i| 10f64.powi(-i)).collect();
    let found = |pool| {
        let plan = Plan {
            sampler: Sampler::de_mc_z(),
            warmup: Warmup::Iterations(6000),
            draws: Some(6000),
            seed: 3,
            pool,
            ..Plan::default()
        };
        let starts: Vec<Vec<f64>> = (0..4).map(|k| vec![f64::from(k) - 1.5; 6]).collect();
        let run = sample(Gaussian::diagonal(&variances).unwrap(), &starts, &plan, Control::default()).unwrap();
        run.summary().parameters.iter().map(|p| p.ess_bulk).fold(f64::INFINITY, f64::min)
    };
    let (together, alone) = (found(true), found(false));
    assert!(together > 200.0 && together > 2.0 * alone, "{together} {alone}");
}
