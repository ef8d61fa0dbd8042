//! The tests of this crate, one program for all of them: what they share is compiled and linked once. `allocation.rs`
//! stays alone, since it counts what its whole program allocates.

#[path = "../common/mod.rs"]
mod common;

mod calibration;
mod correlated;
mod posterior;
mod predict;
mod reference;
mod target;
