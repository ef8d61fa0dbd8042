//! The command line.

use crate::gp::GpArgs;
use clap::{Args, Parser, Subcommand};

/// Samples awkward posteriors without gradients.
#[derive(Parser)]
#[command(
    name = "kameleon",
    version,
    after_help = "Exit codes: 0 done, 1 the target failed, 2 wrong use, 130 stopped by Ctrl-C."
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Subcommand)]
pub enum Command {
    /// Sample a target and print a summary
    Sample(Box<SampleArgs>),
    /// List targets, samplers and kernels
    List,
    /// Make the figures of the paper anew, with the data behind them and a page that says what came out
    Paper(PaperArgs),
    /// Run a study of your own from a file, and make the same page for it
    Compare(CompareArgs),
}

/// The flags of `kameleon sample`.
#[derive(Args)]
#[command(allow_negative_numbers = true)]
pub struct SampleArgs {
    /// What to sample: a name, or a name with parameters such as banana:b=0.03,v=100
    #[arg(long, default_value = "banana", value_name = "NAME[:KEY=VALUE,…]")]
    pub target: String,
    /// The dimension [default: 8; with data, as many as the model has parameters]
    #[arg(long, value_name = "D")]
    pub dim: Option<usize>,
    /// Multiply the density by noise whose logarithm has this standard deviation
    #[arg(long, default_value_t = 0.0, value_name = "SD")]
    pub noise: f64,
    /// The sampler; `kameleon list` shows them
    #[arg(long, default_value = "KAMH-LS", value_name = "NAME")]
    pub sampler: String,
    /// The kernel of the Kameleon samplers, such as gaussian or matern:order=1.5
    #[arg(long, value_name = "NAME[:KEY=VALUE,…]")]
    pub kernel: Option<String>,
    /// The kernel's bandwidth: median, or a number
    #[arg(long, value_name = "SIGMA")]
    pub bandwidth: Option<String>,
    /// How many points of the past the Kameleon samplers use
    #[arg(long, value_name = "N")]
    pub n: Option<usize>,
    /// The exploration term of the Kameleon samplers
    #[arg(long, value_name = "GAMMA")]
    pub gamma: Option<f64>,
    /// Adapt as in the published experiments: AM from mean 0, every 20th state, never frozen; KAMH with a fresh z at
    /// every iteration of the warm-up
    #[arg(long)]
    pub published: bool,
    /// How many chains
    #[arg(long, default_value_t = 4, value_name = "COUNT")]
    pub chains: usize,
    /// Iterations of warm-up in each chain [default: 100000; glass and gp: 5000]
    #[arg(long, value_name = "COUNT")]
    pub warmup: Option<u64>,
    /// Draws kept from each chain [default: 400000; glass and gp: 20000]
    #[arg(long, value_name = "COUNT")]
    pub draws: Option<u64>,
    /// Iterations for each draw that is kept
    #[arg(long, default_value_t = 1, value_name = "COUNT")]
    pub thin: u64,
    /// Everything random follows from this
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub seed: u64,
    /// How many threads; the draws do not depend on it [default: all cores]
    #[arg(long, value_name = "COUNT")]
    pub threads: Option<usize>,
    /// Correlate the noise of successive estimates (correlated pseudo-marginal chains)
    #[arg(long, default_value_t = 0.0, value_name = "RHO")]
    pub correlation: f64,
    /// Start every chain at this point, such as 0,0,1 [default: drawn uniformly from (−2, 2) in each coordinate]
    #[arg(long, value_name = "X1,X2,…", allow_hyphen_values = true)]
    pub start: Option<String>,
    /// Print one JSON object instead of the table
    #[arg(long)]
    pub json: bool,
    /// No progress bars
    #[arg(long, short)]
    pub quiet: bool,
    /// The model of glass and gp.
    #[command(flatten)]
    pub gp: GpArgs,
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
