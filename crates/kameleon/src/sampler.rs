//! The samplers by name: plain settings that are checked once and become chains.

pub use crate::length::Length;
pub use crate::registry::SettingsError;

use crate::any_chain::AnyChain;
use crate::chain::{Chain, ChainError, ChainSettings};
use crate::proposal::*;
use crate::registry::{self, Choice, Entry, Settings, read, values_of};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use thiserror::Error;

/// A sampler and its settings.
#[derive(Clone, Debug, PartialEq)]
pub enum Sampler {
    /// SM: standard Metropolis.
    RandomWalk(RandomWalkSettings),
    /// AM-FS and AM-LS: adaptive Metropolis.
    AdaptiveMetropolis(AdaptiveMetropolisSettings),
    /// AM-PCA: principal directions of the covariance.
    PrincipalComponents(PrincipalComponentsSettings),
    /// KAMH and KAMH-LS: the Kameleon.
    Kamh(KamhSettings),
    /// PCA-Kameleon: principal directions in feature space.
    KamhPca(KamhPcaSettings),
    /// kameleon: the default, a mixture of moves.
    Kameleon(KameleonSettings),
    /// DE-MC(Z): differential evolution over past states.
    DifferentialEvolution(DifferentialEvolutionSettings),
    /// MALA and PMALA: steps that drift along the gradient.
    Mala(MalaSettings),
    /// KMC and KMC-finite: Hamiltonian paths of a density that is fitted to the history.
    Kmc(KmcSettings),
}

impl Default for Sampler {
    fn default() -> Self {
        Self::kameleon()
    }
}

/// The largest dimension in which a d × d matrix is learned: more would not fit into memory, nor be of use.
const LARGEST_MATRIX: usize = 4096;

/// Every sampler by its name in the paper.
#[rustfmt::skip]
pub const SAMPLERS: &[Entry<Sampler>] = &[
    Entry { name: "kameleon", class: "Kameleon", settings: KameleonSettings::table,
        about: "the default: learned metric, local steps and jumps across the target",
        make: |given| read(given).map(Sampler::Kameleon) },
    Entry { name: "SM", class: "SM", settings: RandomWalkSettings::table,
        about: "standard Metropolis: isotropic steps of fixed scale",
        make: |given| read(given).map(Sampler::RandomWalk) },
    Entry { name: "AM-LS", class: "AM", settings: || AdaptiveMetropolisSettings::table(true),
        about: "adaptive Metropolis: learned covariance and learned scale",
        make: |given| AdaptiveMetropolisSettings::chosen(true, given).map(Sampler::AdaptiveMetropolis) },
    Entry { name: "AM-FS", class: "AM", settings: || AdaptiveMetropolisSettings::table(false),
        about: "adaptive Metropolis: learned covariance, fixed scale 2.38/√d",
        make: |given| AdaptiveMetropolisSettings::chosen(false, given).map(Sampler::AdaptiveMetropolis) },
    Entry { name: "AM-PCA", class: "AMPCA", settings: PrincipalComponentsSettings::table,
        about: "steps along one principal direction of the learned covariance at a time",
        make: |given| read(given).map(Sampler::PrincipalComponents) },
    Entry { name: "KAMH-LS", class: "KAMH", settings: || KamhSettings::table(&KamhSettings::default()),
        about: "Kameleon: covariance follows the local shape of the target, learned scale",
        make: |given| KamhSettings::chosen(KamhSettings::default(), given).map(Sampler::Kamh) },
    Entry { name: "KAMH", class: "KAMH", settings: || KamhSettings::table(&KamhSettings::fixed_scale()),
        about: "Kameleon with fixed scale",
        make: |given| KamhSettings::chosen(KamhSettings::fixed_scale(), given).map(Sampler::Kamh) },
    Entry { name: "PCA-Kameleon", class: "KameleonPCA", settings: KamhPcaSettings::table,
        about: "steps along one kernel principal direction at a time",
        make: |given| KamhPcaSettings::chosen(given).map(Sampler::KamhPca) },
    Entry { name: "DE-MC(Z)", class: "DEMCZ", settings: DifferentialEvolutionSettings::table,
        about: "differential evolution: steps along differences of past states; not of the paper",
        make: |given| read(given).map(Sampler::DifferentialEvolution) },
    Entry { name: "PMALA", class: "PMALA", settings: || MalaSettings::table(true),
        about: "Langevin steps with a learned covariance; needs a gradient; not of the paper",
        make: |given| MalaSettings::chosen(true, given).map(Sampler::Mala) },
    Entry { name: "MALA", class: "MALA", settings: || MalaSettings::table(false),
        about: "Langevin steps: isotropic, with drift along the gradient; needs a gradient; not of the paper",
        make: |given| MalaSettings::chosen(false, given).map(Sampler::Mala) },
    Entry { name: "KMC", class: "KMC", settings: || KmcSettings::table(false),
        about: "Hamiltonian paths without gradients: of a density fitted to the history, by kernels; not of the paper",
        make: |given| KmcSettings::chosen(false, given).map(Sampler::Kmc) },
    Entry { name: "KMC-finite", class: "KMC", settings: || KmcSettings::table(true),
        about: "the same with random Fourier features; not of the paper",
        make: |given| KmcSettings::chosen(true, given).map(Sampler::Kmc) },
];

impl Sampler {
    /// Whether chains of it may learn together in the warm-up.
    pub fn pools(&self) -> bool {
        matches!(self, Self::Kameleon(_) | Self::DifferentialEvolution(_))
    }

    /// Whether it can tell when it has learned, and end its warm-up then.
    pub fn ends_warmup(&self) -> bool {
        matches!(self, Self::Kameleon(_))
    }

    /// Whether it makes jumps from a density that it knows, from which the evidence follows.
    pub fn jumps(&self) -> bool {
        matches!(self, Self::Kameleon(_))
    }

    /// The number of points of a history that its local steps are built from, if its chains can start from what a population has
    /// learned.
    pub fn history_points(&self) -> Option<usize> {
        match self {
            Self::Kameleon(settings) => Some(settings.n),
            _ => None,
        }
    }

    /// The default: learned metric, local steps and jumps.
    pub fn kameleon() -> Self {
        Self::Kameleon(KameleonSettings::default())
    }

    /// Standard Metropolis.
    pub fn sm() -> Self {
        Self::RandomWalk(RandomWalkSettings::default())
    }

    /// Adaptive Metropolis with fixed scale.
    pub fn am_fs() -> Self {
        Self::AdaptiveMetropolis(AdaptiveMetropolisSettings { learn_scale: false, ..Default::default() })
    }

    /// Adaptive Metropolis with learned scale.
    pub fn am_ls() -> Self {
        Self::AdaptiveMetropolis(AdaptiveMetropolisSettings::default())
    }

    /// Adaptive Metropolis along principal directions.
    pub fn am_pca() -> Self {
        Self::PrincipalComponents(PrincipalComponentsSettings::default())
    }

    /// The Kameleon with fixed scale.
    pub fn kamh() -> Self {
        Self::Kamh(KamhSettings::fixed_scale())
    }

    /// The Kameleon with learned scale.
    pub fn kamh_ls() -> Self {
        Self::Kamh(KamhSettings::default())
    }

    /// The Kameleon along principal directions in feature space.
    pub fn pca_kameleon() -> Self {
        Self::KamhPca(KamhPcaSettings::default())
    }

    /// Whether it needs the gradient of the log density.
    pub fn needs_gradient(&self) -> bool {
        match self {
            Self::Kamh(settings) => settings.drift,
            Self::Mala(_) => true,
            _ => false,
        }
    }

    /// The Kameleon with learned scale and drift along the gradient.
    pub fn kamh_ls_with_drift() -> Self {
        Self::Kamh(KamhSettings { drift: true, ..KamhSettings::default() })
    }

    /// Langevin steps of isotropic covariance.
    pub fn mala() -> Self {
        Self::Mala(MalaSettings { learn_covariance: false, ..MalaSettings::default() })
    }

    /// Langevin steps with a learned covariance.
    pub fn pmala() -> Self {
        Self::Mala(MalaSettings::default())
    }

    /// Hamiltonian paths of a density that is fitted to the history by kernels.
    pub fn kmc() -> Self {
        Self::Kmc(KmcSettings::default())
    }

    /// Hamiltonian paths of a density that is fitted to the history by random Fourier features.
    pub fn kmc_finite() -> Self {
        Self::Kmc(KmcSettings { finite: true, ..KmcSettings::default() })
    }

    /// Differential evolution over past states.
    pub fn de_mc_z() -> Self {
        Self::DifferentialEvolution(DifferentialEvolutionSettings::default())
    }

    /// The sampler that is meant; the default if no name is given.
    pub fn chosen(choice: &Choice) -> Result<Self, SettingsError> {
        let name = if choice.name.is_empty() { SAMPLERS[0].name } else { &choice.name };
        let entry = registry::find("sampler", name, SAMPLERS.iter())?;
        entry.build(&choice.settings).map_err(|error| match entry.has(&error.setting) {
            false if SAMPLERS.iter().any(|other| other.has(&error.setting)) => {
                let others: Vec<&str> = SAMPLERS.iter().filter(|o| o.has(&error.setting)).map(|o| o.name).collect();
                SettingsError { what: format!("{}; {} have one", error.what, others.join(", ")), ..error }
            }
            _ => error,
        })
    }

    /// Its name with all settings.
    pub fn choice(&self) -> Choice {
        let settings = match self {
            Self::RandomWalk(s) => values_of(s),
            Self::AdaptiveMetropolis(s) => values_of(s),
            Self::PrincipalComponents(s) => values_of(s),
            Self::Kamh(s) => s.values(),
            Self::KamhPca(s) => s.values(),
            Self::Kameleon(s) => values_of(s),
            Self::DifferentialEvolution(s) => values_of(s),
            Self::Mala(s) => values_of(s),
            Self::Kmc(s) => values_of(s),
        };
        Choice { name: self.name().into(), settings }
    }

    /// The sampler's name in the paper.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RandomWalk(_) => "SM",
            Self::AdaptiveMetropolis(s) if s.learn_scale => "AM-LS",
            Self::AdaptiveMetropolis(_) => "AM-FS",
            Self::PrincipalComponents(_) => "AM-PCA",
            Self::Kamh(s) if s.learn_scale => "KAMH-LS",
            Self::Kamh(_) => "KAMH",
            Self::KamhPca(_) => "PCA-Kameleon",
            Self::Kameleon(_) => "kameleon",
            Self::DifferentialEvolution(_) => "DE-MC(Z)",
            Self::Mala(s) if s.learn_covariance => "PMALA",
            Self::Mala(_) => "MALA",
            Self::Kmc(s) if s.finite => "KMC-finite",
            Self::Kmc(_) => "KMC",
        }
    }

    /// A chain that will start at `start`. The errors name what is wrong with settings or start.
    pub fn chain(
        &self,
        start: &[f64],
        settings: ChainSettings,
        length: Length,
    ) -> Result<Box<dyn AnyChain>, StartError> {
        let d = start.len();
        SettingsError::demand("start", d > 0, "has no coordinates; a target needs at least one dimension")?;
        let rho = settings.correlation;
        SettingsError::demand("correlation", (0.0..1.0).contains(&rho), &format!("must be in [0, 1), not {rho}"))?;
        let fits = d <= LARGEST_MATRIX || matches!(self, Self::RandomWalk(_));
        let what =
            format!("has {d} coordinates; {} learns a matrix and takes at most {LARGEST_MATRIX}, SM more", self.name());
        SettingsError::demand("start", fits, &what)?;
        match self {
            Self::RandomWalk(s) => started(RandomWalk::new(s, d)?, start, settings),
            Self::AdaptiveMetropolis(s) => started(AdaptiveMetropolis::new(s, d, length)?, start, settings),
            Self::PrincipalComponents(s) => started(PrincipalComponents::new(s, d, length)?, start, settings),
            Self::Kamh(s) => started(Kamh::new(s, d, length)?, start, settings),
            Self::KamhPca(s) => started(KamhPca::new(s, d, length)?, start, settings),
            Self::DifferentialEvolution(s) => started(DifferentialEvolution::new(s, d, length)?, start, settings),
            Self::Mala(s) => started(Mala::new(s, d, length)?, start, settings),
            Self::Kmc(s) => started(Kmc::new(s, d, length)?, start, settings),
            Self::Kameleon(s) => started(Kameleon::new(s, d, length)?, start, settings),
        }
    }
}

fn started<P: Proposal>(proposal: P, start: &[f64], settings: ChainSettings) -> Result<Box<dyn AnyChain>, StartError>
where
    Chain<P>: AnyChain + 'static,
{
    Ok(Box::new(Chain::new(proposal, start, settings)?))
}

/// As a table with `name` and all settings.
impl Serialize for Sampler {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.choice().to_table().serialize(serializer)
    }
}

/// From text such as `KAMH-LS:n=500`, or from a table with `name`.
impl<'de> Deserialize<'de> for Sampler {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let choice = Choice::from_value(Value::deserialize(deserializer)?);
        choice.and_then(|choice| Self::chosen(&choice)).map_err(serde::de::Error::custom)
    }
}

/// Why a chain could not be made.
#[derive(Debug, Error)]
pub enum StartError {
    /// A setting makes no sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The start is no place to start from.
    #[error(transparent)]
    Chain(#[from] ChainError),
}
