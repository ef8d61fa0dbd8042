//! Gaussian-process classification: which table, which model, how many importance samples.

use super::SettingsError;
use kameleon_gp::{Approximation, Covariance, Dataset, Likelihood, Settings, Standardise, glass};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::path::PathBuf;
use toml::Value;

/// The section `[model.gp]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GpSettings {
    /// The table: CSV with a header, numeric columns and a label of two values.
    pub data: Option<PathBuf>,
    /// The column that holds the label.
    pub label: Option<String>,
    /// The label that counts as +1; by default the larger number or the later word.
    pub positive: Option<String>,
    /// What θ means: `text` or `published`.
    pub parametrisation: Option<String>,
    /// How columns are scaled.
    pub standardise: Option<Standardise>,
    /// The covariance.
    pub covariance: Option<Covariance>,
    /// Whether the amplitude of the latent function is learned too.
    pub amplitude: bool,
    /// The likelihood.
    pub likelihood: Option<Likelihood>,
    /// Where importance samples come from.
    pub approximation: Option<Approximation>,
    /// The number of importance samples per estimate.
    pub n_imp: Samples,
    /// How a pilot chose them, in words, if it did.
    pub pilot: Option<String>,
}

/// How many importance samples: a number, or `auto`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Value", into = "Value")]
pub enum Samples {
    /// A short pilot chooses.
    #[default]
    Auto,
    /// This number.
    Count(usize),
}

impl std::str::FromStr for Samples {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            count => count.parse().map(Self::Count).map_err(|_| format!("\"{count}\": say auto, or a whole number")),
        }
    }
}

impl TryFrom<Value> for Samples {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        value.as_str().map_or_else(|| value.to_string().parse(), str::parse)
    }
}

impl From<Samples> for Value {
    fn from(samples: Samples) -> Self {
        match samples {
            Samples::Auto => "auto".into(),
            Samples::Count(count) => (count as i64).into(),
        }
    }
}

impl GpSettings {
    /// `is_glass`: the data are the built-in ones.
    pub(super) fn check(&self, is_glass: bool) -> Result<(), SettingsError> {
        let table =
            [("data", self.data.is_some()), ("label", self.label.is_some()), ("positive", self.positive.is_some())];
        for (key, given) in table {
            let what = "is for a table of your own; glass brings its own data";
            SettingsError::demand(&format!("model.gp.{key}"), !(is_glass && given), what)?;
        }
        let needs = |ok: bool, key: &str, what: &str| SettingsError::demand(key, is_glass || ok, what);
        needs(self.data.is_some(), "model.gp.data", "classification needs a table: --data FILE, or data = \"FILE\"")?;
        needs(self.label.is_some(), "model.gp.label", "needed: --label COLUMN, the column with the two classes")?;
        self.model_settings().map(drop)
    }

    /// The table.
    pub(crate) fn dataset(&self) -> Result<Dataset, SettingsError> {
        let (Some(path), Some(label)) = (&self.data, &self.label) else { return Ok(glass()) };
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| SettingsError::new(format!("--data {name}"), error.to_string()))?;
        Dataset::read(file, label, self.positive.as_deref())
            .map_err(|error| SettingsError::new(name, error.to_string()))
    }

    /// The settings of the model.
    pub(crate) fn model_settings(&self) -> Result<Settings, SettingsError> {
        let base = match self.parametrisation.as_deref() {
            None | Some("text") => Settings::default(),
            Some("published") => Settings::published(),
            Some(other) => {
                return Err(SettingsError::new(
                    "model.gp.parametrisation",
                    format!("\"{other}\": say text or published"),
                ));
            }
        };
        Ok(Settings {
            standardise: self.standardise.unwrap_or(base.standardise),
            covariance: self.covariance.unwrap_or(base.covariance),
            amplitude: self.amplitude,
            likelihood: self.likelihood.unwrap_or(base.likelihood),
            approximation: self.approximation.unwrap_or(base.approximation),
            n_imp: if let Samples::Count(count) = self.n_imp { count } else { base.n_imp },
            ..base
        })
    }
}
