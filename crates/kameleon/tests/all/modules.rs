//! No module of a crate depends on itself by way of others: data flows one way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

/// For each module of a crate, the modules that it uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The code without comments and without what is compiled for tests only.
pub fn code(text: &str) -> String {
    let tests = ["#[cfg(test)]\nmod ", "#[cfg(test)]\npub mod ", "#[cfg(test)]\npub(crate) mod "];
    let end = tests.iter().filter_map(|start| text.find(start)).min().unwrap_or(text.len());
    // A module that other code follows would hide it.
    let rest = text[end..].trim_end();
    assert!(rest.is_empty() || rest.ends_with('}') || rest.ends_with("mod tests;"), "tests come last in a file");
    text[..end].lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The names that follow `path` in the code: one, or several in braces; of each, its first part.
fn named_after(path: &str, code: &str) -> BTreeSet<String> {
    let word = |text: &str| text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(path) {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let after = &code[at + path.len()..];
        match after.strip_prefix('{') {
            Some(group) => names.extend(parts(group).into_iter().map(word)),
            None => drop(names.insert(word(after))),
        }
    }
    names
}

/// The parts of a group up to its closing brace, separated by commas outside inner braces.
fn parts(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                parts.push(&group[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&group[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts
}

/// All files of Rust code in a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The modules of the crate in this folder, and what each uses.
fn graph(source: &Path) -> Graph {
    let root = ["lib.rs", "main.rs"].map(|name| source.join(name)).into_iter().find(|path| path.exists()).unwrap();
    let text = code(&read_to_string(&root).unwrap());
    let declared = |line: &str| {
        let line = line.trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        line.strip_prefix("mod ").and_then(|line| line.strip_suffix(';')).map(str::to_owned)
    };
    let modules: BTreeSet<String> = text.lines().filter_map(declared).collect();
    // A name of the root that it has from a module.
    let mut origin: BTreeMap<String, String> = modules.iter().map(|name| (name.clone(), name.clone())).collect();
    for module in &modules {
        let names = named_after(&format!("use {module}::"), &text).into_iter().filter(|name| !name.is_empty());
        origin.extend(names.map(|name| (name, module.clone())));
    }
    let mut graph: Graph = modules.iter().map(|name| (name.clone(), BTreeSet::new())).collect();
    for path in files(source) {
        let inside = path.strip_prefix(source).unwrap().with_extension("");
        let inside: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let text = code(&read_to_string(&path).unwrap());
        let up = "super::".repeat(inside.len());
        let names = [named_after("crate::", &text), named_after(&up, &text)].into_iter().flatten();
        if let Some(uses) = graph.get_mut(&inside[0]) {
            let known = names.filter_map(|name| origin.get(&name)).filter(|name| **name != inside[0]);
            uses.extend(known.cloned());
        }
    }
    graph
}

/// A shortest way from one module to another, if there is one.
fn way(graph: &Graph, from: &str, to: &str) -> Option<Vec<String>> {
    let mut ways = vec![vec![from.to_owned()]];
    let mut seen = BTreeSet::from([from.to_owned()]);
    let mut next = 0;
    while next < ways.len() {
        let so_far = ways[next].clone();
        next += 1;
        for used in graph.get(so_far.last()?)? {
            let longer = [so_far.as_slice(), std::slice::from_ref(used)].concat();
            if used == to {
                return Some(longer);
            }
            if seen.insert(used.clone()) {
                ways.push(longer);
            }
        }
    }
    None
}

#[test]
fn no_module_depends_on_itself_by_way_of_others() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    for folder in read_dir(crates).unwrap().map(|entry| entry.unwrap()) {
        let name = folder.file_name().to_string_lossy().into_owned();
        let graph = graph(&folder.path().join("src"));
        // Each cycle once, though every module of it leads back to itself.
        let mut named = BTreeSet::new();
        for cycle in graph.keys().filter_map(|module| way(&graph, module, module)) {
            if named.insert(cycle.iter().cloned().collect::<BTreeSet<String>>()) {
                found.push(format!("{name}: {}", cycle.join(" → ")));
            }
        }
    }
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
}

#[test]
fn a_cycle_is_found_and_named() {
    let uses = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    let graph = Graph::from([("a".into(), uses(&["b"])), ("b".into(), uses(&["c"])), ("c".into(), uses(&["a"]))]);
    assert_eq!(way(&graph, "a", "a").unwrap(), ["a", "b", "c", "a"]);
    let text = code(
        "use crate::{x::Y, z::{a, b}};\n// crate::no\nlet q = crate::w::f();\n#[cfg(test)]\nmod tests {\n    use crate::no::T;\n}\n",
    );
    assert_eq!(named_after("crate::", &text), uses(&["w", "x", "z"]));
}
