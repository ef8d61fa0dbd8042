//! One population for all parts of a plan: that of chain 0 runs it, and leaves what it found where the others wait for it.

use crate::atomic_file::{self, FileError};
use crate::error::RunError;
use crate::meeting::{self, ALL_BEGUN, LOOK, PATIENCE};
use crate::prepare::Prepared;
use crate::store::{Folder, Search};
use std::path::PathBuf;
use std::time::Instant;

/// The file, beside what chains exchange.
const NAME: &str = "population";
/// The chain whose part runs it.
const RUNS_IT: usize = 0;

/// An error if what was found is not of the model that this part samples.
pub type CheckModel<'c> = &'c dyn Fn(&Search) -> Result<(), RunError>;

/// The population of a plan of which this process runs one chain.
pub struct OnePopulation {
    path: PathBuf,
    chain: usize,
    dim: usize,
}

impl OnePopulation {
    /// For a part of a plan whose chains learn together. None for a whole run, and for chains that learn alone, whose parts each run
    /// the same population.
    pub fn of(prepared: &Prepared<'_>, folder: Option<&Folder>) -> Result<Option<Self>, RunError> {
        let run = &prepared.settings.run;
        let (Some(folder), Some(chain), true) = (folder, run.chain, run.pools()) else { return Ok(None) };
        let path = meeting::folder_of(&prepared.settings, folder.path())?.join(NAME);
        Ok(Some(Self { path, chain, dim: prepared.settings.parameters.0.len() }))
    }

    /// Whether this part runs it.
    pub fn is_run_here(&self) -> bool {
        self.chain == RUNS_IT
    }

    /// Removes what an earlier run left.
    pub fn forget_earlier(&self) -> Result<(), FileError> {
        atomic_file::remove(&self.path)
    }

    /// Leaves what was found for the others, from where it is run.
    pub fn leave(&self, found: &Search) -> Result<(), FileError> {
        if self.is_run_here() && !self.path.exists() { found.write_to(&self.path) } else { Ok(()) }
    }

    /// What this part does while it waits.
    pub fn words(&self) -> String {
        format!("chain {} waits for what the part of chain {RUNS_IT} finds", self.chain)
    }

    /// Waits for what the part that runs it finds; none if it was stopped before. What an earlier run with another model left stays
    /// until that part has begun anew.
    pub fn wait(&self, check: CheckModel<'_>, stop: &dyn Fn() -> bool) -> Result<Option<Search>, RunError> {
        let (since, mut said, mut doubted) = (Instant::now(), false, false);
        while !stop() {
            let all_begun = since.elapsed() > ALL_BEGUN;
            let found = if doubted && !all_begun { None } else { Search::read_from(&self.path, self.dim)? };
            match found.map(|found| check(&found).map(|()| found)) {
                Some(Ok(found)) => return Ok(Some(found)),
                Some(Err(other)) if all_begun => return Err(other),
                Some(Err(_)) => doubted = true,
                None => {}
            }
            if since.elapsed() > PATIENCE && !std::mem::replace(&mut said, true) {
                tracing::warn!("{}", self.patience());
            }
            std::thread::sleep(LOOK);
        }
        Ok(None)
    }

    fn patience(&self) -> String {
        format!(
            "chain {} has waited {} s for the population, which the part of chain {RUNS_IT} runs: all parts of a plan start from what \
             it finds, so that part has to run, into a folder next to this one. With --no-pool (pool = false) each part runs the \
             population by itself.",
            self.chain,
            PATIENCE.as_secs()
        )
    }
}
