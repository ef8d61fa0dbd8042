//! Whether "converged" can be relied upon: runs of models whose truth is known, and how far off those are that are called so.

mod figures;
mod program;
mod run;
mod table;

pub use figures::Figures;
pub use run::{Lengths, RunRecord};

use crate::StudyError;
use crate::settings::Settings;
use kameleon::SettingsError;
use kameleon::plan::Check;
use kameleon_runs::RunSettings;
use kameleon_runs::atomic_file::{self, FileError};
use kameleon_runs::settings::{ModelSettings, Parameters, plain_words};
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A calibration study: one TOML file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Calibration {
    /// The heading of the table.
    pub title: String,
    /// Remarks for the reader.
    #[serde(default)]
    pub notes: Vec<String>,
    /// How long runs are.
    pub lengths: Vec<Lengths>,
    /// Runs of each target and length, by seeds from 1.
    pub seeds: u64,
    /// What is sampled.
    #[serde(rename = "target")]
    pub targets: Vec<Truthful>,
}

/// A model whose truth is known.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Truthful {
    /// Its name in the table.
    pub name: String,
    /// The model, as in a run file.
    pub model: ModelSettings,
    /// Its parameters, as in a run file.
    #[serde(default)]
    pub parameters: Parameters,
    /// Where the coordinates of a start lie, from and to, for parameters without a start of their own.
    #[serde(default = "around_zero")]
    pub start: [f64; 2],
    /// Mean, sd, and 5, 50 and 95 % quantile of each parameter; the last row is that of all parameters after it. NaN for what
    /// does not exist, or has no standard error, and is not judged.
    pub truth: Vec<[f64; 5]>,
    /// Whether chains may fail to meet some of its modes, so that it stands in a table of its own.
    #[serde(default)]
    pub hidden_modes: bool,
    /// Whether runs start from a population instead of chains.
    #[serde(default)]
    pub population: bool,
}

fn around_zero() -> [f64; 2] {
    [-2.0, 2.0]
}

impl Truthful {
    /// The true figures of a parameter, from 0.
    pub fn truth(&self, parameter: usize) -> &[f64; 5] {
        &self.truth[parameter.min(self.truth.len() - 1)]
    }
}

/// Which runs are made.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The number of seeds, in place of the study's.
    pub seeds: Option<u64>,
    /// The first seed; the study's is 1.
    pub first_seed: Option<u64>,
    /// Only targets whose names contain one of these; all if there is none.
    pub only: Vec<String>,
    /// Only runs with this number of draws.
    pub draws: Option<u64>,
    /// Whether each run is kept in a folder of its own.
    pub keep: bool,
    /// How draws are checked.
    pub check: Check,
}

impl Selection {
    fn takes(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| name.contains(part.as_str()))
    }
}

/// One run that is to be made.
struct Task<'a> {
    target: &'a Truthful,
    lengths: Lengths,
    seed: u64,
    check: Check,
    program: &'a str,
}

impl Task<'_> {
    fn key(&self) -> String {
        run::key(&self.target.name, self.lengths, self.seed)
    }

    fn made_by(&self) -> String {
        program::made_by(self.program, self.target, self.check)
    }
}

impl Calibration {
    /// Reads a study; `file` is for messages.
    pub fn parse(file: &str, text: &str) -> Result<Self, StudyError> {
        let wrong = |error: toml::de::Error| {
            let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
            let place = format!("{file}, line {line}");
            SettingsError { place, ..SettingsError::new("", plain_words(error.message())) }
        };
        let study: Self = toml::from_str(text).map_err(wrong)?;
        for (place, target) in study.targets.iter().enumerate() {
            let earlier = &study.targets[..place];
            let what = format!("\"{}\" comes twice", target.name);
            SettingsError::demand("target.name", earlier.iter().all(|t| t.name != target.name), &what)?;
            let what = format!("{}: at least one row is needed", target.name);
            SettingsError::demand("target.truth", !target.truth.is_empty(), &what)?;
        }
        Ok(study)
    }

    fn tasks<'a>(&'a self, selection: &Selection, program: &'a str) -> Vec<Task<'a>> {
        let first = selection.first_seed.unwrap_or(1);
        let seeds = first..first + selection.seeds.unwrap_or(self.seeds);
        let mut tasks = Vec::new();
        // One seed of all targets after the other, so that a study that is stopped says something of each.
        for seed in seeds {
            for target in self.targets.iter().filter(|target| selection.takes(&target.name)) {
                let lengths = self.lengths.iter().filter(|l| selection.draws.is_none_or(|draws| l.draws == draws));
                let check = selection.check;
                tasks.extend(lengths.map(|lengths| Task { target, lengths: *lengths, seed, check, program }));
            }
        }
        tasks
    }

    /// Makes the runs that are not yet in `runs.jsonl` of the output folder, and returns the table of all that were asked for. Runs
    /// of another program, or of another model of the same name, are made again.
    pub fn run(&self, selection: &Selection, settings: &Settings<'_>) -> Result<String, StudyError> {
        let out = &settings.out;
        fs::create_dir_all(out).map_err(FileError::doing(out, "creating the folder"))?;
        let file = out.join("runs.jsonl");
        let mut known = read(&file);
        let program = program::id(&settings.program);
        let tasks = self.tasks(selection, &program);
        for task in &tasks {
            if known.get(&task.key()).is_some_and(|record| record.made_by != task.made_by()) {
                known.remove(&task.key());
            }
        }
        let ahead: Vec<&Task<'_>> = tasks.iter().filter(|task| !known.contains_key(&task.key())).collect();
        let keep = selection.keep.then(|| out.join("runs"));
        let made = make(&ahead, &file, keep.as_deref(), settings)?;
        known.extend(made.into_iter().map(|record| (record.key(), record)));
        let records: Vec<RunRecord> = tasks.iter().filter_map(|task| known.remove(&task.key())).collect();
        let text = table::markdown(self, &records);
        atomic_file::write(&out.join("calibration.md"), text.as_bytes())?;
        Ok(text)
    }
}

/// The runs of earlier calls; a line that cannot be read counts as none.
fn read(file: &Path) -> HashMap<String, RunRecord> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let records = text.lines().filter_map(|line| serde_json::from_str::<RunRecord>(line).ok());
    records.map(|record| (record.key(), record)).collect()
}

/// Makes the runs on all threads and appends each to the file.
fn make(
    tasks: &[&Task<'_>],
    file: &PathBuf,
    keep: Option<&Path>,
    settings: &Settings<'_>,
) -> Result<Vec<RunRecord>, StudyError> {
    let lines = OpenOptions::new().create(true).append(true).open(file).map_err(FileError::doing(file, "opening"))?;
    let (next, lines) = (AtomicUsize::new(0), Mutex::new(lines));
    let (records, error) = (Mutex::new(Vec::new()), Mutex::new(None));
    let iterations = tasks.iter().map(|task| task.lengths.warmup + task.lengths.draws).sum();
    settings.watch.begin("calibration", iterations, 0, tasks.len());
    let one = |task: &Task<'_>| -> Result<(), StudyError> {
        let lengths = task.lengths;
        let record = run::one(task, keep, settings.stop)?.ok_or(StudyError::Stopped)?;
        let line = serde_json::to_string(&record).expect("a record is plain data") + "\n";
        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.write_all(line.as_bytes()).map_err(FileError::doing(file, "writing"))?;
        records.lock().unwrap_or_else(PoisonError::into_inner).push(record);
        settings.watch.advance(lengths.warmup + lengths.draws);
        Ok(())
    };
    let worker = || {
        while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(what) = one(task) {
                next.store(tasks.len(), Ordering::Relaxed);
                error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(what);
            }
        }
    };
    std::thread::scope(|scope| {
        (1..settings.threads.min(tasks.len())).for_each(|_| drop(scope.spawn(worker)));
        worker();
    });
    settings.watch.end();
    match error.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(records.into_inner().unwrap_or_else(PoisonError::into_inner)),
    }
}

/// The settings of a run.
fn run_settings(task: &Task<'_>) -> RunSettings {
    let Task { target, lengths, seed, check, .. } = *task;
    let mut settings =
        RunSettings { model: target.model.clone(), parameters: target.parameters.clone(), ..RunSettings::default() };
    lengths.plan(&mut settings.run, target.population);
    (settings.run.seed, settings.run.threads, settings.run.check) = (seed, Some(1), check);
    settings
}
