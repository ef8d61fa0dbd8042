//! The flags of `kameleon paper`, `kameleon compare`, `kameleon calibrate` and `kameleon animate`.

use super::whole;
use clap::Args;
use kameleon::Choice;
use kameleon::plan::Check;
use std::path::PathBuf;

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
    pub file: PathBuf,
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
    pub out: PathBuf,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1, value_name = "SEED", value_parser = whole::<u64>)]
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

/// The flags of `kameleon calibrate`.
#[derive(Args)]
pub struct CalibrateArgs {
    /// The study: a TOML file, as described in docs/verdict.md
    #[arg(value_name = "STUDY.toml")]
    pub file: PathBuf,
    /// Runs of each target and length [default: what the study says]
    #[arg(long, value_name = "COUNT", value_parser = whole::<u64>)]
    pub seeds: Option<u64>,
    /// The seed of the first of them
    #[arg(long, default_value_t = 1, value_name = "SEED", value_parser = whole::<u64>)]
    pub first_seed: u64,
    /// Only targets whose names contain one of these
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub only: Vec<String>,
    /// Only runs with this number of draws in each chain
    #[arg(long, value_name = "COUNT", value_parser = whole::<u64>)]
    pub draws: Option<u64>,
    /// How draws are checked, as in kameleon sample [default: auto]
    #[arg(long, value_name = "auto|free|full|off")]
    pub check: Option<Check>,
    /// The folder for the table and for runs.jsonl, a line for each run, which the same command does not make again
    #[arg(long, default_value = "kameleon-calibration", value_name = "DIR")]
    pub out: PathBuf,
    /// Also keep each run in a folder of its own
    #[arg(long)]
    pub keep: bool,
    /// The number of threads; the results do not depend on it [default: all cores]
    #[arg(long, value_name = "COUNT")]
    pub threads: Option<std::num::NonZeroUsize>,
    /// Show no progress bar
    #[arg(long, short)]
    pub quiet: bool,
}

/// The flags of `kameleon animate`.
#[derive(Args)]
pub struct AnimateArgs {
    /// A target whose truth is known, in two dimensions, such as banana:b=0.03 or ring
    #[arg(long, default_value = "banana", value_name = "NAME[:KEY=VALUE,…]")]
    pub target: Choice,
    /// The sampler of a panel, such as KAMH-LS:n=500; up to three times
    #[arg(long, default_values = ["SM", "kameleon"], value_name = "NAME[:KEY=VALUE,…]")]
    pub sampler: Vec<Choice>,
    /// The iterations that are shown
    #[arg(long, default_value_t = 300, value_name = "COUNT", value_parser = whole::<usize>)]
    pub draws: usize,
    /// The iterations of each chain before those that are shown
    #[arg(long, default_value_t = 5000, value_name = "COUNT", value_parser = whole::<u64>)]
    pub warmup: u64,
    /// The seed of all random numbers
    #[arg(long, default_value_t = 1, value_name = "SEED", value_parser = whole::<u64>)]
    pub seed: u64,
    /// The file to write
    #[arg(long, short, default_value = "animation.svg", value_name = "FILE.svg")]
    pub out: PathBuf,
}
