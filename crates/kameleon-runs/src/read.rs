//! What the files of a run say: its settings, and the draws in its journals.

use crate::error::RunError;
use crate::settings::RunSettings;
use crate::store::{Files, read_journal};
use kameleon::record::Draw;
use std::path::Path;

/// The settings of the run in a folder.
pub fn settings_of(folder: &Path) -> Result<RunSettings, RunError> {
    let text = Files::of(folder)?.settings()?;
    Ok(RunSettings::from_toml(&text, &folder.join("settings.toml").display().to_string())?)
}

/// Shows all draws in the journal of a chain.
pub fn read_draws(
    files: &Files,
    index: usize,
    dim: usize,
    notes: &mut Vec<String>,
    see: impl FnMut(Draw<'_>),
) -> Result<(), RunError> {
    let recovered = read_journal(&files.journal(index), see)?;
    let (found, chain) = (recovered.header.dim as usize, recovered.header.chain as usize);
    if (found, chain) != (dim, index) || dim == 0 {
        let why = format!(
            "the journal of chain {index} belongs to chain {chain} in {found} dimensions, but the settings have {dim} parameters"
        );
        return Err(RunError::refused(files.path(), why));
    }
    if recovered.left_over > 0 {
        notes.push(format!(
            "the last {} bytes of the journal of chain {index} are incomplete: a draw was being written, or the file is damaged",
            recovered.left_over
        ));
    }
    Ok(())
}
