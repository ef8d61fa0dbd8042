//! The program `kameleon` as a function, which the binary calls, and the Python package for its console script.

mod animate;
mod args;
mod calibrate;
mod colour;
mod export;
mod gp;
mod init;
mod invocation;
mod list;
mod manual;
mod output;
mod plan;
mod progress;
mod report;
mod reweight;
mod sample;
mod study;
mod thin;

use anyhow::Result;
use args::{Arguments, Command};
use clap::Parser;
use colour::Ink;
use invocation::Invocation;
use kameleon_runs::RunError;
use std::ffi::OsString;
use std::path::PathBuf;
use tracing::level_filters::LevelFilter;

/// How the program ends, as its exit code.
enum Exit {
    /// All went well.
    Done,
    /// The model or the disk failed in the middle of the run, or what was asked for cannot be answered from it.
    Failed,
    /// Ctrl-C.
    Interrupted,
}

/// Runs the program and returns its exit code. The first argument is the program's name, as everywhere; `program` is the file
/// that holds this code. It catches Ctrl-C and sets up logging, so a process calls it once.
pub fn run(arguments: impl IntoIterator<Item = OsString>, program: PathBuf) -> u8 {
    let typed: Vec<OsString> = arguments.into_iter().collect();
    let arguments = match Arguments::try_parse_from(&typed) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nothing is left to be said where this cannot be printed.
            let _ = error.print();
            return error.exit_code() as u8;
        }
    };
    #[cfg(unix)]
    outlive_file_limits();
    log_to_standard_error(arguments.log);
    match dispatch(arguments.command, &Invocation { typed, program }) {
        Ok(Exit::Done) => 0,
        Ok(Exit::Failed) => 1,
        Ok(Exit::Interrupted) => 130,
        Err(error) => {
            eprintln!("{} {}", Ink::on(&std::io::stderr()).red("error:"), in_words(&error));
            let of_model = error.downcast_ref::<RunError>().is_some_and(RunError::is_of_model);
            if of_model { 1 } else { 2 }
        }
    }
}

/// The error and what it came from, each once: some errors name their source themselves.
fn in_words(error: &anyhow::Error) -> String {
    let mut words = String::new();
    for cause in error.chain().map(ToString::to_string).filter(|cause| !cause.is_empty()) {
        if words.is_empty() {
            words = cause;
        } else if !words.ends_with(&cause) {
            words += &format!(": {cause}");
        }
    }
    words
}

/// A file that grows beyond the limit of its user (`ulimit -f`) then gives an error like that of a full disk, where the
/// process would otherwise be killed at once and without a word.
#[cfg(unix)]
#[expect(unsafe_code)]
fn outlive_file_limits() {
    // SAFETY: the signal is ignored, so that no code of ours runs in a handler.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Log messages of the libraries; in colour on a terminal only.
fn log_to_standard_error(level: LevelFilter) {
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(Ink::on(&std::io::stderr()).is_colourful())
        .with_target(false)
        .init();
}

fn dispatch(command: Command, invocation: &Invocation) -> Result<Exit> {
    match command {
        Command::Sample(args) => sample::sample(&args),
        Command::Init(args) => init::init(&args),
        Command::Resume(args) => sample::resume(&args),
        Command::Summary(args) => report::summary(&args),
        Command::Report(args) => export::report(&args),
        Command::Export(args) => export::export(&args),
        Command::Reweight(args) => reweight::reweight(&args),
        Command::Thin(args) => thin::thin(&args),
        Command::Merge(args) => report::merge(&args),
        Command::Predict(args) => gp::predict(&args),
        Command::List(args) => list::list(&args),
        Command::Paper(args) => study::paper(&args, invocation),
        Command::Compare(args) => study::compare(&args, invocation),
        Command::Calibrate(args) => calibrate::calibrate(&args, invocation),
        Command::Animate(args) => animate::animate(&args),
        Command::Completions { shell } => manual::completions(shell),
        Command::Man { command } => manual::page(command.as_deref()),
    }
}
