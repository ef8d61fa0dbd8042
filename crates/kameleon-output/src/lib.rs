//! What is made of a run, finished or not: files that other programs open, and a report for people.
//!
//! Everything starts from a [`Posterior`], the one description of a run to be shown or exported.

pub mod posterior;

pub use posterior::{ChainDraws, Kept, Posterior, ProposalEllipse, Variable};
