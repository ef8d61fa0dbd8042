//! The Rust side of the R package `kameleon`, and no more than that: values are converted and runs are made.
//!
//! What users see is written in R (`r/R`), and what may leave by R's long jumps in C (`r/src/host.c`). The feature `r` needs R
//! to be installed; without it this crate is empty.
#![cfg(feature = "r")]

mod exports;
mod function;
mod host;
mod posterior;
mod refusal;
mod request;
mod run;
mod session;
mod value;
mod words;
