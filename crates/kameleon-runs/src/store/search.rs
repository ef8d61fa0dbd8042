//! A population before the chains: as it was at a moment, or what it found.

use crate::atomic_file::{self, FileError};
use crate::store::folder::Files;
use crate::store::sealed::{seal, unseal};
use kameleon::population::{Found, Population, Witness};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// The first bytes of the file: what it is, and the version of its form.
const MARK: &[u8; 8] = b"KMLNPOP4";

/// A population on its way, or at its end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Search {
    /// It is on its way.
    Running(Box<Population>),
    /// It has ended with this.
    Done(Box<Found>),
}

impl Search {
    /// Writes it into the folder of a run.
    pub fn write(&self, files: &Files) -> Result<(), FileError> {
        self.write_to(&files.population())
    }

    /// Writes it whole: after a crash at any moment the file holds this or what was there before.
    pub fn write_to(&self, path: &Path) -> Result<(), FileError> {
        atomic_file::write(path, &seal(MARK, self).map_err(|why| FileError::new(path, why))?)
    }

    /// What the folder has, for parameters in `dim` dimensions; none before it was first saved.
    pub fn read(files: &Files, dim: usize) -> Result<Option<Self>, FileError> {
        Self::read_from(&files.population(), dim)
    }

    /// What a file has, for parameters in `dim` dimensions; none if there is no file.
    pub fn read_from(path: &Path, dim: usize) -> Result<Option<Self>, FileError> {
        let bytes = match fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.map_err(FileError::doing(path, "reading the population"))?,
        };
        let search: Self = unseal(MARK, "population of a run", &bytes).map_err(|why| FileError::new(path, why))?;
        match search.fits(dim) {
            true => Ok(Some(search)),
            false => {
                Err(FileError::new(path, format_args!("the population is not of {dim} parameters, or is damaged")))
            }
        }
    }

    /// The best point so far, by which the likelihood is known again.
    pub fn witness(&self) -> Option<&Witness> {
        match self {
            Self::Running(population) => population.witness(),
            Self::Done(found) => found.witness.as_ref(),
        }
    }

    fn fits(&self, dim: usize) -> bool {
        match self {
            Self::Running(population) => population.fits(dim),
            Self::Done(found) => found.fits(dim),
        }
    }
}
