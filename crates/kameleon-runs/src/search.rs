//! The population before the chains: run to its end on threads or by a remote runner, stored on its way, stopped and resumed.

use crate::error::RunError;
use crate::prepare::Prepared;
use crate::remote::{MOST_TASKS, Remote, RemoteRunner};
use crate::store::{Folder, Search};
use kameleon::chain::ChainError;
use kameleon::population::{Evaluator, OnThreads, Population, Prior};
use kameleon::{Control, Ending, EvalError, Target};
use kameleon_models::Likelihood;
use std::error::Error;
use std::time::{Duration, Instant};

/// The points of the first part of a batch, for each thread: it tells how long an evaluation takes.
const FIRST_PART: usize = 16;
/// The least time between two times that it is stored.
const LEAST_PAUSE: Duration = Duration::from_millis(20);

/// What came of a population.
pub struct Outcome {
    /// What it found, or where it is.
    pub search: Search,
    /// How and why it ended, unless it found something.
    pub ended: Option<(Ending, String)>,
}

/// A population of this run: a new one, or that of the folder, which has to be of the same run.
pub fn begin(prepared: &Prepared<'_>, folder: Option<&Folder>) -> Result<Search, RunError> {
    let (run, dim) = (&prepared.settings.run, prepared.target.bounds().len());
    let settings = run.population_settings();
    let stored = folder.map(|folder| Search::read(folder, dim)).transpose().map_err(RunError::damaged_population)?;
    match (stored.flatten(), folder) {
        (Some(Search::Running(population)), Some(folder)) if !population.is_of(&settings, run.seed) => {
            Err(RunError::refused(&folder.population(), "the population is that of a run with other settings"))
        }
        (Some(stored), _) => Ok(stored),
        (None, _) => {
            let population = Population::new(dim, &settings, run.seed).map_err(|error| error.within("population"))?;
            Ok(Search::Running(Box::new(population.with_circles(&prepared.target.circles()))))
        }
    }
}

/// Runs a population to its end, or until it is stopped or fails. In a folder, it is there as it was then.
pub fn run(
    search: Search,
    prepared: &Prepared<'_>,
    folder: Option<&Folder>,
    runner: Option<&dyn RemoteRunner>,
    control: Control<'_>,
) -> Result<Outcome, RunError> {
    let mut population = match search {
        Search::Done(_) => return Ok(Outcome { search, ended: None }),
        Search::Running(population) => population,
    };
    let threads = prepared.plan.threads();
    let mut evaluator = evaluator(prepared, runner, threads)?;
    let late = prepared.late();
    let stop = || control.is_stopped() || late();
    // How many workers a runner has is not known: there may be one for each task.
    let (at_once, first) = if runner.is_some() { (MOST_TASKS, MOST_TASKS) } else { (threads, FIRST_PART * threads) };
    // A target that takes whole batches is not asked for parts of them.
    let in_parts = folder.filter(|_| prepared.target.batch() == 1);
    let mut pace = Pace::new(in_parts.map(|_| prepared.save_every()), at_once, first);
    let worked = loop {
        report(&population, control);
        let before = population.evaluations();
        let advanced = population.advance(&prepared.target, &mut *evaluator, pace.points(), &stop);
        if let Some(why) = prepared.target.failure() {
            say(control, None);
            // What it learned from that is of no use, and the folder keeps what was there before.
            let failed = failed(population.evaluations(), why.into(), None, prepared);
            return Ok(Outcome { search: Search::Running(population), ended: Some(failed) });
        }
        match advanced {
            Ok(true) if !stop() => {}
            Ok(_) => break Ok(()),
            // What fails while the run is being stopped was stopped with it.
            Err(_) if control.is_stopped() => break Ok(()),
            Err(error) => break Err(cause(error)),
        }
        if let Some(folder) = folder.filter(|_| pace.is_time_to_save(population.evaluations() - before))
            && let Err(error) = Search::Running(population.clone()).write(folder)
        {
            break Err(error.into());
        }
    };
    say(control, None);
    let evaluations = population.evaluations();
    let (search, saved) = store(population, folder);
    let ended = match worked.and(saved) {
        Err(source) => Some(failed(evaluations, source, evaluator.failed_at(), prepared)),
        Ok(()) => ended_early(&search, evaluations, prepared.time_limit().filter(|_| late())),
    };
    Ok(Outcome { search, ended })
}

/// What evaluates points of a population: a remote runner, or this many threads.
pub fn evaluator<'r>(
    prepared: &'r Prepared<'_>,
    runner: Option<&'r dyn RemoteRunner>,
    threads: usize,
) -> Result<Box<dyn Evaluator + 'r>, RunError> {
    Ok(match runner {
        Some(runner) => Box::new(Remote::new(prepared, runner)?),
        None => Box::new(OnThreads::new(threads, &Likelihood::of(&prepared.target), prepared.settings.run.seed)),
    })
}

type Cause = Box<dyn Error + Send + Sync>;

/// What the model said.
fn cause(error: EvalError) -> Cause {
    match error {
        EvalError::Fatal(source) => source,
        refused => refused.into(),
    }
}

/// Tells those who watch where it is.
fn report(population: &Population, control: Control<'_>) {
    let line = format!("{}; {} evaluations", population.progress(), population.evaluations());
    tracing::info!("population: {line}");
    say(control, Some(line));
}

/// Shows this line, or none.
pub fn say(control: Control<'_>, line: Option<String>) {
    if let Some(progress) = control.population {
        progress.say(line);
    }
}

/// How a population ended that cannot go on, at this point of the unbounded scale, where that is known.
fn failed(evaluations: u64, source: Cause, at: Option<&[f64]>, prepared: &Prepared<'_>) -> (Ending, String) {
    let point = at.unwrap_or_default().to_vec();
    let error = prepared.describe(ChainError::Population { evaluations, point, names: Vec::new(), source });
    let reason = error.to_string();
    (Ending::Failed(error), reason)
}

/// Stores it as it is now.
fn store(population: Box<Population>, folder: Option<&Folder>) -> (Search, Result<(), Cause>) {
    let search = match population.found() {
        Some(found) => Search::Done(Box::new(found.clone())),
        None => Search::Running(population),
    };
    let saved = folder.map_or(Ok(()), |folder| search.write(folder).map_err(Cause::from));
    (search, saved)
}

/// How and why it ended before it found something. `late`: its time is over.
fn ended_early(search: &Search, evaluations: u64, late: Option<(Instant, Duration)>) -> Option<(Ending, String)> {
    let after = format!("in the population warm-up, after {evaluations} evaluations");
    match (search, late) {
        (Search::Done(_), _) => None,
        // There are no draws yet, so the run is not complete.
        (Search::Running(_), Some((_, limit))) => {
            let minutes = (limit.as_secs_f64() / 60.0 * 1e6).round() / 1e6;
            Some((Ending::Stopped, format!("the limit of {minutes} minutes (max-minutes) was reached {after}")))
        }
        (Search::Running(_), None) => Some((Ending::Stopped, format!("the run was stopped before its end, {after}"))),
    }
}

/// How many points are evaluated before it is time to store the population.
struct Pace {
    /// None if batches are evaluated as a whole.
    every: Option<Duration>,
    /// How many points are evaluated at the same time.
    at_once: usize,
    /// How many are evaluated first.
    first: usize,
    saved: Instant,
    /// When the last part was begun.
    begun: Instant,
    seconds_each: Option<f64>,
}

impl Pace {
    fn new(every: Option<Duration>, at_once: usize, first: usize) -> Self {
        let now = Instant::now();
        let every = every.map(|every| every.max(LEAST_PAUSE));
        Self { every, at_once, first, saved: now, begun: now, seconds_each: None }
    }

    fn points(&mut self) -> usize {
        self.begun = Instant::now();
        match (self.every, self.seconds_each) {
            (None, _) => usize::MAX,
            (Some(_), None) => self.first,
            (Some(every), Some(seconds)) => {
                // Whole turns of all workers, so that none of them waits.
                ((every.as_secs_f64() / seconds) as usize).next_multiple_of(self.at_once).max(self.at_once)
            }
        }
    }

    fn is_time_to_save(&mut self, evaluations: u64) -> bool {
        if evaluations > 0 {
            self.seconds_each = Some(self.begun.elapsed().as_secs_f64().max(1e-9) / evaluations as f64);
        }
        let is_time = self.every.is_none_or(|every| self.saved.elapsed() >= every);
        if is_time {
            self.saved = Instant::now();
        }
        is_time
    }
}
