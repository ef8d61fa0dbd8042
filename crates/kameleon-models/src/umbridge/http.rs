//! Requests to a model server over one connection, kept open and remade when lost; answers are bounded in size and time.

use super::UmBridgeSettings;
use serde::Serialize;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;
use thiserror::Error as ThisError;
use ureq::http::Response;
use ureq::{Agent, Body, Error};

/// The longest pause between two retries.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);

/// Why a request failed.
#[derive(Debug, ThisError)]
pub enum HttpError {
    /// No attempt, of this number, made a connection that lasted.
    #[error("no connection{}: {why}; is the server running?", if *tries == 1 { String::new() } else { format!(" after {tries} attempts") })]
    Lost { tries: u32, why: String },
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    #[error("the answer is longer than {0} bytes")]
    TooLong(u64),
    /// The request is invalid, or the answer is not HTTP.
    #[error("{0}")]
    Refused(String),
}

/// The status and the body of an answer.
pub type Answer = (u16, Vec<u8>);

/// A client with one connection; a clone makes its own.
#[derive(Debug)]
pub struct Http {
    agent: Agent,
    settings: Arc<UmBridgeSettings>,
}

impl Clone for Http {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.settings))
    }
}

impl Http {
    /// Does not connect yet.
    pub fn new(settings: Arc<UmBridgeSettings>) -> Self {
        // Requests go to this server only: no proxy and no redirect.
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(1)
            .timeout_connect(Some(CONNECT.min(settings.timeout)))
            .timeout_global(Some(settings.timeout))
            .build();
        Self { agent: Agent::new_with_config(config), settings }
    }

    /// GET of a path under the server's address.
    pub fn get(&self, path: &str) -> Result<Answer, HttpError> {
        let url = format!("{}/{path}", self.settings.url);
        self.persist(|| self.agent.get(&url).call())
    }

    /// POST of a message to a path under the server's address.
    pub fn post(&self, path: &str, message: &impl Serialize) -> Result<Answer, HttpError> {
        let url = format!("{}/{path}", self.settings.url);
        let body = serde_json::to_vec(message).map_err(|error| HttpError::Refused(error.to_string()))?;
        self.persist(|| self.agent.post(&url).header("content-type", "application/json").send(&body[..]))
    }

    /// Sends again after a lost connection, with pauses that double, until there is an answer.
    fn persist(&self, send: impl Fn() -> Result<Response<Body>, Error>) -> Result<Answer, HttpError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let why = match send().and_then(|response| self.read(response)) {
                // The answer of a gateway while the server behind it is down.
                Ok((status @ 502..=504, _)) => format!("status {status}"),
                Ok(answer) => return Ok(answer),
                Err(error) => self.classify(error)?,
            };
            if tries > self.settings.retries {
                return Err(HttpError::Lost { tries, why });
            }
            // The first retry is immediate: a healthy server may close an idle connection.
            if tries > 1 {
                sleep(self.settings.pause.saturating_mul(1 << (tries - 2).min(16)).min(LONGEST_PAUSE));
            }
        }
    }

    fn read(&self, mut response: Response<Body>) -> Result<Answer, Error> {
        let body = response.body_mut().with_config().limit(self.settings.longest_reply).read_to_vec()?;
        Ok((response.status().as_u16(), body))
    }

    /// The reason, if the connection was lost; any other error is returned.
    fn classify(&self, error: Error) -> Result<String, HttpError> {
        match error {
            Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => Ok("connecting took too long".into()),
            Error::Timeout(_) => Err(HttpError::Timeout(self.settings.timeout)),
            Error::BodyExceedsLimit(_) => Err(HttpError::TooLong(self.settings.longest_reply)),
            Error::Io(_) | Error::ConnectionFailed | Error::HostNotFound => Ok(error.to_string()),
            other => Err(HttpError::Refused(other.to_string())),
        }
    }
}
