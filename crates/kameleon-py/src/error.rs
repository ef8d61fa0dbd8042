//! Errors of the Rust crates as the exceptions of `kameleon.errors`.

use kameleon::chain::ChainError;
use kameleon::sampler;
use kameleon::target::{EvalError, TargetError};
use kameleon_gp::GpError;
use kameleon_models::ModelError;
use pyo3::PyErr;

pyo3::import_exception!(kameleon.errors, SettingsError);
pyo3::import_exception!(kameleon.errors, StartError);
pyo3::import_exception!(kameleon.errors, EvaluationError);

/// A setting that makes no sense: names the argument and says what is allowed.
pub fn setting(name: impl Into<String>, what: impl Into<String>) -> PyErr {
    SettingsError::new_err((name.into(), what.into()))
}

/// A sampler or plan that was refused.
pub fn settings(error: sampler::SettingsError) -> PyErr {
    setting(error.setting, error.what)
}

/// A chain that could not be made.
pub fn start(error: sampler::StartError) -> PyErr {
    match error {
        sampler::StartError::Settings(error) => settings(error),
        sampler::StartError::Chain(error) => chain(&error),
    }
}

/// A chain that cannot go on.
pub fn chain(error: &ChainError) -> PyErr {
    match error {
        ChainError::Start { .. } => StartError::new_err(error.to_string()),
        _ => EvaluationError::new_err(error.to_string()),
    }
}

/// A built-in target with impossible parameters.
pub fn target(error: TargetError) -> PyErr {
    setting(error.target, error.what)
}

/// A model from outside that cannot be used.
pub fn model(error: ModelError) -> PyErr {
    setting("log_density", error.to_string())
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
        EvalError::Reject(why) => EvaluationError::new_err(why),
    }
}
