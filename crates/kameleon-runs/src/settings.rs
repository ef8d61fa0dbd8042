//! What a run is: as a person writes it in a run file, and, with nothing left open, as it is kept with the run.
//!
//! Both are the same TOML, so that the `settings.toml` of any run can serve as a run file.

mod gp;
mod model;
mod output;
mod parameters;
mod text;
mod warmup;

pub use gp::{GpSettings, Samples};
pub use kameleon::SettingsError;
pub use kameleon::engine::StopRule;
pub use kameleon_models::plain_words;
pub use model::{Kind, ModelSettings, Noisy};
pub use output::OutputSettings;
pub use parameters::{FromPrior, Parameter, Parameters, Start};

use kameleon::{Choice, Length, Plan, Sampler, Warmup, population};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::path::Path;

/// Everything there is to say about a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunSettings {
    /// Where chains start, in the parameters' own units: one point for all, or one for each.
    #[serde(deserialize_with = "points")]
    pub start: Option<Vec<Vec<f64>>>,
    /// What is sampled.
    pub model: ModelSettings,
    /// Its parameters, in order: names, bounds, priors, starts.
    #[serde(skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
    /// How it is sampled: a name, and any settings of that sampler.
    #[serde(serialize_with = "as_table")]
    pub sampler: Choice,
    /// For how long, and by how many chains.
    pub run: Plan,
    /// How large a population is, where the warm-up is one.
    pub population: population::Settings,
    /// What is kept and written.
    pub output: OutputSettings,
}

/// Where chains start, as it may be written.
#[derive(Deserialize)]
#[serde(untagged, expecting = "must be a point, such as [0.5, 2.0], or a list with a point for each chain")]
enum Points {
    One(Vec<f64>),
    Each(Vec<Vec<f64>>),
}

fn points<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<Vec<f64>>>, D::Error> {
    Ok(Option::deserialize(deserializer)?.map(|points| match points {
        Points::One(point) => vec![point],
        Points::Each(points) => points,
    }))
}

impl RunSettings {
    /// Reads a run file and checks it; `origin` is its name in messages. Unknown keys, wrong types and impossible values
    /// are reported with line and column.
    pub fn from_toml(text: &str, origin: &str) -> Result<Self, SettingsError> {
        text::read(text, origin)
    }

    /// The run file that says the same.
    pub fn to_toml(&self) -> Result<String, SettingsError> {
        toml::to_string(self).map_err(|error| SettingsError::new("", error.to_string()))
    }

    /// The first invalid setting, by its key in a run file.
    pub fn check(&self) -> Result<(), SettingsError> {
        self.model.check(&self.parameters)?;
        self.model.parameters(&self.parameters)?.check()?;
        self.population.check().map_err(|error| error.within("population"))?;
        let plan = self.plan()?;
        plan.check().map_err(|error| error.within("run"))?;
        if plan.warmup == Warmup::Population {
            self.check_population()?;
        }
        self.check_starts()?;
        self.output.check()
    }

    /// The sampler.
    pub fn sampler(&self) -> Result<Sampler, SettingsError> {
        Sampler::chosen(&self.sampler)
            .map_err(|error| SettingsError { setting: format!("sampler.{}", error.setting), ..error })
    }

    /// Whether what is sampled is a likelihood times a proper prior of all parameters, so that its integral is the evidence:
    /// every parameter has a prior, or the model is a posterior that comes with the program and that nothing cuts. A built-in
    /// density, or a log density with a flat or unknown prior, has a normalising constant only.
    pub fn has_proper_prior(&self) -> bool {
        let is_posterior = matches!(self.model.kind(), Ok(Kind::Posterior(_) | Kind::Gp));
        let Ok(parameters) = self.model.parameters(&self.parameters) else { return false };
        let has_priors = parameters.have_priors() || self.model.external_prior.is_some();
        has_priors && !is_posterior || is_posterior && parameters.are_free()
    }

    /// How many iterations each chain makes, at most.
    pub fn length(&self) -> Result<Length, SettingsError> {
        self.plan()?.length()
    }

    fn check_starts(&self) -> Result<(), SettingsError> {
        let Some(starts) = &self.start else { return Ok(()) };
        let (found, chains) = (starts.len(), self.run.chains);
        let what = format!("needs one point, or one for each of the {chains} chains, not {found}");
        SettingsError::demand("start", found == 1 || found == chains, &what)
    }

    /// Sets any setting by its key in a run file, such as `sampler.n`, to a value as it would be written there.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), SettingsError> {
        *self = text::set(self, key, value)?;
        Ok(())
    }

    /// Makes files that are named relative to `base`, the folder of the run file, independent of where the program runs.
    pub fn anchor(&mut self, base: &Path) {
        self.model.anchor(base);
    }
}

/// A section of its own, so that single settings can be set by their keys.
fn as_table<S: Serializer>(choice: &Choice, serializer: S) -> Result<S::Ok, S::Error> {
    choice.to_table().serialize(serializer)
}
