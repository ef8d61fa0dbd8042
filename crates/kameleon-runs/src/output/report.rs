//! The report: one page that says whether to believe a run, and shows why. It needs no network and no other file.

mod data;
mod html;
mod jumps;
mod modes;
mod parameter;
mod thinned;
mod words;

use crate::atomic_file::{self, FileError};
use crate::output::Posterior;
pub use html::escape;
use html::script_safe;
use std::path::Path;

const PAGE: &str = include_str!("report/page/page.html");
const STYLE: &str = include_str!("report/page/style.css");
const SCRIPT: [&str; 5] = [
    include_str!("report/page/format.js"),
    include_str!("report/page/plot.js"),
    include_str!("report/page/figures.js"),
    include_str!("report/page/plane.js"),
    include_str!("report/page/main.js"),
];

/// The report on a run as one HTML page that works offline.
///
/// All statistics are worked out here; the page's script only draws. Names and messages are escaped, so that a parameter
/// called `</script>` is shown as such and does nothing. A run without draws gives a page that says so.
pub fn report_html(posterior: &Posterior) -> String {
    let summary = posterior.check().is_ok().then(|| posterior.summary());
    let data = summary.as_ref().map(|summary| data::page_data(&posterior.unrolled(), summary));
    let script = format!("(() => {{\n\"use strict\";\n{}}})();", SCRIPT.concat());
    let parts = [
        ("{{title}}", escape(&posterior.target)),
        ("{{style}}", STYLE.into()),
        ("{{facts}}", words::facts(posterior)),
        ("{{verdict}}", words::verdict(posterior, summary.as_ref())),
        (
            "{{table}}",
            // Without draws there would be nothing but NaN in it.
            summary
                .as_ref()
                .filter(|_| !posterior.points().is_empty())
                .map_or(String::new(), |summary| words::table(summary, posterior.points().len())),
        ),
        ("{{modes}}", modes::table(posterior)),
        ("{{jumps}}", summary.as_ref().map_or_else(String::new, |summary| jumps::table(posterior, summary))),
        ("{{sampler}}", words::sampler(posterior)),
        ("{{settings}}", escape(&posterior.settings)),
        ("{{version}}", escape(env!("CARGO_PKG_VERSION"))),
        ("{{data}}", data.map_or("null".into(), |data| script_safe(&data))),
        ("{{script}}", script),
    ];
    html::fill(PAGE, &parts)
}

/// Writes the report to a file.
pub fn write_report(posterior: &Posterior, path: &Path) -> Result<(), FileError> {
    atomic_file::write(path, report_html(posterior).as_bytes())
}
