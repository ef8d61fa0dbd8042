//! How a run warms up, as it is written: a word, or a number of iterations.

use crate::length::OR_WORDS;
use crate::registry::SettingsError;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::str::FromStr;

/// How chains come to know the target before their draws count. In a run file it is a number or a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Warmup {
    /// A population, where a run has all that it needs; else until the chains have learned, where their sampler can tell; else
    /// 10,000 iterations, or what suits the model.
    #[default]
    Auto,
    /// Until the chains have learned.
    Chains,
    /// A [population](crate::population) from the prior finds the modes, and chains go on from there.
    Population,
    /// This many iterations.
    Iterations(u64),
}

impl Warmup {
    /// The words, in the order of messages.
    const WORDS: [(&'static str, Self); 3] =
        [("auto", Self::Auto), ("chains", Self::Chains), ("population", Self::Population)];

    fn wrong(given: &str) -> String {
        format!("must be a number of iterations{}, not {given}", OR_WORDS)
    }
}

impl FromStr for Warmup {
    type Err = SettingsError;

    fn from_str(text: &str) -> Result<Self, SettingsError> {
        let word = Self::WORDS.into_iter().find_map(|(word, warmup)| (word == text).then_some(warmup));
        let number = || text.parse().ok().map(Self::Iterations);
        word.or_else(number).ok_or_else(|| SettingsError::new("warmup", Self::wrong(&format!("\"{text}\""))))
    }
}

impl Serialize for Warmup {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match Self::WORDS.into_iter().find(|(_, warmup)| warmup == self) {
            Some((word, _)) => serializer.serialize_str(word),
            None => match self {
                Self::Iterations(iterations) => serializer.serialize_u64(*iterations),
                _ => Err(serde::ser::Error::custom("a warm-up without a word")),
            },
        }
    }
}

impl<'de> Deserialize<'de> for Warmup {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = Value::deserialize(deserializer)?;
        let read = match &given {
            Value::String(word) => word.parse().ok(),
            number => number.as_u64().map(Self::Iterations),
        };
        read.ok_or_else(|| D::Error::custom(Self::wrong(&given.to_string())))
    }
}
