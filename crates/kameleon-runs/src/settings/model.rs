//! What is sampled: one of a built-in target, classification, an expression, a program, a library, a server.

use super::gp::{GpSettings, Samples};
use super::{Parameter, Parameters, SettingsError};
use kameleon::Choice;
use kameleon::any_target::AnyTarget;
use kameleon::registry::{read, same_name};
use kameleon_gp::{GLASS, GlassSettings};
use kameleon_models::posteriors::{Exact, NOISY, entries, exact};
use kameleon_models::{Expression, NoiseInput};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use toml::Value;

/// The section `[model]`. One of `target`, `gp`, `log-density`, `program`, `library`, `url` and `external` says what it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelSettings {
    /// A built-in target with its settings, such as `banana:b=0.1`; or a posterior of real data, such as `nile` or `cbpp`.
    pub target: Option<Choice>,
    /// The dimension of a built-in target; overrides its setting `dim`.
    pub dim: Option<usize>,
    /// The noise of a built-in target; overrides its setting `noise`.
    pub noise: Option<f64>,
    /// The log density as an expression of the parameters.
    pub log_density: Option<String>,
    /// A program and its arguments.
    pub program: Option<Vec<String>>,
    /// The folder the program runs in; by default that of the run file.
    pub folder: Option<PathBuf>,
    /// A shared library.
    pub library: Option<PathBuf>,
    /// The function in the library.
    pub symbol: Option<String>,
    /// A UM-Bridge server.
    pub url: Option<String>,
    /// The model's name on the server.
    pub model: Option<String>,
    /// Not a model of this file but the function of another program, in words.
    pub external: Option<String>,
    /// The prior of all parameters together, in words, where it is a function of that program too.
    pub external_prior: Option<String>,
    /// Whether the model returns an unbiased estimate, and what randomness it is given.
    pub noisy: Option<Noisy>,
    /// The seconds that an answer may take.
    pub timeout: Option<f64>,
    /// How often a program is asked for a point that it dies or hangs on.
    pub attempts: Option<u32>,
    /// How often a lost connection is tried again.
    pub retries: Option<u32>,
    /// The failure budget: the number of points in a row that may fail.
    pub failures: Option<u32>,
    /// What a point does at which the model fails: `"stop"`, the default, lets the failure budget decide, `"reject"` never ends the run.
    pub on_error: Option<OnError>,
    /// Text for a library, a table for a server.
    pub config: Option<Value>,
    /// Gaussian-process classification.
    pub gp: Option<GpSettings>,
}

/// What happens at a point where the model fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// The run ends: at once, or when the failure budget is spent.
    Stop,
    /// The point is rejected and counted.
    Reject,
}

/// Whether a model is noisy: `true`, `false`, `"own"`, `"seed"` or `{ normals = 3 }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "noisy should be true, false, \"own\", \"seed\" or { normals = COUNT }")]
pub enum Noisy {
    /// Yes, with randomness of its own; or no.
    Plainly(bool),
    /// What it is given.
    Given(NoiseInput),
}

impl Noisy {
    /// What the model is given.
    pub fn input(self) -> NoiseInput {
        match self {
            Self::Plainly(false) => NoiseInput::Exact,
            Self::Plainly(true) => NoiseInput::Own,
            Self::Given(input) => input,
        }
    }
}

/// Which kind of model is meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind<'a> {
    /// A built-in target whose truth is known.
    BuiltIn(&'a Choice),
    /// A likelihood of real data that comes with the library, and with priors of its parameters.
    Likelihood(&'a Choice),
    /// A posterior of real data that comes with the library: an estimate with the prior in it.
    Posterior(&'a Choice),
    /// Classification of the Glass data, or of a table.
    Gp,
    /// An expression.
    Expression(&'a str),
    /// A program with its arguments.
    Program(&'a [String]),
    /// A shared library.
    Library(&'a Path),
    /// A server.
    Server(&'a str),
    /// A function of the program that uses this library.
    External(&'a str),
}

/// The keys that say what the model is, in the order of their names in messages.
const KINDS: &str = "target, gp, log-density, program, library or url";

impl<'a> Kind<'a> {
    /// A target by name.
    fn named(choice: &'a Choice) -> Self {
        if exact(&choice.name).is_some() {
            Self::Likelihood(choice)
        } else if NOISY.iter().any(|entry| same_name(entry.name, &choice.name)) {
            Self::Posterior(choice)
        } else {
            Self::BuiltIn(choice)
        }
    }
}

impl ModelSettings {
    /// Which model is meant.
    pub fn kind(&self) -> Result<Kind<'_>, SettingsError> {
        let is_glass = self.is_glass();
        let target = self.target.as_ref().filter(|_| !is_glass);
        let gp = is_glass || self.gp.is_some();
        let found = [
            ("target", target.map(Kind::named)),
            ("gp", gp.then_some(Kind::Gp)),
            ("log-density", self.log_density.as_deref().map(Kind::Expression)),
            ("program", self.program.as_deref().map(Kind::Program)),
            ("library", self.library.as_deref().map(Kind::Library)),
            ("url", self.url.as_deref().map(Kind::Server)),
            ("external", self.external.as_deref().map(Kind::External)),
        ];
        let mut found = found.into_iter().filter_map(|(key, kind)| Some((key, kind?)));
        let Some((first, kind)) = found.next() else {
            return Err(SettingsError::new("model", format!("does not say what to sample; give one of {KINDS}")));
        };
        match found.next() {
            None => Ok(kind),
            Some((second, _)) => Err(SettingsError::new(
                format!("model.{second}"),
                format!("{first} is given too, and a run has one model: give one of {KINDS}"),
            )),
        }
    }

    /// Whether the data are the Glass data that come with the program.
    pub fn is_glass(&self) -> bool {
        self.target.as_ref().is_some_and(|choice| same_name(&choice.name, GLASS.name))
    }

    /// The classification problem, with the settings that were given with the name `glass`.
    pub(crate) fn classification(&self) -> Result<GpSettings, SettingsError> {
        let mut gp = self.gp.clone().unwrap_or_default();
        if let Some(choice) = &self.target {
            let settings = GLASS.known(&choice.settings).and_then(read);
            let GlassSettings { n_imp, published } = settings.map_err(|error| error.within("model.target"))?;
            if let (Some(count), Samples::Auto) = (n_imp, gp.n_imp) {
                gp.n_imp = Samples::Count(count);
            }
            if published {
                gp.parametrisation.get_or_insert("published".into());
            }
        }
        Ok(gp)
    }

    /// The built-in target or posterior of this name; `names` is the number of parameters that have a name.
    pub(crate) fn named(&self, choice: &Choice, names: usize) -> Result<AnyTarget<'static>, SettingsError> {
        let mut chosen = choice.clone();
        let entry =
            AnyTarget::entry(choice, entries().chain([&GLASS])).map_err(|error| error.within("model.target"))?;
        let dim = self.dim.or((names > 0 && !choice.settings.contains_key("dim")).then_some(names));
        if let (Some(dim), true) = (dim, entry.has("dim")) {
            chosen.set("dim", dim);
        }
        if let Some(noise) = self.noise {
            chosen.set("noise", noise);
        }
        entry.build(&chosen.settings).map_err(|error| match choice.settings.contains_key(&error.setting) {
            false if ["dim", "noise"].contains(&error.setting.as_str()) => error.within("model"),
            _ => error.within("model.target"),
        })
    }

    /// The parameters as they were given; for a likelihood that comes with the library, all of its own, with its priors where
    /// none is given.
    pub fn parameters(&self, given: &Parameters) -> Result<Parameters, SettingsError> {
        let Some(Exact { entry, parameters }) = self.target.as_ref().and_then(|choice| exact(&choice.name)) else {
            return Ok(given.clone());
        };
        let known: Vec<&str> = parameters.iter().map(|(name, _)| *name).collect();
        if let Some((name, _)) = given.0.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            let what = format!("{} has no parameter `{name}`; it has {}", entry.name, known.join(", "));
            return Err(SettingsError::new("parameters", what));
        }
        let complete = |(name, prior): &(&str, &str)| {
            let given = given.0.iter().find(|(given, _)| given == name).map(|(_, parameter)| parameter.clone());
            let mut parameter: Parameter = given.unwrap_or_default();
            if parameter.prior.is_none() {
                let wrong = |error: kameleon_models::ModelError| SettingsError::new(*name, error.to_string());
                parameter.prior = Some(prior.parse().map_err(wrong)?);
            }
            Ok(((*name).into(), parameter))
        };
        parameters.iter().map(complete).collect::<Result<_, _>>().map(Parameters)
    }

    /// What is sampled, for people.
    pub fn name(&self) -> String {
        match self.kind() {
            Ok(Kind::BuiltIn(choice) | Kind::Likelihood(choice) | Kind::Posterior(choice)) => choice.to_string(),
            Ok(Kind::Expression(text) | Kind::Server(text) | Kind::External(text)) => text.into(),
            Ok(Kind::Gp) => self
                .gp
                .as_ref()
                .and_then(|gp| gp.data.as_ref())
                .map_or("glass".into(), |data| data.display().to_string()),
            Ok(Kind::Program(command)) => command.join(" "),
            Ok(Kind::Library(path)) => path.display().to_string(),
            Err(_) => "nothing".into(),
        }
    }

    /// Whether the log density is an estimate.
    pub fn is_noisy(&self) -> bool {
        let estimated = matches!(self.kind(), Ok(Kind::Gp | Kind::Posterior(_)));
        let set = self.target.as_ref().and_then(|choice| choice.settings.get("noise")?.as_f64());
        estimated || self.noise.or(set).is_some_and(|sd| sd > 0.0) || self.noise_input().is_noisy()
    }

    /// How many points in a row may fail; `usual` if nothing is said.
    pub(crate) fn failure_budget(&self, usual: u32) -> u32 {
        if self.on_error == Some(OnError::Reject) { u32::MAX } else { self.failures.unwrap_or(usual) }
    }

    /// What the model is given for its noise.
    pub fn noise_input(&self) -> NoiseInput {
        self.noisy.map_or(NoiseInput::Exact, Noisy::input)
    }

    /// Warm-up and draws that take a minute or less, unless the model is slow.
    pub(crate) fn default_length(&self) -> (u64, u64) {
        match self.kind() {
            Ok(Kind::BuiltIn(_)) => (50_000, 100_000),
            Ok(Kind::Likelihood(_) | Kind::Expression(_) | Kind::Library(_)) => (20_000, 80_000),
            _ => (5_000, 20_000),
        }
    }

    pub(super) fn check(&self, parameters: &Parameters) -> Result<(), SettingsError> {
        let kind = self.kind()?;
        self.check_keys(kind)?;
        let what = "this model needs its parameters by name, such as parameters = [\"a\", \"b\"]";
        let named = || SettingsError::demand("parameters", !parameters.is_empty(), what);
        match kind {
            Kind::BuiltIn(choice) | Kind::Likelihood(choice) | Kind::Posterior(choice) => {
                self.named(choice, parameters.names().len()).map(drop)
            }
            Kind::Gp => self.classification()?.check(self.target.is_some()),
            Kind::Expression(text) => {
                named()?;
                let wrong =
                    |error: kameleon_models::ModelError| SettingsError::new("model.log-density", error.to_string());
                Expression::new(text, &parameters.names()).map(drop).map_err(wrong)
            }
            Kind::External(_) => Ok(()),
            Kind::Program(_) | Kind::Library(_) | Kind::Server(_) => named(),
        }?;
        if self.external_prior.is_some() {
            let what = "is a prior of all parameters: none can have a prior of its own besides";
            let none = parameters.0.iter().all(|(_, parameter)| parameter.prior.is_none());
            SettingsError::demand("model.external-prior", none, what)?;
        }
        if let Some(seconds) = self.timeout {
            let ok = seconds > 0.0 && seconds <= 365.0 * 86400.0;
            let what = format!("must be positive and at most a year, in seconds, not {seconds}");
            SettingsError::demand("model.timeout", ok, &what)?;
        }
        Ok(())
    }

    /// An error for a key that does not apply to the model.
    fn check_keys(&self, kind: Kind<'_>) -> Result<(), SettingsError> {
        let (built_in, gp) = (matches!(kind, Kind::BuiltIn(_)), kind == Kind::Gp);
        let has_dim = built_in || gp || matches!(kind, Kind::Likelihood(_) | Kind::Posterior(_));
        let (program, library) = (matches!(kind, Kind::Program(_)), matches!(kind, Kind::Library(_)));
        let server = matches!(kind, Kind::Server(_));
        let outside = program || library || server || matches!(kind, Kind::External(_));
        let keys = [
            ("external-prior", self.external_prior.is_some(), matches!(kind, Kind::External(_)), "external models"),
            ("dim", self.dim.is_some(), has_dim, "built-in targets"),
            ("noise", self.noise.is_some_and(|sd| sd != 0.0), built_in, "built-in targets; for other models use noisy"),
            ("gp", self.gp.is_some(), gp, "classification"),
            ("noisy", self.noisy.is_some(), outside, "programs, libraries and servers"),
            ("folder", self.folder.is_some(), program, "programs"),
            ("attempts", self.attempts.is_some(), program, "programs"),
            ("symbol", self.symbol.is_some(), library, "libraries"),
            ("model", self.model.is_some(), server, "servers"),
            ("retries", self.retries.is_some(), server, "servers"),
            ("timeout", self.timeout.is_some(), program || server, "programs and servers"),
            ("failures", self.failures.is_some(), program || server, "programs and servers"),
            ("on-error", self.on_error.is_some(), outside && !library, "programs, servers and functions"),
            ("config", self.config.is_some(), library || server, "libraries and servers"),
        ];
        match keys.into_iter().find(|(_, given, fits, _)| *given && !fits) {
            Some((key, _, _, whose)) => Err(SettingsError::new(format!("model.{key}"), format!("is for {whose}"))),
            None => Ok(()),
        }
    }

    /// Paths become independent of the folder the program runs in.
    pub(super) fn anchor(&mut self, base: &Path) {
        // By its components, which leaves out every `.`.
        let anchored = |path: &Path| base.join(path).components().collect::<PathBuf>();
        if let Some(library) = &mut self.library {
            *library = anchored(library);
        }
        if let Some(data) = self.gp.as_mut().and_then(|gp| gp.data.as_mut()) {
            *data = anchored(data);
        }
        if let Some(command) = &mut self.program {
            self.folder = Some(anchored(self.folder.as_deref().unwrap_or(Path::new(""))));
            // A name without a slash is looked up in the PATH; a path would be relative to who knows which folder.
            if let Some(first) = command.first_mut().filter(|first| first.contains('/')) {
                *first = anchored(Path::new(first.as_str())).display().to_string();
            }
        }
    }
}
