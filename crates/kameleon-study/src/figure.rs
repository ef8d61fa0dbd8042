//! The kinds of figures: from a study to pictures, data and words.

mod benchmark;
mod comparison;
mod g_function;
mod plane;
mod posterior;
mod proposals;
mod table;

use crate::StudyError;
use crate::cells::Cells;
use crate::engine::{Engine, Group};
use crate::record::Spec;
use crate::run::Settings;
use crate::study::{Kind, Study};
use crate::team::TEAM;
use crate::verdict::Verdict;

/// A picture.
pub struct Figure {
    /// Its files are called so.
    pub name: String,
    /// What is to be seen.
    pub caption: String,
    /// The picture itself.
    pub svg: String,
}

/// All that came of a study.
#[derive(Default)]
pub struct Outcome {
    /// The pictures.
    pub figures: Vec<Figure>,
    /// The data behind them: names of files and their text.
    pub data: Vec<(String, String)>,
    /// The numbers of a comparison.
    pub cells: Cells,
    /// The claims and what became of them.
    pub verdicts: Vec<Verdict>,
    /// What else is worth a sentence.
    pub facts: Vec<String>,
}

/// Runs what a study needs and draws it.
pub fn make(study: &Study, engine: &Engine<'_>, settings: &Settings<'_>) -> Result<Outcome, StudyError> {
    match study.kind {
        Kind::Bars => comparison::bars(study, engine, settings),
        Kind::Table => table::table(study, engine, settings),
        Kind::Convergence => comparison::convergence(study, engine, settings),
        Kind::Benchmark => benchmark::benchmark(study, engine, settings),
        Kind::Posterior => posterior::posterior(study, engine, settings),
        Kind::Proposals => Ok(proposals::proposals(study, settings)),
        Kind::GFunction => Ok(g_function::g_function(study, settings)),
    }
}

/// The chains of every target with every sampler, target by target.
fn groups(study: &Study, settings: &Settings<'_>) -> Vec<Group> {
    let mut groups = Vec::new();
    for target in study.targets() {
        for sampler in study.samplers(settings.extras) {
            let spec = Spec::of(target, &sampler.sampler, settings.scale, settings.seed);
            let chains = study.chains.at(settings.scale) as usize;
            let (spec, chains) = match study.kind {
                Kind::Table => (spec.in_teams(), chains / TEAM),
                _ => (spec, chains),
            };
            groups.push(Group { target: target.name.clone(), sampler: sampler.name.clone(), spec, chains });
        }
    }
    groups
}
