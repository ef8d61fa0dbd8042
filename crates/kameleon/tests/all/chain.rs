//! Chains as a user meets them: caches, resume, streams, threads and stopping.

use crate::common::*;
use kameleon::any_chain::{AnyChain, SavedChain};
use kameleon::chain::ChainError;
use kameleon::history::HistoryKind;
use kameleon::moves::{Difference, Move, MoveId, Pick, Walk};
use kameleon::proposal::*;
use kameleon::random::{Purpose, stream};
use kameleon::statistics::Counts;
use kameleon::target::{Gaussian, Noisy};
use kameleon::*;
use rand::RngExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

fn points(run: &Run) -> Vec<f64> {
    run.draws().concat()
}

#[test]
fn after_every_step_the_cache_equals_a_fresh_look() {
    let length = Length::new(1500, 0);
    for history in [HistoryKind::Reservoir, HistoryKind::Stored] {
        let settings = KamhSettings { gamma_decay: 0.1, history, ..kameleon_settings(60) };
        let proposal = Kamh::new(&settings, 3, length).unwrap();
        let mut chain =
            Chain::new(proposal, &[0.0; 3], ChainSettings { warmup: 1500, ..frozen(0, 3, 0, 0.0) }).unwrap();
        for _ in 0..2000 {
            chain.step(&mut banana()).unwrap();
            let mut fresh = chain.proposal().allocate(3);
            chain.proposal().locate(chain.position(), &mut fresh);
            assert_eq!(chain.local().factor(), fresh.factor());
            assert_eq!(chain.local().gradient_covariance(), fresh.gradient_covariance());
        }
    }
    let mut chain =
        Chain::new(drifting(3, 1500, 60), &[0.0; 3], ChainSettings { warmup: 1500, ..frozen(0, 3, 0, 0.0) }).unwrap();
    for _ in 0..2000 {
        chain.step(&mut banana()).unwrap();
        let mut fresh = chain.proposal().allocate(3);
        chain.proposal().take_gradient(&exact_gradient(&mut banana(), chain.position()), &mut fresh);
        chain.proposal().locate(chain.position(), &mut fresh);
        assert_eq!(chain.local().factor(), fresh.factor());
        assert_eq!(chain.local().drift(), fresh.drift());
    }
    let proposal = kameleon_pca(3, 1500);
    let mut chain = Chain::new(proposal, &[0.0; 3], ChainSettings { warmup: 1500, ..frozen(0, 3, 0, 0.0) }).unwrap();
    for _ in 0..2000 {
        chain.step(&mut banana()).unwrap();
        let mut fresh = chain.proposal().allocate(3);
        chain.proposal().locate(chain.position(), &mut fresh);
        assert_eq!(chain.local().directions(), fresh.directions());
    }
}

/// Whether the log ratio of these components changes sign when two points change places; tells how often it is not zero.
fn changes_sign<P: Proposal + Clone>(proposal: P, components: &[usize]) -> usize {
    let proposal = learned(proposal, &mut banana(), 1500);
    let mut rng = stream(4, 0, Purpose::Move);
    let mut at = [proposal.allocate(3), proposal.allocate(3), proposal.allocate(3), proposal.allocate(3)];
    let mut asymmetric = 0;
    for component in components.repeat(100) {
        let x: Vec<f64> = (0..3).map(|_| rng.random_range(-4.0..4.0)).collect();
        let y: Vec<f64> = (0..3).map(|_| rng.random_range(-4.0..4.0)).collect();
        let [a, b, c, d] = &mut at;
        let gradients = [&x, &y].map(|x| exact_gradient(&mut banana(), x));
        for (at, gradient) in [(&mut *a, 0), (&mut *b, 1), (&mut *c, 1), (&mut *d, 0)] {
            proposal.take_gradient(&gradients[gradient], at);
        }
        proposal.locate(&x, a);
        proposal.locate(&y, c);
        let forth = proposal.log_ratio(&x, a, &y, b, component);
        let back = proposal.log_ratio(&y, c, &x, d, component);
        assert!((forth + back).abs() < 1e-9 * (1.0 + forth.abs()), "{component}: {forth} {back}");
        asymmetric += usize::from(forth != 0.0);
    }
    asymmetric
}

#[test]
fn the_log_ratio_changes_sign_when_the_points_change_places() {
    assert_eq!(changes_sign(kameleon(3, 1500, 80), &[0]), 100);
    assert_eq!(changes_sign(drifting(3, 1500, 80), &[0]), 100);
    assert_eq!(changes_sign(mala(3, 1500, true), &[0]), 100);
    assert_eq!(changes_sign(kameleon_pca(3, 1500), &[0]), 100);
    assert_eq!(changes_sign(adaptive(3, 1500), &[0]), 0);
    // A difference of either factor, and snooker updates about two states of Z.
    assert_eq!(changes_sign(differential_evolution(3, 1500), &[0, 1]), 0);
    assert_eq!(changes_sign(differential_evolution(3, 1500), &[2 + 40, 2 + 90]), 200);
    for id in MoveId::all() {
        // With the learned length, and shortened.
        let whole = Pick::whole(id).component();
        let symmetric = [&Walk as &dyn Move, &Difference].iter().any(|of| MoveId::of(*of) == id);
        let found = changes_sign(default_sampler(3, 1500, 80), &[whole, whole + 2]);
        assert_eq!(found, if symmetric { 0 } else { 200 }, "{}", id.get().name());
    }
}

#[test]
fn drawn_points_have_the_covariance_they_should() {
    // 10⁵ draws: the standard error of a covariance is at most √2/√10⁵ of the product of sds; six of them.
    let proposal = learned(kameleon(3, 1500, 80), &mut banana(), 1500);
    let x = [2.0, -1.0, 0.3];
    let mut at = proposal.allocate(3);
    proposal.locate(&x, &mut at);
    let mut rng = stream(8, 0, Purpose::Move);
    let (mut y, mut sum) = ([0.0; 3], [0.0; 9]);
    let count = 100_000;
    for _ in 0..count {
        proposal.draw(&x, &mut at, &mut rng, &mut y);
        (0..9).for_each(|k| sum[k] += (y[k / 3] - x[k / 3]) * (y[k % 3] - x[k % 3]) / f64::from(count));
    }
    let l = at.factor();
    let r = |i: usize, j: usize| linalg::dot(&l[i * 3..i * 3 + 3], &l[j * 3..j * 3 + 3]);
    for k in 0..9 {
        let (i, j) = (k / 3, k % 3);
        let tolerance = 6.0 * (2.0 * r(i, i) * r(j, j) / f64::from(count)).sqrt();
        assert!((sum[k] - r(i, j)).abs() < tolerance, "{i}{j}: {} {}", sum[k], r(i, j));
    }
}

#[test]
fn resuming_anywhere_gives_the_same_draws() {
    let noisy = || Noisy::new(banana(), 0.5).unwrap();
    for sampler in SAMPLERS {
        let length = Length::new(900, 300);
        let settings = ChainSettings { index: 1, seed: 5, warmup: 900, normals: 1, correlation: 0.7 };
        let start = || sampler().chain(&[0.1; 3], settings, length).unwrap();
        let (mut straight, mut broken): (Box<dyn AnyChain>, _) = (start(), start());
        let mut target = noisy();
        let mut rng = stream(1, 1, Purpose::Start);
        for t in 0..1200 {
            straight.step(&mut target).unwrap();
            if rng.random::<f64>() < 0.02 {
                // As a file would hold it, half the time between a question and its answer.
                if rng.random() {
                    broken.ask();
                }
                let text = serde_json::to_string(&broken.save()).unwrap();
                broken = serde_json::from_str::<SavedChain>(&text).unwrap().resume().unwrap();
            }
            broken.step(&mut target).unwrap();
            assert_eq!(straight.position(), broken.position(), "{} at {t}", sampler().name());
            assert_eq!(straight.log_density(), broken.log_density());
        }
        assert_eq!(straight.statistics(), broken.statistics());
    }
}

#[test]
fn a_run_that_was_stopped_goes_on_as_if_it_had_not_been() {
    let plan = plan(Sampler::kamh_ls());
    let whole = sample(banana(), &[vec![0.0; 3]], &plan, Control::default()).unwrap();
    // What stops the run may take the target with it, as Ctrl-C does with a program.
    for (after, fails) in [(0, false), (100, true), (3000, false), (4200, true)] {
        let stop = AtomicBool::new(false);
        let calls = std::sync::Arc::new(AtomicU64::new(0));
        let target = |x: &[f64]| {
            if calls.fetch_add(1, Ordering::Relaxed) == after {
                stop.store(true, Ordering::Relaxed);
                if fails {
                    return Err(EvalError::fatal("interrupted"));
                }
            }
            Ok(exact(&mut banana(), x))
        };
        let plan = Plan { threads: Some(2), ..plan.clone() };
        let first =
            sample(target, &[vec![0.0; 3]], &plan, Control { stop: Some(&stop), ..Control::default() }).unwrap();
        assert!(matches!(first.ending, Ending::Stopped));
        let states: Vec<SavedChain> = first.chains.iter().map(|chain| chain.state.clone()).collect();
        // The chains know their own warm-up.
        let plan = Plan { warmup: Warmup::Iterations(123_456), ..plan };
        let second = resume(banana(), states, &plan, Control::default()).unwrap();
        for ((whole, first), second) in whole.chains.iter().zip(&first.chains).zip(&second.chains) {
            assert_eq!(whole.draws.points, [first.draws.points.as_slice(), &second.draws.points].concat());
            assert_eq!(whole.statistics, second.statistics);
        }
    }
    assert!(resume(banana(), vec![], &plan, Control::default()).unwrap_err().to_string().contains("0 saved chains"));
}

#[test]
fn adapting_for_ever_changes_z_ever_more_rarely() {
    let settings = KamhSettings {
        until: adapt::Until::Forever,
        schedule: adapt::Schedule::Power(0.5),
        history: history::HistoryKind::Stored,
        ..kameleon_settings(40)
    };
    let length = Length::new(200, 8000);
    let proposal = Kamh::new(&settings, 3, length).unwrap();
    let mut chain = Chain::new(proposal, &[0.0; 3], ChainSettings { warmup: 200, ..frozen(0, 3, 0, 0.0) }).unwrap();
    let mut changes = [0; 2];
    for t in 0..8000 {
        let before = (chain.position().to_vec(), chain.local().gradient_covariance().to_vec());
        chain.step(&mut banana()).unwrap();
        let stayed = chain.position() == before.0;
        // Where the chain stayed, only a new z can have changed the spread.
        changes[t / 4000] += usize::from(stayed && chain.local().gradient_covariance() != before.1);
    }
    assert!(2 * changes[0] > 3 * changes[1] && changes[1] > 10, "{changes:?}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for sampler in SAMPLERS {
        let with = |threads| {
            let plan = Plan { threads: Some(threads), ..plan(sampler()) };
            let target = Noisy::new(banana(), 0.3).unwrap();
            points(&sample(target, &[vec![0.0; 3]], &plan, Control::default()).unwrap())
        };
        let one = with(1);
        assert_eq!(one, with(4), "{}", sampler().name());
        assert_eq!(one.len(), 4 * 300 * 3);
        assert!(one[..900] != one[900..1800], "chains have streams of their own");
    }
}

#[test]
fn pinned_seeds_give_pinned_draws() {
    // A change here is a change of what users get from their seeds: say so in the CHANGELOG.
    let mut found = Vec::new();
    for sampler in SAMPLERS {
        let plan = plan(sampler());
        // Each of them exactly there, and not near it.
        let states = (0..plan.chains).map(|index| plan.chain_at(index, &[0.0; 3], 0).unwrap().save());
        let run = resume(banana(), states.collect(), &plan, Control::default()).unwrap();
        let last = run.chains[1].draws.points.len();
        found.push([run.chains[0].draws.points[0], run.chains[1].draws.points[last - 1]]);
    }
    let pinned = [
        [4.00730051353734, -1.1525725031265446],
        [5.654587373844073, -1.7570679307173924],
        [-4.27177084412722, 0.5431182976340034],
        [1.6813027544402657, 1.2070380116051533],
        [1.5052858824770436, 0.2506493858012764],
        [2.02877178197644, -0.923815180805033],
        [-2.518079194677621, -0.7975414457495831],
        [0.22964980227189552, -0.7776328241600565],
        [-1.2232475192445236, 0.2794914289401771],
        [4.866391145845168, 2.0109717099708093],
        [8.59184605079038, -1.1173629891850505],
        [1.5875772242665347, 2.8601934912175846],
        [6.925939978516199, -1.3012502327659117],
        [0.9746815385907919, -0.48358510969807744],
    ];
    assert_eq!(found, pinned);
}

#[test]
fn the_same_start_for_each_chain_is_one_start_for_all() {
    let plan = plan(Sampler::am_ls());
    let from = |starts: &[Vec<f64>]| points(&sample(banana(), starts, &plan, Control::default()).unwrap());
    let all = from(&[vec![0.5; 3]]);
    assert_eq!(from(&vec![vec![0.5; 3]; plan.chains]), all);
    let mut one_differs = vec![vec![0.5; 3]; plan.chains];
    one_differs[3][1] = 0.6;
    assert_ne!(from(&one_differs), all);
}

#[test]
fn thinning_keeps_every_so_many_th_draw() {
    let thick = sample(banana(), &[vec![0.0; 3]], &plan(Sampler::am_ls()), Control::default()).unwrap();
    let thin = Plan { thin: 10, draws: Some(30), ..plan(Sampler::am_ls()) };
    let thin = sample(banana(), &[vec![0.0; 3]], &thin, Control::default()).unwrap();
    let every_tenth: Vec<f64> = thick.chains[2].draws.points.chunks(3).skip(9).step_by(10).flatten().copied().collect();
    assert_eq!(thin.chains[2].draws.points, every_tenth);
}

#[test]
fn ask_and_tell_is_the_same_chain_as_a_closure() {
    let mut target = banana();
    let settings = ChainSettings { index: 0, seed: 17, warmup: 800, normals: 0, correlation: 0.0 };
    let length = Length::new(800, 300);
    let mut chain = Sampler::kamh_ls().chain(&[0.0; 3], settings, length).unwrap();
    let mut draws = Vec::new();
    while chain.iterations() < 1100 {
        let x = chain.ask().to_vec();
        assert_eq!(chain.ask(), x, "asking twice is asking once");
        let value = exact(&mut target, &x);
        if let Some(step) = chain.tell(Ok(value)).unwrap()
            && !step.warm
        {
            draws.extend_from_slice(chain.position());
        }
    }
    let run = sample(banana(), &[vec![0.0; 3]], &plan(Sampler::kamh_ls()), Control::default()).unwrap();
    assert_eq!(draws, run.chains[0].draws.points);
    assert!(matches!(chain.tell(Ok(0.0)), Err(ChainError::NothingAsked { chain: 0 })));
}

#[test]
fn a_stop_returns_what_was_drawn() {
    let stop = AtomicBool::new(false);
    let calls = AtomicU64::new(0);
    let target = |x: &[f64]| {
        if calls.fetch_add(1, Ordering::Relaxed) == 3000 {
            stop.store(true, Ordering::Relaxed);
        }
        -x[0] * x[0]
    };
    let plan = Plan {
        warmup: Warmup::Iterations(1000),
        draws: Some(1_000_000),
        chains: 1,
        sampler: Sampler::sm(),
        ..Plan::default()
    };
    let run = sample(target, &[vec![0.0]], &plan, Control { stop: Some(&stop), ..Control::default() }).unwrap();
    assert!(matches!(run.ending, Ending::Stopped));
    assert_eq!(run.chains[0].draws.len(), 2000);
    assert_eq!(run.evaluations(), 3001);
}

#[test]
fn the_estimate_stays_with_its_point_until_the_chain_moves() {
    let mut noisy = Noisy::new(Gaussian::diagonal(&[1.0, 1.0]).unwrap(), 2.0).unwrap();
    let settings = ChainSettings { index: 0, seed: 2, warmup: 0, normals: 1, correlation: 0.0 };
    let mut chain =
        Chain::new(RandomWalk::new(&RandomWalkSettings::default(), 2).unwrap(), &[0.0; 2], settings).unwrap();
    let mut before = (Vec::new(), 0.0);
    for t in 0..500 {
        let step = chain.step(&mut noisy).unwrap();
        let now = (chain.position().to_vec(), chain.log_density());
        if t > 0 && step.outcome != Outcome::Accepted {
            assert_eq!(now, before);
        }
        before = now;
    }
    assert!(chain.statistics().longest_rejection_run > 5, "noise this large makes a chain wait");
}

#[test]
fn oracle_points_stay_as_given_while_the_scale_is_learned() {
    let z = vec![vec![1.0, 0.0], vec![0.0, 2.0], vec![-1.0, 1.0]];
    let settings = KamhSettings { z: Some(z), ..KamhSettings::default() };
    let proposal = Kamh::new(&settings, 2, Length::new(100, 0)).unwrap();
    let sigma = proposal.bandwidth().unwrap();
    let mut chain = Chain::new(proposal, &[0.0; 2], ChainSettings { warmup: 100, ..frozen(0, 1, 0, 0.0) }).unwrap();
    let scale = chain.proposal().scale();
    for _ in 0..100 {
        chain.step(&mut |x: &[f64]| -x[0] * x[0] - x[1] * x[1]).unwrap();
    }
    assert_ne!(chain.proposal().scale(), scale);
    assert_eq!(chain.proposal().bandwidth().unwrap(), sigma);
}

#[test]
fn statistics_add_up_and_trace_the_warm_up() {
    let run = sample(banana(), &[vec![0.0; 3]], &plan(Sampler::kamh_ls()), Control::default()).unwrap();
    for chain in &run.chains {
        let s = &chain.statistics;
        assert_eq!((s.warmup.total(), s.sampling.total(), s.evaluations), (800, 300, 1101));
        assert!((0.05..0.6).contains(&s.acceptance()));
        assert_eq!(s.trace.len(), 200);
        assert!(s.trace.iter().all(|p| p.scale > 0.0 && p.bandwidth.unwrap() > 0.0));
        assert_ne!(s.trace[0].scale, s.trace[199].scale);
        assert_ne!(s.trace[0].bandwidth, s.trace[199].bandwidth);
    }
}

#[derive(Clone)]
struct Torn {
    invalid: Arc<AtomicU64>,
    outside: Arc<AtomicU64>,
}

impl Target for Torn {
    fn log_density(&mut self, x: &[f64], _: Noise<'_>) -> Evaluation {
        let (value, count) = match x[0] {
            x if x > 1.0 => (f64::NAN, &self.invalid),
            x if x < -1.0 => (f64::NEG_INFINITY, &self.outside),
            _ => return Ok(-x[0].powi(2) - x[1].powi(2)),
        };
        count.fetch_add(1, Ordering::Relaxed);
        Ok(value)
    }
}

/// Draws are shown a block of jumps late: what an iteration tried is not what it shows.
#[test]
fn every_point_is_counted_by_what_became_of_it_and_every_draw_says_whether_it_is_new() {
    let target = Torn { invalid: Arc::default(), outside: Arc::default() };
    let plan = Plan { warmup: Warmup::Iterations(1000), draws: Some(3000), chains: 2, seed: 4, ..Plan::default() };
    let run = sample(target.clone(), &[vec![0.2, 0.0]], &plan, Control::default()).unwrap();
    let sum = |of: fn(&Counts) -> u64| -> u64 {
        run.chains.iter().map(|chain| of(&chain.statistics.warmup) + of(&chain.statistics.sampling)).sum()
    };
    assert_eq!(sum(|counts| counts.invalid), target.invalid.load(Ordering::Relaxed));
    assert_eq!(sum(|counts| counts.outside_support), target.outside.load(Ordering::Relaxed));
    assert!(sum(|counts| counts.invalid) > 300 && sum(|counts| counts.outside_support) > 300);
    for chain in &run.chains {
        assert_eq!(chain.statistics.sampling.total(), 3000);
        let drawn: Vec<&[f64]> = chain.draws.points.chunks_exact(2).collect();
        // The first may be of the warm-up, whose points nobody has here.
        for (i, outcome) in chain.draws.outcome.iter().enumerate().skip(1) {
            let is_new = !drawn[..i].contains(&drawn[i]);
            assert!((*outcome == Outcome::Accepted) == is_new || i < 100, "draw {i}: {outcome:?}");
        }
        // Points of the last block are not judged yet, and its draws not shown.
        let new = chain.draws.outcome.iter().filter(|outcome| **outcome == Outcome::Accepted).count() as f64;
        let accepted = chain.statistics.sampling.accepted as f64;
        assert!((accepted - new).abs() <= 96.0, "{accepted} of {new}");
    }
}
