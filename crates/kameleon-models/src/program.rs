//! A log density computed by a program in any language, over its standard input and output.
//!
//! The program reads one line for each point, `{"x":[1.5,-2.0]}`, and answers with one line, `{"log_density":-3.25}`.
//! Every chain has its own process, started without a shell at the first point and ended with the chain.

mod pipes;
mod process;

use crate::error::{ModelError, check_names, check_timeout, demand};
use crate::failure_budget::FailureBudget;
use crate::noise::NoiseInput;
use crate::reply::{self, Number};
use kameleon::{EvalError, Evaluation, Noise, Target};
use pipes::Failure;
use process::Process;
use serde::{Deserialize, Deserializer};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The program, and limits on time, attempts and failures.
#[derive(Clone, Debug)]
pub struct ProgramSettings {
    /// The program and its arguments, which no shell interprets.
    pub command: Vec<String>,
    /// The folder it runs in; by default that of this process.
    pub folder: Option<PathBuf>,
    /// Whether it is noisy, and where its randomness comes from.
    pub noise: NoiseInput,
    /// How long an answer may take (the first includes the program's start).
    pub timeout: Duration,
    /// The number of attempts at a point when the program dies or hangs, each in a new process; then the point is rejected.
    pub attempts: u32,
    /// The number of consecutive points that may be rejected for that reason; the next one ends the run.
    pub failures: u32,
    /// The longest answer in bytes.
    pub longest_reply: usize,
}

impl ProgramSettings {
    /// The program `command` (with its arguments) with the defaults: exact, one minute, two attempts, three failures, 1 MiB.
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            command: command.into_iter().map(Into::into).collect(),
            folder: None,
            noise: NoiseInput::Exact,
            timeout: Duration::from_secs(60),
            attempts: 2,
            failures: 3,
            longest_reply: 1 << 20,
        }
    }

    fn check(&self) -> Result<(), ModelError> {
        let named = self.command.first().is_some_and(|program| !program.is_empty());
        demand(named, "program", || "the command is empty: it needs at least the program's name".into())?;
        check_timeout("program", self.timeout)?;
        demand(self.attempts > 0, "program", || "a point needs at least one attempt".into())?;
        demand(self.longest_reply > 0, "program", || "the longest reply must be at least one byte".into())
    }
}

/// A program as a target. A clone has its own process.
#[derive(Clone, Debug)]
pub struct Program {
    settings: Arc<ProgramSettings>,
    names: Arc<Vec<String>>,
    restarts: Arc<AtomicU64>,
    failures: FailureBudget,
    process: Running,
    request: Vec<u8>,
}

/// The process of a program, once it is started; a clone has none yet.
#[derive(Debug, Default)]
struct Running(Option<Process>);

impl Clone for Running {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Program {
    /// A program that computes the log density of the parameters `names`. Nothing is started yet.
    pub fn new(settings: ProgramSettings, names: &[String]) -> Result<Self, ModelError> {
        check_names(names)?;
        settings.check()?;
        Ok(Self {
            failures: FailureBudget::new(settings.failures),
            settings: Arc::new(settings),
            names: Arc::new(names.to_vec()),
            restarts: Arc::default(),
            process: Running::default(),
            request: Vec::new(),
        })
    }

    /// The number of restarts after the program died or hung, over all clones.
    pub fn restarts(&self) -> u64 {
        self.restarts.load(Ordering::Relaxed)
    }

    fn write_request(&mut self, x: &[f64], mut noise: Noise<'_>) -> Result<(), serde_json::Error> {
        let request = &mut self.request;
        request.clear();
        request.extend_from_slice(b"{\"x\":");
        serde_json::to_writer(&mut *request, x)?;
        if let Some(seed) = self.settings.noise.seed(&mut noise) {
            write!(request, ",\"seed\":{seed}").map_err(serde_json::Error::io)?;
        }
        if let NoiseInput::Normals(_) = self.settings.noise {
            request.extend_from_slice(b",\"normals\":");
            serde_json::to_writer(&mut *request, noise.normals)?;
        }
        request.extend_from_slice(b"}\n");
        Ok(())
    }

    /// Starts the program if it is not running, sends it the request and reads its answer.
    fn ask(&mut self) -> Result<Reply, Failure> {
        let process = match &mut self.process.0 {
            Some(process) => process,
            none => none.insert(Process::start(&self.settings)?),
        };
        let deadline = Instant::now() + self.settings.timeout;
        let line = process.ask(&self.request, deadline, self.settings.longest_reply)?;
        reply::read(line).map_err(|why| {
            let shown = reply::excerpt(line);
            Failure::Protocol(format!("its answer is not {{\"log_density\": number}}: {why}; it wrote: {shown}"))
        })
    }

    /// Ends the process after a failure and describes the failure, with the end of the program's error output.
    fn end_process(&mut self, failure: &Failure) -> String {
        let (ending, error_tail) = self.process.0.take().map(|process| process.end(failure)).unwrap_or_default();
        let name = &self.settings.command[0];
        let mut sentence = match failure {
            Failure::Start(error) => format!("program {name} cannot be started: {error}"),
            Failure::Died => format!("program {name} ended without an answer ({ending})"),
            Failure::Timeout => format!("program {name} gave no answer within {:?}", self.settings.timeout),
            Failure::Protocol(why) => format!("program {name}: {why}"),
        };
        if !error_tail.is_empty() {
            sentence.push_str("; the end of its error output:\n");
            sentence.push_str(&error_tail);
        }
        sentence
    }
}

impl Target for Program {
    fn dim(&self) -> Option<usize> {
        Some(self.names.len())
    }

    fn names(&self, _dim: usize) -> Vec<String> {
        self.names.to_vec()
    }

    fn normals(&self) -> usize {
        self.settings.noise.normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        if x.iter().any(|x| !x.is_finite()) {
            return Err(EvalError::reject("the point is not finite"));
        }
        self.write_request(x, noise).map_err(EvalError::fatal)?;
        // A new process gets the same point again, with the same seed and normals: if the program keeps no state between
        // points, its death changes no draw.
        for attempt in 1..=self.settings.attempts {
            match self.ask() {
                Ok(reply) => {
                    self.failures.reset();
                    return reply.into_evaluation();
                }
                Err(failure) => {
                    let why = self.end_process(&failure);
                    if !failure.may_pass() {
                        return Err(EvalError::fatal(why));
                    }
                    self.restarts.fetch_add(1, Ordering::Relaxed);
                    if attempt == self.settings.attempts {
                        return Err(self.failures.fail(why));
                    }
                }
            }
        }
        unreachable!("there is at least one attempt")
    }
}

/// A program's answer.
#[derive(Deserialize)]
#[serde(try_from = "Fields")]
enum Reply {
    LogDensity(f64),
    Reject(String),
    Fatal(String),
}

#[derive(Deserialize)]
struct Fields {
    #[serde(default, deserialize_with = "present")]
    log_density: Option<Number>,
    reject: Option<String>,
    fatal: Option<String>,
}

/// A field that is present, even if it is `null`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Number>, D::Error> {
    Number::deserialize(deserializer).map(Some)
}

impl TryFrom<Fields> for Reply {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Self, Self::Error> {
        match fields {
            Fields { fatal: Some(why), .. } => Ok(Self::Fatal(why)),
            Fields { reject: Some(why), .. } => Ok(Self::Reject(why)),
            Fields { log_density: Some(Number(value)), .. } => Ok(Self::LogDensity(value)),
            _ => Err("it has none of \"log_density\", \"reject\" and \"fatal\""),
        }
    }
}

impl Reply {
    fn into_evaluation(self) -> Evaluation {
        match self {
            Self::LogDensity(value) => Ok(value),
            Self::Reject(why) => Err(EvalError::reject(reply::excerpt(why.as_bytes()))),
            Self::Fatal(why) => Err(EvalError::fatal(format!("the program says: {}", reply::excerpt(why.as_bytes())))),
        }
    }
}
