//! The messages of UM-Bridge, and the checks made before the first point.

use super::UmBridgeSettings;
use super::http::Http;
use crate::noise::NoiseInput;
use crate::reply::{self, Number};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// A question about a model, or a point to evaluate.
#[derive(Serialize)]
pub struct Question<'a> {
    pub name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<&'a [&'a [f64]]>,
    pub config: &'a Map<String, Value>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub slopes: Option<Slopes>,
}

/// Which slopes of a model are asked for.
#[derive(Serialize)]
pub struct Slopes {
    /// The output block with the log density, …
    #[serde(rename = "outWrt")]
    pub output: usize,
    /// … the input block along which its slopes are wanted, …
    #[serde(rename = "inWrt")]
    pub input: usize,
    /// … and what they are multiplied with.
    pub sens: [f64; 1],
}

/// What a model takes and can do.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The sizes of its input blocks, without the one for normals.
    pub blocks: Vec<usize>,
    /// The output block with the log density, if the model has gradients.
    pub gradient: Option<usize>,
}

#[derive(Deserialize)]
struct Info {
    #[serde(rename = "protocolVersion")]
    version: f64,
    models: Vec<String>,
}

#[derive(Deserialize)]
struct Sizes {
    #[serde(rename = "inputSizes", alias = "outputSizes")]
    sizes: Vec<usize>,
}

#[derive(Deserialize)]
struct ModelInfo {
    support: Support,
}

#[derive(Deserialize)]
struct Support {
    #[serde(rename = "Evaluate")]
    evaluate: bool,
    #[serde(rename = "Gradient", default)]
    gradient: bool,
}

/// The answer to a question for slopes.
#[derive(Deserialize)]
pub struct Differentiated {
    output: Option<Vec<Number>>,
    error: Option<ServerError>,
}

impl Differentiated {
    /// Writes the slopes, one for each number of the input block; or the server's error; fails if there is neither.
    pub fn write(self, slopes: &mut [f64]) -> Result<Result<(), ServerError>, String> {
        match (self.error, self.output) {
            (Some(error), _) => Ok(Err(error)),
            (None, Some(output)) if output.len() == slopes.len() => {
                slopes.iter_mut().zip(output).for_each(|(slope, Number(value))| *slope = value);
                Ok(Ok(()))
            }
            (None, Some(output)) => Err(format!("the gradient must be {} numbers, not {}", slopes.len(), output.len())),
            (None, None) => Err("the answer has neither \"output\" nor \"error\"".into()),
        }
    }
}

/// The answer to a point.
#[derive(Deserialize)]
pub struct Evaluated {
    output: Option<Vec<Vec<Number>>>,
    error: Option<ServerError>,
}

impl Evaluated {
    /// The one number in it, or the server's error; fails if there is neither.
    pub fn value(self) -> Result<Result<f64, ServerError>, String> {
        match (self.error, self.output) {
            (Some(error), _) => Ok(Err(error)),
            (None, Some(output)) => match output.concat()[..] {
                [Number(value)] => Ok(Ok(value)),
                ref numbers => Err(format!("the output must be one number, not {}", numbers.len())),
            },
            (None, None) => Err("the answer has neither \"output\" nor \"error\"".into()),
        }
    }
}

/// An error reported by the server.
#[derive(Deserialize)]
pub struct ServerError {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    message: String,
}

impl ServerError {
    /// Whether every other point would give the same error.
    pub fn is_final(&self) -> bool {
        ["ModelNotFound", "UnsupportedFeature", "InvalidInput", "InvalidOutput"].contains(&self.kind.as_str())
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", reply::excerpt(self.kind.as_bytes()), reply::excerpt(self.message.as_bytes()))
    }
}

/// Checks the server's version, and that it has the model.
pub fn choose_model(http: &Http, wanted: Option<&str>) -> Result<String, String> {
    let (status, body) = http.get("Info").map_err(|error| error.to_string())?;
    let Info { version, models } = read(status, &body)?;
    if version.floor() != 1.0 {
        return Err(format!("it uses version {version} of UM-Bridge; version 1 is required"));
    }
    let has = || reply::excerpt(models.join(", ").as_bytes());
    match (wanted, &models[..]) {
        (Some(name), _) if models.iter().any(|model| model == name) => Ok(name.into()),
        (Some(name), _) => Err(format!("it has no model `{name}`; it has {}", has())),
        (None, [only]) => Ok(only.clone()),
        (None, _) => Err(format!("it has {} models, so one must be named: {}", models.len(), has())),
    }
}

/// Checks the model's inputs and outputs.
pub fn shape(http: &Http, model: &str, settings: &UmBridgeSettings, dim: usize) -> Result<Shape, String> {
    let info: ModelInfo = ask(http, "ModelInfo", model, settings)?;
    if !info.support.evaluate {
        return Err(format!("model `{model}` cannot be evaluated"));
    }
    let outputs = ask::<Sizes>(http, "OutputSizes", model, settings)?.sizes;
    if total(&outputs) != 1 {
        return Err(format!("model `{model}` returns blocks of {} numbers; it must return one number", show(&outputs)));
    }
    let mut blocks = ask::<Sizes>(http, "InputSizes", model, settings)?.sizes;
    if let NoiseInput::Normals(count) = settings.noise
        && blocks.pop() != Some(count)
    {
        return Err(format!("the last input block of model `{model}` must take the {count} normals"));
    }
    if total(&blocks) != dim {
        return Err(format!(
            "model `{model}` takes blocks of {} numbers, but there are {dim} parameters",
            show(&blocks)
        ));
    }
    let gradient = info.support.gradient.then(|| outputs.iter().position(|size| *size == 1).unwrap_or(0));
    Ok(Shape { blocks, gradient })
}

/// The sizes, cut to a printable length.
fn show(sizes: &[usize]) -> String {
    reply::excerpt(format!("{sizes:?}").as_bytes())
}

/// The sum, which saturates for absurd sizes.
fn total(sizes: &[usize]) -> usize {
    sizes.iter().fold(0, |sum, &size| sum.saturating_add(size))
}

fn ask<T: DeserializeOwned>(http: &Http, what: &str, model: &str, settings: &UmBridgeSettings) -> Result<T, String> {
    let question = Question { name: model, input: None, config: &settings.config, slopes: None };
    let (status, body) = http.post(what, &question).map_err(|error| error.to_string())?;
    read(status, &body).map_err(|why| format!("{what}: {why}"))
}

fn read<T: DeserializeOwned>(status: u16, body: &[u8]) -> Result<T, String> {
    let shown = || reply::excerpt(body);
    if status != 200 {
        return Err(format!("it answered with status {status}: {}", shown()));
    }
    reply::read(body).map_err(|why| format!("its answer cannot be read: {why}; it wrote: {}", shown()))
}
