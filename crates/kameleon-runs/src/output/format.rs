//! The formats that draws are written in: one entry for each, from which run files, `kameleon export` and Python follow.

mod csv;
mod netcdf;
mod parquet;
mod weighted;

use crate::atomic_file::FileError;
use crate::output::Posterior;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A format to write draws in.
#[derive(Debug)]
pub struct Format {
    /// Its name in run files, and as a flag of `kameleon export`.
    pub name: &'static str,
    /// The file's name in the folder of a run.
    pub file: &'static str,
    /// What the file is good for, in one line.
    pub about: &'static str,
    /// The endings of file names that mean it; the first is the usual one.
    pub endings: &'static [&'static str],
    /// Writes a posterior to a file, with the warm-up where the format has a place for it.
    pub write: fn(&Posterior, &Path, warmup: bool) -> Result<(), FileError>,
}

/// Every format.
pub static FORMATS: [Format; 4] = [
    Format {
        name: "netcdf",
        file: "posterior.nc",
        about: "which arviz.from_netcdf opens",
        endings: &["nc", "netcdf", "h5"],
        write: netcdf::write,
    },
    Format {
        name: "csv",
        file: "posterior.csv",
        about: "one line for each draw",
        endings: &["csv"],
        write: csv::write,
    },
    Format {
        name: "parquet",
        file: "posterior.parquet",
        about: "one row for each draw",
        endings: &["parquet"],
        write: parquet::write,
    },
    Format {
        name: "weighted",
        file: "weighted.csv",
        about: "one line for each jump proposal, with its log weight",
        endings: &["weighted.csv"],
        write: weighted::write,
    },
];

impl Format {
    /// The format that the ending of a file's name means; of endings that fit, the longest.
    pub fn of(path: &Path) -> Option<&'static Self> {
        let name = format!(".{}", path.file_name()?.to_str()?.to_ascii_lowercase());
        let length = |format: &&Self| {
            let fits = format.endings.iter().filter(|ending| name.ends_with(&format!(".{ending}")));
            fits.map(|ending| ending.len()).max()
        };
        FORMATS.iter().filter(|format| length(format).is_some()).max_by_key(length)
    }
}

impl Posterior {
    /// Writes the draws to a file, in the format that the ending of its name means; the `warmup` too, where the format has
    /// a place for it and it was recorded.
    pub fn write(&self, path: &Path, warmup: bool) -> Result<(), FileError> {
        let endings = || FORMATS.iter().map(|format| format!(".{}", format.endings[0])).collect::<Vec<_>>().join(", ");
        let format = Format::of(path);
        let unknown = || FileError::new(path, format_args!("the name must end in one of {}", endings()));
        (format.ok_or_else(unknown)?.write)(self, path, warmup)
    }
}

/// Writes the draws of a run to files in its folder. A file that cannot be written does not keep the others from being written;
/// a run that was stopped in its warm-up has nothing to write.
pub fn write_files(posterior: &Posterior, folder: &Path, formats: &[FormatName], warmup: bool) -> Vec<FileError> {
    let formats = formats.iter().filter(|_| !posterior.points().is_empty()).map(|name| name.0);
    formats.filter_map(|f| (f.write)(posterior, &folder.join(f.file), warmup).err()).collect()
}

/// A format by its name, as run files have it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FormatName(pub &'static Format);

impl TryFrom<String> for FormatName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let found = FORMATS.iter().find(|format| format.name == name);
        let known = || FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
        found.map(Self).ok_or_else(|| format!("there is no format \"{name}\"; choose one of {}", known()))
    }
}

impl From<FormatName> for String {
    fn from(format: FormatName) -> Self {
        format.0.name.into()
    }
}

impl PartialEq for FormatName {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}
