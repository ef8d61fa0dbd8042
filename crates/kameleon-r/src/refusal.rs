//! Why there is no result: which argument was wrong, and what to do about it.

use crate::{value, words};
use extendr_api::prelude::*;
use kameleon::sampler::StartError;
use kameleon_runs::{RunError, SettingsError};

/// What R makes an error of.
#[derive(Debug)]
pub struct Refusal {
    /// The argument; none where no argument is to blame.
    argument: Option<String>,
    what: String,
}

impl Refusal {
    /// An argument that is not allowed.
    pub fn new(argument: impl Into<String>, what: impl AsRef<str>) -> Self {
        Self { argument: Some(argument.into()), what: words::of_r(what.as_ref()) }
    }

    /// Something that no argument is to blame for.
    pub fn plain(what: impl AsRef<str>) -> Self {
        Self { argument: None, what: words::of_r(what.as_ref()) }
    }

    /// An error at a key of a run file, such as `run.max-draws`, as an error in the corresponding argument.
    pub fn at_key(key: &str, what: &str) -> Self {
        let (section, rest) = key.split_once('.').unwrap_or(("", key));
        let argument = match (section, rest.rsplit_once('.')) {
            ("parameters", Some((name, "prior"))) => return Self::new("priors", format!("{name}: {what}")),
            ("parameters", Some((name, end @ ("lower" | "upper" | "periodic" | "start")))) => {
                return Self::new(end, format!("{name}: {what}"));
            }
            ("run", _) if rest == "correlation" => "correlated",
            ("run", _) if rest == "threads" => "cores",
            ("model", Some(("target", key))) => return Self::new("log_density", format!("{key}: {what}")),
            ("model", _) if ["target", "dim", "noise", "log-density"].contains(&rest) => "log_density",
            ("sampler" | "population", _) => return Self::new(section, format!("{rest}: {what}")),
            ("", _) if key == "model" => "log_density",
            ("", _) if key == "parameters" => "names",
            ("model" | "run" | "output", _) => rest,
            _ => key,
        };
        Self::new(argument.replace('-', "_"), what)
    }

    /// Settings that are not allowed.
    pub fn of_settings(error: SettingsError) -> Self {
        Self::at_key(&error.setting, &error.what)
    }

    /// A run that could not be created, resumed or read.
    pub fn of_run(error: RunError) -> Self {
        match error {
            RunError::Settings(error) if error.place.is_empty() => Self::of_settings(error),
            RunError::Start(StartError::Settings(error)) => Self::of_settings(error),
            RunError::Model(_) | RunError::Gp { .. } => Self::new("log_density", error.to_string()),
            RunError::OtherModel(what) => {
                Self::plain(format!("{what}. Pass what was sampled, or trust = TRUE to continue with this"))
            }
            _ => Self::plain(error.to_string()),
        }
    }
}

/// The value for R, or the refusal as a list of class `kameleon_refusal`.
pub fn answer(found: std::result::Result<Robj, Refusal>) -> Robj {
    found.unwrap_or_else(|refusal| {
        let argument = refusal.argument.map_or_else(|| ().into(), Robj::from);
        let mut list = value::named([("argument", argument), ("what", refusal.what.into())]);
        // Setting a class cannot fail for a list.
        let _ = list.set_class(["kameleon_refusal"]);
        list
    })
}
