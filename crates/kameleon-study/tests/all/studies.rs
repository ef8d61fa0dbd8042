//! Studies as users meet them: files, resuming, threads, studies of their own and errors.

use crate::common::{Counter, Folder, run_in, run_whole};
use kameleon_study::{Study, StudyError, figures};
use std::fs;

fn paper(name: &str) -> Vec<Study> {
    figures(&[name.to_owned()]).unwrap()
}

/// The columns of a CSV file as text, with its header.
fn table(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let head = reader.headers().unwrap().iter().map(str::to_owned).collect();
    (head, reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect())
}

/// All numbers are finite; there is at least one row.
fn check_numbers(name: &str, text: &str, columns: &[&str]) {
    let (head, rows) = table(text);
    assert_eq!(head, columns, "{name}");
    assert!(!rows.is_empty(), "{name}");
    for field in rows.iter().flat_map(|row| row.iter().skip(usize::from(columns[0] == "kernel"))) {
        assert!(field.parse::<f64>().unwrap().is_finite(), "{name}: {field}");
    }
}

fn check_comparison(name: &str, text: &str, measures: &[&str], samplers: &[&str]) {
    let (head, rows) = table(text);
    assert_eq!(head, ["target", "sampler", "measure", "iterations", "mean", "low", "high", "chains"], "{name}");
    for row in &rows {
        let number = |k: usize| row[k].parse::<f64>().unwrap();
        assert!(number(5) <= number(4) && number(4) <= number(6), "{name}: {row:?}");
        assert!((3..8).all(|k| number(k).is_finite()) && number(4) >= 0.0, "{name}: {row:?}");
    }
    for measure in measures {
        for sampler in samplers {
            let found = rows.iter().any(|row| row[1] == *sampler && row[2] == *measure);
            assert!(found, "{name}: no {measure} of {sampler}");
        }
    }
}

#[test]
fn every_figure_of_the_paper_gives_sound_data_pictures_and_a_page_that_needs_nothing_else() {
    let folder = Folder::new("all");
    let studies = figures(&[]).unwrap();
    run_whole(&folder, &studies, 2, 1);
    let samplers = ["SM", "AM-FS", "AM-LS", "KAMH-LS"];
    let nine: Vec<String> = (1..10).map(|k| format!("deviation-0.{k}")).collect();
    let mut measures = vec!["acceptance", "mean-norm", "quantile-deviation", "n-eq"];
    measures.extend(nine.iter().map(String::as_str));
    check_comparison("targets", &folder.read("targets.csv"), &measures, &samplers);
    check_comparison("convergence", &folder.read("convergence.csv"), &["mean-norm", "deviation-0.5"], &samplers);
    let measures = ["acceptance", "mean-distance", "mmd"];
    check_comparison("glass-comparison", &folder.read("glass-comparison.csv"), &measures, &samplers);
    check_numbers("glass-posterior", &folder.read("glass-posterior.csv"), &["theta2", "theta7"]);
    check_numbers("g-function", &folder.read("g-function.csv"), &["sample", "x1", "x2", "g"]);
    let arrows = ["sample", "x1", "x2", "dg_dx1", "dg_dx2"];
    check_numbers("g-function", &folder.read("g-function-gradient.csv"), &arrows);
    for shape in ["banana", "flower", "ring"] {
        let columns = ["kernel", "x1", "x2", "l11", "l21", "l22", "angle_to_ridge", "axis_ratio"];
        check_numbers(shape, &folder.read(&format!("proposals-{shape}.csv")), &columns);
        check_numbers(shape, &folder.read(&format!("proposals-{shape}-z.csv")), &["x1", "x2"]);
    }
    let page = folder.read("index.html");
    for name in studies.iter().map(|study| &study.name) {
        assert!(fs::read(folder.0.join(format!("{name}.png"))).unwrap().starts_with(b"\x89PNG"), "{name}");
        assert!(folder.read(&format!("{name}.svg")).ends_with("</svg>\n"), "{name}");
        assert!(page.contains(&format!("<section id=\"{name}\">")), "{name}");
    }
    for outside in ["<script", "<link", "src=\"http", "href=\"http", "url(http"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("<code>kameleon paper --scale tiny</code>") && page.contains("not settled"));
}

#[test]
fn a_stopped_run_resumes_from_its_finished_chains_and_ends_the_same() {
    let (stopped, whole) = (Folder::new("stopped"), Folder::new("whole"));
    let watch = Counter::new(12_000);
    assert!(matches!(run_in(&stopped.0, &paper("targets"), 2, 1, &watch), Err(StudyError::Stopped)));
    let kept = stopped.cached().len();
    assert!((1..24).contains(&kept), "{kept} chains were finished");
    assert!(!stopped.0.join("targets.csv").exists());
    let again = run_whole(&stopped, &paper("targets"), 2, 1);
    assert_eq!(again, [(1400 * (24 - kept as u64), kept)], "only the others are run");
    run_whole(&whole, &paper("targets"), 2, 1);
    assert_eq!(stopped.read("targets.csv"), whole.read("targets.csv"));
    assert_eq!(stopped.read("targets.svg"), whole.read("targets.svg"));
    assert_eq!(run_whole(&whole, &paper("targets"), 2, 1), [(0, 24)], "nothing is run twice");
    assert_eq!(run_whole(&whole, &paper("convergence"), 2, 1), [(0, 8)], "chains are shared between figures");
    assert_eq!(run_whole(&whole, &paper("convergence"), 2, 2), [(8 * 1400, 0)], "another seed is another chain");
}

#[test]
fn a_damaged_file_in_the_cache_costs_one_chain() {
    let folder = Folder::new("damaged");
    run_whole(&folder, &paper("convergence"), 2, 1);
    let before = folder.read("convergence.csv");
    let victim = &folder.cached()[0];
    let text = fs::read(victim).unwrap();
    fs::write(victim, &text[..text.len() / 2]).unwrap();
    assert_eq!(run_whole(&folder, &paper("convergence"), 1, 1), [(1400, 7)]);
    assert_eq!(folder.read("convergence.csv"), before);
}

#[test]
fn the_numbers_do_not_depend_on_the_number_of_threads() {
    let (one, two) = (Folder::new("one"), Folder::new("two"));
    run_whole(&one, &paper("targets"), 1, 3);
    run_whole(&two, &paper("targets"), 2, 3);
    assert_eq!(one.read("targets.csv"), two.read("targets.csv"));
}

/// A user's study with a sampler and a target that the paper does not have.
const OWN: &str = r#"
name = "mine"
title = "A ring and a stretched Gaussian"
kind = "bars"
chains = 3

[[target]]
name = "ring"
target = "ring:radius=3.5,variance=0.05"
dim = 2
iterations = 1500

[[target]]
name = "stretched"
target = { name = "gaussian", variances = [1, 25] }
dim = 2
iterations = 1500

[[sampler]]
name = "SM"
sampler = "SM"

[[sampler]]
name = "small Kameleon"
[sampler.sampler]
name = "KAMH-LS"
kernel = "matern:order=1.5,rho=1"
n = 50
discard = 100

[[claim]]
says = "The small Kameleon is better"
measure = "quantile-deviation"
sampler = "small Kameleon"
relation = "smaller"
"#;

#[test]
fn a_users_own_study_gets_the_same_figures_and_page() {
    let folder = Folder::new("own");
    run_whole(&folder, &[Study::parse("mine.toml", OWN).unwrap()], 2, 1);
    let measures = ["acceptance", "quantile-deviation"];
    check_comparison("mine", &folder.read("mine.csv"), &measures, &["SM", "small Kameleon"]);
    let page = folder.read("index.html");
    assert!(page.contains("The small Kameleon is better") && page.contains("matern:order=1.5"));
}

/// A study of where samplers propose.
const CLOUDS: &str = r#"
name = "clouds"
title = "Where they propose"
kind = "clouds"
[clouds]
places = 2
points = 30
[[target]]
name = "ring"
target = "ring:radius=3.5,variance=0.05"
dim = 2
iterations = 900
[[target]]
name = "banana"
target = "banana:b=0.03,v=100"
dim = 2
iterations = 900
[[sampler]]
name = "short steps"
sampler = "SM:nu=0.01"
[[sampler]]
name = "MALA"
sampler = "MALA"
[[sampler]]
name = "kameleon"
sampler = "kameleon"
"#;

#[test]
fn clouds_show_what_every_sampler_proposes_from_each_place() {
    let folder = Folder::new("clouds");
    run_whole(&folder, &[Study::parse("clouds.toml", CLOUDS).unwrap()], 2, 1);
    let (head, rows) = table(&folder.read("clouds.csv"));
    assert_eq!(head, ["target", "sampler", "x1", "x2", "y1", "y2"]);
    assert_eq!(rows.len(), 2 * 3 * 2 * 30);
    for row in &rows {
        let [x1, x2, y1, y2] = [2, 3, 4, 5].map(|k| row[k].parse::<f64>().unwrap());
        let far = (y1 - x1).hypot(y2 - x2);
        assert!(far > 0.0 && far.is_finite(), "{row:?}");
        assert!(row[1] != "short steps" || far < 0.06, "{row:?}");
    }
    for name in ["clouds", "clouds-2"] {
        assert!(folder.read(&format!("{name}.svg")).contains(">kameleon</text>"), "{name}");
        assert!(fs::read(folder.0.join(format!("{name}.png"))).unwrap().starts_with(b"\x89PNG"), "{name}");
    }
    let says = |find: &str, replace: &str, line: usize, what: &str| {
        let message = Study::parse("clouds.toml", &CLOUDS.replacen(find, replace, 1)).unwrap_err().to_string();
        assert!(message.starts_with(&format!("clouds.toml, line {line}: ")) && message.contains(what), "{message}");
    };
    says("[clouds]\nplaces = 2\npoints = 30\n", "", 4, "needs a table [clouds]");
    says("places = 2", "places = 5", 5, "places must be from 1 to 4");
    says("ring:radius=3.5,variance=0.05", "two-modes", 8, "needs a banana, flower or ring with dim = 2");
    says("iterations = 900", "burn-in = 5", 8, "leave at least 2 draws");
    says("\"SM:nu=0.01\"", "\"SM:nu=-1\"", 20, "nu");
}

#[test]
fn errors_in_a_study_name_the_file_the_line_and_what_is_allowed() {
    let says = |find: &str, replace: &str, line: usize, what: &str| {
        assert!(OWN.contains(find), "{find}");
        let message = Study::parse("mine.toml", &OWN.replacen(find, replace, 1)).unwrap_err().to_string();
        assert!(message.starts_with(&format!("mine.toml, line {line}: ")) && message.contains(what), "{message}");
    };
    says("chains = 3", "chainz = 3", 5, "unknown key `chainz`, expected one of `name`");
    says("chains = 3", "chains = 1", 5, "chains: an interval needs at least 2");
    says("chains = 3", "chains = -3", 5, "should be a whole number, or one for each scale");
    says("chains = 3", "chains = { quick = 3 }", 5, "or one for each scale as in { quick = 8, paper = 20 }");
    says("\"bars\"", "\"pies\"", 4, "must be one of `bars`, `table`, `convergence`");
    says("ring:radius", "rung:radius", 7, "there is no target \"rung\"; choose one of ring, ");
    for (target, what) in [("cbpp:n-imp=4", "cbpp has dim = 5"), ("sv", "dim = 3, not 2")] {
        says("ring:radius=3.5,variance=0.05", target, 7, what);
    }
    says("{ name = \"gaussian\", variances = [1, 25] }", "\"cbpp:n-imp=0\"", 13, "n-imp: must be from 1");
    says("variance=0.05", "variance=-1", 7, "variance: must be positive");
    says("\"bars\"", "\"benchmark\"", 4, "needs exactly one [[target]]");
    says("\"stretched\"", "\"ring\"", 13, "\"ring\" is used twice");
    says("n = 50", "nn = 50", 25, "nn: KAMH-LS has no such setting; it has n, ");
    says("n = 50", "n = 0", 25, "n: must be from 1 to 1000000, not 0");
    says("discard = 100", "discard = 5000", 23, "longer warm-up");
    says("measure = \"quantile-deviation\"", "measure = \"beauty\"", 31, "there are acceptance, mean-norm");
    says("sampler = \"small Kameleon\"", "sampler = \"NUTS\"", 31, "there are SM, small Kameleon");
}
