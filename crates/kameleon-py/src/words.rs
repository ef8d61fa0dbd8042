//! Messages of the Rust crates in the words of Python: arguments instead of flags and keys of run files.

/// What the crates say, and how Python says it. Longer texts come before the parts of them.
const WORDS: &[(&str, &str)] = &[
    ("correlation = 0.99 (--correlation)", "correlated=0.99"),
    ("pool = false (--no-pool)", "pool=False"),
    ("noisy = { normals = COUNT }", "normals=COUNT"),
    (
        "say noisy = true, or better, let the model take a seed",
        "set noisy=True, or better, let the function take a generator",
    ),
    ("let the model take standard normals", "let the function take standard normals"),
    ("keep-jumps = false", "keep_jumps=False"),
    ("population.looks = 0", "population=km.Population(looks=0)"),
    ("warmup = \"chains\"", "warmup=\"chains\""),
    ("warmup = \"population\"", "warmup=\"population\""),
    ("--target cbpp:n-imp=8", "km.targets.Cbpp(n_imp=8)"),
    ("--target sv:particles=400", "km.targets.StochasticVolatility(particles=400)"),
    ("true or false", "True or False"),
    ("max-draws", "max_draws"),
    ("max-evaluations", "max_evaluations"),
    ("max-minutes", "max_minutes"),
    ("max-warmup", "max_warmup"),
    ("n-imp", "n_imp"),
];

/// A message for users of Python.
pub fn of_python(message: &str) -> String {
    WORDS.iter().fold(message.to_owned(), |text, (word, better)| text.replace(word, better))
}

/// Messages for users of Python.
pub fn all_of_python(messages: Vec<String>) -> Vec<String> {
    messages.iter().map(|message| of_python(message)).collect()
}
