//! The tests of this crate, one program for all of them: what they share is compiled and linked once. `allocation.rs`
//! stays alone, since it counts what its whole program allocates; so do the long ones, `invariance.rs` and `default_sampler.rs`.

#[path = "../common/mod.rs"]
mod common;

mod ahead;
mod bad_input;
mod chain;
mod covariance;
mod diagnose_arviz;
mod diagnose_properties;
mod diagnose_summary;
mod engine;
mod ensemble;
mod evidence;
mod frozen;
mod gradient;
mod linalg;
mod modes;
mod modules;
mod paper;
mod places;
mod pool;
mod population;
mod registry;
mod target;
mod warmup;
