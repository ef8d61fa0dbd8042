//! The modes that a population found, as a table; the script marks them in the plane of two parameters.

use super::html::escape;
use crate::output::{ModeSummary, Posterior};

/// The table, if there are several modes; what has to be known of one that short looks found.
pub(super) fn table(posterior: &Posterior) -> String {
    let modes = several(posterior);
    if modes.is_empty() {
        let caution = posterior.population.as_ref().and_then(|population| population.caution.as_deref());
        let section = |text| format!("<section><h2>Modes</h2><p class=\"hint\">{}</p></section>", escape(text));
        return caution.map_or_else(String::new, section);
    }
    let column = |name: &str| format!("<th scope=\"col\">{}</th>", escape(name));
    let head = ["mode", "weight", "log evidence", "chains"].map(column).concat();
    let head = head + &posterior.names.iter().map(|name| column(name)).collect::<String>();
    let rows: String = modes.iter().enumerate().map(|(k, mode)| row(k, mode)).collect();
    format!(
        "<section><h2>Modes</h2><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Modes\"><table><thead><tr>{head}</tr></thead>\
         <tbody>{rows}</tbody></table></div><p class=\"hint\">Found by the population before the chains. Each draw belongs to the mode that \
         explains it best; weights are shares of the draws, with their Monte Carlo error, and parameters are means over the draws of a mode. \
         A mode in whose surroundings no point was ever evaluated is not here, and nothing on this page can show that it is missing.</p></section>"
    )
}

/// The modes, if there is more than one.
pub(super) fn several(posterior: &Posterior) -> &[ModeSummary] {
    let modes = posterior.population.as_ref().map_or(&[][..], |population| &population.modes);
    if modes.len() > 1 { modes } else { &[] }
}

fn row(k: usize, mode: &ModeSummary) -> String {
    let error = mode.error.map_or_else(String::new, |error| format!(" ± {error:.3}"));
    let chains: Vec<String> = mode.chains.iter().map(ToString::to_string).collect();
    let log = mode.log_evidence.map_or_else(|| "–".into(), |log| format!("{log:.2}"));
    let mut cells = vec![format!("{:.3}{error}", mode.weight), log, chains.join(", ")];
    cells.extend(mode.place.iter().map(|x| format!("{}", (x * 1e4).round() / 1e4)));
    let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escape(&cell.replace('-', "−")))).collect();
    format!("<tr><th scope=\"row\"><span class=\"mode\" data-mode=\"{k}\">{}</span></th>{cells}</tr>", k + 1)
}
