//! The means of parameters by the weights of the jump proposals, next to those of the chains, as a table.

use super::html::escape;
use crate::output::{JumpSummary, Posterior};
use kameleon::diagnose::{LARGEST_Z, ParameterSummary, Summary};

const COLUMNS: [&str; 6] = ["parameter", "mean of the draws", "MCSE", "mean by weights", "standard error", "distance"];

/// The table, folded, if there are jump proposals. Circles are left out, whose figures above are of the circle unrolled.
pub(super) fn table(posterior: &Posterior, summary: &Summary) -> String {
    let Some(jumps) = posterior.jumps.as_ref().filter(|jumps| jumps.means.len() == summary.parameters.len()) else {
        return String::new();
    };
    let is_circle = |i: usize| posterior.periods.get(i).is_some_and(Option::is_some);
    let shown = summary.parameters.iter().enumerate().filter(|(i, _)| !is_circle(*i));
    let rows: String = shown.map(|(i, parameter)| row(parameter, jumps, i)).collect();
    if rows.is_empty() {
        return rows;
    }
    let head = COLUMNS.map(|name| format!("<th scope=\"col\">{name}</th>")).concat();
    format!(
        "<section><details><summary>Means by weighted jump proposals</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" \
         aria-label=\"Means by weighted jump proposals\"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>\
         <p class=\"hint\">Jump proposals are draws from a known density, so their weights tell the means a second time. \
         The distance is in standard errors; one above {LARGEST_Z} means that the chains may not have visited every region in \
         proportion to its probability.</p></details></section>"
    )
}

fn row(parameter: &ParameterSummary, jumps: &JumpSummary, i: usize) -> String {
    let [_, mean, _, error, ..] = parameter.cells();
    let weighted = ParameterSummary { mean: jumps.means[i], mcse_mean: jumps.errors[i], ..parameter.clone() };
    let [_, by_weights, _, error_of_it, ..] = weighted.cells();
    let distance = jumps.distances.get(i).map_or_else(|| "–".into(), |z| format!("{z:.1}"));
    let cells = [mean, error, by_weights, error_of_it, distance];
    let cells = cells.map(|cell| format!("<td>{}</td>", escape(&cell.replace('-', "−")))).concat();
    format!("<tr><th scope=\"row\">{}</th>{cells}</tr>", escape(&parameter.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kameleon::diagnose::summarise;

    #[test]
    fn means_by_weights_stand_next_to_those_of_the_draws() {
        let names = ["a<b".to_string(), "angle".to_string()];
        let draws: Vec<f64> = (0..200).flat_map(|k| [f64::from(k * 37 % 100) / 100.0, 0.5]).collect();
        let summary = summarise(&names, &[&draws], 2);
        let mut jumps = JumpSummary::none("", false);
        (jumps.means, jumps.errors, jumps.distances) = (vec![0.51, 0.5], vec![0.02, 0.1], vec![-0.6, 0.0]);
        let posterior = Posterior { jumps: Some(jumps), periods: vec![None, Some((0.0, 1.0))], ..Posterior::default() };
        let html = table(&posterior, &summary);
        assert!(
            html.contains("<th scope=\"row\">a&lt;b</th>")
                && html.contains("<td>0.510</td><td>0.020</td><td>−0.6</td>")
        );
        assert!(!html.contains("angle"), "{html}");
        assert_eq!(table(&Posterior::default(), &summary), "");
    }
}
