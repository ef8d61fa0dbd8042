//! The tables of a calibration study, for a terminal and for a document.

use super::figures::WRONG;
use super::{Calibration, Figures, Lengths, RunRecord};

const HEAD: &str = "| target | length | runs | converged | rms z, means | sds | quantiles | beyond 3.5 | worst mean | fine, called so |\n\
                    |---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";

/// A line for each target and length; modes that chains may not meet in a table of their own.
pub fn markdown(study: &Calibration, records: &[RunRecord]) -> String {
    let mut text = format!("# {}\n\n", study.title);
    study.notes.iter().for_each(|note| text += &format!("{note}\n\n"));
    text += &part(study, records, false);
    let hidden = part(study, records, true);
    if !hidden.is_empty() {
        text += &format!("\n## Modes that chains may never have met\n\n{hidden}");
    }
    text
}

fn part(study: &Calibration, records: &[RunRecord], hidden: bool) -> String {
    let mut text = String::new();
    let mut all: Vec<&RunRecord> = Vec::new();
    for target in study.targets.iter().filter(|target| target.hidden_modes == hidden) {
        for lengths in &study.lengths {
            let is_of = |record: &&RunRecord| record.target == target.name && record.lengths == *lengths;
            let of: Vec<&RunRecord> = records.iter().filter(is_of).collect();
            if !of.is_empty() {
                text += &line(&target.name, Some(*lengths), &Figures::of(&of));
                all.extend(of);
            }
        }
    }
    if text.is_empty() {
        return text;
    }
    HEAD.to_owned() + &text + &line("all", None, &Figures::of(&all))
}

fn line(name: &str, lengths: Option<Lengths>, of: &Figures) -> String {
    let length = lengths.map_or(String::new(), |l| format!("{} + {}", l.warmup, l.draws));
    let number = |value: f64| if value.is_finite() { format!("{value:.2}") } else { "–".into() };
    let percent = |value: f64| if value.is_finite() { format!("{:.1} %", 100.0 * value) } else { "–".into() };
    let converged = percent(of.believed as f64 / of.runs as f64);
    let wrong = if of.count == 0 { "–".into() } else { format!("{} of {}", percent(of.wrong), of.count) };
    let fine = if of.fine == 0 { "–".into() } else { format!("{} of {}", percent(of.fine_believed), of.fine) };
    format!(
        "| {name} | {length} | {} | {converged} | {} | {} | {} | {wrong} | {} | {fine} |\n",
        of.runs,
        number(of.rms_means),
        number(of.rms_sds),
        number(of.rms_quantiles),
        number(of.worst_mean),
    )
}

const _: () = assert!(WRONG == 3.5, "the heading says so");
