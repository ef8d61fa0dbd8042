//! Runs studies one after another and writes what comes of them: figures, data and the page.

use crate::StudyError;
use crate::draw::png;
use crate::figure::{self, Outcome};
use crate::page;
use crate::scheduler::Scheduler;
use crate::settings::Settings;
use crate::study::Study;
use kameleon_runs::atomic_file;
use std::path::PathBuf;

/// What came of the studies.
pub struct Report {
    /// For people: the claims of each study, and whether they hold.
    pub text: String,
    /// The path of the page.
    pub page: PathBuf,
}

/// Runs the studies. The figures and data of each are written as soon as it is done, the page at the end.
pub fn run(studies: &[Study], settings: &Settings<'_>) -> Result<Report, StudyError> {
    let scheduler = Scheduler::new(settings)?;
    let mut parts = Vec::new();
    for study in studies {
        let outcome = figure::make(study, &scheduler)?;
        write(&outcome, settings)?;
        parts.push((study, outcome));
    }
    let page = settings.out.join("index.html");
    atomic_file::write(&page, page::page(&parts, settings).as_bytes())?;
    Ok(Report { text: parts.iter().map(|(study, outcome)| summary(study, outcome)).collect(), page })
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
