//! Reading a run file, and saying where it is wrong.

use super::RunSettings;
use kameleon::SettingsError;
use kameleon_models::plain_words;
use serde::Deserialize;
use std::ops::Range;
use toml::de::{DeTable, DeValue, Deserializer};
use toml::{Spanned, Table, Value};

/// Reads and checks a run file.
pub fn read(text: &str, origin: &str) -> Result<RunSettings, SettingsError> {
    let at = |span: Option<Range<usize>>| match span.map(|span| line_and_column(text, span.start)) {
        Some((line, column)) => format!("{origin}, line {line}, column {column}"),
        None => origin.into(),
    };
    let wrong =
        |error: toml::de::Error| SettingsError { place: at(error.span()), ..SettingsError::new("", in_words(&error)) };
    let mut table = DeTable::parse(text).map_err(wrong)?;
    dashes(table.get_mut());
    let settings = RunSettings::deserialize(Deserializer::from(table.clone())).map_err(wrong)?;
    let found = |error: SettingsError| SettingsError { place: at(span_of(table.get_ref(), &error.setting)), ..error };
    settings.check().map_err(found)?;
    Ok(settings)
}

/// The settings with one of them changed. What is not TOML is taken as text: `target=banana` needs no quotes.
pub fn set(settings: &RunSettings, key: &str, value: &str) -> Result<RunSettings, SettingsError> {
    let problem = |what: String| SettingsError::new(key, what);
    let parsed = toml::from_str::<Table>(&format!("value = {value}")).ok().and_then(|mut table| table.remove("value"));
    let value = parsed.unwrap_or_else(|| Value::String(value.into()));
    let mut table = Table::try_from(settings).map_err(|error| problem(error.to_string()))?;
    let mut at = &mut table;
    let mut names = key.split('.').peekable();
    let is_name = key.starts_with("parameters.");
    while let Some(name) = names.next() {
        let name = if is_name { name.to_owned() } else { name.replace('_', "-") };
        if names.peek().is_none() {
            at.insert(name, value);
            break;
        }
        let inner = at.entry(name).or_insert_with(|| Value::Table(Table::new()));
        if let Value::Array(list) = inner {
            // Parameters of which only the names were given.
            *inner = list
                .iter()
                .map(|name| (name.as_str().unwrap_or_default().to_owned(), Value::Table(Table::new())))
                .collect::<Table>()
                .into();
        }
        at = inner.as_table_mut().ok_or_else(|| problem("there is no such setting: it is within a value".into()))?;
    }
    table.try_into().map_err(|error: toml::de::Error| problem(in_words(&error)))
}

/// What the reader of TOML says, in words for users.
fn in_words(error: &toml::de::Error) -> String {
    let message = plain_words(error.message());
    match message.starts_with("unknown key `parameters`") {
        // In TOML, what follows the head of a section belongs to it.
        true => format!("{message}; a list of parameters stands above the first section"),
        false => message,
    }
}

/// Keys may be written with `_` or `-`; names that the user chose are left as they are.
fn dashes(table: &mut DeTable<'_>) {
    for (section, value) in table.iter_mut() {
        if section.get_ref().as_ref() != "parameters" {
            dash_keys(value.get_mut());
        }
    }
}

fn dash_keys(value: &mut DeValue<'_>) {
    let DeValue::Table(table) = value else { return };
    let entries: Vec<_> = std::mem::take(table).into_iter().collect();
    for (key, mut value) in entries {
        let name = key.get_ref().replace('_', "-");
        // What a model is given is its own affair.
        if name != "config" {
            dash_keys(value.get_mut());
        }
        table.insert(Spanned::new(key.span(), name.into()), value);
    }
}

/// Where the value of `key` is, or the innermost table around it that is there.
fn span_of(table: &DeTable<'_>, key: &str) -> Option<Range<usize>> {
    let (mut found, mut rest, mut table) = (None, key, Some(table));
    while let Some(inner) = table {
        // Names may have dots in them: the longest entry that fits.
        let fits = |name: &str| rest == name || rest.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        let entry = inner.iter().filter(|(name, _)| fits(name.get_ref())).max_by_key(|(name, _)| name.get_ref().len());
        let Some((name, value)) = entry else { break };
        found = Some(if value.get_ref().is_table() { name.span() } else { value.span() });
        rest = rest[name.get_ref().len()..].trim_start_matches('.');
        table = value.get_ref().as_table();
    }
    found
}

/// Both from 1; the column counts characters.
fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or(before);
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
