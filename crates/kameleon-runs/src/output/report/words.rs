//! What the page says in words and tables; the figures are drawn by its script.

use super::data::MOST_PARAMETERS;
use super::html::escape;
use crate::output::{ChainDraws, Learned, MoveSummary, Posterior};
use kameleon::diagnose::{HEADER, LARGEST_R_HAT, ParameterSummary, Summary, least_ess};
use kameleon::statistics::expected_wait;

/// The table of the chains: outcomes after the warm-up, and scale and bandwidth as they were at its end.
const CHAIN_COLUMNS: [&str; 9] = [
    "chain",
    "accepted",
    "longest wait",
    "expected wait",
    "outside support",
    "invalid",
    "scale ν",
    "bandwidth σ",
    "evaluations",
];

/// The line under the title: what was run.
pub(super) fn facts(posterior: &Posterior) -> String {
    let mut draws = match posterior.draws_of_chain() {
        (least, most) if least == most => count(most as usize),
        (least, most) => format!("{} to {}", count(least as usize), count(most as usize)),
    };
    if let Some(all) = &posterior.all {
        draws += &format!(" ({})", all.words("figures"));
    }
    let mut facts = vec![
        ("parameters", posterior.dim().to_string()),
        ("sampler", posterior.sampler.clone()),
        ("chains", posterior.chains.len().to_string()),
        ("draws per chain", draws),
        ("warm-up", format!("{} iterations", count(posterior.warmup as usize))),
    ];
    if posterior.thin > 1 {
        facts.push(("thinning", format!("one draw in {} iterations", count(posterior.thin as usize))));
    }
    if let Some(population) = &posterior.population {
        let (particles, evaluations) = (count(population.particles), count(population.evaluations as usize));
        let name = if population.only_looks { "short looks" } else { "population" };
        facts.push((name, format!("{particles} particles, {evaluations} evaluations")));
    }
    facts.push(("evaluations", count(posterior.evaluations() as usize)));
    if let Some(seconds) = posterior.seconds {
        facts.push(("time", duration(seconds)));
    }
    facts.push(("seed", posterior.seed.to_string()));
    if let Some(kept) = &posterior.kept {
        facts.push(("thinned to", kept.words()));
    }
    if let Some(jumps) = posterior.jumps.as_ref().filter(|_| !posterior.points().is_empty()) {
        facts.push((jumps.name(), jumps.to_string().replacen('-', "−", usize::from(jumps.evidence.reliable))));
    }
    if let Some(log) = posterior.population.as_ref().and_then(|population| population.ladder_log_z) {
        facts.push(("log evidence by the ladder", format!("{log:.2} (without an error)").replacen('-', "−", 1)));
    }
    let item = |(label, value): &(&str, String)| format!("<div><dt>{label}</dt><dd>{}</dd></div>", escape(value));
    facts.iter().map(item).collect()
}

/// Whether the draws can be trusted, why, and what to do.
pub(super) fn verdict(posterior: &Posterior, summary: Option<&Summary>) -> String {
    let words = |summary: &Summary| summary.verdict.words().cloned().collect::<Vec<_>>();
    let (class, head, mut lines) = match summary {
        None => ("bad", "The run cannot be judged", vec!["Its files are inconsistent; run it again.".to_string()]),
        Some(summary) if summary.verdict.converged => {
            let mut lines = vec![format!("The chains agree: {}", summary.verdict.what_passed())];
            lines.extend(precision(&summary.parameters));
            lines.extend(summary.verdict.words().cloned());
            ("good", "Converged", lines)
        }
        Some(summary) if summary.verdict.goal.is_some() => {
            ("note", "The goal of the run was reached; by the usual limits", words(summary))
        }
        Some(summary) => ("bad", "Not converged: do not rely on these draws yet", words(summary)),
    };
    lines.iter_mut().for_each(|line| *line = format!("<li>{}</li>", escape(line)));
    let mark = if class == "good" { "✓" } else { "!" };
    let mut html = format!(
        "<section class=\"verdict {class}\" aria-label=\"Verdict\"><h2><span class=\"mark\" aria-hidden=\"true\">{mark}</span>{head}</h2><ul>{}</ul></section>",
        lines.concat()
    );
    if !posterior.warnings.is_empty() {
        let items: String = posterior.warnings.iter().map(|line| format!("<li>{}</li>", escape(line))).collect();
        html += &format!(
            "<section class=\"verdict note\" aria-label=\"Warnings\"><h2>Warnings</h2><ul>{items}</ul></section>"
        );
    }
    html
}

/// How well the worst mean is known.
fn precision(parameters: &[ParameterSummary]) -> Option<String> {
    let share = |p: &ParameterSummary| p.mcse_mean / p.sd;
    let worst = parameters.iter().filter(|p| share(p).is_finite()).max_by(|a, b| share(a).total_cmp(&share(b)))?;
    let percent = 100.0 * share(worst);
    let digits = usize::from(percent < 10.0);
    Some(format!(
        "The Monte Carlo error of the means is at most {percent:.digits$} % of a posterior standard deviation ({}).",
        worst.name
    ))
}

/// The summary as a table, with doubtful figures marked.
pub(super) fn table(summary: &Summary, chains: usize) -> String {
    let head: String = HEADER.iter().map(|name| format!("<th scope=\"col\">{name}</th>")).collect();
    let rows: String = summary.parameters.iter().map(|p| row(p, chains)).collect();
    let many = match summary.parameters.len() {
        n if n > MOST_PARAMETERS => format!(
            "<p class=\"hint\">There are {n} parameters; figures are made for the {MOST_PARAMETERS} with the largest R-hat.</p>"
        ),
        _ => String::new(),
    };
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Summary of all parameters\"><table id=\"summary\"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{many}"
    )
}

fn row(p: &ParameterSummary, chains: usize) -> String {
    let name = escape(&p.name);
    let mut html = format!("<tr><th scope=\"row\"><button type=\"button\" data-name=\"{name}\">{name}</button></th>");
    let least = least_ess(chains);
    for (cell, column) in p.cells().iter().zip(HEADER).skip(1) {
        // What is not a number is no good either.
        let (good, why) = match column {
            "R-hat" => (p.r_hat <= LARGEST_R_HAT, format!("above {LARGEST_R_HAT}")),
            "ESS bulk" => (p.ess_bulk >= least, format!("below {least}")),
            "ESS tail" => (p.ess_tail >= least, format!("below {least}")),
            _ => (true, String::new()),
        };
        let cell = escape(cell).replace('-', "−");
        html += &if good {
            format!("<td>{cell}</td>")
        } else {
            format!("<td class=\"doubt\" title=\"{why}\"><span aria-label=\"{why}\">▲</span> {cell}</td>")
        };
    }
    html + "</tr>"
}

/// What the sampler learned, and what happened to each chain.
pub(super) fn sampler(posterior: &Posterior) -> String {
    let rows: String = posterior.chains.iter().map(chain_row).collect();
    let mut html = learned(&posterior.learned);
    html += "<h3>What happened to each chain</h3><div class=\"scroll\" tabindex=\"0\" role=\"region\" \
             aria-label=\"What happened to each chain\"><table><thead><tr>";
    html += &CHAIN_COLUMNS.map(|name| format!("<th scope=\"col\">{name}</th>")).concat();
    html += &format!("</tr></thead><tbody>{rows}</tbody></table></div>");
    html + &format!("<p class=\"hint\">{}</p>", escape(waiting(posterior.noisy)))
}

/// The moves as a table, then the facts.
fn learned(learned: &Learned) -> String {
    let row = |name: &str, cells: String| format!("<tr><th scope=\"row\">{}</th>{cells}</tr>", escape(name));
    let acceptance = |made: &MoveSummary| made.acceptance.map_or("–".into(), |acceptance| acceptance.to_string());
    let moves = learned
        .moves
        .iter()
        .map(|made| row(&made.name, format!("<td>{:.0} %</td><td>{}</td>", 100.0 * made.share, acceptance(made))));
    let moves: String = moves.collect();
    let facts = learned.facts.iter().map(|fact| row(&fact.name, format!("<td>{}</td>", escape(&fact.value))));
    let facts: String = facts.collect();
    let mut html = String::new();
    if !moves.is_empty() {
        html += &format!(
            "<table class=\"small\"><thead><tr><th scope=\"col\">move</th><th scope=\"col\">share</th>\
             <th scope=\"col\">acceptance (range over chains)</th></tr></thead><tbody>{moves}</tbody></table>"
        );
    }
    if !facts.is_empty() {
        html += &format!("<table class=\"small\"><tbody>{facts}</tbody></table>");
    }
    if html.is_empty() { html } else { format!("<h3>What it learned</h3><div class=\"tables\">{html}</div>") }
}

fn waiting(noisy: bool) -> &'static str {
    if noisy {
        "The log density is an unbiased estimate. An estimate that is too high by chance holds the chain at its point: the \
         longest wait is then much longer than the acceptance rate explains. If it is, reduce the noise of the estimate."
    } else {
        "The longest wait is the longest run of rejections, in iterations. A wait many times longer than expected means that \
         the chain was in a region where its proposal fits badly."
    }
}

fn chain_row(chain: &ChainDraws) -> String {
    let (counts, longest) = (chain.statistics.sampling, chain.statistics.longest_rejection_run);
    let ran = counts.total() > 0;
    let known = |known: bool, words: String| if known { words } else { "–".into() };
    let expected = expected_wait(longest, counts.accepted, counts.total()).round() as usize;
    let last = chain.statistics.trace.last();
    let cells = [
        known(ran, format!("{:.1} %", 100.0 * counts.acceptance())),
        known(ran, count(longest as usize)),
        known(ran, format!("about {}", count(expected))),
        known(ran, count(counts.outside_support as usize)),
        known(ran, count(counts.invalid as usize)),
        last.map_or("–".into(), |point| format!("{:.3}", point.scale)),
        last.and_then(|point| point.bandwidth).map_or("–".into(), |bandwidth| format!("{bandwidth:.3}")),
        count(chain.statistics.evaluations as usize),
    ];
    let cells = cells.map(|cell| format!("<td>{cell}</td>")).concat();
    format!("<tr><th scope=\"row\">{}</th>{cells}</tr>", chain.index)
}

/// A whole number with thin spaces between thousands.
fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 60.0 => format!("{s:.1} s"),
        s if s < 3600.0 => format!("{:.0} min {:02.0} s", (s / 60.0).floor(), (s % 60.0).floor()),
        s => format!("{:.0} h {:02.0} min", (s / 3600.0).floor(), (s % 3600.0 / 60.0).floor()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_read_well() {
        assert_eq!(
            [0, 999, 1234, 12_345, 1_234_567].map(count),
            ["0", "999", "1234", "12\u{202f}345", "1\u{202f}234\u{202f}567"]
        );
        assert_eq!([0.04, 59.9, 61.0, 7322.0].map(duration), ["0.0 s", "59.9 s", "1 min 01 s", "2 h 02 min"]);
    }

    #[test]
    fn a_name_made_of_markup_is_shown_not_run() {
        let p = ParameterSummary { name: "\"><script>alert(1)</script>".into(), ..example() };
        let html = row(&p, 4);
        assert!(!html.contains("<script") && html.contains("&lt;script&gt;"), "{html}");
    }

    #[test]
    fn doubtful_parameters_are_marked() {
        for doubtful in [
            ParameterSummary { r_hat: 1.2, ..example() },
            ParameterSummary { r_hat: f64::NAN, ..example() },
            ParameterSummary { ess_tail: 399.0, ..example() },
        ] {
            assert_eq!(row(&doubtful, 4).matches("doubt").count(), 1, "{doubtful:?}");
        }
        assert!(!row(&example(), 4).contains("doubt"));
    }

    fn example() -> ParameterSummary {
        ParameterSummary {
            name: "a".into(),
            mean: 0.0,
            sd: 1.0,
            mcse_mean: 0.01,
            ess_bulk: 1000.0,
            ess_tail: 1000.0,
            r_hat: 1.0,
            q5: -1.6,
            q50: 0.0,
            q95: 1.6,
        }
    }
}
