//! The format of a study: one TOML file.

mod check;
mod claim;
mod named;
mod scale;

pub use claim::{Claim, Relation};
pub use named::{build, ridge};
pub use scale::{Scale, Scaled};

use crate::StudyError;
use kameleon::bandwidth::Bandwidth;
use kameleon::proposal::{AdaptiveMetropolisSettings, Kamh, KamhSettings};
use kameleon::{Choice, Kernel, Length, Sampler, SettingsError};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use toml::Spanned;

/// What is drawn, and with it what a study needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Bars of acceptance, ‖mean‖ and quantile deviations for every target and sampler; targets with a known truth.
    Bars,
    /// Numbers only, on any targets: effective sizes, errors, agreement and cost of teams of four chains, which learn
    /// together where their sampler can.
    Table,
    /// ‖mean‖ and deviation of the 0.5-quantile against iterations; targets with a known truth.
    Convergence,
    /// Distance of the mean and MMD to a benchmark sample against the number of draws.
    Benchmark,
    /// Two coordinates of the benchmark sample.
    Posterior,
    /// Where the Kameleon's proposal points, along the ridge of a target in two dimensions.
    Proposals,
    /// g(x), the function whose gradient a proposal descends, in two dimensions.
    GFunction,
}

/// One study.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Study {
    /// Files are called so.
    pub name: String,
    /// A line about it.
    pub title: String,
    /// What is drawn.
    pub kind: Kind,
    /// Which figure of which paper this is, if any.
    pub source: Option<String>,
    /// What that source says of it, in a sentence or two.
    pub says: Option<String>,
    /// What to know when reading it, such as where it departs from its source.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Chains for each target and sampler.
    #[serde(default = "Scaled::twenty")]
    pub chains: Scaled,
    /// The targets.
    #[serde(rename = "target")]
    targets: Vec<Spanned<TargetEntry>>,
    /// The samplers, in order.
    #[serde(rename = "sampler", default)]
    samplers: Vec<Spanned<SamplerEntry>>,
    /// The benchmark sample, for those kinds that have one.
    benchmark: Option<Spanned<BenchmarkEntry>>,
    /// The proposal that is shown, for those kinds that show one.
    proposal: Option<Spanned<ProposalEntry>>,
    /// What is claimed, to be checked against what comes out.
    #[serde(rename = "claim", default)]
    pub claims: Vec<Spanned<Claim>>,
    /// The file's name and text, for messages and for the page.
    #[serde(skip)]
    file: String,
    #[serde(skip)]
    pub(crate) text: String,
}

/// A target of a study.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TargetEntry {
    /// Its name in figures and tables.
    pub name: String,
    /// What it is, by name: `banana:b=0.1`, or a table with `name`.
    pub target: Choice,
    /// Its dimension; a posterior of data has its own, which must be given.
    #[serde(default = "eight")]
    pub dim: usize,
    /// Iterations of each chain, the burn-in among them.
    pub iterations: Option<Scaled>,
    /// Iterations whose states are not counted; half of all if it is not given.
    pub burn_in: Option<Scaled>,
    /// One state of so many is counted, after the burn-in.
    #[serde(default = "Scaled::one")]
    pub thin: Scaled,
    /// Every chain starts at the point with all coordinates equal to this.
    #[serde(default)]
    pub start: f64,
    /// Every coordinate of a start is moved by up to this to either side, at random.
    #[serde(default)]
    pub scatter: f64,
    /// The bandwidth of all kernels on this target, fixed.
    pub bandwidth: Option<f64>,
    /// The variances that adaptive Metropolis starts from on this target.
    pub variances: Option<Vec<f64>>,
}

/// A sampler of a study.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SamplerEntry {
    /// Its name in figures and tables.
    pub name: String,
    /// Whether it is left out unless extras are asked for.
    #[serde(default)]
    pub extra: bool,
    /// What it is, by name: `KAMH-LS:n=500`, or a table with `name`.
    pub sampler: Sampler,
}

/// How the benchmark sample is made.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BenchmarkEntry {
    /// Chains.
    pub chains: Scaled,
    /// Iterations of each, the burn-in among them.
    pub iterations: Scaled,
    /// Iterations whose states are not kept.
    pub burn_in: Scaled,
    /// One state of so many is kept.
    pub thin: Scaled,
    /// Another number of importance samples than the study's target has.
    pub n_imp: Option<usize>,
    /// The sampler, by name.
    pub sampler: Sampler,
    /// The two coordinates that are shown, from 1.
    #[serde(default = "first_two")]
    pub coordinates: [usize; 2],
}

impl BenchmarkEntry {
    /// The target as the benchmark's chains see it.
    pub fn of(&self, target: &TargetEntry) -> TargetEntry {
        let mut target = target.clone();
        (target.iterations, target.burn_in, target.thin) = (Some(self.iterations), Some(self.burn_in), self.thin);
        if let Some(n_imp) = self.n_imp {
            target.target.set("n-imp", n_imp);
        }
        target
    }
}

/// The proposal that is shown.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProposalEntry {
    /// One panel for each kernel, by name.
    #[serde(deserialize_with = "by_name")]
    pub kernels: Vec<Kernel>,
    /// n, the number of exact draws in z.
    pub n: usize,
    /// γ
    pub gamma: f64,
    /// ν²
    pub nu2: f64,
    /// At how many points along the ridge it is shown; for g, how many samples of β.
    pub points: usize,
}

impl ProposalEntry {
    /// The Kameleon with this kernel and z.
    pub fn kameleon(&self, kernel: &Kernel, z: &[[f64; 2]]) -> Result<Kamh, SettingsError> {
        let settings = KamhSettings {
            kernel: kernel.clone(),
            bandwidth: Bandwidth::Fixed,
            gamma: self.gamma,
            nu2: self.nu2,
            z: Some(z.iter().map(|z| z.to_vec()).collect()),
            ..KamhSettings::default()
        };
        Kamh::new(&settings, 2, Length { warmup: 0, sampling: 0 })
    }
}

fn by_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Kernel>, D::Error> {
    let kernels = Vec::<Value>::deserialize(deserializer)?;
    kernels.iter().map(Kernel::from_value).collect::<Result<_, _>>().map_err(serde::de::Error::custom)
}

fn eight() -> usize {
    8
}

fn first_two() -> [usize; 2] {
    [1, 2]
}

impl Study {
    /// Reads a study; `file` is for messages.
    pub fn parse(file: &str, text: &str) -> Result<Self, StudyError> {
        let wrong = |error: toml::de::Error| StudyError::Format {
            file: file.into(),
            line: check::line(text, error.span().unwrap_or(0..0)),
            what: error.message().replace('\n', "; "),
        };
        let mut study: Self = toml::from_str(text).map_err(wrong)?;
        (study.file, study.text) = (file.into(), text.into());
        study.check()?;
        Ok(study)
    }

    /// The targets.
    pub fn targets(&self) -> impl Iterator<Item = &TargetEntry> {
        self.targets.iter().map(Spanned::get_ref)
    }

    /// The only target of a study of most kinds, the first of others.
    pub fn target(&self) -> &TargetEntry {
        self.targets[0].get_ref()
    }

    /// The benchmark of a study that has passed its checks, of a kind that needs one.
    pub fn benchmark(&self) -> &BenchmarkEntry {
        self.benchmark.as_ref().expect("checked when the study was read").get_ref()
    }

    /// The proposal of a study that has passed its checks, of a kind that needs one.
    pub fn proposal(&self) -> &ProposalEntry {
        self.proposal.as_ref().expect("checked when the study was read").get_ref()
    }

    /// The samplers, with the extra ones or without.
    pub fn samplers(&self, extras: bool) -> Vec<&SamplerEntry> {
        self.samplers.iter().map(Spanned::get_ref).filter(|sampler| extras || !sampler.extra).collect()
    }
}

impl Kind {
    /// What is measured, and so what can be claimed.
    pub fn measures(self) -> &'static [&'static str] {
        match self {
            Self::Bars => &["acceptance", "mean-norm", "quantile-deviation", "n-eq"],
            Self::Table => &[
                "ess",
                "n-eq",
                "quantile-deviation",
                "mean-norm",
                "worst-r-hat",
                "acceptance",
                "evaluations",
                "seconds",
            ],
            Self::Convergence => &["mean-norm", "deviation-0.5"],
            Self::Benchmark => &["acceptance", "mean-distance", "mmd"],
            Self::Posterior | Self::Proposals | Self::GFunction => &[],
        }
    }
}

impl TargetEntry {
    /// The sampler with what this target says of bandwidth and variances.
    pub fn fit(&self, sampler: &Sampler) -> Sampler {
        let mut sampler = sampler.clone();
        let kernel: Option<&mut KamhSettings> = match &mut sampler {
            Sampler::Kamh(settings) => Some(settings),
            Sampler::KamhPca(settings) => Some(&mut settings.kamh),
            Sampler::AdaptiveMetropolis(AdaptiveMetropolisSettings { variances, .. }) => {
                *variances = variances.take().or_else(|| self.variances.clone());
                None
            }
            _ => None,
        };
        if let (Some(settings), Some(sigma)) = (kernel, self.bandwidth) {
            settings.kernel.set_bandwidth(sigma);
            settings.bandwidth = Bandwidth::Fixed;
        }
        sampler
    }

    /// How long its chains are.
    pub fn length(&self, scale: Scale) -> Length {
        let iterations = self.iterations.map_or(0, |iterations| iterations.at(scale));
        let warmup = self.burn_in.map_or(iterations / 2, |burn_in| burn_in.at(scale));
        Length { warmup, sampling: iterations.saturating_sub(warmup) }
    }
}
