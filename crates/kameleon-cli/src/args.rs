//! The command line.

use crate::gp::GpArgs;
use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches, Parser, Subcommand};
use kameleon_runs::output::{FORMATS, FormatName};
use kameleon_runs::settings::StopRule;
use std::path::PathBuf;

/// Samples awkward posteriors without gradients.
#[derive(Parser)]
#[command(
    name = "kameleon",
    version,
    after_help = "Exit codes: 0 done, 1 the model or the disk failed in the middle of a run, 2 wrong use, 130 stopped by Ctrl-C."
)]
pub struct Arguments {
    /// What is told on standard error about the work: error, warn, info, debug or trace
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
    /// Go on with a run that was stopped, killed, or is to have more draws
    Resume(ResumeArgs),
    /// Print the table and the verdict of a run on disk again
    Summary(SummaryArgs),
    /// Write a page that shows a run on disk and says whether to believe it
    Report(ReportArgs),
    /// Write the draws of a run on disk for other programs
    Export(ExportArgs),
    /// Combine folders with one chain of a plan each into one run
    Merge(MergeArgs),
    /// Class probabilities for new rows, by a classification run on disk
    Predict(PredictArgs),
    /// List targets, samplers and kernels, with their settings
    List(ListArgs),
    /// Make the figures of the paper anew, with the data behind them and a page that says what came out
    Paper(PaperArgs),
    /// Run a study of your own from a file, and make the same page for it
    Compare(CompareArgs),
    /// Print completions for a shell
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
    /// A run file, as described in docs/runs.md; flags win over it
    #[arg(value_name = "RUN.toml")]
    pub file: Option<PathBuf>,
    /// Keep the run in this folder, to be resumed, read and reported on
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
    /// How many points of the past the Kameleon samplers use
    #[arg(long, value_name = "N")]
    pub n: Option<u32>,
    /// The exploration term of the Kameleon samplers
    #[arg(long, value_name = "GAMMA")]
    pub gamma: Option<f64>,
    /// Adapt as in the published experiments: AM from mean 0, every 20th state, never frozen; KAMH with a fresh z at
    /// every iteration of the warm-up
    #[arg(long)]
    pub published: bool,
    /// How many chains [default: 4]
    #[arg(long, value_name = "COUNT")]
    pub chains: Option<usize>,
    /// Iterations of warm-up in each chain [default: 50000; expressions and libraries 20000; other models 5000]
    #[arg(long, value_name = "COUNT")]
    pub warmup: Option<u64>,
    /// Draws kept from each chain [default: 100000; expressions and libraries 80000; other models 20000]
    #[arg(long, value_name = "COUNT")]
    pub draws: Option<u64>,
    /// Iterations for each draw that is kept [default: 1]
    #[arg(long, value_name = "COUNT")]
    pub thin: Option<u64>,
    /// Everything random follows from this [default: 1]
    #[arg(long, value_name = "SEED")]
    pub seed: Option<u64>,
    /// How many threads; the draws do not depend on it [default: all cores]
    #[arg(long, value_name = "COUNT")]
    pub threads: Option<usize>,
    /// Correlate the noise of successive estimates (correlated pseudo-marginal chains)
    #[arg(long, value_name = "RHO")]
    pub correlation: Option<f64>,
    /// Let every chain of the samplers kameleon and DE-MC(Z) learn alone in the warm-up, not in groups of up to four
    #[arg(long)]
    pub no_pool: bool,
    /// Start every chain at this point, such as 0,0,1 [default: a draw from each prior, else from (−2, 2)]
    #[arg(long, value_name = "X1,X2,…", allow_hyphen_values = true)]
    pub start: Option<String>,
    /// Stop when every parameter has this effective size and R-hat, such as ess=400,rhat=1.01; looked at now and then
    #[arg(long, value_name = "RULE")]
    pub until: Option<StopRule>,
    /// With --until, the most draws of each chain [default: --draws]
    #[arg(long, value_name = "COUNT")]
    pub max_draws: Option<u64>,
    /// The most evaluations of the model over all chains
    #[arg(long, value_name = "COUNT")]
    pub max_evaluations: Option<u64>,
    /// The most minutes
    #[arg(long, value_name = "MINUTES")]
    pub max_minutes: Option<f64>,
    /// Run only this chain of the plan, from 0: one job of an array; `kameleon merge` combines them
    #[arg(long, value_name = "K")]
    pub chain: Option<usize>,
    /// Keep the draws of the warm-up too
    #[arg(long)]
    pub keep_warmup: bool,
    /// Set anything that a run file can say, such as --set parameters.x1.lower=0 or --set sampler.discard=1000
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
    /// Print also what each chain learned
    #[arg(long, short)]
    pub verbose: bool,
}

/// How a run is followed and printed.
#[derive(Args)]
pub struct ShowArgs {
    #[command(flatten)]
    pub print: PrintArgs,
    /// No progress bars
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
    /// Go on to so many draws in each chain, in place of what the run was to end by
    #[arg(long, value_name = "COUNT")]
    pub draws: Option<u64>,
    /// Start the program, or load the library, that the folder's settings name: only for folders you made yourself
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
    /// Put the warm-up into the netCDF file too, if it was kept
    #[arg(long)]
    pub warmup: bool,
    /// Where the files go [default: the folder of the run]
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// One flag for each format that draws are written in.
pub struct FormatFlags(pub Vec<FormatName>);

impl Args for FormatFlags {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.args(FORMATS.iter().map(|format| {
            let help = format!("Write {}: {}", format.file, format.about);
            Arg::new(format.name).long(format.name).action(ArgAction::SetTrue).group("format").help(help)
        }))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FormatFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self(FORMATS.iter().filter(|format| matches.get_flag(format.name)).map(FormatName).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
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
    /// Correct the normal approximation by weighted samples of the latent values
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
    /// How big: minutes, or the numbers of the paper
    #[arg(long, value_enum, default_value = "quick")]
    pub scale: ScaleArg,
    /// Where figures, data, the page index.html and the cache of finished chains go
    #[arg(long, default_value = "kameleon-study", value_name = "DIR")]
    pub out: std::path::PathBuf,
    /// Everything random follows from this
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// Run the samplers too that a study marks as extra
    #[arg(long)]
    pub extras: bool,
    /// How many threads; the results do not depend on it [default: all cores]
    #[arg(long, value_name = "COUNT")]
    pub threads: Option<std::num::NonZeroUsize>,
    /// No progress bar
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
    /// The numbers of the paper
    Paper,
}
