//! The registry: every sampler, kernel and target by name, with typed settings, and the one reader of `name:key=value,…`.
//!
//! A sampler, kernel or target is an [`Entry`] in one table ([`SAMPLERS`](crate::sampler::SAMPLERS),
//! [`KERNELS`](crate::kernel::KERNELS), [`TARGETS`](crate::target::TARGETS)). Its settings are declared once, by
//! [`settings!`](crate::settings), and `kameleon list`, the flags of the program, run files, study files and the classes of
//! the Python package follow from that declaration.

mod choice;
mod error;
mod setting;

pub use choice::Choice;
pub use error::SettingsError;
pub use setting::{
    ANY, AT_LEAST_ONE, Kind, NOT_NEGATIVE, OPEN_PROBABILITY, POSITIVE, PROBABILITY, Range, Setting, Typed, USUAL_SIZE,
};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// Settings by their keys, as they were given.
pub type Values = Map<String, Value>;

/// Settings that were declared by [`settings!`](crate::settings).
pub trait Settings: Default + Serialize + DeserializeOwned {
    /// Every setting with its type, default, range and a line about it.
    fn table() -> Vec<Setting>;

    /// An error for the first value outside its range.
    fn check(&self) -> Result<(), SettingsError>;
}

/// One sampler, kernel or target.
pub struct Entry<T: 'static> {
    /// Its name, which is found in any case.
    pub name: &'static str,
    /// A line about it.
    pub about: &'static str,
    /// The Python class. Entries that share one differ in their defaults; the class has those of the first.
    pub class: &'static str,
    /// Its settings.
    pub settings: fn() -> Vec<Setting>,
    /// Makes it from the values that were given, whose keys are all among its settings.
    pub make: fn(Values) -> Result<T, SettingsError>,
}

impl<T> Entry<T> {
    /// What the settings ask for.
    pub fn build(&self, given: &Values) -> Result<T, SettingsError> {
        (self.make)(self.known(given)?)
    }

    /// The values that were given, if it has settings of all their keys.
    pub fn known(&self, given: &Values) -> Result<Values, SettingsError> {
        let table = (self.settings)();
        let mut values = Values::new();
        for (key, value) in given {
            let key = key.replace('_', "-");
            if table.iter().all(|setting| setting.key != key) {
                let keys = closest(&key, table.iter().map(|setting| setting.key.as_str()));
                let what = if keys.is_empty() { "settings".into() } else { format!("such setting; it has {keys}") };
                return Err(SettingsError::new(key, format!("{} has no {what}", self.name)));
            }
            values.insert(key, value.clone());
        }
        Ok(values)
    }

    /// Whether it has this setting.
    pub fn has(&self, key: &str) -> bool {
        (self.settings)().iter().any(|setting| setting.key == key)
    }

    /// The entry for programs.
    pub fn to_json(&self) -> Value {
        json!({ "name": self.name, "about": self.about, "class": self.class, "settings": (self.settings)() })
    }
}

/// The entry of this name, in any case; `what` is a "sampler", "kernel" or "target".
pub fn find<'a, T>(
    what: &str,
    name: &str,
    entries: impl Iterator<Item = &'a Entry<T>> + Clone,
) -> Result<&'a Entry<T>, SettingsError> {
    entries.clone().find(|entry| plain(entry.name) == plain(name)).ok_or_else(|| {
        let names = closest(name, entries.map(|entry| entry.name));
        SettingsError::new("name", format!("there is no {what} \"{name}\"; choose one of {names}"))
    })
}

/// Whether two names mean the same entry.
pub fn same_name(a: &str, b: &str) -> bool {
    plain(a) == plain(b)
}

/// A name without case and punctuation: `DE-MC(Z)` may be written `de-mcz`.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The names in one line, those most like `name` first.
fn closest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.collect();
    names.sort_by_key(|known| distance(&plain(name), &plain(known)));
    names.join(", ")
}

/// How many letters must be inserted, removed or replaced to turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// The values that were given, over the defaults, each in its range.
pub fn read<S: Settings>(given: Values) -> Result<S, SettingsError> {
    read_over(&S::default(), given)
}

/// The values that were given, over those of `base`, each in its range.
pub fn read_over<S: Settings>(base: &S, given: Values) -> Result<S, SettingsError> {
    let mut all = values_of(base);
    for (key, value) in given {
        // Alone first, so that an error names its key.
        let alone = Values::from_iter([(key.clone(), value.clone())]);
        if serde_json::from_value::<S>(alone.into()).is_err() {
            let kind = S::table().into_iter().find(|setting| setting.key == key).map(|setting| setting.words());
            return Err(SettingsError::new(key, format!("must be {}, not {value}", kind.unwrap_or_default())));
        }
        all.insert(key, value);
    }
    let settings: S =
        serde_json::from_value(all.into()).map_err(|error| SettingsError::new("settings", error.to_string()))?;
    settings.check()?;
    Ok(settings)
}

/// Takes out what is true or false; false if it was not given.
pub fn take_flag(given: &mut Values, key: &str) -> Result<bool, SettingsError> {
    match given.remove(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(flag),
        Some(other) => Err(SettingsError::new(key, format!("must be true or false, not {other}"))),
    }
}

/// All settings by their keys.
pub fn values_of(settings: &impl Serialize) -> Values {
    match serde_json::to_value(settings) {
        Ok(Value::Object(values)) => values,
        // Settings without any are null or nothing at all.
        _ => Values::new(),
    }
}

/// Declares settings: each with a line about it, its type, its default and its range. From the one declaration come the
/// struct, its defaults, its form in files ([`serde`]), the table of [`Setting`]s and the check of ranges.
#[macro_export]
macro_rules! settings {
    ($(#[$attribute:meta])* pub struct $name:ident {
        $($(#[doc = $about:literal])+ $field:ident: $type:ty = $default:expr, $range:expr;)*
    }) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct $name {
            $($(#[doc = $about])+ pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $crate::registry::Settings for $name {
            fn table() -> Vec<$crate::registry::Setting> {
                vec![$($crate::registry::Setting::new::<$type>(
                    stringify!($field),
                    concat!($($about),+),
                    &$default,
                    $range,
                ),)*]
            }

            fn check(&self) -> Result<(), $crate::registry::SettingsError> {
                $($crate::registry::Range::check(&$range, stringify!($field), &self.$field)?;)*
                Ok(())
            }
        }
    };
}
