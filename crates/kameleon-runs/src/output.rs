//! What is made of a run, finished or not: files that other programs open, and a report for people.
//!
//! Everything starts from a [`Posterior`], the one description of a run to be shown or exported.

mod all_draws;
mod check;
pub(crate) mod circles;
mod format;
mod judge;
mod jumps;
mod kept;
mod labels;
mod learned;
mod numbers;
mod population;
pub mod posterior;
mod report;

pub(crate) use all_draws::least_and_most;
pub use all_draws::{AllDraws, Figures};
pub(crate) use check::forget_bounded;
pub use format::{FORMATS, Format, FormatName, write_files};
pub(crate) use judge::CROWDED;
pub use jumps::JumpSummary;
pub(crate) use jumps::{AT_LIMIT, RAN_AWAY};
pub use kept::Kept;
pub use learned::{Acceptance, Fact, Learned, MoveSummary};
pub use numbers::numbers;
pub use population::{After, ModeSummary, PopulationSummary};
pub use posterior::{ChainDraws, Posterior, ProposalEllipse, Variable};
pub use report::{escape, report_html, write_report};
