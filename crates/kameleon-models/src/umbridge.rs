//! A log density served over HTTP with the UM-Bridge protocol (version 1), from any language or container.

mod http;
mod protocol;

use crate::error::{ModelError, check_names, check_timeout, demand};
use crate::failure_budget::FailureBudget;
use crate::noise::NoiseInput;
use crate::reply;
use http::{Http, HttpError};
use kameleon::target::NO_GRADIENT;
use kameleon::{EvalError, Evaluation, Noise, Target};
use protocol::{Differentiated, Evaluated, Question, ServerError, Shape, Slopes};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// The server, its model, and limits on time, retries and failures.
#[derive(Clone, Debug)]
pub struct UmBridgeSettings {
    /// Where the server is, such as `http://localhost:4242`.
    pub url: String,
    /// The model's name; it may be omitted if the server has only one.
    pub model: Option<String>,
    /// Settings sent to the model with every point.
    pub config: Map<String, Value>,
    /// Whether the model is noisy. A seed becomes the entry `seed` of the config; normals are a last input block.
    pub noise: NoiseInput,
    /// How long an answer may take.
    pub timeout: Duration,
    /// The number of attempts to reconnect before the run ends.
    pub retries: u32,
    /// The pause before the second attempt; it doubles each time, up to five seconds. The first attempt is immediate.
    pub pause: Duration,
    /// The number of consecutive points at which the model may fail or not answer; the next one ends the run.
    pub failures: u32,
    /// The longest answer in bytes.
    pub longest_reply: u64,
}

impl UmBridgeSettings {
    /// The server at `url` with the defaults: its only model, no config, exact, one minute, 8 retries (about 11 seconds),
    /// three failures, 1 MiB.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            model: None,
            config: Map::new(),
            noise: NoiseInput::Exact,
            timeout: Duration::from_secs(60),
            retries: 8,
            pause: Duration::from_millis(100),
            failures: 3,
            longest_reply: 1 << 20,
        }
    }
}

/// What a server answered: what was asked for, or its error; or why that cannot be read.
type Answer<V> = Result<Result<V, ServerError>, String>;

/// A model on a UM-Bridge server as a target. A clone has a connection of its own.
#[derive(Clone, Debug)]
pub struct UmBridge {
    settings: Arc<UmBridgeSettings>,
    names: Arc<Vec<String>>,
    model: String,
    shape: Shape,
    http: Http,
    config: Map<String, Value>,
    failures: FailureBudget,
}

impl UmBridge {
    /// Connects, and checks that the server has the model, that it takes the parameters `names` (its input blocks one
    /// after another), and that it returns one number.
    pub fn connect(mut settings: UmBridgeSettings, names: &[String]) -> Result<Self, ModelError> {
        check_names(names)?;
        settings.url.truncate(settings.url.trim_end_matches('/').len());
        let plain = settings.url.starts_with("http://") && settings.url.len() > "http://".len();
        demand(plain, "model server", || {
            format!("the address must have the form http://localhost:4242, not {}", settings.url)
        })?;
        check_timeout("model server", settings.timeout)?;
        let settings = Arc::new(settings);
        let http = Http::new(Arc::clone(&settings));
        let wrong = |why: String| ModelError::new(format_args!("model server {}", settings.url), why);
        let model = protocol::choose_model(&http, settings.model.as_deref()).map_err(wrong)?;
        let shape = protocol::shape(&http, &model, &settings, names.len()).map_err(wrong)?;
        Ok(Self {
            config: settings.config.clone(),
            failures: FailureBudget::new(settings.failures),
            names: Arc::new(names.to_vec()),
            settings,
            model,
            shape,
            http,
        })
    }

    /// The point and the normals, cut into the model's input blocks.
    fn input<'a>(&self, mut x: &'a [f64], normals: &'a [f64]) -> Vec<&'a [f64]> {
        let mut blocks = Vec::with_capacity(self.shape.blocks.len() + 1);
        for &size in &self.shape.blocks {
            let (block, rest) = x.split_at(size);
            blocks.push(block);
            x = rest;
        }
        if let NoiseInput::Normals(_) = self.settings.noise {
            blocks.push(normals);
        }
        blocks
    }

    /// Asks for a value, or for slopes, and reads the answer.
    fn ask<V>(
        &mut self,
        (x, normals): (&[f64], &[f64]),
        slopes: Option<Slopes>,
        read: impl FnOnce(&[u8]) -> Answer<V>,
    ) -> Result<V, EvalError> {
        let what = if slopes.is_some() { "Gradient" } else { "Evaluate" };
        let input = self.input(x, normals);
        let question = Question { name: &self.model, input: Some(&input), config: &self.config, slopes };
        match self.http.post(what, &question) {
            Ok((status, body)) => self.judge(status, &body, read(&body)),
            Err(error @ HttpError::Timeout(_)) => {
                Err(self.failures.fail(format!("model server {}: {error}", self.settings.url)))
            }
            Err(error) => Err(EvalError::fatal(format!("model server {}: {error}", self.settings.url))),
        }
    }

    /// Prepares the randomness of a point.
    fn prepare(&mut self, x: &[f64], noise: &mut Noise<'_>) -> Result<(), EvalError> {
        if x.iter().any(|x| !x.is_finite()) {
            return Err(EvalError::reject("the point is not finite"));
        }
        if let Some(seed) = self.settings.noise.seed(noise) {
            self.config.insert("seed".into(), seed.into());
        }
        Ok(())
    }

    fn value(&mut self, x: &[f64], normals: &[f64]) -> Evaluation {
        self.ask((x, normals), None, |body| reply::read::<Evaluated>(body).and_then(Evaluated::value))
    }

    /// The meaning of an answer: a value, a failed point, or the end of the run.
    fn judge<V>(&mut self, status: u16, body: &[u8], answer: Answer<V>) -> Result<V, EvalError> {
        let at = format!("model server {}", self.settings.url);
        match (status, answer) {
            (200, Ok(Ok(value))) => Ok(value),
            (_, Ok(Err(error))) if error.is_final() => Err(EvalError::fatal(format!("{at}: {error}"))),
            (_, Ok(Err(error))) => Err(self.failures.fail(format!("{at}: {error}"))),
            // Several servers report an exception in the model as a bare status 500: other points may still be good.
            (500, _) => {
                Err(self.failures.fail(format!("{at}: the model failed (status 500): {}", reply::excerpt(body))))
            }
            (200, Err(why)) => {
                let shown = reply::excerpt(body);
                Err(EvalError::fatal(format!("{at}: its answer cannot be read: {why}; it wrote: {shown}")))
            }
            _ => Err(EvalError::fatal(format!("{at}: it answered with status {status}: {}", reply::excerpt(body)))),
        }
    }
}

impl Target for UmBridge {
    fn dim(&self) -> Option<usize> {
        Some(self.names.len())
    }

    fn names(&self, _dim: usize) -> Vec<String> {
        self.names.to_vec()
    }

    fn normals(&self) -> usize {
        self.settings.noise.normals()
    }

    fn log_density(&mut self, x: &[f64], mut noise: Noise<'_>) -> Evaluation {
        self.prepare(x, &mut noise)?;
        let value = self.value(x, noise.normals)?;
        self.failures.reset();
        Ok(value)
    }

    fn has_gradient(&self) -> bool {
        self.shape.gradient.is_some()
    }

    /// One question for the value, and one for the slopes along each input block.
    fn gradient(&mut self, x: &[f64], mut noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        let Shape { gradient: Some(output), blocks } = self.shape.clone() else {
            return Err(EvalError::fatal(NO_GRADIENT));
        };
        self.prepare(x, &mut noise)?;
        let value = self.value(x, noise.normals)?;
        let mut left = gradient;
        for (input, size) in blocks.into_iter().enumerate().filter(|_| value.is_finite()) {
            let (part, rest) = std::mem::take(&mut left).split_at_mut(size);
            let read = |body: &[u8]| reply::read::<Differentiated>(body).and_then(|answer| answer.write(part));
            self.ask((x, noise.normals), Some(Slopes { output, input, sens: [1.0] }), read)?;
            left = rest;
        }
        self.failures.reset();
        Ok(value)
    }
}
