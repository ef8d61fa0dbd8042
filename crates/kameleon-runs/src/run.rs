//! Starting a run, and resuming one.

use crate::error::RunError;
use crate::files::write_files;
use crate::load::{StoredChain, load, own_units, posterior, settings_of};
use crate::output::Posterior;
use crate::prepare::Prepared;
use crate::remote::{Remote, RemoteRunner};
use crate::settings::{RunSettings, SettingsError};
use crate::status::{How, Status};
use crate::store::{DiskRecord, Folder};
use kameleon::any_target::AnyTarget;
use kameleon::diagnose::ParameterSummary;
use kameleon::engine::{Finish, Job, Rule, Runner, StopRule};
use kameleon::record::{Draws, Recorded};
use kameleon::{Control, Ending, Target};
use std::path::Path;
use std::time::Instant;

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

/// Samples `target`, which is in the parameters' own units: bounds and priors of the settings are put around it.
///
/// With a folder, everything is kept there and can be resumed; without, draws are in memory only. An error means that
/// nothing was run, and no run is left in the folder; later errors are in [`Finished::ending`], next to all that
/// was drawn before.
pub fn start(
    settings: &RunSettings,
    target: impl Target + Clone + Send,
    folder: Option<&Path>,
    control: Control<'_>,
) -> Result<Finished, RunError> {
    start_on(None, settings, target, folder, control)
}

/// [`start`] whose chains are advanced by `remote`, if there is one.
pub fn start_on(
    remote: Option<&dyn RemoteRunner>,
    settings: &RunSettings,
    target: impl Target + Clone + Send,
    folder: Option<&Path>,
    control: Control<'_>,
) -> Result<Finished, RunError> {
    let mut prepared = Prepared::new(settings, AnyTarget::new(target))?;
    if folder.is_some() {
        // The run may be resumed from anywhere.
        prepared.settings.anchor(&std::env::current_dir().unwrap_or_default());
    }
    let indices = prepared.settings.run.indices();
    // All of them, so that what is wrong is found before there is a folder.
    let chains = indices.iter().map(|index| prepared.chain(*index)).collect::<Result<Vec<_>, _>>()?;
    let folder =
        folder.map(|path| Folder::create(path, &prepared.settings.to_toml()?).map_err(RunError::from)).transpose()?;
    let mut jobs = Vec::with_capacity(chains.len());
    for chain in chains {
        let target = Box::new(prepared.target.clone());
        jobs.push(match &folder {
            Some(folder) => {
                let record = DiskRecord::create(folder, &*chain, prepared.save_every())?;
                Job::new(chain, target, record)
            }
            None => Job::new(chain, target, in_memory(&prepared)?),
        });
    }
    match go(jobs, prepared, folder.as_ref(), control, remote) {
        // Nothing could be sampled from these starts: leave no run behind that could only fail again.
        Err(error @ RunError::Start(_)) => {
            folder.map(|folder| folder.discard(&indices)).transpose()?;
            Err(error)
        }
        result => result,
    }
}

/// Resumes the run in a folder, up to its end or to `draws` draws in each chain, exactly as if it had never stopped.
/// `target` is what was sampled; see [`crate::Model::open`].
pub fn resume(
    folder: &Path,
    target: impl Target + Clone + Send,
    draws: Option<u64>,
    control: Control<'_>,
) -> Result<Finished, RunError> {
    resume_on(None, folder, target, draws, None, control)
}

/// [`resume`] whose chains are advanced by `remote`, if there is one, on another number of `threads` than the run was started with.
pub fn resume_on(
    remote: Option<&dyn RemoteRunner>,
    folder: &Path,
    target: impl Target + Clone + Send,
    draws: Option<u64>,
    threads: Option<usize>,
    control: Control<'_>,
) -> Result<Finished, RunError> {
    let folder = Folder::open(folder)?;
    let mut settings = settings_of(folder.path())?;
    if let Some(draws) = draws {
        lengthen(&mut settings, draws)?;
    }
    let mut prepared = Prepared::new(&settings, AnyTarget::new(target))?;
    let mut jobs = Vec::new();
    for index in prepared.settings.run.indices() {
        jobs.push(rejoin(&folder, &prepared, index)?);
    }
    if let Some(draws) = draws {
        let made = jobs.iter().map(|job| job.draws(settings.run.thin)).max().unwrap_or(0);
        let what = format!("{draws} are fewer than the {made} that a chain of the run has already");
        SettingsError::demand("draws", draws >= made, &what)?;
        folder.replace_settings(&prepared.settings.to_toml()?)?;
    }
    prepared.settings.run.threads = threads.or(prepared.settings.run.threads);
    go(jobs, prepared, Some(&folder), control, remote)
}

/// A run that was to end by a rule or a limit ends at this number of draws instead.
fn lengthen(settings: &mut RunSettings, draws: u64) -> Result<(), SettingsError> {
    let before = settings.run.limit()?.0;
    let what = format!(
        "{draws} are fewer than the {before} planned for the run; leave the number out to continue to the planned end"
    );
    SettingsError::demand("draws", draws >= before || settings.run.until.is_some(), &what)?;
    let run = &mut settings.run;
    (run.draws, run.until, run.max_draws, run.max_evaluations) = (Some(draws), None, None, None);
    Ok(())
}

/// A chain as it was last saved; from its start if it was killed before that, or if the user removed its files.
fn rejoin<'a>(folder: &Folder, prepared: &Prepared<'a>, index: usize) -> Result<Job<'a>, RunError> {
    let target = Box::new(prepared.target.clone());
    if !folder.checkpoint(index).exists() {
        let chain = prepared.chain(index)?;
        folder.remove_journal(index)?;
        let record = DiskRecord::create(folder, &*chain, prepared.save_every())?;
        return Ok(Job::new(chain, target, record));
    }
    let damaged = RunError::damaged(index, prepared.settings.run.pools());
    let (chain, record) = DiskRecord::resume(folder, index, prepared.save_every()).map_err(damaged)?;
    let (dim, normals) = (chain.position().len(), chain.normals().len());
    if Some(dim) != target.dim() || normals != target.normals() || chain.index() != index {
        let why = format!("chain {index} was saved for another model, in {dim} dimensions and with {normals} normals");
        return Err(RunError::refused(folder.path(), why));
    }
    Ok(Job::new(chain, target, record))
}

fn in_memory(prepared: &Prepared<'_>) -> Result<Recorded, RunError> {
    let plan = &prepared.settings.run;
    let dim = prepared.settings.parameters.0.len();
    // A run that ends by a rule may need far fewer than it may make.
    let draws = if plan.until.is_some() { 0 } else { plan.limit()?.0 };
    let what = format!("{draws} draws in {dim} dimensions do not fit into memory; draw fewer, thin, or give a folder");
    Recorded::with_capacity(draws, dim).ok_or_else(|| SettingsError::new("run.draws", what).into())
}

/// Runs the chains and gathers what came of them.
fn go<'a>(
    jobs: Vec<Job<'a>>,
    prepared: Prepared<'a>,
    folder: Option<&Folder>,
    control: Control<'_>,
    remote: Option<&dyn RemoteRunner>,
) -> Result<Finished, RunError> {
    let started = Instant::now();
    let before = folder.map_or(0.0, |folder| Status::read(folder).seconds);
    if let Some(folder) = folder {
        Status { seconds: before, ..Status::default() }.write(folder)?;
    }
    let place = folder.map_or_else(|| "in memory".into(), |folder| format!("stored in {}", folder.path().display()));
    tracing::info!("chains: {}, {place}", jobs.len());
    let Finish { jobs, ending, reason } = run_engine(jobs, &prepared, control, remote)?;
    tracing::info!("{reason}");
    let settings = prepared.settings;
    let status =
        Status { ending: How::of(&ending), reason: reason.clone(), seconds: before + started.elapsed().as_secs_f64() };
    let posterior = match folder {
        None => {
            let chains = jobs.into_iter().map(StoredChain::of).collect::<Result<_, _>>()?;
            posterior(&settings, chains, &status)?
        }
        Some(folder) => {
            drop(jobs);
            // On a full disk this fails too; the draws are what matters.
            let written = status.write(folder);
            let mut posterior = load(folder.path())?;
            posterior.warnings.extend(written.err().map(|error| error.to_string()));
            let unwritten = write_files(&posterior, folder.path(), &settings.output);
            posterior.warnings.extend(unwritten.iter().map(ToString::to_string));
            posterior
        }
    };
    Ok(Finished { posterior, ending, reason, settings })
}

/// Runs the engine with the stopping rule of the settings, which looks at draws in the parameters' own units.
fn run_engine<'a>(
    jobs: Vec<Job<'a>>,
    prepared: &Prepared<'a>,
    control: Control<'_>,
    remote: Option<&dyn RemoteRunner>,
) -> Result<Finish<'a>, RunError> {
    let settings = &prepared.settings;
    let remote = remote.map(|runner| Remote::new(settings, runner)).transpose()?;
    let bounds = settings.parameters.bounds()?;
    let units = |draws: &mut Draws| own_units(draws, &bounds);
    let checked = |rule: StopRule, parameters: &[ParameterSummary]| {
        let ess = parameters.iter().map(|p| p.ess_bulk.min(p.ess_tail)).fold(f64::INFINITY, f64::min);
        let r_hat = parameters.iter().map(|p| p.r_hat).fold(0.0, f64::max);
        tracing::info!("check for {rule}: ess={ess:.0}, rhat={r_hat:.4}");
    };
    let mut rule = Rule { units: &units, checked: &checked, ..settings.run.rule()? };
    let runner = remote.as_ref().map(|remote| remote as &dyn Runner);
    Ok(prepared.engine(runner, control).run(jobs, &mut rule)?)
}
