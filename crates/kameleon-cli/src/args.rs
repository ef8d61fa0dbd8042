//! The command line.

mod formats;
mod gp;

pub use formats::FormatFlags;
pub use gp::GpArgs;

use clap::{Args, Parser, Subcommand};
use kameleon_runs::settings::StopRule;
use std::path::PathBuf;

/// Samples awkward posteriors without gradients.
#[derive(Parser)]
#[command(
    name = "kameleon",
    version,
    after_help = "Exit codes: 0 success, 1 the model or the disk failed during a run, 2 usage error, 130 interrupted by Ctrl-C."
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
    #[arg(long, value_name = "D")]
    pub dim: Option<usize>,
    /// Multiply the density by noise whose logarithm has this standard deviation
    #[arg(long, value_name = "SD")]
    pub noise: Option<f64>,
    /// The sampler, such as KAMH-LS:n=500; `kameleon list` shows them [default: kameleon]
    #[arg(long, value_name = "NAME[:KEY=VALUE,…]")]
    pub sampler: Option<String>,
    /// The kernel of the Kameleon samplers, such as gaussian or matern:order=1.5
    #[arg(long, value_name = "NAME[:KEY=VALUE,…]")]
    pub kernel: Option<String>,
    /// The kernel's bandwidth: median, or a number
    #[arg(long, value_name = "SIGMA")]
    pub bandwidth: Option<String>,
    /// The number of past points that the Kameleon samplers use
    #[arg(long, value_name = "N")]
    pub n: Option<u32>,
    /// The exploration term γ of the Kameleon samplers
    #[arg(long, value_name = "GAMMA")]
    pub gamma: Option<f64>,
    /// Adapt as in the published experiments: AM from mean 0, every 20th state, never frozen; KAMH with a fresh z at
    /// every iteration of the warm-up
    #[arg(long)]
    pub published: bool,
    /// The number of chains [default: 4]
    #[arg(long, value_name = "COUNT")]
    pub chains: Option<usize>,
    /// Iterations of warm-up in each chain [default: 50000; expressions and libraries 20000; other models 5000]
    #[arg(long, value_name = "COUNT")]
    pub warmup: Option<u64>,
    /// Draws kept from each chain [default: 100000; expressions and libraries 80000; other models 20000]
    #[arg(long, value_name = "COUNT")]
    pub draws: Option<u64>,
    /// Keep one draw out of this many iterations [default: 1]
    #[arg(long, value_name = "COUNT")]
    pub thin: Option<u64>,
    /// The seed of all random numbers [default: 1]
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
    /// The number of threads; the draws do not depend on it [default: all cores]
    #[arg(long, value_name = "COUNT")]
    pub threads: Option<usize>,
    /// Correlate the noise of successive estimates (correlated pseudo-marginal chains)
    #[arg(long, value_name = "RHO")]
    pub correlation: Option<f64>,
    /// Let each chain learn alone in the warm-up; by default kameleon and DE-MC(Z) learn in groups of up to four chains
    #[arg(long)]
    pub no_pool: bool,
    /// Start every chain at this point, such as 0,0,1 [default: a draw from each prior, else from (−2, 2)]
    #[arg(long, value_name = "X1,X2,…", allow_hyphen_values = true)]
    pub start: Option<String>,
    /// Stop when every parameter has reached this ESS and R-hat, such as ess=400,rhat=1.01; checked periodically
    #[arg(long, value_name = "RULE")]
    pub until: Option<StopRule>,
    /// With --until, the maximum number of draws per chain [default: --draws]
    #[arg(long, value_name = "COUNT")]
    pub max_draws: Option<u64>,
    /// The maximum number of model evaluations, over all chains
    #[arg(long, value_name = "COUNT")]
    pub max_evaluations: Option<u64>,
    /// The maximum time in minutes
    #[arg(long, value_name = "MINUTES")]
    pub max_minutes: Option<f64>,
    /// Run only chain K of the plan (counted from 0), as one job of an array; `kameleon merge` combines the chains
    #[arg(long, value_name = "K")]
    pub chain: Option<usize>,
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
    /// Show no progress bars
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
    #[arg(long, value_name = "COUNT")]
    pub draws: Option<u64>,
    /// Start the program or load the library named in the folder's settings: only for folders that you made yourself
    #[arg(long)]
    pub trust: bool,
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
    /// Where the files go [default: the folder of the run]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
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
    #[arg(long, default_value_t = 200, value_name = "COUNT")]
    pub draws: usize,
    /// Correct the normal approximation with weighted samples of the latent values
    #[arg(long)]
    pub weighted: bool,
}

/// The flags of `kameleon paper`.
#[derive(Args)]
pub struct PaperArgs {
    /// Which figures: g-function, proposals-banana, proposals-flower, proposals-ring, glass-posterior, glass-comparison,
    /// targets, convergence [default: all]
    #[arg(value_name = "FIGURE")]
    pub figures: Vec<String>,
    #[command(flatten)]
    pub study: StudyArgs,
}

/// The flags of `kameleon compare`.
#[derive(Args)]
pub struct CompareArgs {
    /// The study: a TOML file, as described in docs/studies.md
    #[arg(value_name = "STUDY.toml")]
    pub file: std::path::PathBuf,
    #[command(flatten)]
    pub study: StudyArgs,
}

/// What `kameleon paper` and `kameleon compare` have in common.
#[derive(Args)]
pub struct StudyArgs {
    /// The size of the study: minutes, or the sizes of the paper
    #[arg(long, value_enum, default_value = "quick")]
    pub scale: ScaleArg,
    /// The folder for figures, data, the page index.html and the cache of finished chains
    #[arg(long, default_value = "kameleon-study", value_name = "DIR")]
    pub out: std::path::PathBuf,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// Also run the samplers that a study marks as extra
    #[arg(long)]
    pub extras: bool,
    /// The number of threads; the results do not depend on it [default: all cores]
    #[arg(long, value_name = "COUNT")]
    pub threads: Option<std::num::NonZeroUsize>,
    /// Show no progress bar
    #[arg(long, short)]
    pub quiet: bool,
}

/// The sizes of a study.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum ScaleArg {
    /// Seconds, for tests
    #[value(hide = true)]
    Tiny,
    /// Fewer chains, and for Glass shorter ones: minutes
    Quick,
    /// The sizes of the paper
    Paper,
}
