//! What CONTRIBUTING promises: the number of files that know a kernel, a target, a proposal, a move, a prior or a format.

use crate::modules::{code, files};
use std::fs::read_to_string;
use std::path::Path;

/// The source files of all crates that name a thing, tests left out.
fn places(name: &str) -> Vec<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let names = |text: &str| text.split(|c| !is_word(c)).any(|word| word == name);
    let sources = std::fs::read_dir(&crates).unwrap().map(|entry| entry.unwrap().path().join("src"));
    let all = sources.filter(|source| source.exists()).flat_map(|source| files(&source));
    let found = all.filter(|file| !file.ends_with("tests.rs") && names(&code(&read_to_string(file).unwrap())));
    found.map(|file| file.strip_prefix(&crates).unwrap().display().to_string()).collect()
}

#[test]
fn a_new_entry_touches_as_few_files_as_contributing_says() {
    for (what, name, most) in [
        ("kernel", "RationalQuadratic", 2),
        ("kernel", "InverseMultiquadric", 2),
        ("target", "Funnel", 2),
        ("target", "TwoModes", 2),
        ("proposal", "PrincipalComponents", 3),
        ("proposal", "DifferentialEvolution", 3),
        ("proposal", "MalaSettings", 3),
        ("proposal", "KmcSettings", 3),
        ("move", "Difference", 2),
        ("prior", "log-uniform", 1),
        ("prior", "inverse-gamma", 1),
        ("output format", "parquet", 2),
    ] {
        let places = places(name);
        assert!(!places.is_empty() && places.len() <= most, "the {what} {name} is named in {places:?}");
    }
}
