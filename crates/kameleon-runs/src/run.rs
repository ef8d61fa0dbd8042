//! Starting a run, and resuming one.

use crate::atomic_file::FileError;
use crate::error::RunError;
use crate::outside::{Outside, Resume};
use crate::place::{Finished, Place};
use crate::prepare::Prepared;
use crate::read::settings_of;
use crate::same_model;
use crate::settings::{RunSettings, SettingsError};
use crate::store::{DiskRecord, Folder, Search};
use kameleon::any_target::AnyTarget;
use kameleon::chain::ChainError;
use kameleon::engine::Job;
use kameleon::{Control, Ending, Target};
use std::fs;
use std::path::Path;

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
    start_on(&Outside::default(), settings, target, folder, control)
}

/// [`start`] with what comes from outside.
pub fn start_on(
    outside: &Outside<'_>,
    settings: &RunSettings,
    target: impl Target + Clone + Send,
    folder: Option<&Path>,
    control: Control<'_>,
) -> Result<Finished, RunError> {
    let mut prepared = Prepared::new(settings, AnyTarget::new(target), outside.prior.clone())?;
    if folder.is_some() {
        // The run may be resumed from anywhere.
        prepared.settings.anchor(&std::env::current_dir().unwrap_or_default());
    }
    if folder.is_none() {
        prepared.plan.check_alone().map_err(|error| error.within("run"))?;
    }
    let indices = prepared.settings.run.indices();
    if !prepared.starts_from_prior() {
        // All of them, so that what is wrong is found before there is a folder.
        indices.iter().try_for_each(|index| prepared.chain(*index).map(drop))?;
    }
    let folder =
        folder.map(|path| Folder::create(path, &prepared.settings.to_toml()?).map_err(RunError::from)).transpose()?;
    let mut begun = Vec::new();
    let finished = begin(&mut prepared, folder.as_ref(), outside, control, &mut begun);
    let nothing = match &finished {
        Err(RunError::Start(_) | RunError::Settings(_)) => true,
        Err(_) => begun.len() < indices.len() && prepared.search.is_none(),
        Ok(Finished { ending: Ending::Failed(error), posterior, .. }) => {
            let by_model = matches!(error, ChainError::Fatal { .. } | ChainError::Population { .. });
            by_model && posterior.evaluations() == 0
        }
        Ok(_) => false,
    };
    // Leave no run behind that could only fail again.
    if let Some(folder) = folder.filter(|_| nothing) {
        folder.discard(&begun)?;
    }
    finished
}

/// Runs a new run; `begun` are the chains that it has files of.
fn begin(
    prepared: &mut Prepared<'_>,
    folder: Option<&Folder>,
    outside: &Outside<'_>,
    control: Control<'_>,
    begun: &mut Vec<usize>,
) -> Result<Finished, RunError> {
    let mut place = Place::new(folder, outside, control);
    let search = place.search(prepared)?;
    let check = |prepared: &Prepared<'_>, found: &Search| same_model::check_population(&place, prepared, Some(found));
    if let Some(ended) = place.run_population(prepared, search, check)? {
        return Ok(ended);
    }
    let mut jobs = Vec::new();
    for index in prepared.settings.run.indices() {
        jobs.push(place.begin(prepared, index)?);
        begun.push(index);
    }
    if let Some(first) = jobs.first_mut() {
        place.note_noise(prepared, first)?;
    }
    place.run_chains(jobs, prepared)
}

/// Resumes the run in a folder, up to its end or to `draws` draws in each chain, exactly as if it had never stopped.
/// `target` is what was sampled; see [`crate::Model::open`].
pub fn resume(
    folder: &Path,
    target: impl Target + Clone + Send,
    draws: Option<u64>,
    control: Control<'_>,
) -> Result<Finished, RunError> {
    resume_on(&Outside::default(), folder, target, Resume { draws, ..Resume::default() }, control)
}

/// [`resume`] with what comes from outside, and with what may differ.
pub fn resume_on(
    outside: &Outside<'_>,
    folder: &Path,
    target: impl Target + Clone + Send,
    resume: Resume,
    control: Control<'_>,
) -> Result<Finished, RunError> {
    let Resume { draws, threads, max_minutes, trust } = resume;
    let folder = Folder::open(folder)?;
    let mut settings = settings_of(folder.path())?;
    if let Some(draws) = draws {
        let has_begun = settings.run.indices().into_iter().any(|index| folder.journal(index).exists());
        lengthen(&mut settings, draws, has_begun)?;
    }
    let mut prepared = Prepared::new(&settings, AnyTarget::new(target), outside.prior.clone())?;
    let lengthened = prepared.settings.to_toml()?;
    for run in [&mut prepared.settings.run, &mut prepared.plan] {
        run.threads = threads.or(run.threads);
        run.max_minutes = max_minutes.or(run.max_minutes);
        run.check().map_err(|error| error.within("run"))?;
    }
    let place = Place::new(Some(&folder), outside, control);
    let search = place.search(&prepared)?;
    let check = |prepared: &Prepared<'_>, search: &Search| {
        if trust { Ok(()) } else { same_model::check_population(&place, prepared, Some(search)) }
    };
    if let Some(running @ Search::Running(_)) = &search {
        check(&prepared, running)?;
    }
    let ended = place.run_population(&mut prepared, search, check)?;
    let mut jobs = if ended.is_some() { Vec::new() } else { rejoin_all(&place, &folder, &prepared)? };
    if !trust && ended.is_none() {
        same_model::check(&place, &prepared, &mut jobs)?;
    }
    if let Some(draws) = draws {
        let made = jobs.iter().map(|job| job.draws(settings.run.thin)).max().unwrap_or(0);
        let what = format!("{draws} are fewer than the {made} that a chain of the run has already");
        SettingsError::demand("draws", draws >= made, &what)?;
        folder.replace_settings(&lengthened)?;
    }
    if ended.is_none() {
        // What thinning kept does not stand for more draws.
        let _ = fs::remove_file(folder.thinned());
    }
    ended.map_or_else(|| place.run_chains(jobs, &prepared), Ok)
}

/// A run that was to end by a rule or a limit ends at this number of draws instead. Before its chains have begun it may be any.
fn lengthen(settings: &mut RunSettings, draws: u64, has_begun: bool) -> Result<(), SettingsError> {
    let before = settings.run.limit()?.0;
    let what = format!(
        "{draws} are fewer than the {before} planned for the run; leave the number out to continue to the planned end"
    );
    // A rule, or a number of evaluations, plans no number of draws.
    let budget = settings.run.draws.is_none() && settings.run.max_evaluations.is_some();
    let is_open = settings.run.until.is_some() || budget;
    SettingsError::demand("draws", !has_begun || draws >= before || is_open, &what)?;
    let run = &mut settings.run;
    (run.draws, run.until, run.max_draws, run.max_evaluations) = (Some(draws), None, None, None);
    Ok(())
}

/// An error if a chain is gone that the others learn with: alone it could only wait for the others for ever.
fn refuse_alone(folder: &Folder, prepared: &Prepared<'_>, jobs: &[Job<'_>], gone: &[usize]) -> Result<(), RunError> {
    let learned = prepared.pools() && jobs.iter().any(|job| job.chain.iterations() > 0);
    match gone.first().filter(|_| learned) {
        None => Ok(()),
        Some(&chain) => {
            let missing = FileError::new(&folder.checkpoint(chain), "the checkpoint is missing");
            Err(RunError::damaged(chain, true)(missing))
        }
    }
}

/// All chains, as they were last saved or at their starts.
fn rejoin_all<'a>(place: &Place<'_>, folder: &Folder, prepared: &Prepared<'a>) -> Result<Vec<Job<'a>>, RunError> {
    let indices = prepared.settings.run.indices();
    let (there, gone): (Vec<_>, Vec<_>) = indices.into_iter().partition(|index| folder.checkpoint(*index).exists());
    let mut jobs = there.iter().map(|index| rejoin(folder, prepared, *index)).collect::<Result<Vec<_>, _>>()?;
    refuse_alone(folder, prepared, &jobs, &gone)?;
    for index in gone {
        // It was killed before it was first saved, or the user removed its files.
        folder.remove_journal(index)?;
        jobs.push(place.begin(prepared, index)?);
    }
    jobs.sort_by_key(|job| job.chain.index());
    Ok(jobs)
}

/// A chain as it was last saved.
fn rejoin<'a>(folder: &Folder, prepared: &Prepared<'a>, index: usize) -> Result<Job<'a>, RunError> {
    let target = Box::new(prepared.target.clone());
    let damaged = RunError::damaged(index, prepared.pools());
    let (chain, record) = DiskRecord::resume(folder, index, prepared.save_every()).map_err(damaged)?;
    let (dim, normals) = (chain.position().len(), chain.normals().len());
    if Some(dim) != target.dim() || normals != target.normals() || chain.index() != index {
        let why = format!("chain {index} was saved for another model, in {dim} dimensions and with {normals} normals");
        return Err(RunError::refused(folder.path(), why));
    }
    Ok(prepared.with_restart(Job::new(chain, target, record)))
}
