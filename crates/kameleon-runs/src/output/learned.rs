//! What the sampler learned, over all chains: facts and moves, each with one figure for people and the value of each chain.

use kameleon::Report;
use kameleon::any_chain::AnyChain;
use kameleon::report::MoveReport;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What the sampler learned. Lists by chain are in the order of `chains`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// The chains that these figures are from.
    pub chains: Vec<usize>,
    /// What it knows of the target and of itself.
    pub facts: Vec<Fact>,
    /// Its moves; empty for a sampler with one kind of move.
    pub moves: Vec<MoveSummary>,
}

/// A fact.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// Its name.
    pub name: String,
    /// Its value; where chains differ, the range of numbers, or the number of chains for each word.
    pub value: String,
    /// The value of each chain, where it has one.
    pub by_chain: Vec<Option<String>>,
}

/// How often a move is made, and accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveSummary {
    /// Its name.
    #[serde(rename = "move")]
    pub name: String,
    /// The probability with which it is made, as a mean over chains.
    pub share: f64,
    /// The share of accepted points; none before the first.
    pub acceptance: Option<Acceptance>,
    /// The figures of each chain.
    pub by_chain: Vec<MoveReport>,
}

/// A share of accepted points over all chains, and its range over chains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Acceptance {
    /// Of the points of all chains.
    pub mean: f64,
    /// Of the chain with the smallest.
    pub min: f64,
    /// Of the chain with the largest.
    pub max: f64,
}

impl Learned {
    /// What these chains say, with the scale and the bandwidth that they came to.
    pub fn of<'a>(chains: impl Iterator<Item = &'a dyn AnyChain>) -> Self {
        let (chains, reports): (Vec<usize>, Vec<Report>) = chains.map(|chain| (chain.index(), report(chain))).unzip();
        let facts = names(reports.iter().flat_map(|report| report.facts.iter().map(|(name, _)| name)));
        let moves = names(reports.iter().flat_map(|report| report.moves.iter().map(|row| &row.name)));
        Self {
            chains,
            facts: facts.into_iter().map(|name| Fact::new(name, &reports)).collect(),
            moves: moves.into_iter().map(|name| MoveSummary::new(name, &reports)).collect(),
        }
    }
}

/// A number with four decimals, or with four digits and an exponent where these would tell nothing.
fn shown(value: f64) -> String {
    if value == 0.0 || (1e-3..1e6).contains(&value.abs()) { format!("{value:.4}") } else { format!("{value:.3e}") }
}

/// What a chain says, with its scale and its bandwidth.
fn report(chain: &dyn AnyChain) -> Report {
    let mut report = chain.report();
    let mut number = |name: &str, value: f64| report.facts.push((name.into(), shown(value)));
    number("scale of the steps", chain.scale());
    if let Some(sigma) = chain.statistics().trace.last().and_then(|trace| trace.bandwidth) {
        number("bandwidth of the kernel", sigma);
    }
    report
}

/// Each name once, in the order in which they come.
fn names<'a>(all: impl Iterator<Item = &'a String>) -> Vec<&'a String> {
    let mut names: Vec<&String> = Vec::new();
    all.for_each(|name| {
        if !names.contains(&name) {
            names.push(name);
        }
    });
    names
}

impl Fact {
    fn new(name: &str, reports: &[Report]) -> Self {
        let value = |report: &Report| Some(report.facts.iter().find(|fact| fact.0 == name)?.1.clone());
        let by_chain: Vec<Option<String>> = reports.iter().map(value).collect();
        Self { name: name.into(), value: over_chains(by_chain.iter().flatten()), by_chain }
    }
}

/// One value if all are equal, else the range of numbers, or the number of chains for each word.
fn over_chains<'a>(values: impl Iterator<Item = &'a String> + Clone) -> String {
    let distinct = names(values.clone());
    if let [one] = distinct.as_slice() {
        return (*one).clone();
    }
    let numbers: Option<Vec<(f64, &String)>> = distinct.iter().map(|text| Some((text.parse().ok()?, *text))).collect();
    let counted = |word: &&String| match values.clone().filter(|value| value == word).count() {
        1 => format!("{word} (1 chain)"),
        n => format!("{word} ({n} chains)"),
    };
    match numbers {
        Some(mut numbers) if !numbers.is_empty() => {
            numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
            format!("{} to {}", numbers[0].1, numbers[numbers.len() - 1].1)
        }
        _ => distinct.iter().map(counted).collect::<Vec<_>>().join(", "),
    }
}

impl MoveSummary {
    fn new(name: &str, reports: &[Report]) -> Self {
        let of_chain = |report: &Report| report.moves.iter().find(|row| row.name == name).cloned();
        let by_chain: Vec<MoveReport> = reports.iter().map(|report| of_chain(report).unwrap_or_default()).collect();
        let share = by_chain.iter().map(|chain| chain.share).sum::<f64>() / by_chain.len() as f64;
        Self { name: name.into(), share, acceptance: Acceptance::new(&by_chain), by_chain }
    }
}

impl Acceptance {
    fn new(chains: &[MoveReport]) -> Option<Self> {
        let total = |of: fn(&MoveReport) -> u64| chains.iter().map(of).sum::<u64>() as f64;
        let rates = || chains.iter().filter_map(MoveReport::acceptance);
        let mean = total(|chain| chain.accepted) / total(|chain| chain.proposed);
        Some(Self { mean, min: rates().reduce(f64::min)?, max: rates().reduce(f64::max)? })
    }
}

/// "0.352 (0.349–0.356)"; the mean alone where chains do not differ.
impl fmt::Display for Acceptance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.mean)?;
        if self.min < self.max { write!(f, " ({:.3}–{:.3})", self.min, self.max) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_that_differ_give_a_range_of_numbers_or_a_count_of_words() {
        let shown = |values: &[&str]| over_chains(values.iter().map(|v| v.to_string()).collect::<Vec<_>>().iter());
        assert_eq!(shown(&["0.5", "0.5"]), "0.5");
        assert_eq!(shown(&["0.5", "-1.25", "10"]), "-1.25 to 10");
        assert_eq!(shown(&["raw", "whitened", "raw"]), "raw (2 chains), whitened (1 chain)");
    }

    #[test]
    fn acceptance_is_a_mean_with_its_range_over_the_chains_that_made_the_move() {
        let row = |proposed, accepted| MoveReport { name: "jump".into(), share: 0.5, proposed, accepted };
        let reports = [row(100, 20), row(300, 120)].map(|row| Report { moves: vec![row], ..Report::default() });
        let reports = [&reports[..], &[Report::default()]].concat();
        let jump = MoveSummary::new("jump", &reports);
        assert_eq!(jump.acceptance.unwrap().to_string(), "0.350 (0.200–0.400)");
        assert_eq!((jump.share, jump.by_chain[2].proposed), (1.0 / 3.0, 0));
        assert_eq!(MoveSummary::new("walk", &reports).acceptance, None);
    }
}
