//! The tests of this crate, one program for all of them: what they share is compiled and linked once.

mod atomic_file;
mod browser;
mod check;
mod common;
mod ensemble;
mod files;
mod folder;
mod jumps;
mod large;
mod merge;
mod parts;
mod periodic;
mod population;
mod posterior;
mod remote;
mod reweight;
mod same_model;
mod settings;
mod store;
