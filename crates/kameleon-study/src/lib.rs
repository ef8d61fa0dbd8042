//! Comparisons of samplers as data: the figures of the paper, and studies of your own.
//!
//! A [`Study`] is a small TOML file: targets, samplers, run lengths and claims. [`run`] runs its chains on all cores, keeps
//! every finished one in a cache so that an interrupted run can be resumed, and makes the figures (SVG and PNG), the data
//! behind them (CSV) and one page that says which claims hold.

mod animation;
mod cache;
mod calibration;
mod draw;
mod error;
mod figure;
mod interval;
mod named;
mod page;
mod paper;
mod record;
mod results;
mod run;
mod scheduler;
mod settings;
mod spec;
mod stopwatch;
mod study;
mod verdict;

pub use animation::Animation;
pub use calibration::{Calibration, Selection};
pub use error::StudyError;
pub use paper::figures;
pub use run::{Report, run};
pub use settings::{Settings, Watch};
pub use study::{Scale, Study};
