//! A log density served over HTTP by the UM-Bridge protocol (version 1), by a model in any language or container.

mod http;
mod protocol;

use crate::error::{ModelError, check_names, check_timeout, demand};
use crate::noise::NoiseInput;
use crate::patience::Patience;
use crate::reply;
use http::{Http, Trouble};
use kameleon::{EvalError, Evaluation, Noise, Target};
use protocol::{Evaluated, Question};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// Which server to ask for which model, and how long to put up with it.
#[derive(Clone, Debug)]
pub struct UmBridgeSettings {
    /// Where the server is, such as `http://localhost:4242`.
    pub url: String,
    /// The model's name; the server's only one if none is given.
    pub model: Option<String>,
    /// The settings the model is given with every point.
    pub config: Map<String, Value>,
    /// Whether the model is noisy. A seed becomes the entry `seed` of the config; normals are a last input block.
    pub noise: NoiseInput,
    /// How long an answer may take.
    pub timeout: Duration,
    /// How often a lost connection is made anew before the run ends.
    pub retries: u32,
    /// The pause before the second of these; it doubles with each, up to five seconds. The first comes at once.
    pub pause: Duration,
    /// How many points in a row may fail in the model, or go unanswered; at the next one the run ends.
    pub failures: u32,
    /// The longest answer in bytes.
    pub longest_reply: u64,
}

impl UmBridgeSettings {
    /// The server at `url` and the defaults: its only model, no config, exact, one minute, 8 retries (about 11 seconds),
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

/// A model on a UM-Bridge server as a target. A clone has a connection of its own.
#[derive(Debug)]
pub struct UmBridge {
    settings: Arc<UmBridgeSettings>,
    names: Arc<Vec<String>>,
    model: String,
    /// The sizes of the model's input blocks, without the one for normals.
    blocks: Vec<usize>,
    http: Http,
    config: Map<String, Value>,
    patience: Patience,
}

impl Clone for UmBridge {
    fn clone(&self) -> Self {
        Self {
            settings: Arc::clone(&self.settings),
            names: Arc::clone(&self.names),
            model: self.model.clone(),
            blocks: self.blocks.clone(),
            http: Http::new(&self.settings),
            config: self.config.clone(),
            patience: Patience::new(self.settings.failures),
        }
    }
}

impl UmBridge {
    /// Connects, and checks that the server has the model, that it takes the parameters `names` (its input blocks one
    /// after another), and that it returns one number.
    pub fn connect(mut settings: UmBridgeSettings, names: &[String]) -> Result<Self, ModelError> {
        check_names(names)?;
        settings.url.truncate(settings.url.trim_end_matches('/').len());
        let plain = settings.url.starts_with("http://") && settings.url.len() > "http://".len();
        demand(plain, "model server", || {
            format!("the address must be like http://localhost:4242, not {}", settings.url)
        })?;
        check_timeout("model server", settings.timeout)?;
        let http = Http::new(&settings);
        let wrong = |why| ModelError::Server { url: settings.url.clone(), why };
        let model = protocol::choose_model(&http, settings.model.as_deref()).map_err(wrong)?;
        let blocks = protocol::input_blocks(&http, &model, &settings, names.len()).map_err(wrong)?;
        Ok(Self {
            config: settings.config.clone(),
            patience: Patience::new(settings.failures),
            names: Arc::new(names.to_vec()),
            settings: Arc::new(settings),
            model,
            blocks,
            http,
        })
    }

    /// What the model is given.
    pub fn noise(&self) -> NoiseInput {
        self.settings.noise
    }

    /// The point and the normals, cut into the model's input blocks.
    fn input<'a>(&self, mut x: &'a [f64], normals: &'a [f64]) -> Vec<&'a [f64]> {
        let mut blocks = Vec::with_capacity(self.blocks.len() + 1);
        for &size in &self.blocks {
            let (block, rest) = x.split_at(size);
            blocks.push(block);
            x = rest;
        }
        if let NoiseInput::Normals(_) = self.settings.noise {
            blocks.push(normals);
        }
        blocks
    }

    /// What an answer means: a value, a point that failed, or the end.
    fn judge(&mut self, status: u16, body: &[u8]) -> Evaluation {
        let at = format!("model server {}", self.settings.url);
        let answer = reply::read::<Evaluated>(body).and_then(Evaluated::value);
        match (status, answer) {
            (200, Ok(Ok(value))) => {
                self.patience.restore();
                Ok(value)
            }
            (_, Ok(Err(error))) if error.is_final() => Err(EvalError::fatal(format!("{at}: {error}"))),
            (_, Ok(Err(error))) => Err(self.patience.fail(format!("{at}: {error}"))),
            // A model that throws becomes a bare status 500 in several servers: this point is bad, others may be good.
            (500, _) => {
                Err(self.patience.fail(format!("{at}: the model failed (status 500): {}", reply::excerpt(body))))
            }
            (200, Err(why)) => Err(EvalError::fatal(format!("{at}: {why}; it wrote: {}", reply::excerpt(body)))),
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
        if x.iter().any(|x| !x.is_finite()) {
            return Err(EvalError::reject("the point is not finite"));
        }
        if let Some(seed) = self.settings.noise.seed(&mut noise) {
            self.config.insert("seed".into(), seed.into());
        }
        let input = self.input(x, noise.normals);
        let question = Question { name: &self.model, input: Some(&input), config: &self.config };
        match self.http.post("Evaluate", &question) {
            Ok((status, body)) => self.judge(status, &body),
            Err(trouble @ Trouble::Timeout(_)) => {
                Err(self.patience.fail(format!("model server {}: {trouble}", self.settings.url)))
            }
            Err(trouble) => Err(EvalError::fatal(format!("model server {}: {trouble}", self.settings.url))),
        }
    }
}
