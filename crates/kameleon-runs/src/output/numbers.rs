//! Numbers as JSON has them.

use serde::{Deserialize, Deserializer};

/// Numbers, with NaN for the null that JSON has in place of what is not finite.
pub fn numbers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<f64>, D::Error> {
    let found: Vec<Option<f64>> = Vec::deserialize(deserializer)?;
    Ok(found.into_iter().map(|number| number.unwrap_or(f64::NAN)).collect())
}
