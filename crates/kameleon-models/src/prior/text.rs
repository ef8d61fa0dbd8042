//! Priors as text, such as `normal(0, 1)`: how they are read, written and listed.

use super::Prior;
use super::table::{Family, PRIORS};
use crate::error::ModelError;
use std::fmt;
use std::str::FromStr;

impl Family {
    /// Name and parameters: `normal(mean, sd)`.
    fn signature(&self) -> String {
        format!("{}({})", self.name, self.names())
    }

    fn names(&self) -> String {
        self.parameters.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// How many parameters it takes, in words.
    pub fn wanted(&self) -> String {
        let count = self.parameters.len();
        format!("{count} number{} ({})", if count == 1 { "" } else { "s" }, self.names())
    }
}

/// All priors, one line each, for `kameleon list`.
pub fn list() -> String {
    PRIORS.iter().map(|family| format!("  {:40} {}\n", family.signature(), family.about)).collect()
}

/// Name, parameters and a line about each prior, for programs.
pub fn entries() -> impl Iterator<Item = (&'static str, Vec<&'static str>, &'static str)> {
    PRIORS.iter().map(|family| (family.name, family.parameters.iter().map(|(name, _)| *name).collect(), family.about))
}

/// The family of this name, in small or capital letters; `_` may stand for `-`, or nothing at all.
pub fn family(name: &str) -> Option<&'static Family> {
    let plain = |name: &str| name.trim().to_lowercase().replace(['_', '-'], "");
    PRIORS.iter().find(|family| plain(family.name) == plain(name))
}

/// The error that names all families.
pub fn unknown(text: &str) -> ModelError {
    let known = PRIORS.iter().map(Family::signature).collect::<Vec<_>>().join(", ");
    let name = text.split('(').next().unwrap_or_default().trim().to_lowercase();
    if ["flat", "improper", "none"].contains(&name.as_str()) {
        let why = "a parameter without a prior has a flat one: leave it out, or choose uniform(lower, upper)";
        return ModelError::new(format_args!("prior `{text}`"), why);
    }
    ModelError::new(format_args!("prior `{text}`"), format_args!("unknown; choose one of {known}"))
}

impl fmt::Display for Prior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = &self.values[..self.family.parameters.len()];
        // `{:?}` writes very large and small numbers with an exponent.
        let values: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
        write!(f, "{}({})", self.family.name, values.join(", "))
    }
}

impl FromStr for Prior {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        let wrong = |why: String| ModelError::new(format_args!("prior `{text}`"), why);
        let name = text.split('(').next().unwrap_or_default();
        let family = family(name).ok_or_else(|| unknown(text))?;
        let list = text.trim().split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
        let list = list.ok_or_else(|| wrong(format!("write it as {}, with numbers", family.signature())))?;
        let number = |value: &str| {
            let value = value.trim();
            value
                .parse()
                .map_err(|_| wrong(format!("`{value}` is not a number; {} takes {}", family.name, family.wanted())))
        };
        let values: Vec<f64> = list.split(',').map(number).collect::<Result<_, _>>()?;
        Self::new(family.name, &values)
    }
}

impl TryFrom<String> for Prior {
    type Error = ModelError;

    fn try_from(text: String) -> Result<Self, ModelError> {
        text.parse()
    }
}

impl From<Prior> for String {
    fn from(prior: Prior) -> Self {
        prior.to_string()
    }
}
