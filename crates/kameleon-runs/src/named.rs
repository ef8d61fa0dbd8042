//! Things given as `name:key=value,…`: targets and kernels with their parameters.

/// A name with the parameters that were given to it.
pub struct Named {
    /// The name, in lower case.
    pub name: String,
    parameters: Vec<(String, f64)>,
}

impl Named {
    /// Reads `name:key=value,…`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let mut parameters = Vec::new();
        for pair in rest.split(',').filter(|pair| !pair.is_empty()) {
            let wrong = || format!("\"{text}\": \"{pair}\" should be key=number, as in {name}:key=0.5");
            let (key, value) = pair.split_once('=').ok_or_else(wrong)?;
            parameters.push((key.trim().to_ascii_lowercase(), value.trim().parse().map_err(|_| wrong())?));
        }
        Ok(Self { name: name.trim().to_ascii_lowercase(), parameters })
    }

    /// The parameter's value, or its default.
    pub fn take(&mut self, key: &str, default: f64) -> f64 {
        match self.parameters.iter().position(|(k, _)| k == key) {
            Some(at) => self.parameters.swap_remove(at).1,
            None => default,
        }
    }

    /// The parameter's value, or its default, if it is a whole number.
    pub fn count(&mut self, key: &str, default: usize) -> Result<usize, String> {
        let value = self.take(key, default as f64);
        match value >= 0.0 && value.fract() == 0.0 {
            true => Ok(value as usize),
            false => Err(format!("{}: {key} must be a whole number, not {value}", self.name)),
        }
    }

    /// An error if a parameter was given that nothing took.
    pub fn finish(self, known: &str) -> Result<(), String> {
        match self.parameters.first() {
            None => Ok(()),
            Some((key, _)) => Err(format!("{}: there is no parameter \"{key}\"; it has {known}", self.name)),
        }
    }
}
