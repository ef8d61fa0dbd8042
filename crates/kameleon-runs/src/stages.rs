//! A run in stages: up to a check, then on to the next, until there are enough draws or no more are allowed.
//!
//! Checks come at fixed numbers of draws, so that the same seed stops at the same place, interrupted or not.

use crate::elsewhere::{Away, Elsewhere};
use crate::error::RunError;
use crate::load::{own_units, read_draws};
use crate::prepare::ChainTarget;
use crate::record::RunRecord;
use crate::settings::{RunSettings, StopRule};
use crate::store::Files;
use kameleon::chain::ChainError;
use kameleon::diagnose::summarise;
use kameleon::run::{Job, run_jobs, run_jobs_by};
use kameleon::{Control, Ending};
use kameleon_models::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Draws at the first check; each later one is at a quarter more.
const FIRST_CHECK: u64 = 200;
/// A check looks at no more draws of each chain than this, or than the rule needs: beyond it, at one in so many.
const LOOK_AT: usize = 20_000;
/// How often the clock and the stop flag are looked at when time is limited.
const WATCH: Duration = Duration::from_millis(20);

/// The chains of a run.
pub type Jobs<'a> = Vec<Job<ChainTarget<'a>, RunRecord>>;

/// How the stages ended.
pub struct Outcome {
    /// In the terms of the library.
    pub ending: Ending,
    /// Why, in words.
    pub reason: String,
}

/// Runs the chains to the end of the run.
pub fn run<'a>(
    jobs: Jobs<'a>,
    settings: &RunSettings,
    files: Option<&Files>,
    control: Control<'_>,
    elsewhere: Option<&dyn Elsewhere>,
) -> Result<(Jobs<'a>, Outcome), RunError> {
    let away = elsewhere.map(|elsewhere| Away::new(settings, elsewhere)).transpose()?;
    let (bounds, limit) = (settings.parameters.bounds()?, settings.run.limit()?);
    let stages = Stages { settings, files, bounds, limit, away };
    let Some(minutes) = settings.run.max_minutes else { return stages.run(jobs, control, || false) };
    let (stop, late, ended) = (AtomicBool::new(false), AtomicBool::new(false), AtomicBool::new(false));
    let deadline = Instant::now() + Duration::from_secs_f64(60.0 * minutes);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                late.store(Instant::now() >= deadline, Ordering::Relaxed);
                let asked = control.is_stopped();
                stop.store(asked || late.load(Ordering::Relaxed), Ordering::Relaxed);
                std::thread::sleep(WATCH);
            }
        });
        let result = stages.run(jobs, Control { stop: Some(&stop), ..control }, || late.load(Ordering::Relaxed));
        ended.store(true, Ordering::Relaxed);
        result
    })
}

struct Stages<'a> {
    settings: &'a RunSettings,
    files: Option<&'a Files>,
    bounds: Vec<Bound>,
    /// The most draws, and what says so.
    limit: (u64, &'static str),
    /// Chains are run elsewhere.
    away: Option<Away<'a>>,
}

impl Stages<'_> {
    fn run<'a>(
        &self,
        mut jobs: Jobs<'a>,
        control: Control<'_>,
        late: impl Fn() -> bool,
    ) -> Result<(Jobs<'a>, Outcome), RunError> {
        let plan = &self.settings.run;
        let mut goal = self.first_check(most_draws(&jobs, plan.thin));
        loop {
            let (count, sampling) = (jobs.len(), goal.saturating_mul(plan.thin));
            jobs = match &self.away {
                None => run_jobs(jobs, sampling, plan.threads, control),
                // A thread for each chain: all they do is wait.
                Some(away) => {
                    run_jobs_by(&|job, end, stop| away.advance(job, end, stop), jobs, sampling, count, control)
                }
            };
            if let Some(outcome) = self.trouble(&mut jobs, goal, &late)? {
                return Ok((jobs, outcome));
            }
            let met = plan.until.map(|rule| Ok::<_, RunError>((rule, self.is_met(rule, &jobs)?))).transpose()?;
            if let Some(reason) = self.enough(goal, met) {
                return Ok((jobs, Outcome { ending: Ending::Complete, reason }));
            }
            goal = later(goal).min(self.limit.0);
        }
    }

    /// The first number of draws at which to look, no less than there are already: a chain that has draws beyond a check
    /// has passed it.
    fn first_check(&self, draws: u64) -> u64 {
        if self.settings.run.until.is_none() {
            return self.limit.0;
        }
        let mut check = FIRST_CHECK;
        while check < draws {
            check = later(check);
        }
        check.min(self.limit.0)
    }

    /// What ended the stage before its goal, if anything did. A start that cannot be sampled from is an error.
    fn trouble(&self, jobs: &mut Jobs<'_>, goal: u64, late: impl Fn() -> bool) -> Result<Option<Outcome>, RunError> {
        let mut errors = jobs.iter_mut().filter_map(|job| job.error.take()).collect::<Vec<_>>();
        if let Some(at) = errors.iter().position(|error| matches!(error, ChainError::Start { .. })) {
            return Err(errors.swap_remove(at).into());
        }
        if !errors.is_empty() {
            let error = errors.swap_remove(0);
            return Ok(Some(Outcome { reason: error.to_string(), ending: Ending::Failed(error) }));
        }
        let thin = self.settings.run.thin;
        let least = jobs.iter().map(|job| draws_of(job, thin)).min().unwrap_or(0);
        if least >= goal {
            return Ok(None);
        }
        let most = most_draws(jobs, thin);
        let after = format!("after {least} to {most} draws in each chain");
        Ok(Some(match late() {
            true => {
                let minutes = self.settings.run.max_minutes.unwrap_or_default();
                let reason = format!("the limit of {minutes} minutes (max-minutes) was reached {after}");
                Outcome { ending: Ending::Complete, reason }
            }
            false => {
                Outcome { ending: Ending::Stopped, reason: format!("the run was stopped before its end, {after}") }
            }
        }))
    }

    /// Why the run is over, if it is.
    fn enough(&self, draws: u64, met: Option<(StopRule, bool)>) -> Option<String> {
        let (limit, what) = self.limit;
        match met {
            Some((rule, true)) => Some(format!("{rule} was reached after {draws} draws in each chain")),
            Some((rule, false)) if draws >= limit => {
                Some(format!("the limit of {limit} draws in each chain ({what}) was reached before {rule}"))
            }
            None if draws >= limit => Some(match what {
                "draws" => format!("all {limit} draws were made in each chain"),
                _ => format!("the limit of {limit} draws in each chain ({what}) was reached"),
            }),
            _ => None,
        }
    }

    fn is_met(&self, rule: StopRule, jobs: &Jobs<'_>) -> Result<bool, RunError> {
        let dim = self.bounds.len();
        let look_at = LOOK_AT.max((4.0 * rule.ess.unwrap_or(0.0)) as usize);
        let mut chains = Vec::with_capacity(jobs.len());
        for job in jobs {
            let mut kept = match (&job.record, self.files) {
                (RunRecord::Memory(record), _) => record.raw.draws.clone(),
                (RunRecord::Disk(_), Some(files)) => read_draws(files, job.chain.index(), dim, &mut Vec::new())?.draws,
                (RunRecord::Disk(_), None) => unreachable!("a record on disk has a folder"),
            };
            own_units(&mut kept, &self.bounds);
            let every = (kept.log_density.len() / look_at).max(1);
            let points = kept.points.chunks_exact(dim).step_by(every).flatten().copied();
            chains.push(points.collect::<Vec<f64>>());
        }
        let chains: Vec<&[f64]> = chains.iter().map(Vec::as_slice).collect();
        let parameters = summarise(&[], &chains, dim).parameters;
        let ess = parameters.iter().map(|p| p.ess_bulk.min(p.ess_tail)).fold(f64::INFINITY, f64::min);
        let r_hat = parameters.iter().map(|p| p.r_hat).fold(0.0, f64::max);
        tracing::info!("check for {rule}: ess={ess:.0}, rhat={r_hat:.4}");
        Ok(rule.is_met(&parameters))
    }
}

/// The check after one at so many draws.
fn later(check: u64) -> u64 {
    check + check / 4
}

fn draws_of(job: &Job<ChainTarget<'_>, RunRecord>, thin: u64) -> u64 {
    job.chain.iterations().saturating_sub(job.chain.warmup()) / thin
}

fn most_draws(jobs: &Jobs<'_>, thin: u64) -> u64 {
    jobs.iter().map(|job| draws_of(job, thin)).max().unwrap_or(0)
}
