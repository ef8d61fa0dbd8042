//! The flags of Gaussian-process classification, and the table and settings they stand for.

use anyhow::{Context, Result, bail};
use clap::Args;
use kameleon_gp::{Approximation, Covariance, Dataset, Likelihood, Settings, Standardise, glass};
use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};
use std::fs::File;
use std::path::PathBuf;

/// The flags of `--target glass` and `--target gp`.
#[derive(Args)]
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
    /// Where importance samples come from: laplace, or ep, which takes longer and is less noisy [default: laplace]
    #[arg(long, value_name = "NAME", value_parser = named::<Approximation>)]
    approximation: Option<Approximation>,
    /// Importance samples for each estimate of the likelihood, or auto: a short pilot finds how many give most effective
    /// draws for the work [default: auto]
    #[arg(long, value_name = "COUNT")]
    n_imp: Option<String>,
}

/// A value by the name it has in stored settings.
fn named<T: for<'a> Deserialize<'a>>(text: &str) -> Result<T, Error> {
    T::deserialize(StrDeserializer::new(&text.to_ascii_lowercase()))
}

impl GpArgs {
    /// The first of these flags that was given, for targets that do not take them.
    pub fn first_given(&self) -> Option<&'static str> {
        let model = [
            ("parametrisation", self.parametrisation.is_some()),
            ("standardise", self.standardise.is_some()),
            ("covariance", self.covariance.is_some()),
            ("amplitude", self.amplitude),
            ("likelihood", self.likelihood.is_some()),
            ("approximation", self.approximation.is_some()),
            ("n-imp", self.n_imp.is_some()),
        ];
        let found = model.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag);
        self.first_of_table().or(found)
    }

    /// The first of the flags that say which table, for glass, which needs none.
    fn first_of_table(&self) -> Option<&'static str> {
        let table =
            [("data", self.data.is_some()), ("label", self.label.is_some()), ("positive", self.positive.is_some())];
        table.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
    }

    /// The table and its name.
    pub fn dataset(&self, target: &str) -> Result<(Dataset, String)> {
        if target == "glass" {
            if let Some(flag) = self.first_of_table() {
                bail!("--{flag} is for --target gp; glass brings its own data");
            }
            return Ok((glass(), "glass".into()));
        }
        let path = self.data.as_ref().context("--target gp needs a table: --data FILE")?;
        let label = self.label.as_ref().context("--target gp needs --label COLUMN, the column with the two classes")?;
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("--data {name}"))?;
        let data = Dataset::read(file, label, self.positive.as_deref()).with_context(|| name.clone())?;
        Ok((data, name))
    }

    /// The model that the flags describe.
    pub fn settings(&self) -> Result<Settings> {
        let base = match self.parametrisation.as_deref() {
            None | Some("text") => Settings::default(),
            Some("published") => Settings::published(),
            Some(other) => bail!("--parametrisation \"{other}\": say text or published"),
        };
        let n_imp = match self.n_imp.as_deref() {
            None | Some("auto") => base.n_imp,
            Some(count) => {
                count.parse().with_context(|| format!("--n-imp \"{count}\": say auto, or a whole number"))?
            }
        };
        Ok(Settings {
            standardise: self.standardise.unwrap_or(base.standardise),
            covariance: self.covariance.unwrap_or(base.covariance),
            amplitude: self.amplitude,
            likelihood: self.likelihood.unwrap_or(base.likelihood),
            approximation: self.approximation.unwrap_or(base.approximation),
            n_imp,
            ..base
        })
    }

    /// Whether a pilot chooses n_imp.
    pub fn is_automatic(&self) -> bool {
        self.n_imp.as_deref().is_none_or(|n_imp| n_imp == "auto")
    }
}
