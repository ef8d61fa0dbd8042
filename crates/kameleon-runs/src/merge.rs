//! The chains of a plan that ran on many machines, put together into one run.

use crate::atomic_file::{self, FileError};
use crate::error::RunError;
use crate::large::{MOST_BYTES, Reading, unwritten};
use crate::load::load;
use crate::output::write_files;
use crate::read::settings_of;
use crate::settings::RunSettings;
use crate::status::{How, Status};
use crate::store::{Checkpoint, Files, Folder};
use kameleon::Warmup;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Why a run that lacks chains of its plan is not complete.
const MISSING: &str = "chains of the plan are missing";

/// Combines folders that each hold one chain of the same plan into a run in `out`, the same as if one machine had made it.
/// `incomplete`: chains may be missing, stopped, or without draws, and the combined run is then not complete either.
pub fn merge(folders: &[PathBuf], out: &Path, incomplete: bool) -> Result<RunSettings, RunError> {
    let mut found: BTreeMap<usize, &PathBuf> = BTreeMap::new();
    let mut common: Option<(RunSettings, &PathBuf)> = None;
    let mut statuses = Vec::new();
    for folder in folders {
        let (settings, chain) = part(folder)?;
        if let Some(other) = found.insert(chain, folder) {
            return Err(RunError::refused(folder, format!("chain {chain} is also in {}", other.display())));
        }
        match &common {
            Some((first, of)) if *first != settings => {
                let why =
                    format!("its settings differ from those of {}: {}", of.display(), difference(first, &settings)?);
                return Err(RunError::refused(folder, why));
            }
            Some(_) => {}
            None => common = Some((settings, folder)),
        }
        let status = Status::read(&Files::of(folder)?);
        if !incomplete {
            demand_complete(folder, chain, &status)?;
        }
        statuses.push(status);
    }
    let Some((settings, _)) = common else { return Err(RunError::refused(out, "there is nothing to merge")) };
    // With `incomplete`, a part whose chain has not begun counts as missing.
    found.retain(|chain, folder| has_begun(folder, *chain).unwrap_or(true));
    let missing: Vec<String> =
        (0..settings.run.chains).filter(|k| !found.contains_key(k)).map(|k| k.to_string()).collect();
    if !missing.is_empty() && !incomplete {
        let why =
            format!("of the {} chains of the plan, these are missing: {}", settings.run.chains, missing.join(", "));
        return Err(RunError::refused(out, why));
    }
    if !missing.is_empty() {
        statuses.push(Status { ending: How::Stopped, reason: MISSING.into(), ..Status::default() });
    }
    put_together(&settings, &found, &of_all(statuses), out)?;
    Ok(settings)
}

/// An error if a part has not come to its end, or has no draws.
fn demand_complete(folder: &Path, chain: usize, status: &Status) -> Result<(), RunError> {
    let (far, has_draws) = match has_begun(folder, chain)? {
        true => how_far(folder, chain)?,
        false => (format!("chain {chain} has not begun"), false),
    };
    let how = match status.ending {
        How::Complete | How::Limited if has_draws => return Ok(()),
        How::Complete | How::Limited => "ended in its warm-up",
        How::Open => "was killed, or is still running",
        How::Stopped => "was stopped",
        How::Failed => "failed",
    };
    Err(RunError::Incomplete(format!("{}: this part {how}: {far}", folder.display())))
}

/// Whether the chain of a part has begun, as it has not where its population has not ended.
fn has_begun(folder: &Path, chain: usize) -> Result<bool, RunError> {
    let files = Files::of(folder)?;
    Ok(files.checkpoint(chain).exists() || files.journal(chain).exists())
}

/// How far the chain of a part is, and whether it has draws.
fn how_far(folder: &Path, chain: usize) -> Result<(String, bool), RunError> {
    let saved = Checkpoint::read(&Files::of(folder)?.checkpoint(chain)).map_err(RunError::damaged(chain, false))?;
    let saved = saved.chain.resume()?;
    let (made, warmup) = (saved.iterations(), saved.warmup());
    Ok(match made.checked_sub(warmup) {
        None | Some(0) => {
            (format!("chain {chain} has made {made} of {warmup} iterations of warm-up, and no draws"), false)
        }
        Some(sampling) => (format!("chain {chain} has made {sampling} iterations after its warm-up"), true),
    })
}

/// The plan that a folder holds a part of, and which chain it is.
fn part(folder: &Path) -> Result<(RunSettings, usize), RunError> {
    let mut settings = settings_of(folder)?;
    let Some(chain) = settings.run.chain.take() else {
        let why = "holds a whole run, not one chain of a plan, as `kameleon sample run.toml --chain K --out DIR` makes";
        return Err(RunError::refused(folder, why));
    };
    // What may differ between machines and changes no draw.
    (settings.run.threads, settings.run.max_minutes) = (None, None);
    Ok((settings, chain))
}

/// What is known of the run: what its parts said. Each has measured sd(log p̂) by as many estimates, so that of all is their root mean
/// square.
fn of_all(parts: Vec<Status>) -> Status {
    let squares: Vec<f64> = parts.iter().filter_map(|part| Some(part.sd_log_estimate?.powi(2))).collect();
    let mut together = Status { ending: How::Complete, ..Status::default() };
    parts.into_iter().for_each(|part| include(&mut together, part));
    together.sd_log_estimate =
        (!squares.is_empty()).then(|| (squares.iter().sum::<f64>() / squares.len() as f64).sqrt());
    together
}

/// The run took as long as its slowest part, ended as the part that ended worst, and has the notes of all.
fn include(together: &mut Status, part: Status) {
    let badness = |ending: How| {
        [How::Complete, How::Limited, How::Open, How::Stopped, How::Failed].iter().position(|of| *of == ending)
    };
    together.seconds = together.seconds.max(part.seconds);
    let (worse, same) = (badness(part.ending) > badness(together.ending), part.ending == together.ending);
    if worse || (same && together.reason.is_empty()) {
        (together.ending, together.reason) = (part.ending, part.reason);
    }
    // The same is said once, also where it is said of other numbers.
    let subject = |note: &str| note.split(':').next().map(str::to_owned);
    for note in part.notes {
        if together.notes.iter().all(|said| subject(said) != subject(&note)) {
            together.notes.push(note);
        }
    }
}

/// The first line in which two settings differ.
fn difference(first: &RunSettings, second: &RunSettings) -> Result<String, RunError> {
    let (first, second) = (first.to_toml()?, second.to_toml()?);
    let pair = first.lines().zip(second.lines()).find(|(a, b)| a != b);
    Ok(pair.map_or("one has more lines".into(), |(a, b)| format!("`{a}` there, `{b}` here")))
}

/// What the population of the plan found, as its parts have stored it. Chains that learn together have started from one.
fn population_of<'f>(
    settings: &RunSettings,
    parts: impl Iterator<Item = &'f Folder>,
) -> Result<Option<Vec<u8>>, RunError> {
    let mut common: Option<Vec<u8>> = None;
    for folder in parts.filter(|_| settings.run.warmup == Warmup::Population) {
        let path = folder.population();
        let bytes = fs::read(&path).map_err(FileError::doing(&path, "reading the population"))?;
        let first = common.get_or_insert_with(|| bytes.clone());
        if settings.run.pools() && *first != bytes {
            return Err(RunError::refused(
                &path,
                "the population is not that of the other parts; begin all parts anew",
            ));
        }
    }
    Ok(common)
}

fn put_together(
    settings: &RunSettings,
    parts: &BTreeMap<usize, &PathBuf>,
    status: &Status,
    out: &Path,
) -> Result<(), RunError> {
    let mut files = Vec::new();
    for (&chain, folder) in parts {
        // Locked, so that no process resumes the part while it is copied.
        let folder = Folder::open(folder)?;
        let saved = Checkpoint::read(&folder.checkpoint(chain)).map_err(RunError::damaged(chain, false))?;
        files.push((chain, folder, saved.journal));
    }
    let population = population_of(settings, files.iter().map(|(_, folder, _)| folder))?;
    let merged = Folder::create(out, &settings.to_toml()?)?;
    if let Some(bytes) = population {
        atomic_file::write(&merged.population(), &bytes)?;
    }
    for (chain, folder, length) in &files {
        crate::store::copy_chain(folder, &merged, *chain, *length)?;
    }
    status.write(&merged)?;
    if settings.output.formats.is_empty() {
        return Ok(());
    }
    if Reading::limited(out, MOST_BYTES, &|_| {})?.leaves_out() {
        tracing::warn!("{}", unwritten(out));
        return Ok(());
    }
    match write_files(&load(out)?, out, &settings.output.formats, settings.output.keep_warmup).into_iter().next() {
        Some(error) => {
            Err(RunError::refused(out, format!("the chains are merged, but not every file could be written: {error}")))
        }
        None => Ok(()),
    }
}
