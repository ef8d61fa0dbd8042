//! The kinds of studies: what is drawn, and what is measured.

use serde::Deserialize;

/// What is drawn, which decides what a study needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Bars of acceptance, ‖mean‖ and quantile deviations for every target and sampler; targets with a known truth.
    Bars,
    /// A figure of effective sample sizes, and numbers, on any targets: effective sample sizes, errors, agreement and cost of groups of four chains, which
    /// learn together if their sampler can.
    Table,
    /// ‖mean‖ and deviation of the 0.5-quantile against iterations; targets with a known truth.
    Convergence,
    /// Distance of the mean and MMD to a benchmark sample, against iterations.
    Benchmark,
    /// Two coordinates of the benchmark sample.
    Posterior,
    /// The proposals of KAMH along the ridge of a target in two dimensions.
    Proposals,
    /// Where samplers propose, from some places of targets in two dimensions.
    Clouds,
    /// g(x), the function whose gradient a proposal descends, in two dimensions.
    GFunction,
}

/// What is measured of groups of chains, in the order of the columns.
const TABLE: &[&str] = &[
    "ess",
    "ess-per-second",
    "n-eq",
    "quantile-deviation",
    "mean-norm",
    "worst-r-hat",
    "acceptance",
    "evaluations",
    "seconds",
];

impl Kind {
    /// Whether samplers are compared on targets.
    pub fn compares(self) -> bool {
        !self.measures().is_empty()
    }

    /// Whether it is of the first two coordinates of targets whose ridge is known.
    pub fn in_the_plane(self) -> bool {
        matches!(self, Self::Proposals | Self::Clouds | Self::GFunction)
    }

    /// What is measured, and so what can be claimed.
    pub fn measures(self) -> &'static [&'static str] {
        match self {
            Self::Bars => &["acceptance", "mean-norm", "quantile-deviation", "n-eq"],
            Self::Table => TABLE,
            Self::Convergence => &["mean-norm", "deviation-0.5"],
            Self::Benchmark => &["acceptance", "mean-distance", "mmd"],
            Self::Posterior | Self::Proposals | Self::Clouds | Self::GFunction => &[],
        }
    }
}
