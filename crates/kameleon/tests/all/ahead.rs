//! Many chains learn together without holding each other up, and whatever happens to them the draws are the same.

use crate::common::*;
use kameleon::any_chain::{AnyChain, SavedChain};
use kameleon::engine::{Engine, Job, Rule};
use kameleon::random::{Purpose, stream};
use kameleon::record::{Draw, Keep, Moment, Record, RecordError, Recorded};
use kameleon::target::Banana;
use kameleon::*;
use rand::RngExt;
use rand_distr::LogNormal;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

fn banana() -> Banana {
    Banana::new(3, 0.1, 25.0).unwrap()
}

fn plan(chains: usize, warmup: u64, draws: u64) -> Plan {
    Plan { warmup: Warmup::Iterations(warmup), draws: Some(draws), chains, seed: 23, ..Plan::default() }
}

fn chains(plan: &Plan) -> Vec<Box<dyn AnyChain>> {
    (0..plan.chains).map(|index| plan.chain_at(index, &[0.0; 3], 0).unwrap()).collect()
}

/// The run of the same chains in one go.
fn whole(plan: &Plan) -> Run {
    let states = chains(plan).iter().map(|chain| chain.save()).collect();
    resume(banana(), states, plan, Control::default()).unwrap()
}

/// Evaluations on as many workers as there are chains, in virtual time.
struct Simulation {
    chains: Vec<Box<dyn AnyChain>>,
    /// When each chain has its next value, or came to where it waits.
    clocks: Vec<f64>,
    times: Vec<Rng>,
    draws: Vec<Vec<f64>>,
    /// The time in which workers evaluate, and in which they wait for others.
    busy: f64,
    idle: f64,
}

impl Simulation {
    /// How long an evaluation takes: log-normal, with sd 1 of the logarithm.
    fn time(&mut self, chain: usize) -> f64 {
        self.times[chain].sample(LogNormal::new(0.0, 1.0).unwrap())
    }

    /// The chain whose value comes next, of those that have iterations to make.
    fn next(&self, iterations: u64) -> Option<usize> {
        let can = |i: &usize| !self.chains[*i].waits() && self.chains[*i].iterations() < iterations;
        (0..self.chains.len()).filter(can).min_by(|a, b| self.clocks[*a].total_cmp(&self.clocks[*b]))
    }

    /// Gives chains what they wait for at this moment.
    fn refresh(&mut self, now: f64) {
        let waited: Vec<usize> = (0..self.chains.len()).filter(|i| self.chains[*i].waits()).collect();
        let mut group: Vec<&mut dyn AnyChain> = self.chains.iter_mut().map(|chain| chain.as_mut() as _).collect();
        while pool::refresh(&mut group) {}
        for i in waited {
            if !self.chains[i].waits() {
                self.idle += now - self.clocks[i];
                let time = self.time(i);
                self.busy += time;
                self.clocks[i] = now + time;
            }
        }
    }

    fn run(plan: &Plan, iterations: u64) -> Self {
        let count = plan.chains;
        let times = (0..count).map(|chain| stream(1, chain as u64, Purpose::Noise)).collect();
        let draws = vec![Vec::new(); count];
        let mut all = Self { chains: chains(plan), clocks: vec![0.0; count], times, draws, busy: 0.0, idle: 0.0 };
        while let Some(i) = all.next(iterations) {
            let now = all.clocks[i];
            let step = all.chains[i].step(&mut banana()).unwrap();
            if !step.warm {
                let x = all.chains[i].position();
                all.draws[i].extend_from_slice(x);
            }
            if all.chains[i].waits() {
                all.refresh(now);
            } else {
                let time = all.time(i);
                all.busy += time;
                all.clocks[i] += time;
            }
        }
        all
    }
}

#[test]
fn workers_whose_times_vary_much_hardly_wait_for_each_other_and_the_draws_are_the_same() {
    let plan = plan(64, 625, 625);
    let simulated = Simulation::run(&plan, 1250);
    let share = simulated.idle / (simulated.idle + simulated.busy);
    assert!(share < 0.15, "{share}");
    let run = whole(&plan);
    assert!(run.draws().iter().zip(&simulated.draws).all(|(a, b)| a == b));
}

/// A record that knows the chain only as it had to be saved.
struct Needed(Arc<Mutex<SavedChain>>, Recorded);

impl Record for Needed {
    fn push(&mut self, draw: Draw<'_>) -> Result<(), RecordError> {
        self.1.push(draw);
        Ok(())
    }

    fn save(&mut self, chain: &dyn AnyChain, moment: Moment) -> Result<(), RecordError> {
        if moment == Moment::Waiting {
            *self.0.lock().unwrap() = chain.save();
        }
        Ok(())
    }

    fn recorded(&self) -> Result<Cow<'_, Recorded>, RecordError> {
        Ok(Cow::Borrowed(&self.1))
    }
}

#[test]
fn chains_that_are_killed_while_they_learn_go_on_from_what_was_saved_of_each() {
    let plan = plan(9, 400, 60);
    let whole = whole(&plan);
    for after in [0, 700, 1500, 2200, 3000] {
        let (stop, calls) = (AtomicBool::new(false), AtomicU64::new(0));
        let target = |x: &[f64]| {
            stop.fetch_or(calls.fetch_add(1, Ordering::Relaxed) == after, Ordering::Relaxed);
            exact(&mut banana(), x)
        };
        let chains = chains(&plan);
        let saved: Vec<_> = chains.iter().map(|chain| Arc::new(Mutex::new(chain.save()))).collect();
        let job = |(chain, saved): (_, &Arc<Mutex<SavedChain>>)| {
            Job::new(chain, Box::new(&target), Needed(saved.clone(), Recorded::default()))
        };
        let jobs = chains.into_iter().zip(&saved).map(job).collect();
        let keep = Keep { thin: 1, warmup: false, jumps: false };
        let control = Control { stop: Some(&stop), ..Control::default() };
        let engine = Engine { keep, threads: Some(3), limit: None, runner: None, control };
        engine.run(jobs, &mut Rule::draws(60, 1)).unwrap();
        let states = saved.iter().map(|saved| saved.lock().unwrap().clone()).collect();
        let second = resume(banana(), states, &plan, Control::default()).unwrap();
        assert!(whole.draws() == second.draws(), "killed after {after} evaluations");
    }
}
