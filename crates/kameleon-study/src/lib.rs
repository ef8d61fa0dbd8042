//! Comparisons of samplers as data: the figures of the paper, and studies of one's own.
//!
//! A [`Study`] is a small TOML file: targets, samplers, lengths, and what is claimed of them. [`run`] runs its chains on
//! all cores, keeps every finished one in a cache so that an interrupted run goes on where it stopped, and makes the
//! figures (SVG and PNG), the data behind them (CSV) and one page for people that says in words what came out.

mod cache;
mod cells;
mod draw;
mod engine;
mod error;
mod figure;
mod interval;
mod page;
mod paper;
mod record;
mod run;
pub mod study;
mod team;
mod verdict;

pub use engine::Watch;
pub use error::StudyError;
pub use paper::{FIGURES, figures};
pub use run::{Report, Settings, run};
pub use study::{Scale, Study};
