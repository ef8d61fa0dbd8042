//! Runs studies one after another and writes what comes of them: figures, data and the page.

use crate::StudyError;
use crate::cache::Cache;
use crate::draw::png;
use crate::engine::{Engine, Watch};
use crate::figure::{self, Outcome};
use crate::page;
use crate::study::{Scale, Study};
use kameleon_runs::atomic_file;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// How studies are run.
pub struct Settings<'a> {
    /// How big.
    pub scale: Scale,
    /// Everything random follows from this.
    pub seed: u64,
    /// How many threads; the results do not depend on it.
    pub threads: usize,
    /// Whether extra samplers are run too.
    pub extras: bool,
    /// Where everything is written.
    pub out: PathBuf,
    /// The command, for the page.
    pub command: String,
    /// Set it, and the run stops.
    pub stop: &'a AtomicBool,
    /// Who is told how far it is.
    pub watch: &'a dyn Watch,
}

/// What came of the studies.
pub struct Report {
    /// What to tell a person: for each study its claims and what became of them.
    pub text: String,
    /// Where the page is.
    pub page: PathBuf,
}

/// Runs the studies. Each one's figures and data are written as soon as they are there, the page at the end.
pub fn run(studies: &[Study], settings: &Settings<'_>) -> Result<Report, StudyError> {
    let engine = Engine {
        cache: Cache::open(&settings.out.join("cache"))?,
        threads: settings.threads,
        stop: settings.stop,
        watch: settings.watch,
    };
    let mut outcomes = Vec::new();
    for study in studies {
        let outcome = figure::make(study, &engine, settings)?;
        write(&outcome, settings)?;
        outcomes.push(outcome);
    }
    let path = settings.out.join("index.html");
    let parts: Vec<(&Study, &Outcome)> = studies.iter().zip(&outcomes).collect();
    atomic_file::write(&path, page::page(&parts, settings).as_bytes())?;
    let text = parts.iter().map(|(study, outcome)| summary(study, outcome)).collect();
    Ok(Report { text, page: path })
}

fn write(outcome: &Outcome, settings: &Settings<'_>) -> Result<(), StudyError> {
    for figure in &outcome.figures {
        let path = |extension: &str| settings.out.join(format!("{}.{extension}", figure.name));
        atomic_file::write(&path("svg"), figure.svg.as_bytes())?;
        atomic_file::write(&path("png"), &png(&figure.svg))?;
    }
    outcome.data.iter().try_for_each(|(name, text)| atomic_file::write(&settings.out.join(name), text.as_bytes()))?;
    Ok(())
}

fn summary(study: &Study, outcome: &Outcome) -> String {
    let mut text = format!("{}: {}\n", study.name, study.title);
    for verdict in &outcome.verdicts {
        text += &format!("  {}: {}\n", verdict.claim, verdict.finding.words());
        verdict.details.iter().for_each(|detail| text += &format!("    {detail}\n"));
    }
    outcome.facts.iter().for_each(|fact| text += &format!("  {fact}\n"));
    text
}
