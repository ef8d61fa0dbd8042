//! The chains of a plan that ran on many machines, put together into one run.

use crate::error::RunError;
use crate::load::{load, settings_of};
use crate::output::write_files;
use crate::settings::RunSettings;
use crate::status::{How, Status};
use crate::store::{Checkpoint, Files, Folder};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Combines folders that each hold one chain of the same plan into a run in `out`, the same as if one machine had made it.
pub fn merge(folders: &[PathBuf], out: &Path) -> Result<RunSettings, RunError> {
    let mut found: BTreeMap<usize, &PathBuf> = BTreeMap::new();
    let mut common: Option<(RunSettings, &PathBuf)> = None;
    let mut together = Status { ending: How::Complete, ..Status::default() };
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
        include(&mut together, Status::read(&Files::of(folder)?));
    }
    let Some((settings, _)) = common else { return Err(RunError::refused(out, "there is nothing to merge")) };
    let missing: Vec<String> =
        (0..settings.run.chains).filter(|k| !found.contains_key(k)).map(|k| k.to_string()).collect();
    if !missing.is_empty() {
        let why =
            format!("of the {} chains of the plan, these are missing: {}", settings.run.chains, missing.join(", "));
        return Err(RunError::refused(out, why));
    }
    put_together(&settings, &found, &together, out)?;
    Ok(settings)
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

/// The run took as long as its slowest part, and ended as the part that ended worst.
fn include(together: &mut Status, part: Status) {
    let badness =
        |ending: How| [How::Complete, How::Open, How::Stopped, How::Failed].iter().position(|of| *of == ending);
    together.seconds = together.seconds.max(part.seconds);
    let (worse, same) = (badness(part.ending) > badness(together.ending), part.ending == together.ending);
    if worse || (same && together.reason.is_empty()) {
        (together.ending, together.reason) = (part.ending, part.reason);
    }
}

/// The first line in which two settings differ.
fn difference(first: &RunSettings, second: &RunSettings) -> Result<String, RunError> {
    let (first, second) = (first.to_toml()?, second.to_toml()?);
    let pair = first.lines().zip(second.lines()).find(|(a, b)| a != b);
    Ok(pair.map_or("one has more lines".into(), |(a, b)| format!("`{a}` there, `{b}` here")))
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
    let merged = Folder::create(out, &settings.to_toml()?)?;
    for (chain, folder, length) in &files {
        crate::store::copy_chain(folder, &merged, *chain, *length)?;
    }
    status.write(&merged)?;
    let output = &settings.output;
    match write_files(&load(out)?, out, &output.formats, output.keep_warmup).into_iter().next() {
        Some(error) => {
            Err(RunError::refused(out, format!("the chains are merged, but not every file could be written: {error}")))
        }
        None => Ok(()),
    }
}
