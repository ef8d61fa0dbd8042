//! The formats that draws are written in: one entry for each, from which run files, `kameleon export` and Python follow.

use crate::output::{OutputError, Posterior, csv, netcdf, parquet};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A format to write draws in.
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
    pub write: fn(&Posterior, &Path, warmup: bool) -> Result<(), OutputError>,
}

/// Every format.
pub static FORMATS: [Format; 3] = [
    Format {
        name: "netcdf",
        file: "posterior.nc",
        about: "which arviz.from_netcdf opens",
        endings: &["nc", "netcdf", "h5"],
        write: netcdf::write_netcdf,
    },
    Format {
        name: "csv",
        file: "posterior.csv",
        about: "one line for each draw",
        endings: &["csv"],
        write: |posterior, path, _| csv::write_csv(posterior, path),
    },
    Format {
        name: "parquet",
        file: "posterior.parquet",
        about: "one row for each draw",
        endings: &["parquet"],
        write: |posterior, path, _| parquet::write_parquet(posterior, path),
    },
];

impl Format {
    /// The format that the ending of a file's name means.
    pub fn of(path: &Path) -> Option<&'static Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        FORMATS.iter().find(|format| format.endings.contains(&ending.as_str()))
    }
}

/// A format by its name, as run files have it.
#[derive(Clone, Copy, Serialize, Deserialize)]
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

impl std::fmt::Debug for FormatName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name)
    }
}

impl PartialEq for FormatName {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}
