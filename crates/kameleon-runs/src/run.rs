//! Starting a run, and resuming one.

use crate::atomic_file::FileError;
use crate::error::RunError;
use crate::load::{StoredChain, load, own_units, posterior, settings_of};
use crate::output::{Posterior, write_files};
use crate::prepare::Prepared;
use crate::remote::{Remote, RemoteRunner};
use crate::settings::{RunSettings, SettingsError};
use crate::status::{How, Status};
use crate::store::{DiskRecord, Folder};
use kameleon::any_chain::AnyChain;
use kameleon::any_target::AnyTarget;
use kameleon::chain::ChainError;
use kameleon::diagnose::ParameterSummary;
use kameleon::engine::{Finish, Job, Rule, Runner, StopRule};
use kameleon::pool::chain_groups;
use kameleon::record::Draws;
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
    let begun = chains.into_iter().try_for_each(|chain| {
        jobs.push(begin(folder.as_ref(), &prepared, chain)?);
        Ok(())
    });
    let (all, count) = (begun.is_ok(), jobs.len());
    let finished = begun.and_then(|()| go(jobs, prepared, folder.as_ref(), control, remote));
    let nothing = match &finished {
        Err(RunError::Start(_)) => true,
        Err(_) => !all,
        Ok(Finished { ending: Ending::Failed(ChainError::Fatal { .. }), posterior, .. }) => {
            posterior.evaluations() == 0
        }
        Ok(_) => false,
    };
    // Leave no run behind that could only fail again.
    if let Some(folder) = folder.filter(|_| nothing) {
        folder.discard(&indices[..count])?;
    }
    finished
}

/// A chain at its start, with a new record: in the folder, or in memory.
fn begin<'a>(folder: Option<&Folder>, prepared: &Prepared<'a>, chain: Box<dyn AnyChain>) -> Result<Job<'a>, RunError> {
    let target = Box::new(prepared.target.clone());
    Ok(match folder {
        Some(folder) => {
            let record = DiskRecord::create(folder, &*chain, prepared.save_every())?;
            Job::new(chain, target, record)
        }
        None => {
            let room = prepared.settings.run.room(chain.position().len());
            Job::new(chain, target, room.map_err(|error| error.within("run"))?)
        }
    })
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
    let indices = prepared.settings.run.indices();
    let (there, gone): (Vec<_>, Vec<_>) = indices.into_iter().partition(|index| folder.checkpoint(*index).exists());
    let mut jobs = there.iter().map(|index| rejoin(&folder, &prepared, *index)).collect::<Result<Vec<_>, _>>()?;
    refuse_alone(&folder, &prepared, &jobs, &gone)?;
    for index in gone {
        // It was killed before it was first saved, or the user removed its files.
        folder.remove_journal(index)?;
        jobs.push(begin(Some(&folder), &prepared, prepared.chain(index)?)?);
    }
    jobs.sort_by_key(|job| job.chain.index());
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

/// An error if a chain is gone whose group has already learned: alone it could only wait for the others for ever.
fn refuse_alone(folder: &Folder, prepared: &Prepared<'_>, jobs: &[Job<'_>], gone: &[usize]) -> Result<(), RunError> {
    let (pooled, groups) = (prepared.settings.run.pools(), chain_groups(prepared.settings.run.chains));
    let learned =
        |group: usize| jobs.iter().any(|job| groups[job.chain.index()] == group && job.chain.iterations() > 0);
    match gone.iter().find(|chain| pooled && learned(groups[**chain])) {
        None => Ok(()),
        Some(&chain) => {
            let missing = FileError::new(&folder.checkpoint(chain), "the checkpoint is missing");
            Err(RunError::damaged(chain, true)(missing))
        }
    }
}

/// A chain as it was last saved.
fn rejoin<'a>(folder: &Folder, prepared: &Prepared<'a>, index: usize) -> Result<Job<'a>, RunError> {
    let target = Box::new(prepared.target.clone());
    let damaged = RunError::damaged(index, prepared.settings.run.pools());
    let (chain, record) = DiskRecord::resume(folder, index, prepared.save_every()).map_err(damaged)?;
    let (dim, normals) = (chain.position().len(), chain.normals().len());
    if Some(dim) != target.dim() || normals != target.normals() || chain.index() != index {
        let why = format!("chain {index} was saved for another model, in {dim} dimensions and with {normals} normals");
        return Err(RunError::refused(folder.path(), why));
    }
    Ok(Job::new(chain, target, record))
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
            let output = &settings.output;
            let unwritten = write_files(&posterior, folder.path(), &output.formats, output.keep_warmup);
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
