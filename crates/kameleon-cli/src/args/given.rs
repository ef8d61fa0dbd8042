//! Flags as settings: those that were given, by the keys of run files; and numbers, told in words where they are none.

use anyhow::Result;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::str::FromStr;

/// Flags that stand for settings of the same names.
pub trait Given: Serialize {
    /// What was given.
    fn given(&self) -> serde_json::Result<Map<String, Value>> {
        let given = |value: &Value| !matches!(value, Value::Null | Value::Bool(false));
        let table: Map<String, Value> = serde_json::from_value(serde_json::to_value(self)?)?;
        Ok(table.into_iter().filter(|(_, value)| given(value)).collect())
    }

    /// Puts what was given into the settings.
    fn put_into<T: Serialize + DeserializeOwned>(&self, settings: &mut T) -> Result<()> {
        let mut table: Map<String, Value> = serde_json::from_value(serde_json::to_value(&*settings)?)?;
        table.extend(self.given()?);
        *settings = serde_json::from_value(Value::Object(table))?;
        Ok(())
    }
}

impl<T: Serialize> Given for T {}

/// A whole number.
pub fn whole<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "it should be a whole number, 0 or more")
}

/// A finite number.
pub fn number(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|x: &f64| x.is_finite()).ok_or("it should be a number")
}
