//! Priors as text, such as `normal(0, 1)`: how a run file writes them.

use super::{Family, Prior};
use crate::error::ModelError;
use std::fmt;
use std::str::FromStr;

/// The families with their settings, as they are shown and read.
const FAMILIES: [(Family, &str, &[&str]); 6] = [
    (Family::Normal, "normal", &["mean", "sd"]),
    (Family::Uniform, "uniform", &["lower", "upper"]),
    (Family::Gamma, "gamma", &["shape", "rate"]),
    (Family::Beta, "beta", &["alpha", "beta"]),
    (Family::HalfCauchy, "half-cauchy", &["scale"]),
    (Family::LogNormal, "log-normal", &["mu", "sigma"]),
];

impl fmt::Display for Prior {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (family, name, settings) in FAMILIES {
            if family == self.family {
                // `{:?}` writes very large and small numbers with an exponent.
                let values: Vec<String> = self.settings[..settings.len()].iter().map(|v| format!("{v:?}")).collect();
                write!(f, "{name}({})", values.join(", "))?;
            }
        }
        Ok(())
    }
}

impl FromStr for Prior {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        let wrong = || ModelError::Setting {
            of: format!("prior `{text}`"),
            why: format!(
                "is none of {}",
                FAMILIES.map(|(_, name, of)| format!("{name}({})", of.join(", "))).join(", ")
            ),
        };
        let (name, rest) = text.trim().split_once('(').ok_or_else(wrong)?;
        let name = name.trim().replace('_', "-");
        let list = rest.strip_suffix(')').ok_or_else(wrong)?;
        let (family, _, settings) = FAMILIES.into_iter().find(|family| family.1 == name).ok_or_else(wrong)?;
        let values: Result<Vec<f64>, _> = list.split(',').map(|value| value.trim().parse()).collect();
        match (family, values.as_deref()) {
            (Family::HalfCauchy, Ok(&[scale])) => Self::half_cauchy(scale),
            (Family::Normal, Ok(&[mean, sd])) => Self::normal(mean, sd),
            (Family::Uniform, Ok(&[lower, upper])) => Self::uniform(lower, upper),
            (Family::Gamma, Ok(&[shape, rate])) => Self::gamma(shape, rate),
            (Family::Beta, Ok(&[alpha, beta])) => Self::beta(alpha, beta),
            (Family::LogNormal, Ok(&[mu, sigma])) => Self::log_normal(mu, sigma),
            _ => Err(ModelError::Setting {
                of: format!("prior `{text}`"),
                why: format!("{name} takes {} as numbers", settings.join(" and ")),
            }),
        }
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
