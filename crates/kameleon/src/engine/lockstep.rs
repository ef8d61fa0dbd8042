//! Chains that advance in step, for a target that takes many points at once: one call of it for all chains at each step.

use super::job::{Job, TURN};
use super::queue::{Numbered, Queue};
use super::{Control, Progress};
use crate::chain::said;
use crate::record::Keep;
use crate::target::{EvalError, Evaluation};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Runs all jobs of the queue on this thread, all that are ready in step.
pub(super) fn run(queue: &Queue<'_>, keep: Keep, sampling: u64, control: Control<'_>, stop: &dyn Fn() -> bool) {
    loop {
        let mut jobs: Vec<Numbered<'_>> = std::iter::from_fn(|| queue.next_now()).collect();
        if jobs.is_empty() {
            return;
        }
        let worked = catch_unwind(AssertUnwindSafe(|| turn(&mut jobs, keep, sampling, stop)));
        for (index, mut job) in jobs {
            if let Err(panic) = &worked {
                job.fail(&**panic);
            }
            let done = job.end_turn(sampling, stop);
            job.tell_progress(control.progress.and_then(|progress: &[Progress]| progress.get(index)), done);
            job.forgive(control);
            queue.give_back(index, job, done);
        }
    }
}

/// Steps of all jobs, for the time of a turn, or until none can go on.
fn turn(jobs: &mut [Numbered<'_>], keep: Keep, sampling: u64, stop: &dyn Fn() -> bool) {
    let started = Instant::now();
    while !stop() && started.elapsed() < TURN {
        let mut active: Vec<&mut Job<'_>> =
            jobs.iter_mut().map(|(_, job)| job).filter(|job| job.can_go_on(sampling)).collect();
        if active.is_empty() {
            return;
        }
        let (values, gradients) = ask(&mut active);
        let width = gradients.len() / active.len();
        for (i, (job, value)) in active.into_iter().zip(values).enumerate() {
            let gradient = &gradients[i * width..(i + 1) * width];
            job.error = job.tell(value, gradient, keep).and_then(|()| job.check_start()).err();
        }
    }
}

/// What the target says at the points that all chains ask for, by one call, and the gradients there, one after another, if the chains
/// need them.
fn ask(jobs: &mut [&mut Job<'_>]) -> (Vec<Evaluation>, Vec<f64>) {
    let (mut points, mut noises, mut asked) = (Vec::new(), Vec::new(), Vec::new());
    let (mut target, mut width) = (None, 0);
    for job in jobs.iter_mut() {
        let (chain, own) = job.parts();
        target.get_or_insert(own);
        if chain.needs_gradient() {
            width = chain.base().len();
        }
        let question = chain.question();
        asked.push(question.is_some());
        if let Some((x, noise)) = question {
            points.push(x);
            noises.push(noise);
        }
    }
    let count = points.len();
    let mut found = vec![0.0; width * count];
    let evaluate = || match target {
        None => Vec::new(),
        Some(target) if width == 0 => target.log_densities(&points, noises),
        Some(target) => target.gradients(&points, noises, &mut found),
    };
    let values = catch_unwind(AssertUnwindSafe(evaluate)).unwrap_or_else(|panic| {
        let why = format!("the target panicked: {}", said(&*panic));
        (0..count).map(|_| Err(EvalError::fatal(why.clone()))).collect()
    });
    in_order(&asked, values, &found, width)
}

/// Values and gradients at the points that were asked for, in the order of all chains.
fn in_order(asked: &[bool], values: Vec<Evaluation>, found: &[f64], width: usize) -> (Vec<Evaluation>, Vec<f64>) {
    let (mut values, mut found) = (values.into_iter(), found.chunks_exact(width.max(1)));
    let mut gradients = vec![0.0; width * asked.len()];
    // A point that overflowed has no value, and the chain knows it.
    let missing = || Err(EvalError::reject("there is no value"));
    let answer = |(i, asked): (usize, &bool)| {
        if !asked {
            return missing();
        }
        if let Some(slopes) = found.next() {
            gradients[i * width..(i + 1) * width].copy_from_slice(slopes);
        }
        values.next().unwrap_or_else(missing)
    };
    let answers = asked.iter().enumerate().map(answer).collect();
    (answers, gradients)
}
