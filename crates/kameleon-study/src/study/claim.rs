//! What a study claims about a sampler.

use serde::Deserialize;

/// How the sampler compares with others according to the claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// Its value is smaller, and the intervals do not overlap.
    Smaller,
    /// Its value is not larger, or the intervals overlap.
    NotLarger,
}

/// A claim that is checked against the results.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// The claim in words.
    pub says: String,
    /// What is measured.
    pub measure: String,
    /// The sampler it is about.
    pub sampler: String,
    pub relation: Relation,
    /// The samplers it is compared with; by default all others that are not extras.
    #[serde(default)]
    pub against: Vec<String>,
    /// The targets; all by default.
    #[serde(default)]
    pub targets: Vec<String>,
}
