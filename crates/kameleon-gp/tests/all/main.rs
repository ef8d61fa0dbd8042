//! The tests of this crate, in one program, so that what they share is compiled and linked once. `allocation.rs` is a
//! program of its own, since it replaces the allocator.

#[path = "../common/mod.rs"]
mod common;

mod calibration;
mod correlated;
mod data;
mod pilot;
mod posterior;
mod predict;
mod reference;
mod standardise;
mod target;
