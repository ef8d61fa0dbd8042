//! The model named in the settings, opened: connected, loaded, its data read.

use crate::error::RunError;
use crate::gp::GpModel;
use crate::settings::{Kind, ModelSettings, RunSettings, SettingsError};
use kameleon::any_target::AnyTarget;
use kameleon::{Evaluation, Known, Noise, Target};
use kameleon_models::{Expression, LibrarySettings, SharedLibrary, UmBridge, UmBridgeSettings, WithPrior};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Whatever is sampled, in the parameters' own units.
#[derive(Clone)]
pub struct Model {
    target: AnyTarget<'static>,
    gp: Option<Arc<GpModel>>,
}

impl Model {
    /// Opens the model. A program is started when it is first asked, a library is loaded here: both run foreign code, so
    /// the settings must be the user's own.
    pub fn open(settings: &RunSettings) -> Result<Self, RunError> {
        settings.check()?;
        let (model, names) = (&settings.model, settings.parameters.names());
        let mut gp = None;
        let target = match model.kind()? {
            Kind::BuiltIn(choice) | Kind::Likelihood(choice) | Kind::Posterior(choice) => {
                model.named(choice, names.len())?
            }
            Kind::Gp => {
                let problem = gp.insert(Arc::new(GpModel::open(model, settings.run.seed)?));
                AnyTarget::new(problem.target.clone())
            }
            Kind::Expression(text) => AnyTarget::new(Expression::new(text, &names)?),
            Kind::Program(command) => program(model, command, &names)?,
            Kind::Library(path) => library(model, path, &names)?,
            Kind::Server(url) => server(model, url, &names)?,
            Kind::External(what) => {
                let what = format!("{what} is a function of another program, and only that program can evaluate it");
                return Err(SettingsError::new("model.external", what).into());
            }
        };
        if let (Some(asked), Some(dim)) = (model.dim, target.dim())
            && asked != dim
        {
            let what = format!("{asked}: {} has {dim} parameters; leave dim out", model.name());
            return Err(SettingsError::new("model.dim", what).into());
        }
        Ok(Self { target, gp })
    }

    /// The model with the priors of its parameters, in the parameters' own units.
    pub fn with_priors(settings: &RunSettings) -> Result<WithPrior<Self>, RunError> {
        let model = Self::open(settings)?;
        let parameters = settings.model.parameters(&settings.parameters)?;
        let priors = parameters.0.iter().map(|(_, parameter)| parameter.prior).collect();
        Ok(WithPrior::within(model, priors, &parameters.bounds()?)?)
    }

    /// The classification problem, if it is one.
    pub fn gp(&self) -> Option<&GpModel> {
        self.gp.as_deref()
    }

    /// Puts into the settings what was chosen when the model was opened, so that it is the same when the run is resumed.
    pub fn settle(&self, settings: &mut RunSettings) {
        if let Some(model) = &self.gp {
            model.settle(settings.model.gp.get_or_insert_default());
        }
    }
}

impl Target for Model {
    fn inner(&self) -> Option<&dyn Target> {
        Some(&self.target)
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        self.target.log_density(x, noise)
    }

    fn has_gradient(&self) -> bool {
        self.target.has_gradient()
    }

    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        self.target.gradient(x, noise, gradient)
    }

    fn known(&self) -> Option<&dyn Known> {
        self.target.known()
    }
}

#[cfg(unix)]
fn program(settings: &ModelSettings, command: &[String], names: &[String]) -> Result<AnyTarget<'static>, RunError> {
    use kameleon_models::{Program, ProgramSettings};
    let defaults = ProgramSettings::new(command);
    let program = ProgramSettings {
        folder: settings.folder.clone().filter(|folder| !folder.as_os_str().is_empty()),
        noise: settings.noise_input(),
        timeout: settings.timeout.map_or(defaults.timeout, Duration::from_secs_f64),
        attempts: settings.attempts.unwrap_or(defaults.attempts),
        failures: settings.failure_budget(defaults.failures),
        ..defaults
    };
    Ok(AnyTarget::new(Program::new(program, names)?))
}

#[cfg(not(unix))]
fn program(_: &ModelSettings, _: &[String], _: &[String]) -> Result<AnyTarget<'static>, RunError> {
    Err(SettingsError::new("model.program", "programs need a Unix system; try a server or a library").into())
}

#[expect(unsafe_code)]
fn library(settings: &ModelSettings, path: &Path, names: &[String]) -> Result<AnyTarget<'static>, RunError> {
    let config = match &settings.config {
        None => String::new(),
        Some(toml::Value::String(text)) => text.clone(),
        Some(_) => return Err(SettingsError::new("model.config", "must be text for a library").into()),
    };
    let (symbol, noise) = (settings.symbol.clone(), settings.noise_input());
    let library = LibrarySettings { path: path.to_path_buf(), symbol, config, noise };
    // SAFETY: the user named this library in a run file of their own, or said that they trust the folder of the run; the
    // documentation states what its functions must be.
    Ok(AnyTarget::new(unsafe { SharedLibrary::load(library, names) }?))
}

fn server(settings: &ModelSettings, url: &str, names: &[String]) -> Result<AnyTarget<'static>, RunError> {
    let wrong = |what: &str| SettingsError::new("model.config", what);
    let config = match &settings.config {
        None => Default::default(),
        Some(table @ toml::Value::Table(_)) => match serde_json::to_value(table) {
            Ok(serde_json::Value::Object(config)) => config,
            _ => return Err(wrong("cannot be written as JSON").into()),
        },
        Some(_) => return Err(wrong("must be a table for a server").into()),
    };
    let defaults = UmBridgeSettings::new(url);
    let server = UmBridgeSettings {
        model: settings.model.clone(),
        config,
        noise: settings.noise_input(),
        timeout: settings.timeout.map_or(defaults.timeout, Duration::from_secs_f64),
        retries: settings.retries.unwrap_or(defaults.retries),
        failures: settings.failure_budget(defaults.failures),
        ..defaults
    };
    Ok(AnyTarget::new(UmBridge::connect(server, names)?))
}
