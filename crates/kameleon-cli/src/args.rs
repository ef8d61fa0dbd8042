//! The command line.

mod formats;
mod given;
mod gp;
mod run;
mod study;

pub use formats::FormatFlags;
pub use given::{Given, number, whole};
pub use gp::GpArgs;
pub use run::{RunArgs, SamplerArgs};
pub use study::{AnimateArgs, CalibrateArgs, CompareArgs, PaperArgs, ScaleArg, StudyArgs};

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Samples awkward posteriors without gradients.
#[derive(Parser)]
#[command(
    name = "kameleon",
    version,
    after_help = "Exit codes: 0 success, 1 the model or the disk failed at the start or during a run, or a run cannot be reweighted, 2 usage error, 130 interrupted by Ctrl-C."
)]
pub struct Arguments {
    /// The level of log messages on standard error: error, warn, info, debug or trace
    #[arg(long, global = true, default_value = "warn", value_name = "LEVEL")]
    pub log: tracing::level_filters::LevelFilter,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Subcommand)]
pub enum Command {
    /// Sample a model and print a summary
    Sample(Box<SampleArgs>),
    /// Write a commented run file that runs as it is
    Init(InitArgs),
    /// Resume a run that was stopped or killed, or continue to more draws
    Resume(ResumeArgs),
    /// Print the table and the verdict of a run on disk
    Summary(SummaryArgs),
    /// Write an HTML report on a run on disk: verdict, tables and figures
    Report(ReportArgs),
    /// Export the draws of a run on disk for other programs
    Export(ExportArgs),
    /// Show a run on disk under a changed prior or likelihood, without calling the model again
    Reweight(ReweightArgs),
    /// Keep a few draws of a run on disk that stand for all of them
    Thin(ThinArgs),
    /// Combine folders that each hold one chain of a plan into one run
    Merge(MergeArgs),
    /// Predict class probabilities of new rows from a classification run on disk
    Predict(PredictArgs),
    /// List targets, samplers, kernels and priors, with their settings
    List(ListArgs),
    /// Reproduce the figures of the paper, with their data and a page of results
    Paper(PaperArgs),
    /// Run a study of your own from a file and write the same page of results
    Compare(CompareArgs),
    /// Run models whose truth is known, and say how far off those runs are that are called converged
    Calibrate(CalibrateArgs),
    /// Draw chains that move over the contours of a target in two dimensions, as an animated SVG
    Animate(AnimateArgs),
    /// Print shell completions
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, of the program or of one command
    Man {
        /// Which command, such as sample [default: the program]
        command: Option<String>,
    },
}

/// The flags of `kameleon sample`.
#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct SampleArgs {
    /// A run file, as described in docs/runs.md; flags override it
    #[arg(value_name = "RUN.toml")]
    pub file: Option<PathBuf>,
    /// Store the run in this folder, from which it can be resumed, summarised and exported
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What to sample: a name, or a name with settings such as banana:b=0.03,v=100 [default: banana]
    #[arg(long, value_name = "NAME[:KEY=VALUE,…]")]
    pub target: Option<String>,
    /// The dimension of a built-in target [default: 8]
    #[arg(long, value_name = "D", value_parser = whole::<usize>)]
    pub dim: Option<usize>,
    /// Multiply the density by noise whose logarithm has this standard deviation
    #[arg(long, value_name = "SD", value_parser = number)]
    pub noise: Option<f64>,
    /// The sampler, such as KAMH-LS:n=500; `kameleon list` shows them [default: kameleon]
    #[arg(long, value_name = "NAME[:KEY=VALUE,…]")]
    pub sampler: Option<String>,
    #[command(flatten)]
    pub settings: SamplerArgs,
    #[command(flatten)]
    pub run: RunArgs,
    /// Start the first chain at this point, such as 0,0,1, and the others near it [default: a draw from each prior, else from (−2, 2)]
    #[arg(long, value_name = "X1,X2,…", allow_hyphen_values = true)]
    pub start: Option<String>,
    /// Store the draws of the warm-up too
    #[arg(long)]
    pub keep_warmup: bool,
    /// Set any key of a run file, such as --set parameters.x1.lower=0 or --set sampler.discard=1000
    #[arg(long, value_name = "KEY=VALUE", allow_hyphen_values = true)]
    pub set: Vec<String>,
    #[command(flatten)]
    pub show: ShowArgs,
    /// The model of glass and gp.
    #[command(flatten)]
    pub gp: GpArgs,
}

/// The flags of `kameleon list`.
#[derive(Args)]
pub struct ListArgs {
    /// Print one JSON object with every entry
    #[arg(long)]
    pub json: bool,
}

/// How much of a run is printed, and in which form.
#[derive(Args)]
pub struct PrintArgs {
    /// Print one JSON object instead of the table
    #[arg(long)]
    pub json: bool,
    /// Also print what each chain learned
    #[arg(long, short)]
    pub verbose: bool,
}

/// How a run is followed and printed.
#[derive(Args)]
pub struct ShowArgs {
    #[command(flatten)]
    pub print: PrintArgs,
    /// Show no progress: no bars, and no lines in a log
    #[arg(long, short)]
    pub quiet: bool,
}

/// The flags of `kameleon init`.
#[derive(Args)]
pub struct InitArgs {
    /// The file to write; - prints it
    #[arg(default_value = "run.toml", value_name = "FILE")]
    pub file: PathBuf,
}

/// The flags of `kameleon resume`.
#[derive(Args)]
pub struct ResumeArgs {
    /// The folder of the run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Continue to this number of draws per chain; replaces the stopping rule of the run
    #[arg(long, value_name = "COUNT", value_parser = whole::<u64>)]
    pub draws: Option<u64>,
    /// The maximum time in minutes, from now on
    #[arg(long, value_name = "MINUTES", value_parser = number)]
    pub max_minutes: Option<f64>,
    /// Start the program or load the library named in the folder's settings: only for folders that you made yourself
    #[arg(long)]
    pub trust: bool,
    /// Continue although the model gives other values than the run has stored
    #[arg(long)]
    pub changed: bool,
    #[command(flatten)]
    pub show: ShowArgs,
}

/// The flags of `kameleon summary`.
#[derive(Args)]
pub struct SummaryArgs {
    /// The folder of the run, finished or not
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub print: PrintArgs,
}

/// The flags of `kameleon report`.
#[derive(Args)]
pub struct ReportArgs {
    /// The folder of the run, finished or not
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The page to write [default: report.html in the folder of the run]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The flags of `kameleon export`.
#[derive(Args)]
#[command(group = clap::ArgGroup::new("format").required(true).multiple(true))]
pub struct ExportArgs {
    /// The folder of the run, finished or not
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    #[command(flatten)]
    pub formats: FormatFlags,
    /// Include the warm-up in the netCDF file, if it was stored
    #[arg(long)]
    pub warmup: bool,
    /// Tell the mode of each draw, where a population found several: `mode`, counted from 1 as in the summary
    #[arg(long)]
    pub modes: bool,
    /// Where the files go [default: the folder of the run]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// The flags of `kameleon reweight`.
#[derive(Args)]
pub struct ReweightArgs {
    /// The folder of the run, finished or not
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The log of the changed density over the old one, up to a constant: an expression of the parameters, such as
    /// "-(x1 - 1)^2/2 + x1^2/8"
    #[arg(long, value_name = "EXPRESSION", allow_hyphen_values = true)]
    pub log_ratio: String,
    /// Print one JSON object instead of the table
    #[arg(long)]
    pub json: bool,
}

/// The flags of `kameleon thin`.
#[derive(Args)]
pub struct ThinArgs {
    /// The folder of the run, finished or not
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// How many draws to keep
    #[arg(long, value_name = "COUNT", value_parser = whole::<usize>)]
    pub to: usize,
    /// Thin the weighted draws (docs/evidence.md), so that what is kept needs no weights
    #[arg(long)]
    pub weighted: bool,
    /// The seed of the choice
    #[arg(long, default_value_t = 1, value_name = "SEED", value_parser = whole::<u64>)]
    pub seed: u64,
    /// The file to write, in the format of its ending: .csv, .parquet or .nc [default: thinned.csv in the folder of the run]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print one JSON object, with the kept draws
    #[arg(long)]
    pub json: bool,
}

/// The flags of `kameleon merge`.
#[derive(Args)]
pub struct MergeArgs {
    /// The folders, one for each chain
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    /// The folder of the combined run
    #[arg(long, short, value_name = "DIR")]
    pub out: PathBuf,
    /// Take what is there of chains that were stopped or killed, and do without missing ones
    #[arg(long)]
    pub incomplete: bool,
}

/// The flags of `kameleon predict`.
#[derive(Args)]
pub struct PredictArgs {
    /// The folder of a classification run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// The new rows: CSV with a header that has the columns of the data
    #[arg(value_name = "ROWS.csv")]
    pub rows: PathBuf,
    /// Average over this many draws of θ, evenly spaced over the run
    #[arg(long, default_value_t = 200, value_name = "COUNT", value_parser = whole::<usize>)]
    pub draws: usize,
    /// Correct the normal approximation with weighted samples of the latent values
    #[arg(long)]
    pub weighted: bool,
}
