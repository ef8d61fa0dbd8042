//! The tests of this crate, one program for all of them: what they share is compiled and linked once.

mod common;
#[cfg(unix)]
#[path = "../../../kameleon-models/tests/common/python_server.rs"]
mod python_server;

mod applications;
#[cfg(unix)]
mod docs;
mod evidence;
mod export;
mod gp;
#[cfg(unix)]
mod models;
mod population;
mod registry;
#[cfg(unix)]
mod runs;
mod sample;
mod study;
#[cfg(unix)]
mod terminal;
mod thin;
