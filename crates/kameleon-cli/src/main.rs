//! The program `kameleon`.

mod args;
mod gp;
mod list;
mod model;
mod options;
mod output;
mod progress;
mod sample;
mod sticking;
mod study;

use args::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

/// How the program ends, as its exit code.
pub enum Exit {
    /// All went well.
    Done,
    /// The target failed in the middle of the run.
    Failed,
    /// Ctrl-C.
    Interrupted,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Sample(args) => sample::sample(&args),
        Command::List => list::list(),
        Command::Paper(args) => study::paper(&args),
        Command::Compare(args) => study::compare(&args),
    };
    match result {
        Ok(Exit::Done) => ExitCode::SUCCESS,
        Ok(Exit::Failed) => ExitCode::from(1),
        Ok(Exit::Interrupted) => ExitCode::from(130),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
