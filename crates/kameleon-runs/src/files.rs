//! The files for other programs that a run leaves in its folder.

use crate::atomic_file::FileError;
use crate::output::Posterior;
use crate::settings::OutputSettings;
use std::path::Path;

/// Writes the files that the settings ask for. A file that cannot be written does not keep the others from being written.
pub fn write_files(posterior: &Posterior, folder: &Path, output: &OutputSettings) -> Vec<FileError> {
    // A run that was stopped in its warm-up has nothing to write.
    if posterior.points().is_empty() {
        return Vec::new();
    }
    let formats = output.formats.iter().map(|name| name.0);
    formats.filter_map(|f| (f.write)(posterior, &folder.join(f.file), output.keep_warmup).err()).collect()
}
