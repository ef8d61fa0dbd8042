//! The format of a study: one TOML file.

mod check;
mod claim;
mod kind;
mod scale;

pub use claim::{Claim, Relation};
pub use kind::Kind;
pub use scale::{Scale, Scaled};

use crate::StudyError;
use crate::named::with_dim;
use crate::spec::{Spec, Start};
use kameleon::bandwidth::Bandwidth;
use kameleon::proposal::{AdaptiveMetropolisSettings, Kamh, KamhSettings};
use kameleon::{Choice, Kernel, Length, Sampler, SettingsError};
use kameleon_runs::settings::plain_words;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use toml::Spanned;

/// One study.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Study {
    /// The name of its files.
    pub name: String,
    /// The heading on the page.
    pub title: String,
    /// What is drawn.
    pub kind: Kind,
    /// The figure of the paper that this is, if any.
    pub source: Option<String>,
    /// What that source says about it, in a sentence or two.
    pub says: Option<String>,
    /// Remarks for the reader, such as where it departs from its source.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Chains for each target and sampler.
    #[serde(default = "Scaled::twenty")]
    pub chains: Scaled,
    #[serde(rename = "target")]
    targets: Vec<Spanned<TargetEntry>>,
    #[serde(rename = "sampler", default)]
    samplers: Vec<Spanned<SamplerEntry>>,
    /// The benchmark sample, for the kinds that need one.
    benchmark: Option<Spanned<BenchmarkEntry>>,
    /// The proposal that is shown, for the kinds that show one.
    proposal: Option<Spanned<ProposalEntry>>,
    /// The clouds of proposed points, for the kind that shows them.
    clouds: Option<Spanned<CloudsEntry>>,
    /// Claims to be checked against the results.
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
    /// The target, by name: `banana:b=0.1`, or a table with `name`.
    pub target: Choice,
    /// Its dimension; for a posterior of real data, its fixed dimension.
    #[serde(default = "eight")]
    pub dim: usize,
    /// Iterations of each chain, burn-in included.
    pub iterations: Option<Scaled>,
    /// Iterations that are discarded; half of all by default.
    pub burn_in: Option<Scaled>,
    /// One state in every this many is kept, after the burn-in.
    #[serde(default = "Scaled::one")]
    pub thin: Scaled,
    /// Where chains start.
    #[serde(default)]
    pub start: Start,
    /// Every coordinate of a start is shifted at random by at most this.
    #[serde(default)]
    pub scatter: f64,
    /// A fixed bandwidth for all kernels on this target.
    pub bandwidth: Option<f64>,
    /// The initial variances of adaptive Metropolis on this target.
    pub variances: Option<Vec<f64>>,
}

/// A sampler of a study.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SamplerEntry {
    /// Its name in figures and tables.
    pub name: String,
    /// Whether it is run with `--extras` only.
    #[serde(default)]
    pub extra: bool,
    /// The sampler, by name: `KAMH-LS:n=500`, or a table with `name`.
    pub sampler: Sampler,
}

/// How the benchmark sample is made.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BenchmarkEntry {
    pub chains: Scaled,
    /// Iterations of each chain, burn-in included.
    pub iterations: Scaled,
    /// Iterations that are discarded.
    pub burn_in: Scaled,
    /// One state in every this many is kept.
    pub thin: Scaled,
    /// The number of importance samples, if it differs from that of the study's target.
    pub n_imp: Option<usize>,
    pub sampler: Sampler,
    /// The two coordinates that are shown, from 1.
    #[serde(default = "first_two")]
    pub coordinates: [usize; 2],
}

impl BenchmarkEntry {
    /// The target with the run length and importance samples of the benchmark.
    pub fn of(&self, target: &TargetEntry) -> TargetEntry {
        let mut target = target.clone();
        (target.iterations, target.burn_in, target.thin) = (Some(self.iterations), Some(self.burn_in), self.thin);
        if let Some(n_imp) = self.n_imp {
            target.target.set("n-imp", n_imp);
        }
        target
    }
}

/// The clouds of points that samplers propose.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CloudsEntry {
    /// The number of places along the ridge from which they propose.
    pub places: usize,
    /// The number of points that they propose from each.
    pub points: usize,
}

/// The proposal that is shown.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProposalEntry {
    /// One panel for each kernel, by name.
    #[serde(deserialize_with = "by_name")]
    pub kernels: Vec<Kernel>,
    /// The number n of exact draws in z.
    pub n: usize,
    /// γ
    pub gamma: f64,
    /// ν²
    pub nu2: f64,
    /// The number of points along the ridge; for g, the number of samples of β.
    pub points: usize,
}

impl ProposalEntry {
    /// KAMH with this kernel and z.
    pub fn kamh(&self, kernel: &Kernel, z: &[[f64; 2]]) -> Result<Kamh, SettingsError> {
        let settings = KamhSettings {
            kernel: kernel.clone(),
            bandwidth: Bandwidth::Fixed,
            gamma: self.gamma,
            nu2: self.nu2,
            z: Some(z.iter().map(|z| z.to_vec()).collect()),
            ..KamhSettings::default()
        };
        Kamh::new(&settings, 2, Length::new(0, 0))
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
        let wrong = |error: toml::de::Error| {
            check::wrong(file, text, error.span().unwrap_or(0..0), plain_words(error.message()))
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

    /// The first target, which is the only one in a study of most kinds.
    pub fn target(&self) -> &TargetEntry {
        self.targets[0].get_ref()
    }

    /// The benchmark of a study of a kind that needs one.
    pub fn benchmark(&self) -> &BenchmarkEntry {
        self.benchmark.as_ref().expect("checked when the study was read").get_ref()
    }

    /// The proposal of a study of a kind that needs one.
    pub fn proposal(&self) -> &ProposalEntry {
        self.proposal.as_ref().expect("checked when the study was read").get_ref()
    }

    /// The clouds of a study of the kind that shows them.
    pub fn clouds(&self) -> CloudsEntry {
        *self.clouds.as_ref().expect("checked when the study was read").get_ref()
    }

    /// The samplers, with or without the extra ones.
    pub fn samplers(&self, extras: bool) -> Vec<&SamplerEntry> {
        self.samplers.iter().map(Spanned::get_ref).filter(|sampler| extras || !sampler.extra).collect()
    }
}

impl TargetEntry {
    /// The first chain of a sampler on this target.
    pub fn spec(&self, sampler: &Sampler, scale: Scale, seed: u64) -> Spec {
        let Length { warmup, sampling, .. } = self.length(scale);
        Spec {
            version: env!("CARGO_PKG_VERSION"),
            target: self.choice(),
            dim: self.dim,
            start: self.start,
            scatter: self.scatter,
            sampler: self.fit(sampler),
            warmup,
            sampling,
            thin: self.thin.at(scale),
            seed,
            grouped: false,
            replicate: 0,
        }
    }

    /// The target with its dimension among the settings, if it has such a setting.
    pub fn choice(&self) -> Choice {
        with_dim(self.target.clone(), self.dim)
    }

    /// The sampler with this target's bandwidth and variances.
    fn fit(&self, sampler: &Sampler) -> Sampler {
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

    /// The length of its chains.
    pub fn length(&self, scale: Scale) -> Length {
        let iterations = self.iterations.map_or(0, |iterations| iterations.at(scale));
        let warmup = self.burn_in.map_or(iterations / 2, |burn_in| burn_in.at(scale));
        Length::new(warmup, iterations.saturating_sub(warmup))
    }
}
