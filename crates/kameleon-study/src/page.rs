//! The page: one self-contained file with all figures, numbers and verdicts.

use crate::figure::Outcome;
use crate::results::Results;
use crate::settings::Settings;
use crate::study::{Kind, Scale, Study, TargetEntry};
use crate::verdict::{Finding, Verdict, show};
use base64::Engine as _;
use kameleon_runs::output::escape;

const STYLE: &str = include_str!("page.css");

const SHORTER: &str = " At this scale there are fewer or shorter chains than in the paper, so intervals are wider.";

/// The whole page.
pub fn page(parts: &[(&Study, Outcome)], settings: &Settings<'_>) -> String {
    let contents: String = parts
        .iter()
        .map(|(study, _)| format!("<li><a href=\"#{0}\">{0}</a>: {1}</li>", study.name, escape(&study.title)))
        .collect();
    let sections: String = parts.iter().map(|(study, outcome)| section(study, outcome, settings)).collect();
    let heading = match parts {
        [(study, _)] => escape(&study.title),
        _ => "Kernel adaptive Metropolis-Hastings: results".into(),
    };
    let shorter = settings.scale != Scale::Paper && parts.iter().any(|(study, _)| study.source.is_some());
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{heading}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>{heading}</h1>\n\
         <p>Made by <code>{command}</code> (version {version}): scale <b>{scale}</b>, seed {seed}. The same command gives \
         the same numbers. Intervals are 80 % intervals, mean ± 1.28 standard errors over chains, as in the paper (Sejdinovic, Strathmann, Lomeli Garcia, Andrieu and Gretton: <i>Kernel Adaptive Metropolis-Hastings</i>, \
         ICML 2014).{shorter}</p>\n{overview}<h2>Contents</h2>\n<ul>\n{contents}</ul>\n{sections}</main>\n</body>\n</html>\n",
        command = escape(&settings.command),
        version = env!("CARGO_PKG_VERSION"),
        scale = settings.scale.name(),
        seed = settings.seed,
        shorter = if shorter { SHORTER } else { "" },
        overview = overview(parts),
    )
}

/// A table of all verdicts.
fn overview(parts: &[(&Study, Outcome)]) -> String {
    let row = |study: &Study, verdict: &Verdict| {
        format!(
            "<tr><td><a href=\"#{0}\">{0}</a></td><td>{1}</td><td>{2}</td></tr>\n",
            study.name,
            escape(&verdict.claim),
            badge(verdict.finding)
        )
    };
    let rows: String =
        parts.iter().flat_map(|(study, outcome)| outcome.verdicts.iter().map(|verdict| row(study, verdict))).collect();
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "<h2>Claims at a glance</h2>\n<div class=\"wide\"><table>\n<tr><th>study</th><th>claim</th><th>result</th></tr>\n{rows}</table></div>\n"
    )
}

fn badge(finding: Finding) -> String {
    let class = match finding {
        Finding::Holds => "holds",
        Finding::Unsettled => "unsettled",
        Finding::Fails => "fails",
    };
    format!("<span class=\"{class}\">{}</span>", finding.words())
}

fn section(study: &Study, outcome: &Outcome, settings: &Settings<'_>) -> String {
    let mut html = format!("<section id=\"{}\">\n<h2>{}</h2>\n", study.name, escape(&study.title));
    if let Some(source) = &study.source {
        html += &format!("<p class=\"source\">{}</p>\n", escape(source));
    }
    for figure in &outcome.figures {
        let data = base64::engine::general_purpose::STANDARD.encode(&figure.svg);
        let caption = escape(&figure.caption);
        html += &format!(
            "<figure><img alt=\"{caption}\" src=\"data:image/svg+xml;base64,{data}\"><figcaption>{caption} Files: \
             <code>{0}.svg</code>, <code>{0}.png</code>.</figcaption></figure>\n",
            figure.name
        );
    }
    if let Some(says) = &study.says {
        let who = if study.source.is_some() { "the paper" } else { "the study" };
        html += &format!("<h3>What {who} says</h3>\n<p>{}</p>\n", escape(says));
    }
    if !outcome.verdicts.is_empty() || !outcome.facts.is_empty() {
        html += "<h3>Results</h3>\n";
        html += &outcome.verdicts.iter().map(verdict).collect::<String>();
        html += &outcome.facts.iter().map(|fact| format!("<p>{}</p>\n", escape(fact))).collect::<String>();
    }
    html += &table(study, &outcome.results);
    html += &notes(study);
    html += &setup(study, outcome, settings);
    html + "</section>\n"
}

fn verdict(verdict: &Verdict) -> String {
    let details: String = verdict.details.iter().map(|detail| format!("<li>{}</li>", escape(detail))).collect();
    format!("<p>{}: {}</p>\n<ul>{details}</ul>\n", escape(&verdict.claim), badge(verdict.finding))
}

/// The numbers after all iterations.
fn table(study: &Study, results: &Results) -> String {
    if results.0.is_empty() {
        return String::new();
    }
    let measures = study.kind.measures();
    let heads: String = measures.iter().map(|measure| format!("<th>{}</th>", measure_name(measure))).collect();
    let mut rows = String::new();
    for target in results.targets() {
        for sampler in results.samplers() {
            let number = |measure: &&str| match results.last(target, sampler, measure) {
                Some(interval) => format!("<td class=\"number\">{}</td>", show(interval)),
                None => "<td></td>".into(),
            };
            let numbers: String = measures.iter().map(number).collect();
            rows += &format!("<tr><td>{}</td><td>{}</td>{numbers}</tr>\n", escape(target), escape(sampler));
        }
    }
    format!(
        "<h3>Numbers</h3>\n<div class=\"wide\"><table>\n<tr><th>target</th><th>sampler</th>{heads}</tr>\n{rows}</table></div>\n"
    )
}

/// The heading of a measure in the table.
fn measure_name(measure: &str) -> &str {
    match measure {
        "acceptance" => "acceptance",
        "mean-norm" => "‖mean‖",
        "quantile-deviation" => "quantile deviation (mean of nine)",
        "n-eq" => "n<sub>eq</sub> (independent draws with the same error of the mean)",
        "deviation-0.5" => "deviation of the 0.5-quantile",
        "mean-distance" => "distance of the means",
        "mmd" => "MMD",
        "ess" => "smallest bulk ESS per 1000 evaluations",
        "worst-r-hat" => "worst R-hat",
        "evaluations" => "evaluations by four chains",
        "ess-per-second" => "the same per second of processor time, burn-in included",
        "seconds" => "seconds of processor time for four chains",
        other => other,
    }
}

fn notes(study: &Study) -> String {
    if study.notes.is_empty() {
        return String::new();
    }
    let items: String = study.notes.iter().map(|note| format!("<li>{}</li>\n", escape(note))).collect();
    format!("<h3>Notes</h3>\n<ul>\n{items}</ul>\n")
}

fn setup(study: &Study, outcome: &Outcome, settings: &Settings<'_>) -> String {
    let files: Vec<String> = outcome.data.iter().map(|(name, _)| format!("<code>{name}</code>")).collect();
    format!(
        "<h3>Settings</h3>\n{}<p>Data: {}.</p>\n<details><summary>The file of the study, with the settings of every sampler \
         (edit it and run <code>kameleon compare</code>)</summary>\n<pre>{}</pre></details>\n",
        lengths(study, settings),
        files.join(", "),
        escape(&study.text)
    )
}

/// The number of chains and their length.
fn lengths(study: &Study, settings: &Settings<'_>) -> String {
    let row = |name: &str, target: &TargetEntry, chains: u64| {
        let length = target.length(settings.scale);
        let numbers = [chains, length.warmup + length.sampling, length.warmup, target.thin.at(settings.scale)];
        let numbers: String = numbers.iter().map(|number| format!("<td class=\"number\">{number}</td>")).collect();
        format!("<tr><td>{}</td><td class=\"number\">{}</td>{numbers}</tr>\n", escape(name), target.dim)
    };
    let chains = study.chains.at(settings.scale);
    let mut rows = String::new();
    if study.kind.compares() {
        rows += &study.targets().map(|target| row(&target.name, target, chains)).collect::<String>();
    }
    if matches!(study.kind, Kind::Benchmark | Kind::Posterior) {
        let benchmark = study.benchmark();
        let name = format!("{} (benchmark)", study.target().name);
        rows += &row(&name, &benchmark.of(study.target()), benchmark.chains.at(settings.scale));
    }
    if rows.is_empty() {
        return rows;
    }
    format!(
        "<div class=\"wide\"><table>\n<tr><th>target</th><th>d</th><th>chains per sampler</th><th>iterations</th>\
         <th>burn-in</th><th>thinning</th></tr>\n{rows}</table></div>\n"
    )
}
