//! The scale of a run, and numbers that depend on it.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::fmt;

/// The scale of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Seconds: for tests.
    Tiny,
    /// Minutes.
    Quick,
    /// The numbers of the paper.
    Paper,
}

impl Scale {
    pub(crate) const ALL: [Self; 3] = [Self::Tiny, Self::Quick, Self::Paper];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tiny => "tiny",
            Self::Quick => "quick",
            Self::Paper => "paper",
        }
    }
}

/// A whole number, the same at every scale or one for each: `20`, or `{ quick = 8, paper = 20 }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaled {
    tiny: u64,
    quick: u64,
    paper: u64,
}

impl Scaled {
    /// The number at this scale.
    pub fn at(self, scale: Scale) -> u64 {
        match scale {
            Scale::Tiny => self.tiny,
            Scale::Quick => self.quick,
            Scale::Paper => self.paper,
        }
    }

    /// The number of chains in the paper's synthetic experiments.
    pub(crate) fn twenty() -> Self {
        Self::same(20)
    }

    /// No thinning.
    pub(crate) fn one() -> Self {
        Self::same(1)
    }

    fn same(number: u64) -> Self {
        Self { tiny: number, quick: number, paper: number }
    }
}

impl<'de> Deserialize<'de> for Scaled {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScaledVisitor)
    }
}

struct ScaledVisitor;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Levels {
    tiny: Option<u64>,
    quick: u64,
    paper: u64,
}

impl<'de> Visitor<'de> for ScaledVisitor {
    type Value = Scaled;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number, or one for each scale as in { quick = 8, paper = 20 }")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Scaled, E> {
        Ok(Scaled::same(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Scaled, E> {
        match u64::try_from(number) {
            Ok(number) => Ok(Scaled::same(number)),
            Err(_) => Err(E::custom(format!("must not be negative, but is {number}"))),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Scaled, A::Error> {
        let Levels { tiny, quick, paper } = Levels::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Scaled { tiny: tiny.unwrap_or(quick), quick, paper })
    }
}
