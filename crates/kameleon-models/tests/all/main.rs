//! The tests of this crate, in one program, so that what they share is compiled and linked once. `allocation.rs` is a
//! program of its own, since it replaces the allocator.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/fake_server.rs"]
mod fake_server;
#[path = "../common/python_server.rs"]
mod python_server;

mod bounds;
mod cbpp;
mod exact;
mod expression;
mod from_prior;
mod gradient;
mod library;
mod posteriors;
mod prior;
#[cfg(unix)]
mod program;
mod stochastic_volatility;
mod umbridge;
mod umbridge_python;
