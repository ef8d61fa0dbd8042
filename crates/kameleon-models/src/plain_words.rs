//! What readers of settings and of answers say is wrong, without the words of Rust.

/// The words of Rust in what readers of settings say, and words for users.
const WORDS: [(&str, &str); 16] = [
    ("unknown field", "unknown key"),
    ("missing field", "missing key"),
    ("duplicate field", "duplicate key"),
    ("unknown variant", "unknown value"),
    ("expected u64", "expected a whole number, 0 or more"),
    ("expected usize", "expected a whole number, 0 or more"),
    ("expected u32", "expected a whole number, 0 or more"),
    ("expected f64", "expected a number"),
    ("expected a boolean", "expected true or false"),
    ("expected a string", "expected a text"),
    ("floating point `", "number `"),
    ("integer `", "number `"),
    ("invalid type: map", "invalid type: a table"),
    ("invalid type: sequence", "invalid type: a list"),
    ("a sequence", "a list"),
    ("path string", "a path"),
];
/// How they begin to say that a value is not what it should be.
const WRONG: [&str; 4] = ["invalid type: ", "invalid value: ", "unknown value ", "invalid length "];

/// A message about settings without the words of Rust.
pub fn plain_words(message: &str) -> String {
    let mut plain = message.trim_end().replace('\n', "; ");
    for (word, better) in WORDS {
        plain = plain.replace(word, better);
    }
    // "expected struct Plan"
    if let Some((before, name)) = plain.split_once("expected struct ") {
        let rest = name.trim_start_matches(char::is_alphanumeric);
        plain = format!("{before}expected a table{}", if rest.starts_with(" with ") { "" } else { rest });
    }
    must_be(&plain).unwrap_or(plain)
}

/// "invalid type: string "ten", expected a number" the other way round: what it must be, and what it is.
fn must_be(message: &str) -> Option<String> {
    let begins = WRONG.into_iter().find(|begins| message.starts_with(begins))?;
    let (found, wanted) = message[begins.len()..].split_once(", expected ")?;
    let quoted = ["number `", "boolean `"].into_iter().find_map(|kind| found.strip_prefix(kind)?.strip_suffix('`'));
    let found = match quoted {
        Some(value) => value,
        None if begins == "invalid length " => &format!("a list of {found}"),
        None if found == "null" => "nothing",
        None => found.strip_prefix("string ").unwrap_or(found),
    };
    Some(format!("must be {wanted}, not {found}"))
}

#[cfg(test)]
mod tests {
    use super::plain_words;

    #[test]
    fn what_it_must_be_comes_before_what_it_is() {
        let cases = [
            ("invalid type: string \"ten\", expected u64", "must be a whole number, 0 or more, not \"ten\""),
            ("invalid type: floating point `1.5`, expected usize", "must be a whole number, 0 or more, not 1.5"),
            ("invalid type: boolean `true`, expected a string", "must be a text, not true"),
            ("invalid type: map, expected a sequence", "must be a list, not a table"),
            ("invalid type: integer `3`, expected struct Fields", "must be a table, not 3"),
            ("invalid length 1, expected struct Fields with 3 elements", "must be a table, not a list of 1"),
            ("unknown variant `x`, expected `free` or `off`", "must be `free` or `off`, not `x`"),
            ("unknown field `a`, expected `b`", "unknown key `a`, expected `b`"),
            ("wanted pairs, found boolean `true`", "wanted pairs, found boolean `true`"),
            ("wanted pairs, found integer `3`", "wanted pairs, found number `3`"),
        ];
        for (said, plain) in cases {
            assert_eq!(plain_words(said), plain);
        }
    }
}
