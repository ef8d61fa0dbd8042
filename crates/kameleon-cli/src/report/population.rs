//! What is printed of a population: how it began, its evidence, and the modes that it found.

use crate::output::{harmless, wrapped};
use kameleon_runs::output::{ModeSummary, PopulationSummary, Posterior};

/// The most columns of a line, those of a parameter, and those of its name.
const WIDTH: usize = 80;
const COLUMN: usize = 11;
const NAME: usize = 10;
/// The columns before the parameters.
const HEAD: [&str; 4] = ["mode", "weight       ", "log evidence", "chains   "];

/// "population of 1000, 23456 evaluations, then ", or what else it was; nothing for a run without one.
pub fn beginning(posterior: &Posterior) -> String {
    let Some(population) = &posterior.population else { return String::new() };
    let PopulationSummary { particles, evaluations, progress, only_looks, .. } = population;
    let what = if *only_looks { "short looks of a population of" } else { "population of" };
    match progress {
        Some(progress) => format!("{what} {particles} ({progress}; {evaluations} evaluations), then "),
        None => format!("{what} {particles}, {evaluations} evaluations, then "),
    }
}

/// The ladder's own log Z, and a table of the modes where there are several.
pub fn as_text(posterior: &Posterior) -> String {
    let Some(population) = &posterior.population else { return String::new() };
    let ladder = population.ladder_log_z.map_or_else(String::new, |log| {
        wrapped("log evidence by the population's ladder  ", "  ", &format!("{log:.2} (without an error)"))
    });
    let alone = match (population.frozen, &population.progress) {
        (false, None) => wrapped("", "  ", "no density was learned before the chains, so they learned by themselves"),
        _ => String::new(),
    };
    let said = match population.modes.as_slice() {
        modes @ [_, _, ..] => table(posterior, modes),
        _ if population.noisy => {
            wrapped("", "  ", "modes are not listed: the noise of the likelihood looks like modes too")
        }
        _ => population.caution.as_deref().map_or_else(String::new, |caution| wrapped("", "  ", caution)),
    };
    ladder + &alone + &said
}

/// One line for each mode: what fits besides its weight are the parameters in which modes differ most.
fn table(posterior: &Posterior, modes: &[ModeSummary]) -> String {
    let head = format!("  {}", HEAD.join("  "));
    let room = (WIDTH - head.chars().count()) / COLUMN;
    let shown = most_different(posterior, modes, room);
    let name = |i: &usize| {
        let name = harmless(&posterior.names[*i]);
        let short =
            if name.chars().count() > NAME { name.chars().take(NAME - 1).chain(['…']).collect() } else { name };
        format!("{short:>COLUMN$}")
    };
    let mut out = format!(
        "modes found{}:\n",
        if shown.len() < posterior.dim() { ", with the parameters in which they differ most" } else { "" }
    );
    out += &format!("{head}{}\n", shown.iter().map(name).collect::<String>());
    for (number, mode) in modes.iter().enumerate() {
        let error = mode.error.map_or_else(String::new, |error| format!(" ± {error:.3}"));
        let log = mode.log_evidence.map_or_else(|| "unknown".into(), |log| format!("{log:.2}"));
        let place = shown.iter().map(|i| format!("{:>COLUMN$}", short(mode.place[*i]))).collect::<String>();
        let weight = format!("{:.3}{error}", mode.weight);
        out += &format!("  {:>4}  {weight:13}  {log:>12}  {:9}{place}\n", number + 1, chains(&mode.chains));
    }
    out
}

/// At most `room` parameters, in their order: those whose modes are farthest apart, in standard deviations of the draws.
fn most_different(posterior: &Posterior, modes: &[ModeSummary], room: usize) -> Vec<usize> {
    let summary = posterior.summary();
    let apart = |i: usize| {
        let places = modes.iter().map(|mode| mode.place[i]);
        let range = places.clone().fold(f64::MIN, f64::max) - places.fold(f64::MAX, f64::min);
        let sd = summary.parameters.get(i).map_or(1.0, |parameter| parameter.sd);
        if sd > 0.0 { range / sd } else { range }
    };
    let mut order: Vec<usize> = (0..posterior.dim()).collect();
    order.sort_by(|a, b| apart(*b).total_cmp(&apart(*a)));
    order.truncate(room);
    order.sort_unstable();
    order
}

/// A number in at most nine characters.
fn short(x: f64) -> String {
    let size = x.abs();
    match size {
        0.0 => "0".into(),
        _ if (0.001..10_000.0).contains(&size) => format!("{x:.prec$}", prec = if size < 1.0 { 4 } else { 3 }),
        _ => format!("{x:.2e}"),
    }
}

/// "0–3", "0, 2" or "12 of them".
fn chains(visited: &[usize]) -> String {
    let text = match visited {
        [] => "none".into(),
        [one] => one.to_string(),
        [first, .., last] if last - first + 1 == visited.len() => format!("{first}–{last}"),
        some => some.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
    };
    if text.chars().count() > HEAD[3].len() { format!("{} chains", visited.len()) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_and_numbers_are_short() {
        assert_eq!(chains(&[0, 1, 2, 3]), "0–3");
        assert_eq!(chains(&[0, 2]), "0,2");
        assert_eq!(chains(&[]), "none");
        assert_eq!(chains(&[0, 2, 4, 6, 8, 10]), "6 chains");
        let all = [0.0, 3.00123, -0.01234, 123_456.0, -1.5e-7].map(short);
        assert_eq!(all, ["0", "3.001", "-0.0123", "1.23e5", "-1.50e-7"]);
    }
}
