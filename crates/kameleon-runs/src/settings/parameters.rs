//! The parameters of a model: their names in order, bounds, priors, and where chains start.

use super::SettingsError;
use kameleon::diagnose::Period;
use kameleon_models::{Bound, ModelError, Prior};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashSet;
use std::fmt;

/// The section `[parameters]`: a table for each, or just a list of names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters(pub Vec<(String, Parameter)>);

/// What is known of one parameter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Parameter {
    /// It is above this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// It is below this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// Whether lower and upper are the same place: it is an angle, a phase, a time of day.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub periodic: bool,
    /// Added to the log density; its support bounds the parameter where `lower` and `upper` do not. Where they cut it, it is
    /// normalised again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prior: Option<Prior>,
    /// Where chains start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
}

/// Where chains start, in one parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "start should be a number, a list with a number for each chain, \"prior\", or { from = a, to = b }"
)]
pub enum Start {
    /// All at this value.
    At(f64),
    /// Each chain at its own.
    Each(Vec<f64>),
    /// Each at a draw from the interval.
    Box {
        /// Its lower end.
        from: f64,
        /// Its upper end.
        to: f64,
    },
    /// Each at a draw from the prior.
    Prior(FromPrior),
}

/// The word `prior`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FromPrior {
    /// A draw from the prior.
    Prior,
}

impl Parameter {
    /// The interval it lives in.
    pub fn bound(&self) -> Result<Bound, String> {
        let support = self.prior.map(|prior| prior.support()).unwrap_or_default();
        let (lower, upper) = (self.lower.or(support.lower()), self.upper.or(support.upper()));
        let words = |error: ModelError| {
            // The key of the setting says already that it is a bound.
            let said = error.to_string();
            said.split_once(": ").map_or(said.clone(), |(_, why)| why.into())
        };
        let bound = Bound::new(lower, upper).map_err(words)?;
        if self.periodic { bound.closed().map_err(words) } else { Ok(bound) }
    }

    fn check(&self, name: &str) -> Result<(), SettingsError> {
        let key = |of: &str| format!("parameters.{name}.{of}");
        let end = if self.upper.is_some() { "upper" } else { "lower" };
        let open = Self { periodic: false, ..self.clone() };
        open.bound().map_err(|what| SettingsError::new(key(end), what))?;
        let bound = self.bound().map_err(|what| SettingsError::new(key("periodic"), what))?;
        if let Some(prior) = self.prior {
            prior.log_mass(bound).map_err(|error| SettingsError::new(key(end), error.to_string()))?;
        }
        match &self.start {
            Some(Start::Prior(_)) if self.prior.is_none() => {
                Err(SettingsError::new(key("start"), "there is no prior to draw from; give one, or a number"))
            }
            Some(Start::Box { from, to }) => {
                let ok = from.is_finite() && to.is_finite() && from < to;
                SettingsError::demand(&key("start"), ok, &format!("from ({from}) must be less than to ({to})"))
            }
            Some(Start::At(x)) => inside(bound, *x).map_err(|what| SettingsError::new(key("start"), what)),
            Some(Start::Each(values)) => {
                values.iter().try_for_each(|x| inside(bound, *x)).map_err(|what| SettingsError::new(key("start"), what))
            }
            _ => Ok(()),
        }
    }
}

/// An error unless the start is strictly inside.
fn inside(bound: Bound, x: f64) -> Result<(), String> {
    match (bound.contains(x), bound.lower(), bound.upper()) {
        (true, ..) => Ok(()),
        (_, Some(a), Some(b)) => Err(format!("{x} is not strictly between {a} and {b}")),
        (_, Some(a), None) => Err(format!("{x} is not above {a}")),
        (_, None, Some(b)) => Err(format!("{x} is not below {b}")),
        (_, None, None) => Err(format!("{x} is not a finite number")),
    }
}

impl Parameters {
    /// Parameters of which nothing is known but their names.
    pub fn named(names: impl IntoIterator<Item = String>) -> Self {
        Self(names.into_iter().map(|name| (name, Parameter::default())).collect())
    }

    /// Whether none is given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Their names, in order.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Whether they are sampled as they are: no bounds, no priors.
    pub fn are_free(&self) -> bool {
        self.0.iter().all(|(_, p)| p.lower.is_none() && p.upper.is_none() && p.prior.is_none())
    }

    /// Whether each has a prior; all priors are proper.
    pub fn have_priors(&self) -> bool {
        !self.is_empty() && self.0.iter().all(|(_, p)| p.prior.is_some())
    }

    /// The intervals of those that are periodic, in order.
    pub fn periods(&self) -> Result<Vec<Period>, SettingsError> {
        let ends = |bound: Bound| Some((bound.lower()?, bound.upper()?)).filter(|_| bound.is_periodic());
        Ok(self.bounds()?.into_iter().map(ends).collect())
    }

    /// Their bounds, in order.
    pub fn bounds(&self) -> Result<Vec<Bound>, SettingsError> {
        let bound = |(name, parameter): &(String, Parameter)| {
            parameter.bound().map_err(|what| SettingsError::new(format!("parameters.{name}"), what))
        };
        self.0.iter().map(bound).collect()
    }

    pub(super) fn check(&self) -> Result<(), SettingsError> {
        let mut seen = HashSet::new();
        for (name, parameter) in &self.0 {
            let plain = !name.is_empty() && !name.chars().any(char::is_control);
            let what = format!("{name:?} is not a valid name: it must not be empty or hold control characters");
            SettingsError::demand("parameters", plain, &what)?;
            SettingsError::demand("parameters", seen.insert(name), &format!("two parameters are named `{name}`"))?;
            parameter.check(name)?;
        }
        Ok(())
    }
}

impl Serialize for Parameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.iter().all(|(_, parameter)| *parameter == Parameter::default()) {
            return self.names().serialize(serializer);
        }
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, parameter) in &self.0 {
            map.serialize_entry(name, parameter)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(InOrder)
    }
}

struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Parameters;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table for each parameter, or a list of names")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, names: A) -> Result<Parameters, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(names)).map(Parameters::named)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Parameters, A::Error> {
        let mut found = Vec::new();
        while let Some(entry) = map.next_entry()? {
            found.push(entry);
        }
        Ok(Parameters(found))
    }
}
