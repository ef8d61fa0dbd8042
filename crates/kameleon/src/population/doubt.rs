//! What is known against what a population found, and which of it says that the search did not come to its end.

use crate::diagnose::number;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Something that is known against what a population found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Doubt {
    /// The budget ended it: in its search for modes, or later.
    Stopped {
        /// Whether a full ladder and its search had ended, and there is a density of all modes that were found.
        searched: bool,
    },
    /// No point has a positive likelihood.
    Nowhere,
    /// A full ladder found several niches, and no good density of them was learned.
    NoGoodDensity,
    /// The weights of fresh draws have a heavy tail.
    HeavyTail {
        /// Pareto k̂ of them.
        #[serde(deserialize_with = "number")]
        pareto_k: f64,
    },
    /// A ladder and what came after it do not agree. Where the ladder's log Z is smaller, this is worth knowing and says nothing against
    /// the rest ([`Doubt::is_remark`]).
    FarLadder {
        /// log Z of the ladder.
        ladder: f64,
        /// log Z of the density, or of the chains.
        log_z: f64,
    },
    /// Short looks saw several modes, and there was too little left for a full ladder.
    OnlyLooks {
        /// About how many evaluations there should have been in all.
        needed: u64,
    },
    /// A full ladder found several modes, and there was too little left for the draws from the prior that find narrow ones.
    FewDraws {
        /// About how many evaluations there should have been in all.
        needed: u64,
    },
    /// Full ladders found different modes.
    Different {
        /// Those that a further ladder found, and that were not known before.
        new: usize,
        /// Those that were known before, and that a further ladder did not find.
        missed: usize,
    },
    /// There are several modes in many dimensions.
    Narrow {
        /// How many.
        dim: usize,
        /// The width of the narrowest mode that a point is likely to meet, over that of the widest.
        narrowest: f64,
    },
}

impl Doubt {
    /// Whether it says that the search did not come to its end: then an evidence that looks precise may be that of some modes only.
    pub fn is_unfinished(&self) -> bool {
        match self {
            Self::Stopped { searched } => !searched,
            Self::Nowhere
            | Self::NoGoodDensity
            | Self::OnlyLooks { .. }
            | Self::FewDraws { .. }
            | Self::Different { .. } => true,
            Self::HeavyTail { .. } | Self::FarLadder { .. } | Self::Narrow { .. } => false,
        }
    }

    /// Whether it says nothing against what was found: most ladders lose modes on their way.
    pub fn is_remark(&self) -> bool {
        matches!(self, Self::FarLadder { ladder, log_z } if ladder < log_z)
    }

    /// Whether it follows from the number of niches: where the likelihood is noisy, hills of the noise are counted as such.
    pub fn counts_niches(&self) -> bool {
        matches!(
            self,
            Self::NoGoodDensity
                | Self::OnlyLooks { .. }
                | Self::FewDraws { .. }
                | Self::Different { .. }
                | Self::Narrow { .. }
        )
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped { searched: false } => {
                write!(f, "the population was stopped before it was done: the budget is too small")
            }
            Self::Stopped { searched: true } => {
                write!(
                    f,
                    "the budget is too small to test the density of the modes that were found, or to search again"
                )
            }
            Self::Nowhere => write!(f, "no draw from the prior has a positive likelihood"),
            Self::NoGoodDensity => write!(f, "no good density was learned"),
            Self::HeavyTail { pareto_k } => write!(f, "the weights have a heavy tail: Pareto k is {pareto_k:.2}"),
            Self::FarLadder { ladder, log_z } => {
                let why = match ladder < log_z {
                    true => "a ladder that loses modes on its way, as most do, gives a smaller one",
                    false => "the ladder had few particles left at some level, or a mode was lost after it",
                };
                write!(f, "log Z is {ladder:.2} by the ladder and {log_z:.2} after it: {why}")
            }
            Self::OnlyLooks { needed } => write!(
                f,
                "short looks saw several modes, and the budget is too small for the ladder that finds and weighs them: a population, which \
                 takes at most half of those of a run, needs about {} thousand evaluations here",
                needed.div_ceil(1000)
            ),
            Self::FewDraws { needed } => write!(
                f,
                "there are several modes, and the budget is too small for the draws from the prior that find narrow ones among them: a \
                 population, which takes at most half of those of a run, needs about {} thousand evaluations here",
                needed.div_ceil(1000)
            ),
            Self::Different { new, missed } => {
                write!(f, "independent ladders found different modes ({new} new, {missed} missed): there may be more")
            }
            Self::Narrow { dim, narrowest } => write!(
                f,
                "there are several modes in {dim} dimensions, where those narrower than {narrowest:.2} of the widest are missed"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_is_unfinished_where_modes_may_be_missing_for_want_of_evaluations() {
        let unfinished = [
            Doubt::Stopped { searched: false },
            Doubt::NoGoodDensity,
            Doubt::OnlyLooks { needed: 30_000 },
            Doubt::FewDraws { needed: 30_000 },
            Doubt::Different { new: 0, missed: 1 },
        ];
        assert!(unfinished.iter().all(Doubt::is_unfinished));
        let warnings = [Doubt::Stopped { searched: true }, Doubt::FarLadder { ladder: -2.0, log_z: -1.0 }];
        assert!(!warnings.iter().any(Doubt::is_unfinished));
    }

    #[test]
    fn a_heavy_tail_without_a_number_survives_json() {
        let stored = serde_json::to_string(&Doubt::HeavyTail { pareto_k: f64::NAN }).unwrap();
        let read: Doubt = serde_json::from_str(&stored).unwrap();
        assert!(matches!(read, Doubt::HeavyTail { pareto_k } if pareto_k.is_nan()), "{read:?}");
    }
}
