//! The tests of this crate, one program for all of them: what they share is compiled and linked once. `allocation.rs`
//! stays alone, since it counts what its whole program allocates.

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
mod library;
mod prior;
#[cfg(unix)]
mod program;
mod stochastic_volatility;
mod umbridge;
mod umbridge_python;
