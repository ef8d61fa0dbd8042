//! What a study claims of a sampler.

use serde::Deserialize;

/// How the sampler is said to compare with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// Its value is smaller, and the intervals do not overlap.
    Smaller,
    /// Its value is not larger, or the intervals overlap.
    NotLarger,
}

/// A claim that is checked against what comes out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// The claim in words.
    pub says: String,
    /// What is measured.
    pub measure: String,
    /// The sampler it is about.
    pub sampler: String,
    /// How it compares.
    pub relation: Relation,
    /// With which samplers; all others that are not extras if none is named.
    #[serde(default)]
    pub against: Vec<String>,
    /// On which targets; all if none is named.
    #[serde(default)]
    pub targets: Vec<String>,
}
