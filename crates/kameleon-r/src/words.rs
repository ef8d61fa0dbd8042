//! Messages of the Rust crates in the words of R: arguments instead of flags and keys of run files, chains counted from one.

/// What the crates say, and how R says it. Longer texts come before the parts of them.
const WORDS: &[(&str, &str)] = &[
    ("correlation = 0.99 (--correlation)", "correlated = 0.99"),
    ("pool = false (--no-pool)", "pool = FALSE"),
    ("noisy = { normals = COUNT }", "normals = COUNT"),
    ("say noisy = true, or better, let the model take a seed", "set noisy = TRUE"),
    ("let the model take standard normals", "let the function take standard normals"),
    ("population.looks = 0 searches harder", "a run file with population.looks = 0 searches harder"),
    ("keep-jumps = false", "keep_jumps = FALSE"),
    ("--target cbpp:n-imp=8", "kameleon_target(\"cbpp\", n_imp = 8)"),
    ("--target sv:particles=400", "kameleon_target(\"sv\", particles = 400)"),
    ("such as parameters = [\"a\", \"b\"]", "such as names = c(\"a\", \"b\")"),
    ("a list with a point for each chain", "a matrix with a row for each chain"),
    ("such as [0.5, 2.0]", "such as c(0.5, 2)"),
    ("true or false", "TRUE or FALSE"),
    ("max-draws", "max_draws"),
    ("max-evaluations", "max_evaluations"),
    ("max-minutes", "max_minutes"),
    ("max-warmup", "max_warmup"),
    ("n-imp", "n_imp"),
];

/// A message for users of R.
pub fn of_r(message: &str) -> String {
    let text = WORDS.iter().fold(message.to_owned(), |text, (word, better)| text.replace(word, better));
    // A message that names the files of a chain counts as they do.
    if text.contains("chain-") { text } else { counted_from_one(&text) }
}

/// Messages for users of R.
pub fn all_of_r(messages: &[String]) -> Vec<String> {
    messages.iter().map(|message| of_r(message)).collect()
}

/// "chain 0" is chain 1 in R.
fn counted_from_one(text: &str) -> String {
    let mut parts = text.split("chain ");
    let mut found = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = part.split_at(digits);
        found += "chain ";
        found += &number.parse::<usize>().map_or(number.to_owned(), |chain| (chain + 1).to_string());
        found += rest;
    }
    found
}
