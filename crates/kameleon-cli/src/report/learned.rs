//! What the sampler learned, for a terminal: a table of moves and a few facts; on demand the values of each chain.

use crate::output::{harmless, wrapped};
use kameleon::report::MoveReport;
use kameleon_runs::output::Learned;

/// Nothing for samplers that tell nothing.
pub fn as_text(learned: &Learned, verbose: bool) -> String {
    let Learned { chains, facts, moves } = learned;
    if chains.is_empty() {
        return String::new();
    }
    let mut out = "what the sampler learned:\n".to_owned();
    let names = moves.iter().map(|made| &made.name).chain(facts.iter().map(|fact| &fact.name));
    let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
    if !moves.is_empty() {
        out += &format!("  {:width$}  share  acceptance (range over chains)\n", "move");
    }
    for made in moves {
        let acceptance = made.acceptance.map_or("–".into(), |acceptance| acceptance.to_string());
        out += &harmless(&format!("  {:width$}  {:3.0} %  {acceptance}\n", made.name, 100.0 * made.share));
    }
    for fact in facts {
        out += &wrapped(&harmless(&format!("  {:width$}  ", fact.name)), "    ", &harmless(&fact.value));
    }
    if verbose { out + &by_chain(learned) } else { out }
}

/// A line for each figure, with the values of all chains.
fn by_chain(learned: &Learned) -> String {
    let chains: Vec<String> = learned.chains.iter().map(ToString::to_string).collect();
    let mut out = wrapped("", "  ", &format!("by chain ({}):", chains.join(", ")));
    let mut line = |name: String, values: Vec<String>| {
        out += &wrapped("  ", "    ", &harmless(&format!("{name}: {}", values.join(", "))));
    };
    for made in &learned.moves {
        let values = |of: fn(&MoveReport) -> String| made.by_chain.iter().map(of).collect();
        line(format!("{}, share", made.name), values(|chain| format!("{:.3}", chain.share)));
        let rate = |chain: &MoveReport| chain.acceptance().map_or("–".into(), |rate| format!("{rate:.3}"));
        line(format!("{}, acceptance", made.name), values(rate));
    }
    for fact in &learned.facts {
        line(fact.name.clone(), fact.by_chain.iter().map(|value| value.clone().unwrap_or("–".into())).collect());
    }
    out
}
