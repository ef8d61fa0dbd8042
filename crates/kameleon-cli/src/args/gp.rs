//! The flags of Gaussian-process classification, and the settings they stand for.

use super::Given;
use anyhow::Result;
use clap::Args;
use kameleon_gp::{Approximation, Covariance, Likelihood, Standardise};
use kameleon_runs::settings::Samples;
use serde::de::value::{Error, StrDeserializer};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The flags of `--target glass` and `--target gp`.
#[derive(Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = "Gaussian-process classification (--target glass, --target gp)")]
pub struct GpArgs {
    /// For gp, the table: CSV with a header, numeric columns and a label of two values
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// For gp, the column that holds the label
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,
    /// For gp, the label that counts as +1 [default: the larger number or the later word]
    #[arg(long, value_name = "VALUE")]
    positive: Option<String>,
    /// What θ means: text (θ = log ℓ², columns z-scored) or published (the weights of the published runs on whitened
    /// columns, with a ridge of 0.001) [default: text]
    #[arg(long, value_name = "NAME")]
    parametrisation: Option<String>,
    /// How columns are scaled: zscore, whiten or none [default: that of the parametrisation]
    #[arg(long, value_name = "NAME", value_parser = named::<Standardise>)]
    standardise: Option<Standardise>,
    /// gaussian, matern32 or matern52, with a length scale for each column [default: gaussian]
    #[arg(long, value_name = "NAME", value_parser = named::<Covariance>)]
    covariance: Option<Covariance>,
    /// Learn the amplitude of the latent function too; estimates are noisier then
    #[arg(long)]
    amplitude: bool,
    /// logistic or probit [default: logistic]
    #[arg(long, value_name = "NAME", value_parser = named::<Likelihood>)]
    likelihood: Option<Likelihood>,
    /// The approximation that importance samples are drawn from: laplace, or ep, which is slower and less noisy [default: laplace]
    #[arg(long, value_name = "NAME", value_parser = named::<Approximation>)]
    approximation: Option<Approximation>,
    /// Importance samples for each estimate of the likelihood, or auto: a short pilot run finds the number with the
    /// largest effective sample size for the work [default: auto]
    #[arg(long, value_name = "COUNT")]
    n_imp: Option<Samples>,
}

/// A value by the name it has in stored settings.
fn named<T: for<'a> Deserialize<'a>>(text: &str) -> std::result::Result<T, Error> {
    T::deserialize(StrDeserializer::new(&text.to_ascii_lowercase()))
}

impl GpArgs {
    /// One of these flags that was given, for targets that do not take them.
    pub fn first_given(&self) -> Result<Option<String>> {
        Ok(self.given()?.into_iter().next().map(|(flag, _)| flag))
    }
}
