//! Lists and vectors of R as the values of a run file, and back.

use extendr_api::prelude::*;
use serde_json::{Map, Number, Value};

/// The largest whole number up to which R's doubles have all of them.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// What R sent. A vector of one element is that element, a list is always a table or an array, and NA is nothing.
pub fn read(from: &Robj) -> std::result::Result<Value, String> {
    if from.is_null() {
        return Ok(Value::Null);
    }
    if let Some(list) = from.as_list() {
        return read_list(from, &list);
    }
    let values: Vec<Value> = if let Some(all) = from.as_logical_slice() {
        all.iter().map(|one| if one.is_na() { Value::Null } else { one.is_true().into() }).collect()
    } else if let Some(all) = from.as_integer_slice() {
        all.iter().map(|one| if one.is_na() { Value::Null } else { (*one).into() }).collect()
    } else if let Some(all) = from.as_real_slice() {
        all.iter().map(|one| number(*one)).collect()
    } else if let Some(all) = from.as_str_vector() {
        all.into_iter().map(|one| if one.is_na() { Value::Null } else { one.into() }).collect()
    } else {
        return Err(format!("cannot be of type {:?}", from.rtype()));
    };
    Ok(if values.len() == 1 { values.into_iter().next().unwrap_or_default() } else { Value::Array(values) })
}

fn read_list(from: &Robj, list: &List) -> std::result::Result<Value, String> {
    if from.names().is_none() {
        return list.values().map(|one| read(&one)).collect::<std::result::Result<_, _>>().map(Value::Array);
    }
    let mut table = Map::new();
    for (name, one) in list.iter() {
        match read(&one) {
            Ok(Value::Null) => {}
            Ok(value) => drop(table.insert(name.into(), value)),
            Err(what) => return Err(format!("{name} {what}")),
        }
    }
    Ok(Value::Object(table))
}

/// A whole number where it is one: what counts things does not read 4.0.
fn number(x: f64) -> Value {
    if x.fract() == 0.0 && x.abs() < LARGEST {
        return (x as i64).into();
    }
    Number::from_f64(x).map_or(Value::Null, Value::Number)
}

/// A value for R: arrays of numbers, of texts and of truth values are vectors, in which null is NA.
pub fn write(value: &Value) -> Robj {
    match value {
        Value::Null => ().into(),
        Value::Bool(one) => (*one).into(),
        Value::Number(one) => one.as_f64().unwrap_or(f64::NAN).into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(all) => write_array(all),
        Value::Object(table) => named(table.iter().map(|(name, one)| (name.as_str(), write(one)))),
    }
}

fn write_array(all: &[Value]) -> Robj {
    let is_number = |one: &Value| one.is_number() || one.is_null();
    if !all.is_empty() && all.iter().all(is_number) {
        all.iter().map(|one| one.as_f64().unwrap_or(f64::NAN)).collect_robj()
    } else if !all.is_empty() && all.iter().all(Value::is_string) {
        all.iter().filter_map(Value::as_str).collect_robj()
    } else {
        List::from_values(all.iter().map(write)).into()
    }
}

/// A named list.
pub fn named<'a>(entries: impl IntoIterator<Item = (&'a str, Robj)>) -> Robj {
    let (names, values): (Vec<&str>, Vec<Robj>) = entries.into_iter().unzip();
    List::from_names_and_values(names, values).map_or_else(|_| ().into(), Into::into)
}
