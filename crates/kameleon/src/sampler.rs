//! The samplers by name: plain settings that are checked once and become chains.

pub use crate::settings::{Length, SettingsError};

use crate::any_chain::AnyChain;
use crate::chain::{Chain, ChainError, ChainSettings};
use crate::proposal::*;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A sampler and its settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
}

impl Default for Sampler {
    fn default() -> Self {
        Self::kameleon()
    }
}

/// The largest dimension in which a d × d matrix is learned: more would not fit into memory, nor be of use.
const LARGEST_MATRIX: usize = 4096;

/// Every sampler by its name in the paper, with a line about it.
pub const SAMPLERS: [(&str, &str); 9] = [
    ("kameleon", "the default: learned metric, local steps and jumps across the target"),
    ("SM", "standard Metropolis: isotropic steps of fixed scale 2.38/√d"),
    ("AM-FS", "adaptive Metropolis: learned covariance, fixed scale 2.38/√d"),
    ("AM-LS", "adaptive Metropolis: learned covariance and learned scale"),
    ("AM-PCA", "steps along one principal direction of the learned covariance at a time"),
    ("KAMH", "Kameleon: covariance follows the local shape of the target, fixed scale"),
    ("KAMH-LS", "Kameleon with learned scale"),
    ("PCA-Kameleon", "steps along one kernel principal direction at a time"),
    ("DE-MC(Z)", "differential evolution: steps along differences of past states; not of the paper"),
];

impl Sampler {
    /// Whether chains of it may learn together in the warm-up.
    pub fn pools(&self) -> bool {
        matches!(self, Self::Kameleon(_) | Self::DifferentialEvolution(_))
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
        Self::Kamh(KamhSettings { learn_scale: false, ..Default::default() })
    }

    /// The Kameleon with learned scale.
    pub fn kamh_ls() -> Self {
        Self::Kamh(KamhSettings::default())
    }

    /// The Kameleon along principal directions in feature space.
    pub fn pca_kameleon() -> Self {
        Self::KamhPca(KamhPcaSettings::default())
    }

    /// Differential evolution over past states.
    pub fn de_mc_z() -> Self {
        Self::DifferentialEvolution(DifferentialEvolutionSettings::default())
    }

    /// The sampler of this name, in any case, with default settings.
    pub fn by_name(name: &str) -> Result<Self, SettingsError> {
        match name.to_ascii_lowercase().as_str() {
            "kameleon" => Ok(Self::kameleon()),
            "sm" => Ok(Self::sm()),
            "am-fs" => Ok(Self::am_fs()),
            "am-ls" => Ok(Self::am_ls()),
            "am-pca" => Ok(Self::am_pca()),
            "kamh" => Ok(Self::kamh()),
            "kamh-ls" => Ok(Self::kamh_ls()),
            "de-mc(z)" | "de-mcz" => Ok(Self::de_mc_z()),
            "pca-kameleon" => Ok(Self::pca_kameleon()),
            _ => {
                let names = SAMPLERS.map(|(name, _)| name).join(", ");
                Err(SettingsError::new("sampler", format!("there is no \"{name}\"; choose one of {names}")))
            }
        }
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
        Ok(match self {
            Self::RandomWalk(s) => Box::new(Chain::new(RandomWalk::new(s, d)?, start, settings)?),
            Self::AdaptiveMetropolis(s) => {
                Box::new(Chain::new(AdaptiveMetropolis::new(s, d, length)?, start, settings)?)
            }
            Self::PrincipalComponents(s) => {
                Box::new(Chain::new(PrincipalComponents::new(s, d, length)?, start, settings)?)
            }
            Self::Kamh(s) => Box::new(Chain::new(Kamh::new(s, d, length)?, start, settings)?),
            Self::KamhPca(s) => Box::new(Chain::new(KamhPca::new(s, d, length)?, start, settings)?),
            Self::DifferentialEvolution(s) => {
                Box::new(Chain::new(DifferentialEvolution::new(s, d, length)?, start, settings)?)
            }
            Self::Kameleon(s) => Box::new(Chain::new(Kameleon::new(s, d, length)?, start, settings)?),
        })
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
