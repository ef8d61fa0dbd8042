//! Studies as users meet them: files, resuming, threads, studies of their own and errors.

use kameleon_study::{Scale, Settings, Study, StudyError, Watch, figures, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kameleon-study-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn cached(&self) -> Vec<PathBuf> {
        fs::read_dir(self.0.join("cache")).unwrap().map(|entry| entry.unwrap().path()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Counts what is run, and stops the run after a number of iterations.
struct Counter {
    ahead: Mutex<Vec<(u64, usize)>>,
    done: AtomicU64,
    stop_after: u64,
    stop: AtomicBool,
}

impl Counter {
    fn new(stop_after: u64) -> Self {
        Self { ahead: Mutex::default(), done: AtomicU64::new(0), stop_after, stop: AtomicBool::new(false) }
    }
}

impl Watch for Counter {
    fn begin(&self, _what: &str, iterations: u64, reused: usize, _chains: usize) {
        self.ahead.lock().unwrap().push((iterations, reused));
    }

    fn advance(&self, iterations: u64) {
        if self.done.fetch_add(iterations, Ordering::Relaxed) + iterations >= self.stop_after {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn end(&self) {}
}

fn run_in(folder: &Path, studies: &[Study], threads: usize, seed: u64, watch: &Counter) -> Result<String, StudyError> {
    let settings = Settings {
        scale: Scale::Tiny,
        seed,
        threads,
        extras: false,
        out: folder.into(),
        command: "kameleon paper --scale tiny".into(),
        stop: &watch.stop,
        watch,
    };
    run(studies, &settings).map(|report| report.text)
}

/// Runs to the end and returns the iterations that were run and the number of chains that were found in the cache.
fn run_whole(folder: &Folder, studies: &[Study], threads: usize, seed: u64) -> Vec<(u64, usize)> {
    let watch = Counter::new(u64::MAX);
    run_in(&folder.0, studies, threads, seed, &watch).unwrap();
    watch.ahead.into_inner().unwrap()
}

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

#[test]
fn a_table_measures_groups_of_chains() {
    let text = r#"
name = "table"
title = "A table"
kind = "table"
chains = 8
[[target]]
name = "funnel"
target = "funnel:s=1"
dim = 3
iterations = 1200
burn-in = 800
scatter = 2
[[sampler]]
name = "kameleon"
[sampler.sampler]
name = "kameleon"
n = 100
[[sampler]]
name = "DE-MC(Z)"
sampler = "DE-MC(Z)"
"#;
    let study = Study::parse("table.toml", text).unwrap();
    let folder = Folder::new("table");
    run_in(&folder.0, &[study], 2, 1, &Counter::new(u64::MAX)).unwrap();
    let csv = folder.read("table.csv");
    assert!(folder.read("table.md").contains("| funnel | kameleon |"));
    for measure in ["ess", "n-eq", "quantile-deviation", "worst-r-hat", "evaluations"] {
        assert!(csv.lines().any(|line| line.starts_with(&format!("funnel,kameleon,{measure},400,"))), "{measure}");
    }
    let wrong = text.replace("chains = 8", "chains = 6");
    let error = Study::parse("table.toml", &wrong).unwrap_err().to_string();
    assert!(error.contains("line 5: chains: must be a multiple of 4"), "{error}");
}

#[test]
fn posteriors_of_real_data_have_effective_sizes_and_no_truth() {
    let text = r#"
name = "data"
title = "Posteriors of real data"
kind = "table"
chains = 8
[[target]]
name = "herds"
target = "cbpp:n-imp=1"
dim = 5
iterations = 900
burn-in = 700
[[target]]
name = "returns"
target = "sv:particles=5"
dim = 3
iterations = 900
burn-in = 700
[[sampler]]
name = "SM"
sampler = "SM"
"#;
    let folder = Folder::new("data");
    run_whole(&folder, &[Study::parse("data.toml", text).unwrap()], 2, 1);
    let csv = folder.read("data.csv");
    for target in ["herds", "returns"] {
        assert!(
            csv.contains(&format!("{target},SM,ess,")) && csv.contains(&format!("{target},SM,worst-r-hat,")),
            "{csv}"
        );
        assert!(!csv.contains(&format!("{target},SM,n-eq,")), "{csv}");
    }
    let bars = text.replace("\"table\"", "\"bars\"");
    let error = Study::parse("data.toml", &bars).unwrap_err().to_string();
    assert!(error.contains("target \"herds\": a study of this kind needs a target whose true mean"), "{error}");
}

#[test]
fn chains_start_at_draws_from_the_prior_where_a_posterior_has_one() {
    let text = r#"
name = "flow"
title = "A posterior with its prior"
kind = "table"
chains = 4
[[target]]
name = "Nile"
target = "nile"
dim = 3
iterations = 60
start = "prior"
[[sampler]]
name = "SM"
sampler = "SM"
"#;
    let folder = Folder::new("flow");
    run_whole(&folder, &[Study::parse("flow.toml", text).unwrap()], 2, 1);
    assert!(folder.read("flow.csv").contains("Nile,SM,ess,"));
    let says = |from: &str, to: &str, what: &str| {
        let error = Study::parse("flow.toml", &text.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    };
    says("target = \"nile\"", "target = \"cbpp\"", "cbpp has dim = 5, not 3");
    says("target = \"nile\"", "target = \"sv\"", "start: \"prior\" is for posteriors of real data that have a prior");
    says("start = \"prior\"", "start = \"there\"", "start should be a number or \"prior\"");
}

#[test]
fn the_studies_of_the_default_sampler_are_valid() {
    for name in ["default", "default-paper", "default-noisy", "real-posteriors"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../experiments/{name}.toml"));
        Study::parse(name, &fs::read_to_string(path).unwrap()).unwrap();
    }
}

const CALIBRATION: &str = r#"
title = "two targets"
seeds = 2
lengths = [{ warmup = 1000, draws = 1000 }]

[[target]]
name = "Gaussian"
model = { target = "gaussian:dim=2" }
truth = [[0, 1, -1.645, 0, 1.645]]

[[target]]
name = "elsewhere"
model = { target = "gaussian:dim=2" }
truth = [[50, 1, 48.355, 50, 51.645]]
"#;

#[test]
fn calibration_tells_wrong_runs_from_right_ones_and_makes_none_twice() {
    let out = std::env::temp_dir().join(format!("kameleon-calibration-{}", std::process::id()));
    let stop = std::sync::atomic::AtomicBool::new(false);
    let settings = kameleon_study::Settings {
        scale: kameleon_study::Scale::Tiny,
        seed: 1,
        threads: 2,
        extras: false,
        out: out.clone(),
        command: String::new(),
        stop: &stop,
        watch: &(),
    };
    let study = kameleon_study::Calibration::parse("calibration.toml", CALIBRATION).unwrap();
    let selection = kameleon_study::Selection::default();
    let table = study.run(&selection, &settings).unwrap();
    let runs = std::fs::read_to_string(out.join("runs.jsonl")).unwrap();
    assert_eq!(runs.lines().count(), 4);
    let row = |name: &str| table.lines().find(|line| line.starts_with(&format!("| {name} "))).unwrap().to_owned();
    // A mean that is off by 50 standard deviations is off in every figure but the standard deviations.
    assert!(row("Gaussian").contains("| 1000 + 1000 | 2 |"), "{table}");
    assert!(row("elsewhere").contains("| 80.0 % of "), "{table}");
    assert_eq!(study.run(&selection, &settings).unwrap(), table);
    assert_eq!(std::fs::read_to_string(out.join("runs.jsonl")).unwrap(), runs);
    std::fs::remove_dir_all(out).unwrap();
}

#[test]
fn the_calibration_study_is_read_and_a_mistake_in_one_is_told_with_its_line() {
    let text = include_str!("../../../experiments/calibration.toml");
    assert!(kameleon_study::Calibration::parse("calibration.toml", text).is_ok());
    let wrong = CALIBRATION.replace("seeds = 2", "seeds = true");
    let error = kameleon_study::Calibration::parse("mine.toml", &wrong).err().unwrap().to_string();
    assert!(error.contains("mine.toml, line 3"), "{error}");
    let twice = CALIBRATION.replace("elsewhere", "Gaussian");
    let error = kameleon_study::Calibration::parse("mine.toml", &twice).err().unwrap().to_string();
    assert!(error.contains("comes twice"), "{error}");
}
