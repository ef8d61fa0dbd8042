//! Whether to believe the draws: convergence diagnostics, the evidence, and distances to a known truth.
//!
//! The diagnostics are those of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), "Rank-normalization, folding, and
//! localization: an improved R-hat", with ArviZ's conventions and to its figures. They take one slice of draws for each
//! chain. Chains of different lengths, as an interrupted run leaves them, are trimmed to the shortest, keeping the last
//! draws of each. The answer is NaN for fewer than 4 draws a chain, and when a draw is NaN or infinite.
//!
//! Two departures from ArviZ: it lets infinite draws through to the ranks, and it takes any range below 1e-15 for a
//! constant, so that a parameter of scale 1e-8 has a constant square.

mod autocovariance;
mod circular;
mod draws;
mod ess;
mod evidence;
mod mcse;
mod mmd;
mod r_hat;
mod rank;
mod stein;
mod summary;
mod table;
mod tail;
mod thin;
mod truth;
mod verdict;

pub use autocovariance::{autocorrelation, autocovariance};
pub use circular::{Period, on_circles, unrolled};
pub use ess::{ess_bulk, ess_mean, ess_quantile, ess_sd, ess_tail};
pub use evidence::{
    ChainRatios, Estimate, Evidence, LARGEST_ERROR, LARGEST_EVIDENCE_R_HAT, LARGEST_K, LARGEST_Z, LEAST_DRAWS,
    LEAST_PROPOSALS, LEAST_SHARE, Weighted, evidence, pareto_k, weighted_means,
};
pub(crate) use evidence::{effective_number, log_sum_exp, number};
pub use mcse::{mcse_mean, mcse_quantile, mcse_sd};
pub use mmd::{mmd2_biased, mmd2_unbiased};
pub use r_hat::{r_hat, r_hat_bulk, r_hat_folded};
pub use rank::{quantile, rank_histogram};
pub use stein::{
    BETTER_FROM, Differences, FALSE_ALARMS, LARGEST_RESIDUAL, LEAST_EXPLAINED, Places, Stein, SteinFigure, stein,
};
pub use summary::{ParameterSummary, Summary, summarise};
pub use table::HEADER;
pub use thin::{ThinError, Thinned, thin};
pub use truth::{
    Truth, compare_with_truth, kolmogorov_smirnov_uniform, mean_norm, n_eq, quantile_deviation, quantile_deviations,
};
pub use verdict::{LARGEST_R_HAT, Verdict, least_ess};
