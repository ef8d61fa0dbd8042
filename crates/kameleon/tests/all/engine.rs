//! What happens to a run when something panics, or when a noisy target fails.

use crate::common::*;
use kameleon::any_chain::{AnyChain, SavedChain};
use kameleon::engine::{Engine, Job, OnThreads, Rule, Runner};
use kameleon::learner::{Learner, SharedFit};
use kameleon::record::{Draw, Keep, Moment, Record, RecordError, Recorded};
use kameleon::*;
use rand::RngExt;
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// A noisy target that says Fatal, once, at this call.
fn failing_once(at: usize) -> impl Target + Clone + Send {
    #[derive(Clone)]
    struct Failing(Arc<AtomicUsize>, usize);
    impl Target for Failing {
        fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
            let e: f64 = noise.rng.random_range(-1.0..1.0);
            let called = self.0.fetch_add(1, Ordering::Relaxed) + 1;
            if called == self.1 { Err(EvalError::fatal("licence server down")) } else { Ok(e - x[0] * x[0]) }
        }
    }
    Failing(Arc::new(AtomicUsize::new(0)), at)
}

#[test]
fn after_a_fatal_error_the_same_point_is_asked_for_with_the_same_noise() {
    let plan = Plan { chains: 1, ..plan(Sampler::am_ls()) };
    let whole = sample(failing_once(usize::MAX), &[vec![0.0]], &plan, Control::default()).unwrap();
    for at in [1, 2, 700, 900] {
        let failed = sample(failing_once(at), &[vec![0.0]], &plan, Control::default()).unwrap();
        assert!(matches!(failed.ending, Ending::Failed(ChainError::Fatal { .. })), "call {at}");
        let mut points = failed.chains[0].draws.points.clone();
        let states = failed.chains.into_iter().map(|chain| chain.state).collect();
        let rest = resume(failing_once(usize::MAX), states, &plan, Control::default()).unwrap();
        points.extend(&rest.chains[0].draws.points);
        assert_eq!(points, whole.chains[0].draws.points, "failed at call {at}");
    }
}

#[test]
fn a_stored_chain_can_make_the_estimate_at_its_point_again() {
    let noisy = target::Noisy::new(banana(), 1.0).unwrap();
    let seeded = |x: &[f64], noise: Noise<'_>| noise.rng.random_range(-1.0..1.0) - x[0] * x[0];
    #[derive(Clone)]
    struct Seeded<F>(F);
    impl<F: Fn(&[f64], Noise<'_>) -> f64> Target for Seeded<F> {
        fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
            Ok((self.0)(x, noise))
        }
    }
    check(noisy, 3, 1);
    check(Seeded(seeded), 2, 0);

    fn check(mut target: impl Target, dim: usize, normals: usize) {
        let proposal = proposal::RandomWalk::new(&Default::default(), dim).unwrap();
        let mut chain = Chain::new(proposal, &vec![0.5; dim], frozen(0, 4, normals, 0.0)).unwrap();
        for _ in 0..200 {
            chain.step(&mut target).unwrap();
            let text = serde_json::to_string(chain.state()).unwrap();
            let stored = Chain::<proposal::RandomWalk>::resume(serde_json::from_str(&text).unwrap()).unwrap();
            assert_eq!(stored.evaluate_again(&mut target).unwrap(), chain.log_density());
        }
    }
}

/// A record whose draws count and that panics, or not.
#[derive(Default)]
struct Fragile {
    recorded: Recorded,
    panics_at: Option<usize>,
    saved: Arc<AtomicU64>,
}

impl Record for Fragile {
    fn push(&mut self, draw: Draw<'_>) -> Result<(), RecordError> {
        assert!(Some(self.recorded.draws.len()) != self.panics_at, "the record broke");
        self.recorded.push(draw);
        Ok(())
    }

    fn save(&mut self, chain: &dyn AnyChain, _moment: Moment) -> Result<(), RecordError> {
        self.saved.store(chain.iterations(), Ordering::Relaxed);
        Ok(())
    }

    fn recorded(&self) -> Result<Cow<'_, Recorded>, RecordError> {
        Ok(Cow::Borrowed(&self.recorded))
    }
}

fn engine(control: Control<'_>) -> Engine<'_> {
    Engine { keep: Keep { thin: 1, warmup: false, jumps: false }, threads: Some(2), limit: None, runner: None, control }
}

fn chain(index: usize, sampler: &Sampler) -> Box<dyn AnyChain> {
    let settings = ChainSettings { index, warmup: 800, ..frozen(index, 3, 0, 0.0) };
    sampler.chain(&[0.5, 0.5], settings, Length::new(800, 500)).unwrap()
}

fn flat() -> Box<dyn Target + Send> {
    Box::new(|x: &[f64]| -x[0] * x[0] - x[1] * x[1])
}

#[test]
fn a_panic_of_ours_ends_the_run_with_an_error_and_saves_nothing_after_it() {
    let job = |index: usize| {
        let panics_at = (index == 1).then_some(100);
        Job::new(chain(index, &Sampler::am_ls()), flat(), Fragile { panics_at, ..Fragile::default() })
    };
    let saved: Vec<Arc<AtomicU64>> = (0..3).map(|_| Arc::default()).collect();
    let jobs = (0..3).map(|index| {
        let mut job = job(index);
        let record =
            Fragile { panics_at: (index == 1).then_some(100), saved: saved[index].clone(), ..Fragile::default() };
        job.record = Box::new(record);
        job
    });
    let finish = engine(Control::default()).run(jobs.collect(), &mut Rule::draws(500, 1)).unwrap();
    let Ending::Failed(ChainError::Internal { chain: 1, said, .. }) = &finish.ending else {
        panic!("{:?}", finish.ending)
    };
    assert!(said.contains("the record broke") && finish.reason.contains("error in kameleon itself"), "{said}");
    assert!(saved[1].load(Ordering::Relaxed) <= 900, "the chain must not be saved after the panic");
    for (index, job) in finish.jobs.into_iter().enumerate() {
        let (chain, recorded) = job.into_parts().unwrap();
        let made = chain.iterations().saturating_sub(800) as usize;
        assert_eq!(recorded.draws.len(), if index == 1 { 100 } else { made }, "chain {index} keeps its draws");
    }
}

/// A chain that panics when it is to learn.
struct PanicsAtFit(Box<dyn AnyChain>);

impl std::ops::Deref for PanicsAtFit {
    type Target = ChainCore;

    fn deref(&self) -> &ChainCore {
        &self.0
    }
}

impl AnyChain for PanicsAtFit {
    fn ask(&mut self) -> &[f64] {
        self.0.ask()
    }
    fn tell_with_gradient(&mut self, value: Evaluation, gradient: &[f64]) -> Result<Option<Step>, ChainError> {
        self.0.tell_with_gradient(value, gradient)
    }
    fn needs_gradient(&self) -> bool {
        self.0.needs_gradient()
    }
    fn step(&mut self, target: &mut dyn Target) -> Result<Step, ChainError> {
        self.0.step(target)
    }
    fn check_gradient(&self, target: &mut dyn Target) -> Result<(), ChainError> {
        self.0.check_gradient(target)
    }
    fn question(&mut self) -> Option<(&[f64], Noise<'_>)> {
        self.0.question()
    }
    fn put_back_noise(&mut self) {
        self.0.put_back_noise();
    }
    fn evaluate_again(&self, target: &mut dyn Target) -> Evaluation {
        self.0.evaluate_again(target)
    }
    fn scale(&self) -> f64 {
        self.0.scale()
    }
    fn covariance_at(&self, x: &[f64]) -> Option<Vec<f64>> {
        self.0.covariance_at(x)
    }
    fn proposals_at(&self, x: &[f64], gradient: &[f64], count: usize, rng: &mut Rng) -> Vec<f64> {
        self.0.proposals_at(x, gradient, count, rng)
    }
    fn report(&self) -> Report {
        self.0.report()
    }
    fn advice(&self, names: &[String]) -> Vec<String> {
        self.0.advice(names)
    }
    fn log_jump_density_at(&self, x: &[f64]) -> Option<f64> {
        self.0.log_jump_density_at(x)
    }

    fn shares_of_parts(&self) -> Vec<f64> {
        self.0.shares_of_parts()
    }

    fn learner(&self) -> Option<&dyn Learner> {
        self.0.learner()
    }
    fn set_circles(&mut self, coordinates: &[usize]) {
        self.0.set_circles(coordinates);
    }
    fn join(&mut self) {
        self.0.join();
    }
    fn learn(&mut self, _fit: &SharedFit) {
        panic!("the covariance fell apart");
    }
    fn save(&self) -> SavedChain {
        self.0.save()
    }
}

#[test]
fn a_panic_while_a_group_learns_ends_the_run_with_an_error() {
    let jobs = (0..4).map(|index| {
        let mut chain = chain(index, &Sampler::kameleon());
        chain.join();
        let chain: Box<dyn AnyChain> = if index == 2 { Box::new(PanicsAtFit(chain)) } else { chain };
        Job::new(chain, flat(), Fragile::default())
    });
    let finish = engine(Control::default()).run(jobs.collect(), &mut Rule::draws(500, 1)).unwrap();
    assert!(matches!(finish.ending, Ending::Failed(ChainError::Internal { .. })), "{:?}", finish.ending);
    assert!(finish.reason.contains("the covariance fell apart"), "{}", finish.reason);
}

#[test]
fn a_panic_while_a_rule_is_checked_ends_the_run_with_an_error_and_leaves_no_watcher_behind() {
    struct Broken;
    impl engine::Stopping for Broken {
        fn next(&mut self, _jobs: &[Job<'_>]) -> Result<engine::Next, RecordError> {
            panic!("the rule broke")
        }
    }
    let limited = Engine {
        limit: Some((std::time::Instant::now(), std::time::Duration::from_secs(3600))),
        ..engine(Control::default())
    };
    let jobs = vec![Job::new(chain(0, &Sampler::sm()), flat(), Fragile::default())];
    // Were the watcher left behind, this would take an hour.
    let finish = limited.run(jobs, &mut Broken).unwrap();
    assert!(matches!(finish.ending, Ending::Failed(ChainError::Internal { .. })) && finish.jobs.len() == 1);
    assert!(finish.reason.contains("the rule broke"), "{}", finish.reason);
}

#[test]
fn a_chain_that_a_panic_left_in_the_middle_of_a_step_is_not_resumed() {
    let chain =
        Chain::new(proposal::RandomWalk::new(&Default::default(), 1).unwrap(), &[0.0], frozen(0, 1, 0, 0.0)).unwrap();
    let text = serde_json::to_string(chain.state()).unwrap().replace("\"asked\":\"Start\"", "\"asked\":\"Judging\"");
    let refused =
        Chain::<proposal::RandomWalk>::resume(serde_json::from_str(&text).unwrap()).err().unwrap().to_string();
    assert!(refused.contains("in the middle of a step"), "{refused}");
}

#[test]
fn chains_of_two_kinds_of_samplers_do_not_wait_for_each_other_for_ever() {
    let joined = |index: usize, sampler: &Sampler| {
        let mut chain = chain(index, sampler);
        chain.join();
        Job::new(chain, flat(), Fragile::default())
    };
    let jobs = vec![joined(0, &Sampler::kameleon()), joined(1, &Sampler::de_mc_z())];
    let finish = engine(Control::default()).run(jobs, &mut Rule::draws(500, 1)).unwrap();
    assert!(matches!(finish.ending, Ending::Failed(ChainError::Waiting { .. })), "{:?}", finish.ending);
}

/// A noisy Gaussian that takes many points at once, and counts its calls.
#[derive(Clone)]
struct InStep {
    together: bool,
    calls: Arc<AtomicUsize>,
}

impl Target for InStep {
    fn log_density(&mut self, x: &[f64], mut noise: Noise<'_>) -> Evaluation {
        Ok(-x.iter().map(|x| x * x).sum::<f64>() / 2.0 + 1e-17 * (noise.seed() as f64))
    }

    fn batch(&self) -> usize {
        if self.together { usize::MAX } else { 1 }
    }

    fn log_densities(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>) -> Vec<Evaluation> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        points.iter().zip(noise).map(|(x, noise)| self.log_density(x, noise)).collect()
    }

    fn has_gradient(&self) -> bool {
        true
    }

    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        gradient.iter_mut().zip(x).for_each(|(g, x)| *g = -x);
        self.log_density(x, noise)
    }

    fn gradients(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>, gradients: &mut [f64]) -> Vec<Evaluation> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let rooms = gradients.chunks_exact_mut(points[0].len());
        points.iter().zip(noise).zip(rooms).map(|((x, noise), room)| self.gradient(x, noise, room)).collect()
    }
}

#[test]
fn chains_in_step_make_the_draws_of_chains_on_their_own_by_one_call_for_all() {
    let target = |together| InStep { together, calls: Default::default() };
    for sampler in [Sampler::kameleon(), Sampler::kamh_ls_with_drift(), Sampler::pmala()] {
        let warmup = Warmup::Iterations(1500);
        let plan = Plan { sampler, warmup, draws: Some(300), chains: 4, seed: 2, ..Plan::default() };
        let (alone, together) = (target(false), target(true));
        let run = |target: &InStep| sample(target.clone(), &[vec![0.5, 0.0]], &plan, Control::default()).unwrap();
        assert!(run(&alone).draws() == run(&together).draws());
        let calls = together.calls.load(Ordering::Relaxed);
        assert!((1801..1830).contains(&calls), "{}: {calls}", plan.sampler.name());
    }
}

/// A Gaussian that takes many points at once, whose gradient has the wrong sign along its second coordinate.
#[derive(Clone)]
struct Wrong;

impl Target for Wrong {
    fn log_density(&mut self, x: &[f64], _noise: Noise<'_>) -> Evaluation {
        Ok(-x.iter().map(|x| x * x).sum::<f64>() / 2.0)
    }

    fn batch(&self) -> usize {
        usize::MAX
    }

    fn has_gradient(&self) -> bool {
        true
    }

    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        gradient.copy_from_slice(&[-x[0], x[1]]);
        self.log_density(x, noise)
    }
}

#[test]
fn a_wrong_gradient_is_named_at_the_start_of_chains_in_step() {
    let plan = Plan { sampler: Sampler::mala(), warmup: Warmup::Iterations(100), draws: Some(10), ..Plan::default() };
    let why = match sample(Wrong, &[vec![0.5, 1.0]], &plan, Control::default()) {
        Ok(run) => run.reason,
        Err(error) => error.to_string(),
    };
    assert!(why.contains("the gradient is wrong: for parameter `x2`"), "{why}");
}

#[test]
fn chains_with_one_start_at_an_edge_begin_inside() {
    let plan = Plan { chains: 8, warmup: Warmup::Iterations(300), draws: Some(50), ..Plan::default() };
    let edge = |x: &[f64]| if x[0] < 1.0 { f64::NEG_INFINITY } else { -x[0] };
    let run = sample(edge, &[vec![1.0]], &plan, Control::default()).unwrap();
    assert!(matches!(run.ending, Ending::Complete), "{}", run.reason);
    assert!(
        sample(edge, &[vec![0.9]], &plan, Control::default()).is_err(),
        "the first chain begins at the point itself"
    );
}

/// Lets nobody go on before this number of chains has come.
struct AllAtOnce {
    wanted: usize,
    come: Mutex<usize>,
    more: Condvar,
}

impl Runner for AllAtOnce {
    fn advance(&self, job: &mut Job<'_>, keep: Keep, sampling: u64, stop: &dyn Fn() -> bool) -> Result<(), ChainError> {
        let mut come = self.come.lock().unwrap();
        *come += 1;
        self.more.notify_all();
        while *come < self.wanted {
            let (guard, waited) = self.more.wait_timeout(come, Duration::from_secs(60)).unwrap();
            assert!(!waited.timed_out(), "only {} of {} chains are advanced at a time", *guard, self.wanted);
            come = guard;
        }
        drop(come);
        OnThreads.advance(job, keep, sampling, stop)
    }
}

#[test]
fn a_thousand_chains_are_advanced_elsewhere_at_the_same_time() {
    let runner = AllAtOnce { wanted: 1000, come: Mutex::new(0), more: Condvar::new() };
    let settings = |index| ChainSettings { index, warmup: 0, ..frozen(index, 3, 0, 0.0) };
    let chain = |index| Sampler::sm().chain(&[0.5, 0.5], settings(index), Length::new(0, 5)).unwrap();
    let jobs = (0..1000).map(|index| Job::new(chain(index), flat(), Recorded::default())).collect();
    let engine = Engine { runner: Some(&runner), ..engine(Control::default()) };
    let finish = engine.run(jobs, &mut Rule::draws(5, 1)).unwrap();
    assert!(matches!(finish.ending, Ending::Complete), "{}", finish.reason);
    assert!(finish.jobs.iter().all(|job| job.chain.iterations() == 5));
}
