//! Things given as `name:key=value,…`: targets and kernels with their parameters.

use anyhow::{Context, Result, bail};

/// A name with the parameters that were given to it.
pub struct Named {
    what: &'static str,
    /// The name, in lower case.
    pub name: String,
    parameters: Vec<(String, f64)>,
}

impl Named {
    /// Reads `name:key=value,…`; `what` is said in errors ("target", "kernel").
    pub fn parse(what: &'static str, text: &str) -> Result<Self> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let mut parameters = Vec::new();
        for pair in rest.split(',').filter(|pair| !pair.is_empty()) {
            let wrong = || format!("{what} \"{text}\": \"{pair}\" should be key=number, as in {name}:key=0.5");
            let (key, value) = pair.split_once('=').with_context(wrong)?;
            parameters.push((key.trim().to_ascii_lowercase(), value.trim().parse().with_context(wrong)?));
        }
        Ok(Self { what, name: name.trim().to_ascii_lowercase(), parameters })
    }

    /// The parameter's value, or its default.
    pub fn take(&mut self, key: &str, default: f64) -> f64 {
        match self.parameters.iter().position(|(k, _)| k == key) {
            Some(at) => self.parameters.swap_remove(at).1,
            None => default,
        }
    }

    /// An error if a parameter was given that nothing took.
    pub fn finish(self, known: &str) -> Result<()> {
        match self.parameters.first() {
            None => Ok(()),
            Some((key, _)) => bail!("{} {}: there is no parameter \"{key}\"; it has {known}", self.what, self.name),
        }
    }
}
