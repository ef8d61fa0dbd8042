//! Requests to a model server: one connection, kept open; lost ones are made anew; answers bounded in size and time.

use super::UmBridgeSettings;
use serde::Serialize;
use std::fmt;
use std::thread::sleep;
use std::time::Duration;
use ureq::http::Response;
use ureq::{Agent, Body, Error};

/// The longest pause between two retries.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);

/// Why there is no answer.
#[derive(Debug)]
pub enum Trouble {
    /// The connection was lost, or never made, as often as it was tried.
    Lost(u32, String),
    /// The answer took too long.
    Timeout(Duration),
    /// The answer exceeds so many bytes.
    TooLong(u64),
    /// What came back is not HTTP, or cannot be asked for.
    Refused(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(1, why) => write!(f, "no connection: {why}; is the server running?"),
            Self::Lost(tries, why) => write!(f, "no connection after {tries} tries: {why}; is the server running?"),
            Self::Timeout(limit) => write!(f, "no answer within {limit:?}"),
            Self::TooLong(limit) => write!(f, "the answer is longer than {limit} bytes"),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

/// The status and the body of an answer.
pub type Answer = (u16, Vec<u8>);

/// A client with one connection.
#[derive(Debug)]
pub struct Http {
    agent: Agent,
    url: String,
    timeout: Duration,
    retries: u32,
    pause: Duration,
    longest: u64,
}

impl Http {
    /// Nothing is sent yet.
    pub fn new(settings: &UmBridgeSettings) -> Self {
        // A model server is asked directly: no proxy, and no redirect that could lead elsewhere.
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(1)
            .timeout_connect(Some(CONNECT.min(settings.timeout)))
            .timeout_global(Some(settings.timeout))
            .build();
        Self {
            agent: Agent::new_with_config(config),
            url: settings.url.clone(),
            timeout: settings.timeout,
            retries: settings.retries,
            pause: settings.pause,
            longest: settings.longest_reply,
        }
    }

    /// GET of a path under the server's address.
    pub fn get(&self, path: &str) -> Result<Answer, Trouble> {
        let url = format!("{}/{path}", self.url);
        self.persist(|| self.agent.get(&url).call())
    }

    /// POST of a message to a path under the server's address.
    pub fn post(&self, path: &str, message: &impl Serialize) -> Result<Answer, Trouble> {
        let url = format!("{}/{path}", self.url);
        let body = serde_json::to_vec(message).map_err(|error| Trouble::Refused(error.to_string()))?;
        self.persist(|| self.agent.post(&url).header("content-type", "application/json").send(&body[..]))
    }

    /// Sends until there is an answer, with pauses that double, as long as the trouble is the connection's.
    fn persist(&self, send: impl Fn() -> Result<Response<Body>, Error>) -> Result<Answer, Trouble> {
        let mut tries = 0;
        loop {
            tries += 1;
            let why = match send().and_then(|response| self.read(response)) {
                // What a gateway says while the server behind it is away.
                Ok((status @ 502..=504, _)) => format!("status {status}"),
                Ok(answer) => return Ok(answer),
                Err(error) => self.classify(error)?,
            };
            if tries > self.retries {
                return Err(Trouble::Lost(tries, why));
            }
            // The first retry comes at once: a server may close a connection that was idle, without being away.
            if tries > 1 {
                sleep(self.pause.saturating_mul(1 << (tries - 2).min(16)).min(LONGEST_PAUSE));
            }
        }
    }

    fn read(&self, mut response: Response<Body>) -> Result<Answer, Error> {
        let body = response.body_mut().with_config().limit(self.longest).read_to_vec()?;
        Ok((response.status().as_u16(), body))
    }

    /// The reason, if it is a lost connection; other trouble is passed on.
    fn classify(&self, error: Error) -> Result<String, Trouble> {
        match error {
            Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => Ok("connecting took too long".into()),
            Error::Timeout(_) => Err(Trouble::Timeout(self.timeout)),
            Error::BodyExceedsLimit(_) => Err(Trouble::TooLong(self.longest)),
            Error::Io(_) | Error::ConnectionFailed | Error::HostNotFound => Ok(error.to_string()),
            other => Err(Trouble::Refused(other.to_string())),
        }
    }
}
