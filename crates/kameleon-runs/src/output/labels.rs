//! Names of parameters as the names of columns and variables: no two the same, none that a format cannot hold.

use std::collections::HashSet;

/// The names made safe: no slash (a folder in netCDF) and no control character, not empty, not made of dots only, and
/// different from each other and from the `reserved` ones.
pub(crate) fn safe(names: &[String], reserved: &[&str]) -> Vec<String> {
    let mut taken: HashSet<String> = reserved.iter().map(|name| (*name).into()).collect();
    names
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let clean: String = name.chars().map(|c| if c == '/' || c.is_control() { '_' } else { c }).collect();
            let mut label = match clean.trim() {
                "" => format!("x{}", i + 1),
                dots if dots.chars().all(|c| c == '.') => "_".repeat(dots.len()),
                clean => clean.into(),
            };
            while !taken.insert(label.clone()) {
                label.push('_');
            }
            label
        })
        .collect()
}

/// The columns of a table of draws: chain, draw, parameters, and what is told of each, such as the log density.
pub(crate) fn columns(names: &[String], last: &[&str]) -> Vec<String> {
    let parameters = safe(names, &[&["chain", "draw"], last].concat());
    let last = last.iter().map(|name| (*name).into());
    ["chain".into(), "draw".into()].into_iter().chain(parameters).chain(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_safe_and_stay_apart() {
        let names = ["a", "a", "", "chain", "k/m", "..", "θ ", "a_"].map(String::from);
        assert_eq!(safe(&names, &["chain", "draw"]), ["a", "a_", "x3", "chain_", "k_m", "__", "θ", "a__"]);
    }
}
