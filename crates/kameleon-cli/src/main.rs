//! The program `kameleon`.

mod args;
mod export;
mod gp;
mod init;
mod list;
mod output;
mod plan;
mod progress;
mod report;
mod sample;
mod study;

use anyhow::Result;
use args::{Arguments, Command};
use clap::{CommandFactory, Parser};
use std::io::IsTerminal;
use std::process::ExitCode;
use tracing::level_filters::LevelFilter;

/// How the program ends, as its exit code.
pub enum Exit {
    /// All went well.
    Done,
    /// The model or the disk failed in the middle of the run.
    Failed,
    /// Ctrl-C.
    Interrupted,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    log_to_standard_error(arguments.log);
    match run(arguments.command) {
        Ok(Exit::Done) => ExitCode::SUCCESS,
        Ok(Exit::Failed) => ExitCode::from(1),
        Ok(Exit::Interrupted) => ExitCode::from(130),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// What the libraries tell about their work; in colour on a terminal only.
fn log_to_standard_error(level: LevelFilter) {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let colour = wanted && std::io::stderr().is_terminal();
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(std::io::stderr)
        .with_ansi(colour)
        .with_target(false)
        .init();
}

fn run(command: Command) -> Result<Exit> {
    match command {
        Command::Sample(args) => sample::sample(&args),
        Command::Init(args) => init::init(&args),
        Command::Resume(args) => sample::resume(&args),
        Command::Summary(args) => report::summary(&args),
        Command::Report(args) => export::report(&args),
        Command::Export(args) => export::export(&args),
        Command::Merge(args) => report::merge(&args),
        Command::Predict(args) => gp::predict(&args),
        Command::List => list::list(),
        Command::Paper(args) => study::paper(&args),
        Command::Compare(args) => study::compare(&args),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "kameleon", &mut text);
            output::write_out(&String::from_utf8_lossy(&text)).map(|()| Exit::Done)
        }
        Command::Man => {
            let mut text = Vec::new();
            clap_mangen::Man::new(Arguments::command()).render(&mut text)?;
            output::write_out(&String::from_utf8_lossy(&text)).map(|()| Exit::Done)
        }
    }
}
