//! Where a run happens: in a folder or in memory, on threads or elsewhere; from its population to the end of its chains.

use crate::error::RunError;
use crate::exchange::Exchange;
use crate::large::{MOST_BYTES, unwritten};
use crate::load::{StoredChain, load, load_limited, posterior};
use crate::one_population::{CheckModel, OnePopulation};
use crate::output::{Posterior, write_files};
use crate::outside::Outside;
use crate::prepare::Prepared;
use crate::probe;
use crate::remote::{Remote, RemoteRunner};
use crate::rule::RunRule;
use crate::search::{self, Outcome};
use crate::settings::RunSettings;
use crate::slopes;
use crate::status::{How, Status};
use crate::store::{DiskRecord, Folder, Search};
use kameleon::engine::{Finish, Job, OnThreads, Runner};
use kameleon::population::{Prior, Witness};
use kameleon::{Control, Ending, Evaluation};

/// The result of a run.
pub struct Finished {
    /// What was drawn, and what happened.
    pub posterior: Posterior,
    /// How it ended; also complete when a stopping rule was met, or a limit reached.
    pub ending: Ending,
    /// Why it ended, in words.
    pub reason: String,
    /// The settings, with nothing left open.
    pub settings: RunSettings,
}

/// Where a run happens.
pub struct Place<'p> {
    folder: Option<&'p Folder>,
    runner: Option<&'p dyn RemoteRunner>,
    limited: Option<&'p (dyn Fn(f64) + Sync)>,
    control: Control<'p>,
    /// What was known of it before.
    before: Status,
}

impl<'p> Place<'p> {
    /// In this folder, if there is one.
    pub fn new(folder: Option<&'p Folder>, outside: &Outside<'p>, control: Control<'p>) -> Self {
        let before = folder.map(|folder| Status::read(folder)).unwrap_or_default();
        Self { folder, runner: outside.runner, limited: outside.limited, control, before }
    }

    /// From now on the folder says that the run has not ended.
    fn open(&self) -> Result<(), RunError> {
        let open = Status { ending: How::Open, reason: String::new(), stein: None, ..self.before.clone() };
        Ok(self.folder.map_or(Ok(()), |folder| open.write(folder))?)
    }

    /// Asks the model of a new run twice at the start of a chain, and notes that it is noisy if nobody has said so.
    pub fn note_noise(&mut self, prepared: &Prepared<'_>, job: &mut Job<'_>) -> Result<(), RunError> {
        let found = probe::undeclared_noise(prepared, || self.evaluate_again(prepared, job))?;
        self.before.notes.extend(found);
        Ok(())
    }

    /// The population of a run that has one: that of the folder, or a new one.
    pub fn search(&self, prepared: &Prepared<'_>) -> Result<Option<Search>, RunError> {
        let has_one = prepared.starts_from_prior();
        has_one.then(|| search::begin(prepared, self.folder)).transpose()
    }

    /// Runs the population of a run that has one, or waits for the part of a plan that does, so that chains can begin; the end of the
    /// run if the population does not come to its own. `check` is of what another part found.
    pub fn run_population(
        &self,
        prepared: &mut Prepared<'_>,
        mut search: Option<Search>,
        check: impl Fn(&Prepared<'_>, &Search) -> Result<(), RunError>,
    ) -> Result<Option<Finished>, RunError> {
        let shared = if search.is_some() { OnePopulation::of(prepared, self.folder)? } else { None };
        if let Some(Search::Running(_)) = &search {
            self.open()?;
            if let Some(shared) = &shared {
                search = self.share(prepared, shared, &|found| check(prepared, found))?.or(search);
            }
        }
        let Some(search) = search else { return Ok(None) };
        let Outcome { search, ended } = search::run(search, prepared, self.folder, self.runner, self.control)?;
        if let Search::Done(found) = &search {
            shared.map_or(Ok(()), |shared| shared.leave(&search))?;
            prepared.hand_over(found)?;
        }
        prepared.search = Some(search);
        let finish = |(ending, reason)| self.conclude(prepared, Finish { jobs: Vec::new(), ending, reason }, None);
        ended.map(finish).transpose()
    }

    /// What another part of the plan found; none where this part runs the population, or was stopped before.
    fn share(
        &self,
        prepared: &Prepared<'_>,
        shared: &OnePopulation,
        check: CheckModel<'_>,
    ) -> Result<Option<Search>, RunError> {
        if shared.is_run_here() {
            shared.forget_earlier()?;
            return Ok(None);
        }
        search::say(self.control, Some(shared.words()));
        let late = prepared.late();
        let found = shared.wait(check, &|| self.control.is_stopped() || late())?;
        search::say(self.control, None);
        if let (Some(found), Some(folder)) = (&found, self.folder) {
            found.write(folder)?;
        }
        Ok(found)
    }

    /// A chain at its start, with a new record: in the folder, or in memory.
    pub fn begin<'a>(&self, prepared: &Prepared<'a>, index: usize) -> Result<Job<'a>, RunError> {
        let (chain, target) = (prepared.chain(index)?, Box::new(prepared.target.clone()));
        let job = match self.folder {
            Some(folder) => {
                let record = DiskRecord::create(folder, &*chain, prepared.save_every())?;
                Job::new(chain, target, record)
            }
            None => {
                let room = prepared.plan.room(chain.position().len());
                Job::new(chain, target, room.map_err(|error| error.within("run"))?)
            }
        };
        Ok(prepared.with_restart(job))
    }

    /// The log density where a chain is, with the noise that made the estimate it holds; none if it was stopped before.
    pub fn evaluate_again(&self, prepared: &Prepared<'_>, job: &mut Job<'_>) -> Result<Option<Evaluation>, RunError> {
        if self.control.is_stopped() {
            return Ok(None);
        }
        match self.runner {
            None => Ok(Some(job.evaluate_again())),
            Some(runner) => Ok(Remote::new(prepared, runner)?.evaluate_again(job, &|| self.control.is_stopped())),
        }
    }

    /// The log density at the best point of a population, with the noise that made the estimate it holds; none if it was stopped
    /// before.
    pub fn evaluate_witness(&self, prepared: &Prepared<'_>, witness: &Witness) -> Result<Option<Evaluation>, RunError> {
        let mut evaluator = search::evaluator(prepared, self.runner, 1)?;
        let told = evaluator.evaluate(&[&witness.point], witness.evaluation, &|| self.control.is_stopped());
        let with_prior = |values: Vec<f64>| Some(values.first()? + prepared.target.log_density(&witness.point));
        Ok(told.map(with_prior).transpose())
    }

    /// Runs the chains and gathers what came of them.
    pub fn run_chains<'a>(&self, jobs: Vec<Job<'a>>, prepared: &Prepared<'a>) -> Result<Finished, RunError> {
        self.open()?;
        let place =
            self.folder.map_or_else(|| "in memory".into(), |folder| format!("stored in {}", folder.path().display()));
        tracing::info!("chains: {}, {place}", jobs.len());
        let mut finish = self.run_engine(jobs, prepared)?;
        let noise = match finish.ending {
            Ending::Complete | Ending::Limited => {
                probe::sd_log_estimate(prepared, &mut finish.jobs, self.runner, self.control)
            }
            _ => None,
        };
        self.conclude(prepared, finish, noise)
    }

    /// Runs the engine with the stopping rule of the settings, which looks at draws in the parameters' own units.
    fn run_engine<'a>(&self, jobs: Vec<Job<'a>>, prepared: &Prepared<'a>) -> Result<Finish<'a>, RunError> {
        let remote = self.runner.map(|runner| Remote::new(prepared, runner)).transpose()?;
        let mut rule = RunRule::new(prepared)?;
        let runner = remote.as_ref().map(|remote| remote as &dyn Runner);
        let exchange = self.exchange(prepared, runner.unwrap_or(&OnThreads))?;
        let runner = exchange.as_ref().map(|exchange| exchange as &dyn Runner).or(runner);
        let run = prepared.engine(runner, self.control).run(jobs, &mut rule);
        let mut finish = run.map_err(|error| prepared.describe(error))?;
        if let Ending::Failed(error) = finish.ending {
            let error = prepared.describe(error);
            (finish.reason, finish.ending) = (error.to_string(), Ending::Failed(error));
        }
        Ok(finish)
    }

    /// Where one chain of a plan learns together with the others, which are elsewhere.
    fn exchange<'e>(&self, prepared: &Prepared<'_>, inner: &'e dyn Runner) -> Result<Option<Exchange<'e>>, RunError> {
        let part = self.folder.filter(|_| prepared.plan.chain.is_some() && prepared.pools());
        part.map(|folder| Exchange::new(&prepared.settings, folder.path(), inner)).transpose()
    }

    /// What came of the run, from memory or from the folder, where its files are written.
    fn conclude(&self, prepared: &Prepared<'_>, finish: Finish<'_>, noise: Option<f64>) -> Result<Finished, RunError> {
        let Finish { jobs, ending, reason } = finish;
        tracing::info!("{reason}");
        let settings = prepared.settings.clone();
        let Status { seconds, notes, .. } = &self.before;
        let seconds = seconds + prepared.started.elapsed().as_secs_f64();
        let how = How::of(&ending);
        let (reason, notes, stein) = (reason.clone(), notes.clone(), None);
        let mut status = Status { ending: how, reason: reason.clone(), seconds, sd_log_estimate: noise, stein, notes };
        let posterior = match self.folder {
            None => {
                let chains = jobs.into_iter().map(StoredChain::of).collect::<Result<_, _>>()?;
                let mut posterior = posterior(&settings, chains, prepared.search.as_ref(), &status)?;
                self.measure(prepared, &mut posterior, &mut status);
                posterior
            }
            Some(folder) => {
                drop(jobs);
                // On a full disk this fails too; the draws are what matters.
                let written = status.write(folder);
                let mut posterior = match self.limited {
                    Some(watch) => load_limited(folder.path(), MOST_BYTES, watch)?,
                    None => load(folder.path())?,
                };
                let written = match self.measure(prepared, &mut posterior, &mut status) {
                    true => status.write(folder),
                    false => written,
                };
                posterior.warnings.extend(written.err().map(|error| error.to_string()));
                posterior.warnings.extend(write(&posterior, &settings, folder));
                posterior
            }
        };
        Ok(Finished { posterior, ending, reason, settings })
    }

    /// Checks draws by slopes of the log density, where the plan asks for that; false if it was not done.
    fn measure(&self, prepared: &Prepared<'_>, posterior: &mut Posterior, status: &mut Status) -> bool {
        // What is noted is that the model is noisy, though nobody said so.
        if !matches!(status.ending, How::Complete | How::Limited) || !status.notes.is_empty() {
            return false;
        }
        status.stein = slopes::check(prepared, posterior, self.runner, self.control);
        let done = status.stein.is_some();
        if done {
            posterior.heed(status.stein.clone());
        }
        done
    }
}

/// Writes the files that the settings ask for, and says which could not be written. Those of a large run would take too much memory.
fn write(posterior: &Posterior, settings: &RunSettings, folder: &Folder) -> Vec<String> {
    let output = &settings.output;
    match &posterior.all {
        None => {
            let unwritten = write_files(posterior, folder.path(), &output.formats, output.keep_warmup);
            unwritten.iter().map(ToString::to_string).collect()
        }
        Some(_) if output.formats.is_empty() => Vec::new(),
        Some(_) => vec![unwritten(folder.path())],
    }
}
