//! The report in a real browser: it opens without an error, draws its figures, and changes them when something is chosen.

use kameleon::target::{Banana, Noisy};
use kameleon::{Control, Plan, Sampler, Warmup, sample};
use kameleon_runs::output::{ModeSummary, PopulationSummary, Posterior, report_html};
use serde_json::Value;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A name that would run a script, if a name could.
const NASTY: &str = "</script><script>alert(1)</script>\"'&<!--";

fn posterior(sampler: Sampler, dim: usize) -> Posterior {
    let plan =
        Plan { sampler, chains: 3, warmup: Warmup::Iterations(1_500), draws: Some(1_000), seed: 5, ..Plan::default() };
    let target = Noisy::new(Banana::new(dim, 0.03, 100.0).unwrap(), 0.5).unwrap();
    let run = sample(target, &[vec![0.0; dim]], &plan, Control::default()).unwrap();
    let mut posterior = Posterior::from_run(&run, &plan, format!("a banana called {NASTY}"));
    posterior.names[1] = NASTY.into();
    posterior.variables = Posterior::scalars(&posterior.names);
    posterior.noisy = true;
    posterior.warnings.push(format!("a warning with {NASTY}"));
    posterior.learned.facts[0].name = format!("a label with {NASTY}");
    posterior.learned.facts[0].value = NASTY.into();
    posterior.settings += &format!("# {NASTY}\n");
    posterior
}

/// A note that is seen even though the test passes.
fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn browser() -> Option<&'static str> {
    let works = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|done| done.status.success());
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(works);
    if found.is_none() {
        note("SKIPPED: no chromium, so the report is not looked at in a browser");
    }
    found
}

/// Opens the page with the checking scripts put around it, and gives what they found.
fn check(browser: &str, page: &str, folder: &Path) -> Value {
    let watch = format!("<head><script>{}</script>", include_str!("../browser/watch.js"));
    let visit = format!("<script>{}</script></body>", include_str!("../browser/visit.js"));
    let end = page.rfind("</body>").unwrap();
    let page = page[..end].replacen("<head>", &watch, 1) + &visit + &page[end + "</body>".len()..];
    let (path, out) = (folder.join("page.html"), folder.join("dom.html"));
    fs::write(&path, page).unwrap();
    let mut command = Command::new(browser);
    command.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--window-size=1000,900",
        "--virtual-time-budget=20000",
    ]);
    command.arg(format!("--user-data-dir={}", folder.join("profile").display())).arg("--dump-dom");
    command.arg(format!("file://{}", path.display())).stdout(File::create(&out).unwrap()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(180) {
            let _ = child.kill();
            panic!("the browser did not come to an end");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let dom = fs::read_to_string(out).unwrap();
    let found = dom.split("<pre id=\"found\">").nth(1).and_then(|rest| rest.split("</pre>").next());
    let found = found.unwrap_or_else(|| panic!("the page was not visited to its end:\n{dom}"));
    let found = found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&found).unwrap()
}

#[test]
fn the_report_opens_draws_and_answers_without_an_error() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let found = check(browser, &report_html(&posterior(Sampler::kamh_ls(), 3)), folder.path());
    assert_eq!(found["errors"], serde_json::json!([]), "{found}");
    assert_eq!(found["alerts"], 0);
    assert_eq!(found["figures"], 10, "{found}");
    assert_eq!(found["blank"], serde_json::json!([]), "{found}");
    // Figures of one parameter, of two, of the chain followed; all with a chain; the one zoomed.
    let figures = [("first", 7), ("second", 2), ("followed", 2), ("table", 7), ("chain", 10), ("key", 1), ("drag", 1)];
    for (what, count) in figures.into_iter().chain([("theme", 10)]) {
        assert_eq!(found["changed"][what], count, "{what}: {found}");
    }
    assert!(found["tip"].as_str().unwrap().starts_with("chain "), "{found}");
    assert_eq!(found["overflows"], false, "{found}");
    assert!(found["names"].as_array().unwrap().contains(&NASTY.into()), "{found}");
}

#[test]
fn modes_have_a_table_and_a_figure_of_their_own() {
    let mut found = posterior(Sampler::am_ls(), 3);
    let mode = |place: f64| ModeSummary { place: vec![place; 3], weight: 0.5, ..ModeSummary::default() };
    let labels = found.chains.iter().map(|chain| (0..chain.draws.len()).map(|k| k % 2).collect()).collect();
    found.population =
        Some(PopulationSummary { modes: vec![mode(-1.0), mode(1.0)], labels, ..PopulationSummary::default() });
    let page = report_html(&found);
    assert!(page.contains("<h2>Modes</h2>") && page.contains("can show that it is missing"));
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let seen = check(browser, &page, folder.path());
    assert_eq!((&seen["errors"], &seen["blank"]), (&serde_json::json!([]), &serde_json::json!([])), "{seen}");
    assert_eq!((&seen["figures"], &seen["changed"]["second"]), (&10.into(), &3.into()), "{seen}");
}

#[test]
fn what_thinning_kept_has_a_figure_of_its_own() {
    let mut found = posterior(Sampler::am_ls(), 3);
    found.kept = Some(found.thin(40, 1, false).unwrap());
    let page = report_html(&found);
    assert!(page.contains("<dt>thinned to</dt><dd>40 of 3000 draws"));
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let seen = check(browser, &page, folder.path());
    assert_eq!((&seen["errors"], &seen["blank"]), (&serde_json::json!([]), &serde_json::json!([])), "{seen}");
    assert_eq!((&seen["figures"], &seen["changed"]["second"]), (&10.into(), &3.into()), "{seen}");
}

#[test]
fn a_run_of_one_parameter_or_none_opens_too() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut one = posterior(Sampler::sm(), 2);
    for chain in &mut one.chains {
        chain.draws.points = chain.draws.points.chunks(2).map(|x| x[0]).collect();
        chain.proposals.clear();
    }
    one.names.truncate(1);
    one.variables.truncate(1);
    let found = check(browser, &report_html(&one), folder.path());
    assert_eq!((&found["errors"], &found["figures"]), (&serde_json::json!([]), &7.into()), "{found}");
    let mut none = one;
    none.chains.iter_mut().for_each(|chain| chain.draws = Default::default());
    let found = check(browser, &report_html(&none), folder.path());
    assert_eq!((&found["errors"], &found["figures"]), (&serde_json::json!([]), &0.into()), "{found}");
}

#[test]
fn the_page_asks_for_nothing_from_elsewhere_and_holds_no_foreign_markup() {
    let page = report_html(&posterior(Sampler::am_ls(), 2));
    for request in ["http:", "https:", " src=", "url(", "@import", "<link", "<iframe", "fetch(", "XMLHttpRequest"] {
        assert!(!page.contains(request), "{request}");
    }
    assert!(page.contains("default-src 'none'"));
    assert_eq!(page.matches("<script").count(), 2, "its data and its own script, no other");
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<!--") && page.contains("&lt;script&gt;alert(1)"));
}

#[test]
fn an_axis_shows_a_scale_however_narrow_it_is() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let script = "for (const range of [[0.2, 9], [-0.4, 4.4], [1001, 1009], [0, 1e-7]])
        for (const wanted of [1, 2, 3.5])
            if (roundNumbers(range, wanted).ticks.length < 2) throw new Error(`${range} has no two numbers`);";
    let page = format!(
        "<html><head></head><body><script>{}{script}</script></body></html>",
        include_str!("../../src/output/report/page/format.js")
    );
    let found = check(browser, &page, folder.path());
    assert_eq!(found["errors"], serde_json::json!([]), "{found}");
}
