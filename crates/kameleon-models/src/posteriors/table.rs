//! The data tables embedded in the crate.

/// The rows of an embedded table: a header, then `N` fields on every line.
pub(crate) fn rows<const N: usize>(csv: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    let fields = |line: &'static str| line.split(',').collect::<Vec<_>>();
    csv.lines().skip(1).map(move |line| fields(line).try_into().expect("the embedded table is sound"))
}

/// A number of such a table.
pub(crate) fn number(field: &str) -> f64 {
    field.parse().expect("the embedded table is sound")
}
