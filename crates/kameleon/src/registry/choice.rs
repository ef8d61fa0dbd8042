//! What a person chose, by name: `banana:b=0.1,v=100`, or a table with `name` and the same keys.

use super::{SettingsError, Values};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::fmt;
use std::str::FromStr;

/// A name and the settings that were given with it; nothing of it is checked yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// The name; empty if none was given.
    pub name: String,
    /// The settings.
    pub settings: Values,
}

impl Choice {
    /// From text or from a table.
    pub fn from_value(value: Value) -> Result<Self, SettingsError> {
        match value {
            Value::String(text) => text.parse(),
            Value::Object(mut settings) => match settings.remove("name").unwrap_or(Value::String(String::new())) {
                Value::String(name) => Ok(Self { name, settings }),
                other => Err(SettingsError::new("name", format!("must be a word, not {other}"))),
            },
            other => {
                let what = format!("should be text such as \"name:key=0.5\" or a table with `name`, not {other}");
                Err(SettingsError::new("name", what))
            }
        }
    }

    /// As a table.
    pub fn to_table(&self) -> Values {
        let name = (!self.name.is_empty()).then(|| ("name".to_string(), self.name.clone().into()));
        let mut table = Values::from_iter(name);
        // What is left open is left out: TOML has no word for nothing.
        table.extend(self.settings.iter().filter(|(_, value)| !value.is_null()).map(|(k, v)| (k.clone(), v.clone())));
        table
    }

    /// Sets one of the settings.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.settings.insert(key.into(), value.into());
    }
}

impl FromStr for Choice {
    type Err = SettingsError;

    fn from_str(text: &str) -> Result<Self, SettingsError> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let mut settings = Values::new();
        for pair in pieces(rest).filter(|pair| !pair.trim().is_empty()) {
            let Some((key, value)) = pair.split_once('=') else {
                let what = format!("\"{text}\": \"{pair}\" should be key=value, as in {name}:key=0.5");
                return Err(SettingsError::new("name", what));
            };
            // What is no number, list or flag is a word.
            let value = value.trim();
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.into()));
            settings.insert(key.trim().to_ascii_lowercase().replace('_', "-"), value);
        }
        Ok(Self { name: name.trim().into(), settings })
    }
}

/// What is between commas, but not between those of a list.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    text.split(move |c| {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    })
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        let given = self.settings.iter().filter(|(_, value)| !value.is_null());
        for (k, (key, value)) in given.enumerate() {
            let mark = if k == 0 { ':' } else { ',' };
            match value {
                Value::String(word) => write!(f, "{mark}{key}={word}")?,
                value => write!(f, "{mark}{key}={value}")?,
            }
        }
        Ok(())
    }
}

/// As text.
impl Serialize for Choice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Choice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_value(Value::deserialize(deserializer)?).map_err(|error| serde::de::Error::custom(error.what))
    }
}
