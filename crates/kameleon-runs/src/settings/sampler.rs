//! A sampler by name, with settings that differ from its defaults.

use super::SettingsProblem;
use crate::kernels;
use kameleon::Sampler;
use kameleon::bandwidth::Bandwidth;
use kameleon::history::HistoryKind;
use kameleon::proposal::{AdaptiveMetropolisSettings, KamhSettings};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use toml::{Table, Value};

/// The section `[sampler]`: a name, and any of that sampler's settings.
///
/// Besides the sampler's own there are, for the Kameleon samplers, `kernel` as text such as `matern:order=1.5` and
/// `bandwidth` as a number; and `published` for adaptation as in the published experiments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SamplerSettings {
    /// The sampler's name, in any case.
    pub name: String,
    /// Its settings by name.
    #[serde(flatten)]
    pub settings: Table,
}

impl Default for SamplerSettings {
    fn default() -> Self {
        Self { name: Sampler::default().name().into(), settings: Table::new() }
    }
}

impl SamplerSettings {
    /// Sets one of the sampler's settings.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.settings.insert(key.into(), value.into());
    }

    /// All settings of a sampler.
    pub fn of(sampler: &Sampler) -> Result<Self, SettingsProblem> {
        let problem = |what: String| SettingsProblem::new("sampler", what);
        let (_, mut settings) = tagged(sampler).map_err(problem)?;
        if let Some(Json::Object(inner)) = settings.remove("kameleon") {
            settings.extend(inner);
        }
        settings.retain(|_, value| !value.is_null());
        // What has no settings of its own is written by its name: TOML has no word for nothing.
        if settings.get("kernel").is_some_and(|kernel| kernel["linear"].is_null() && kernel.get("linear").is_some()) {
            settings.insert("kernel".into(), "linear".into());
        }
        let settings = Table::try_from(settings).map_err(|error| problem(error.to_string()))?;
        Ok(Self { name: sampler.name().into(), settings })
    }

    /// The sampler that is meant.
    pub fn sampler(&self) -> Result<Sampler, SettingsProblem> {
        let mut sampler =
            Sampler::by_name(&self.name).map_err(|error| SettingsProblem::new("sampler.name", error.what))?;
        // First what changes several settings at once, so that single ones win over it.
        if let Some(published) = self.settings.get("published") {
            publish(&mut sampler, published)?;
        }
        // One by one, so that an error names its key; the kernel before its bandwidth.
        let mut settings: Vec<_> = self.settings.iter().filter(|(key, _)| *key != "published").collect();
        settings.sort_by_key(|(key, _)| *key != "kernel");
        for (key, value) in settings {
            let problem = |what: String| SettingsProblem::new(format!("sampler.{key}"), what);
            let has_z = matches!(sampler, Sampler::Kameleon(_));
            sampler = match (key.as_str(), value, kameleon_of(&mut sampler)) {
                ("kernel" | "bandwidth" | "n" | "gamma", _, None) if key != "n" || !has_z => {
                    return Err(problem(format!(
                        "is for KAMH, KAMH-LS and PCA-Kameleon; {} has no kernel",
                        sampler.name()
                    )));
                }
                ("kernel", Value::String(text), Some(settings)) => {
                    settings.kernel = kernels::parse(text).map_err(problem)?;
                    sampler
                }
                ("bandwidth", Value::Float(_) | Value::Integer(_), Some(settings)) => {
                    settings.kernel.set_bandwidth(number(value));
                    settings.bandwidth = Bandwidth::Fixed;
                    sampler
                }
                _ => overlay(&sampler, key, value).map_err(problem)?,
            };
        }
        self.fit_components(&mut sampler);
        Ok(sampler)
    }

    /// PCA-Kameleon cannot have more directions than a small z has, if the user left their number open.
    fn fit_components(&self, sampler: &mut Sampler) {
        if let Sampler::KamhPca(settings) = sampler
            && !self.settings.contains_key("components")
        {
            settings.components = settings.components.min(settings.kameleon.n.saturating_sub(1)).max(1);
        }
    }
}

fn number(value: &Value) -> f64 {
    value.as_float().or_else(|| value.as_integer().map(|integer| integer as f64)).unwrap_or(f64::NAN)
}

/// The settings of the Kameleon proposal within a sampler that has them.
fn kameleon_of(sampler: &mut Sampler) -> Option<&mut KamhSettings> {
    match sampler {
        Sampler::Kamh(settings) => Some(settings),
        Sampler::KamhPca(settings) => Some(&mut settings.kameleon),
        _ => None,
    }
}

/// Adaptation as in the published experiments.
fn publish(sampler: &mut Sampler, published: &Value) -> Result<(), SettingsProblem> {
    let key = "sampler.published";
    let Some(published) = published.as_bool() else { return Err(SettingsProblem::new(key, "must be true or false")) };
    if !published {
        return Ok(());
    }
    match sampler {
        Sampler::Kamh(settings) => settings.history = HistoryKind::Stored,
        Sampler::AdaptiveMetropolis(settings) => {
            *settings = AdaptiveMetropolisSettings::published(settings.learn_scale);
        }
        other => {
            let what = format!(
                "is for AM-FS, AM-LS, KAMH and KAMH-LS; {} adapts in one way only, or not at all",
                other.name()
            );
            return Err(SettingsProblem::new(key, what));
        }
    }
    Ok(())
}

/// A sampler as stored: its tag, and its settings.
fn tagged(sampler: &Sampler) -> Result<(String, Map<String, Json>), String> {
    match serde_json::to_value(sampler).map_err(|error| error.to_string())? {
        Json::Object(object) => match object.into_iter().next() {
            Some((tag, Json::Object(settings))) => Ok((tag, settings)),
            _ => Err("has no settings".into()),
        },
        _ => Err("has no settings".into()),
    }
}

/// The sampler with one of its settings changed; of PCA-Kameleon also one of the Kameleon within.
fn overlay(sampler: &Sampler, key: &str, value: &Value) -> Result<Sampler, String> {
    let (tag, mut settings) = tagged(sampler)?;
    let value = serde_json::to_value(value).map_err(|error| error.to_string())?;
    match settings.get_mut("kameleon") {
        Some(Json::Object(inner)) if key != "components" => inner.insert(key.into(), value),
        _ => settings.insert(key.into(), value),
    };
    let object = Map::from_iter([(tag, Json::Object(settings))]);
    serde_json::from_value(Json::Object(object)).map_err(|error| error.to_string())
}
