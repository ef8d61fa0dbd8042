//! Numbers as models write them: JSON, plus the usual spellings of infinity and NaN, which JSON lacks.

use crate::plain_words::plain_words;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;
use std::borrow::Cow;

/// A number; `null` and the usual words for NaN and the infinities count too.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "Value")]
pub struct Number(pub f64);

impl TryFrom<Value> for Number {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        let number = match &value {
            Value::Null => Some(f64::NAN),
            Value::String(text) => word(text),
            value => value.as_f64(),
        };
        let wrong = || format!("invalid value: {value}, expected a number, null, \"nan\", \"inf\" or \"-inf\"");
        number.map(Self).ok_or_else(wrong)
    }
}

fn word(text: &str) -> Option<f64> {
    let (negative, word) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    match word.to_ascii_lowercase().as_str() {
        "nan" => Some(f64::NAN),
        "inf" | "infinity" => Some(if negative { f64::NEG_INFINITY } else { f64::INFINITY }),
        _ => None,
    }
}

/// Reads JSON with infinities and NaN allowed without quotes, as Python writes them (`-inf`, `-Infinity`, `NaN`).
/// `serde_json` bounds the nesting depth.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    // Almost every reply is plain JSON; only the others are read twice.
    serde_json::from_slice(bytes).or_else(|first| {
        let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_string())?;
        match quote_words(text) {
            Cow::Borrowed(_) => Err(in_words(&first)),
            Cow::Owned(quoted) => serde_json::from_str(&quoted).map_err(|_| in_words(&first)),
        }
    })
}

/// What is wrong with an answer.
fn in_words(error: &serde_json::Error) -> String {
    let said = error.to_string();
    let said = said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _)| said);
    match error.classify() {
        Category::Data => plain_words(said).replace("a table", "an object"),
        Category::Eof => "it is not whole".into(),
        Category::Syntax | Category::Io => format!("it is not JSON ({said})"),
    }
}

/// Puts quotes around bare words for NaN and the infinities outside strings.
fn quote_words(text: &str) -> Cow<'_, str> {
    let mut quoted = String::new();
    let (mut done, mut in_string, mut escaped) = (0, false, false);
    let mut start = None;
    for (i, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let wordy = !in_string && (c.is_ascii_alphabetic() || c == '-' || c == '+');
        match (start, wordy) {
            (None, true) => start = Some(i),
            (Some(from), false) => {
                if word(&text[from..i]).is_some() {
                    quoted.push_str(&text[done..from]);
                    quoted.push_str(&format!("\"{}\"", &text[from..i]));
                    done = i;
                }
                start = None;
            }
            _ => {}
        }
        if c == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = in_string && c == '\\' && !escaped;
    }
    if done == 0 { Cow::Borrowed(text) } else { Cow::Owned(quoted + &text[done..]) }
}

/// The beginning of a model's output, fit to print: at most 200 characters on one line, without control characters.
pub fn excerpt(bytes: &[u8]) -> String {
    const SHOWN: usize = 200;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * SHOWN)]);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = line.chars().take(SHOWN).map(|c| if c.is_control() { '�' } else { c }).collect();
    if line.chars().count() > SHOWN || bytes.len() > 4 * SHOWN {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Result<f64, String> {
        read::<Number>(text.as_bytes()).map(|n| n.0)
    }

    #[test]
    fn infinities_and_nan_are_read_in_every_usual_spelling() {
        for text in ["-inf", "\"-inf\"", "-Infinity", "\"-Infinity\"", " -INF "] {
            assert_eq!(number(text), Ok(f64::NEG_INFINITY), "{text}");
        }
        for text in ["inf", "\"inf\"", "Infinity", "+inf"] {
            assert_eq!(number(text), Ok(f64::INFINITY), "{text}");
        }
        for text in ["null", "nan", "NaN", "\"NaN\""] {
            assert!(number(text).unwrap().is_nan(), "{text}");
        }
        assert_eq!(number("-12"), Ok(-12.0));
        assert_eq!(number("1.5e-3"), Ok(0.0015));
    }

    #[test]
    fn words_inside_strings_stay_as_they_are() {
        let text = r#"["say \"nan\" -inf", -inf, nan, "\\", inf]"#;
        assert_eq!(quote_words(text), r#"["say \"nan\" -inf", "-inf", "nan", "\\", "inf"]"#);
        assert_eq!(quote_words("[1,2]"), "[1,2]");
    }

    #[test]
    fn other_words_booleans_and_deep_nesting_are_refused() {
        for text in ["true", "\"one\"", "[1]", "", "--inf", "infinite", "é"] {
            assert!(number(text).is_err(), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(read::<serde_json::Value>(deep.as_bytes()).unwrap_err().contains("recursion limit"));
    }

    #[test]
    fn an_excerpt_is_short_and_harmless() {
        assert_eq!(excerpt(b"plain\n"), "plain");
        assert_eq!(excerpt(b"\x1b[2Jgone\xff"), "�[2Jgone�");
        assert_eq!(excerpt(b"500 Error\n\n  The server\r\nfailed\n"), "500 Error The server failed");
        let long = excerpt(&vec![b'a'; 1 << 20]);
        assert_eq!(long.chars().count(), 201);
        assert!(long.ends_with('…'));
    }
}
