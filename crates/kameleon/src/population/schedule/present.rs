//! The present stage, whichever it is.

use crate::population::Stage;
use crate::population::climb::Climb;
use crate::population::ladder::Ladder;
use crate::population::links::Links;
use crate::population::merge::Unite;
use crate::population::rest::Rest;
use crate::population::rounds::Rounds;
use crate::population::together::Together;
use serde::{Deserialize, Serialize};

/// The present stage: short looks are ladders that go on together, a full ladder is alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Present {
    Ladders(Together<Ladder>),
    Links(Together<Links>),
    Climb(Climb),
    Rest(Box<Rest>),
    Unite(Unite),
    Rounds(Box<Rounds>),
    Done,
}

impl Present {
    pub(super) fn as_stage(&mut self) -> Option<&mut dyn Stage> {
        Some(match self {
            Self::Ladders(stage) => stage,
            Self::Links(stage) => stage,
            Self::Climb(stage) => stage,
            Self::Rest(stage) => stage.as_mut(),
            Self::Unite(stage) => stage,
            Self::Rounds(stage) => stage.as_mut(),
            Self::Done => return None,
        })
    }

    /// Whether what was read from elsewhere is for points in `dim` dimensions.
    pub(super) fn fits(&self, dim: usize) -> bool {
        match self {
            Self::Ladders(ladders) => ladders.stages.iter().all(|ladder| ladder.fits(dim)),
            Self::Links(links) => links.stages.iter().all(|links| links.fits(dim)),
            Self::Climb(climb) => climb.fits(dim),
            Self::Rest(rest) => rest.fits(dim),
            Self::Unite(unite) => unite.fits(dim),
            Self::Rounds(rounds) => rounds.fits(dim),
            Self::Done => true,
        }
    }

    /// A line for people; which ladder it is, and how many particles and niches there are, is known outside.
    pub(super) fn progress(&self, which: &str, particles: usize, known: usize) -> String {
        match self {
            Self::Ladders(ladders) => {
                // The one that has the longest way to go.
                let Some(ladder) = ladders.stages.iter().min_by(|a, b| a.beta().total_cmp(&b.beta())) else {
                    return which.to_owned();
                };
                let (level, beta) = (ladder.levels(), ladder.beta());
                let beta = if beta < 0.001 { format!("{beta:.1e}") } else { format!("{beta:.3}") };
                let log_z = known_so_far("log Z", ladder.log_z());
                format!("{which}: level {level}, β {beta}, {particles} particles{log_z}")
            }
            Self::Links(_) => format!("{which}: testing links"),
            Self::Climb(climb) => format!("{which}: climbing, {} niches", climb.niches().len()),
            Self::Rest(_) => format!("{which}: looking for more niches, {known} known"),
            Self::Unite(_) => format!("{which}: comparing niches, {known} known"),
            Self::Rounds(rounds) if rounds.count() > 0 => {
                let (round, last) = (rounds.count(), rounds.last());
                let (k, share, log_z) = (last.pareto_k, last.efficiency, last.log_z);
                let figures =
                    [("k", k), ("efficiency", share), ("log Z", log_z)].map(|(name, x)| known_so_far(name, x));
                format!("round {round}: {known} niches{}", figures.concat())
            }
            Self::Rounds(_) => format!("round 0: {known} niches"),
            Self::Done => format!("done: {known} niches"),
        }
    }
}

/// A figure for those who watch; nothing where it is not known yet.
fn known_so_far(name: &str, figure: f64) -> String {
    if figure.is_finite() { format!(", {name} {figure:.2}") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_that_is_not_known_is_not_shown() {
        assert_eq!(known_so_far("k", f64::NAN) + &known_so_far("log Z", -1.0), ", log Z -1.00");
    }
}
