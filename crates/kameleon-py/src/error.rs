//! Errors of the Rust crates as the exceptions of `kameleon.errors`.

use crate::words;
use kameleon::EvalError;
use kameleon::chain::ChainError;
use kameleon::sampler;
use kameleon_gp::GpError;
use kameleon_runs::RunError;
use pyo3::PyErr;

pyo3::import_exception!(kameleon.errors, SettingsError);
pyo3::import_exception!(kameleon.errors, StartError);
pyo3::import_exception!(kameleon.errors, EvaluationError);
pyo3::import_exception!(kameleon.errors, StoreError);

/// A setting that is not allowed: names the argument and says what is allowed.
pub fn setting(name: impl Into<String>, what: impl Into<String>) -> PyErr {
    SettingsError::new_err((name.into(), words::of_python(&what.into())))
}

/// An error at a key of a run file, such as `run.max-draws`, as an error in the corresponding argument.
pub fn argument(key: &str, what: &str) -> PyErr {
    let (section, rest) = key.split_once('.').unwrap_or(("", key));
    match (section, rest.rsplit_once('.')) {
        ("parameters", Some((name, "prior"))) => setting("priors", format!("{name}: {what}")),
        ("parameters", Some((name, "lower" | "upper"))) => setting("bounds", format!("{name}: {what}")),
        ("run", _) if rest == "correlation" => setting("correlated", what),
        // The settings of a built-in target are arguments of its class.
        ("model", Some(("target", key))) => setting(key.replace('-', "_"), what),
        ("population", _) => setting("population", format!("{}: {what}", rest.replace('-', "_"))),
        ("model" | "run" | "output", _) => setting(rest.replace('-', "_"), what),
        _ => setting(key.replace('-', "_"), what),
    }
}

/// A sampler or plan that was rejected.
pub fn settings(error: sampler::SettingsError) -> PyErr {
    // An error in a nested setting, such as `kernel.order`, names the argument that contains it.
    match error.setting.split_once('.') {
        Some((argument, inner)) => setting(argument.replace('-', "_"), format!("{inner}: {}", error.what)),
        None => setting(error.setting.replace('-', "_"), error.what),
    }
}

/// A chain that could not be made.
pub fn start(error: sampler::StartError) -> PyErr {
    match error {
        sampler::StartError::Settings(error) => settings(error),
        sampler::StartError::Chain(error) => chain(&error),
    }
}

/// A chain that cannot continue.
pub fn chain(error: &ChainError) -> PyErr {
    match error {
        error if error.is_at_start() => StartError::new_err(error.to_string()),
        _ => EvaluationError::new_err(error.to_string()),
    }
}

/// A run that could not be created, resumed or read.
pub fn run(error: RunError) -> PyErr {
    match error {
        RunError::Settings(error) if error.place.is_empty() => argument(&error.setting, &error.what),
        RunError::Start(error) => start(error),
        RunError::Model(_) => setting("log_density", error.to_string()),
        RunError::OtherModel(what) => {
            StoreError::new_err(format!("{what}. Pass what was sampled, or trust=True to continue with this"))
        }
        RunError::Gp { .. } => setting("gp", error.to_string()),
        _ => StoreError::new_err(error.to_string()),
    }
}

/// A classification problem that cannot be set up.
pub fn gp(error: GpError) -> PyErr {
    setting("gp", error.to_string())
}

/// A point at which a target has no value.
pub fn evaluation(error: EvalError) -> PyErr {
    match error {
        EvalError::Fatal(source) => match source.downcast::<PyErr>() {
            Ok(error) => *error,
            Err(source) => EvaluationError::new_err(source.to_string()),
        },
        EvalError::Reject(why) | EvalError::Failed(why) => EvaluationError::new_err(why),
    }
}
