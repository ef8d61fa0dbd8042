//! Chains of one plan on different machines learn together through files: each leaves what it brings in a folder that all can
//! read, and works out from what all brought what one process would have told them.

use crate::atomic_file::{self, FileError};
use crate::error::RunError;
use crate::meeting::{self, ALL_BEGUN, LOOK, PATIENCE};
use crate::settings::RunSettings;
use crate::store::{seal, unseal};
use kameleon::chain::ChainError;
use kameleon::engine::{Job, Runner};
use kameleon::learner::{RefreshInput, SharedFit};
use kameleon::record::{Keep, Moment};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The first bytes of every file: what it is, and the version of its form.
const MARK: &[u8; 8] = b"KMLNEXC2";

/// Advances one chain of a plan, whose others are advanced elsewhere.
pub struct Exchange<'a> {
    folder: PathBuf,
    chains: usize,
    inner: &'a dyn Runner,
}

impl<'a> Exchange<'a> {
    /// For the part of a plan that is in this folder; `inner` advances the chain between exchanges.
    pub fn new(settings: &RunSettings, part: &Path, inner: &'a dyn Runner) -> Result<Self, RunError> {
        Ok(Self { folder: meeting::folder_of(settings, part)?, chains: settings.run.chains, inner })
    }

    fn file(&self, number: u64, chain: usize) -> PathBuf {
        self.folder.join(format!("{number}-{chain}"))
    }

    /// The numbers of the fits for which a chain has left what it brings.
    fn left_by(&self, chain: usize) -> Result<impl Iterator<Item = u64>, FileError> {
        let files = fs::read_dir(&self.folder).map_err(FileError::doing(&self.folder, "reading the folder"))?;
        let ending = format!("-{chain}");
        let number = move |name: String| name.strip_suffix(&ending)?.parse().ok();
        Ok(files.filter_map(move |file| number(file.ok()?.file_name().into_string().ok()?)))
    }

    /// Removes what was left by an earlier run of the same chain, before it has left anything itself.
    fn forget_earlier(&self, job: &Job<'_>) -> Result<(), FileError> {
        let chain = job.chain.index();
        for number in self.left_by(chain)?.collect::<Vec<_>>() {
            let path = self.file(number, chain);
            fs::remove_file(&path).map_err(FileError::doing(&path, "removing what an earlier run left"))?;
        }
        Ok(())
    }

    /// Leaves what the chain brings for the next fit, if it has come so far. All have used what was brought two fits before.
    fn leave(&self, job: &Job<'_>) -> Result<(), FileError> {
        let Some(learner) = job.chain.learner() else { return Ok(()) };
        let (number, chain) = (learner.refreshes() + 1, job.chain.index());
        let path = self.file(number, chain);
        let Some(text) = learner.input().filter(|_| !path.exists()).and_then(|input| learner.pack(&input)) else {
            return Ok(());
        };
        atomic_file::write(&path, &seal(MARK, &text).map_err(|why| FileError::new(&path, why))?)?;
        if let Some(old) = number.checked_sub(2) {
            // It may never have been there.
            let _ = fs::remove_file(self.file(old, chain));
        }
        Ok(())
    }

    /// The fit that the chain waits for; none as long as others have to come.
    fn fit_for(&self, job: &Job<'_>) -> Result<Option<SharedFit>, FileError> {
        let Some(learner) = job.chain.learner() else { return Ok(None) };
        let (number, old) = (learner.wants(), learner.shared_fit());
        if number == learner.refreshes() {
            return Ok(Some(old));
        }
        let paths: Vec<PathBuf> = (0..self.chains).map(|chain| self.file(number, chain)).collect();
        if !paths.iter().all(|path| path.exists()) {
            return Ok(None);
        }
        let read = |path: &PathBuf| -> Result<Option<RefreshInput>, FileError> {
            let bytes = match fs::read(path) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
                bytes => bytes.map_err(FileError::doing(path, "reading what a chain brought"))?,
            };
            let refused = |why: String| FileError::new(path, why);
            let text: String = unseal(MARK, "part of an exchange", &bytes).map_err(refused)?;
            let input = learner.unpack(&text);
            input.map(Some).ok_or_else(|| refused("it is not of this sampler and model".into()))
        };
        let inputs = paths.iter().map(read).collect::<Result<Option<Vec<_>>, _>>()?;
        Ok(inputs.and_then(|inputs| (learner.fit_rule())(&old, &inputs)))
    }

    /// Fails if a chain is further than what this one waits for, since a chain leaves one after another and keeps the last two.
    fn check_for_gone(&self, job: &Job<'_>) -> Result<(), FileError> {
        let number = job.chain.learner().map_or(0, |learner| learner.wants());
        for chain in (0..self.chains).filter(|chain| !self.file(number, *chain).exists()) {
            if self.left_by(chain)?.any(|left| left > number) && !self.file(number, chain).exists() {
                let why = "chains that this one learns with are further, and what they brought before is gone; begin all parts anew";
                return Err(FileError::new(&self.folder, why));
            }
        }
        Ok(())
    }

    /// For whom a chain waits, in words.
    fn missing(&self, job: &Job<'_>) -> String {
        let number = job.chain.learner().map_or(0, |learner| learner.wants());
        let missing = (0..self.chains).filter(|chain| !self.file(number, *chain).exists());
        let missing: Vec<String> = missing.map(|chain| chain.to_string()).collect();
        format!(
            "chain {} has waited {} s for what other chains bring ({}): all parts of a plan learn together, and have to run at the \
             same time, into folders next to each other. With --no-pool (pool = false) each learns alone.",
            job.chain.index(),
            PATIENCE.as_secs(),
            missing.join(", ")
        )
    }

    /// Brings a chain that waits past the exchange, as far as the others have come.
    fn pass(&self, job: &mut Job<'_>, stop: &dyn Fn() -> bool) -> Result<(), FileError> {
        self.leave(job)?;
        let (mut since, mut said) = (Instant::now(), false);
        while job.chain.waits() && job.error.is_none() && !stop() {
            match self.fit_for(job)? {
                Some(fit) => {
                    job.learn(&fit);
                    since = Instant::now();
                }
                // What an earlier run left stays until each part has begun anew.
                None if since.elapsed() > ALL_BEGUN => self.check_for_gone(job)?,
                None => {}
            }
            if job.chain.waits() {
                std::thread::sleep(LOOK);
            }
            if since.elapsed() > PATIENCE && !std::mem::replace(&mut said, true) {
                tracing::warn!("{}", self.missing(job));
            }
        }
        if job.error.is_none() { self.leave(job) } else { Ok(()) }
    }
}

impl Runner for Exchange<'_> {
    fn advance(&self, job: &mut Job<'_>, keep: Keep, sampling: u64, stop: &dyn Fn() -> bool) -> Result<(), ChainError> {
        let lost =
            |job: &Job<'_>, error: FileError| ChainError::Record { chain: job.chain.index(), source: error.into() };
        if job.chain.iterations() == 0 {
            self.forget_earlier(job).map_err(|error| lost(job, error))?;
        }
        if job.chain.waits() {
            // As it is where others can learn from it.
            job.record
                .save(&*job.chain, Moment::Waiting)
                .map_err(|source| ChainError::Record { chain: job.chain.index(), source })?;
        }
        self.pass(job, stop).map_err(|error| lost(job, error))?;
        if let Some(error) = job.error.take() {
            return Err(error);
        }
        if job.chain.waits() {
            return Ok(());
        }
        self.inner.advance(job, keep, sampling, stop)
    }

    fn exchanges(&self) -> bool {
        true
    }
}
