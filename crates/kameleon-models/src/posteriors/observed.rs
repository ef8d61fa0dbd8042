//! What was observed, for the built-in posteriors: the columns of their tables that are outcomes.

use crate::posteriors::table::number;
use kameleon::registry::same_name;

/// Each posterior with its table and the columns that are outcomes.
const TABLES: &[(&str, &str, &[&str])] = &[
    ("birth-weight", include_str!("../../data/birth-weight.csv"), &["low"]),
    ("cbpp", include_str!("../../data/cbpp.csv"), &["incidence"]),
    ("coal", include_str!("../../data/coal.csv"), &["disasters"]),
    ("dugongs", include_str!("../../data/dugongs.csv"), &["length"]),
    ("eight-schools", include_str!("../../data/eight-schools.csv"), &["effect"]),
    ("garch", include_str!("../../data/sterling.csv"), &["rate"]),
    ("lynx-hare", include_str!("../../data/lynx-hare.csv"), &["hare", "lynx"]),
    ("nile", include_str!("../../data/nile.csv"), &["flow"]),
    ("stack-loss", include_str!("../../data/stack-loss.csv"), &["loss"]),
    ("sv", include_str!("../../data/sterling.csv"), &["rate"]),
    ("thurber", include_str!("../../data/thurber.csv"), &["mobility"]),
    ("warp-breaks", include_str!("../../data/warp-breaks.csv"), &["breaks"]),
];

/// The outcomes of a built-in posterior of this name, in any case: each with the name of its column. Empty for another name.
pub fn observed(name: &str) -> Vec<(&'static str, Vec<f64>)> {
    let Some((_, csv, outcomes)) = TABLES.iter().find(|(known, ..)| same_name(known, name)) else { return Vec::new() };
    let place = |outcome: &str| csv.lines().next()?.split(',').position(|column| column == outcome);
    let column = |place: usize| csv.lines().skip(1).filter_map(move |line| line.split(',').nth(place)).map(number);
    outcomes.iter().filter_map(|outcome| Some((*outcome, column(place(outcome)?).collect()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posteriors::entries;

    #[test]
    fn every_posterior_has_what_was_observed() {
        for entry in entries() {
            let found = observed(entry.name);
            assert!(!found.is_empty() && found.iter().all(|(_, values)| values.len() > 7), "{}", entry.name);
        }
        assert_eq!(observed("Eight-Schools")[0].1[..3], [28.0, 8.0, -3.0]);
        assert_eq!(observed("lynx-hare").len(), 2);
        assert!(observed("banana").is_empty());
    }
}
