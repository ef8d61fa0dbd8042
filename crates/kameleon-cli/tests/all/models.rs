//! Models from outside, through a run file and the program: sampled, resumed and summarised.

use crate::common::{command, compile, draws, example, json, on_one_line, place, prints, says, text};
use crate::python_server::{free_port, python, serve};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

/// A run file for the banana of the examples, said to be found by `model`.
fn run_file(place: &Path, model: &str, draws: u32) -> PathBuf {
    let file = place.join("run.toml");
    let rest = "[sampler]\nname = \"AM-LS\"\ndiscard = 50\n[output]\nsave-every = 0.01\nformats = [\"csv\"]\n";
    let run = format!("[run]\nchains = 2\nwarmup = 200\ndraws = {draws}\nthreads = 2\n");
    fs::write(&file, format!("parameters = [\"x1\", \"x2\"]\n[model]\n{model}\n{run}{rest}")).unwrap();
    file
}

/// Every recorded log density is that of the banana at the recorded point, so it was this model that was asked.
fn assert_draws_of_banana(folder: &Path) {
    let table = draws(folder);
    let mut lines = table.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| head.iter().position(|column| *column == name).unwrap();
    let (x1, x2, log_density) = (column("x1"), column("x2"), column("log_density"));
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| cells[at].parse::<f64>().unwrap();
        let (x1, x2) = (number(x1), number(x2));
        let wanted = -x1 * x1 / 200.0 - (x2 - 0.1 * (x1 * x1 - 100.0)).powi(2) / 2.0;
        assert!((number(log_density) - wanted).abs() <= 1e-12 * (1.0 + wanted.abs()), "{line}: {wanted}");
    }
}

/// Samples 150 draws, resumes to 300, and finds the draws of a run of 300 in the folder.
fn sampled_and_resumed(place: &Path, model: &str, trust: &[&str]) -> PathBuf {
    let file = run_file(place, model, 300);
    let (whole, out) = (place.join("whole"), place.join("out"));
    prints(&["sample", text(&file), "--out", text(&whole)]);
    let first = json(&["sample", text(&file), "--out", text(&out), "--draws", "150"]);
    assert_eq!((&first["draws"], &first["evaluations"]), (&150.into(), &(2 * 351).into()));
    let resumed = json(&[&["resume", text(&out), "--draws", "300"], trust].concat());
    assert_eq!(draws(&out), draws(&whole));
    assert_draws_of_banana(&out);
    let summary = json(&["summary", text(&out)]);
    for key in ["target", "parameters", "draws", "evaluations", "acceptance", "converged", "warnings"] {
        assert_eq!(summary[key], resumed[key], "{key}");
    }
    assert!(summary["acceptance"].as_f64().unwrap() > 0.05, "{summary}");
    out
}

/// A library of the examples, next to the run file and named relative to it.
fn library(place: &Path, compiler: &str, source: &str) {
    let arguments = ["-O2", "-Wall", "-shared", "-fPIC"];
    let Some(made) = compile(compiler, &arguments, &example(source), &format!("program-{source}.so")) else { return };
    let library = place.join("libbanana.so");
    fs::rename(made, &library).unwrap();
    let out = sampled_and_resumed(place, "library = \"./libbanana.so\"", &["--trust"]);
    let said = says(2, &["resume", text(&out), "--draws", "400"]);
    assert!(said.contains("libbanana.so named in its settings.toml") && said.contains("--trust"), "{said}");
    // The summary needs no model.
    fs::remove_file(library).unwrap();
    assert!(on_one_line(&prints(&["summary", text(&out)])).contains("libbanana.so in 2 dimensions: 2 chains"));
    let said = says(2, &["resume", text(&out), "--draws", "400", "--trust"]);
    assert!(said.contains("libbanana.so: cannot be loaded"), "{said}");
}

#[test]
fn a_library_that_was_replaced_is_refused_on_resume() {
    let place = place("library-replaced");
    let (source, library) = (place.join("gauss.c"), place.join("libgauss.so"));
    let build = |scale: u32| {
        let body = format!(
            "#include \"kameleon.h\"\nint kameleon_log_density(size_t dim, const double *x, double *value, void *user) {{\n\
             (void)dim; (void)user; *value = -1.0 - {scale} * (x[0] * x[0] + x[1] * x[1]); return KAMELEON_OK; }}\n"
        );
        fs::write(&source, body).unwrap();
        let made = compile("cc", &["-shared", "-fPIC"], &source, "replaced.so")?;
        fs::rename(made, &library).ok()
    };
    if build(1).is_none() {
        return;
    }
    let (file, out) = (run_file(&place, "library = \"./libgauss.so\"", 100), place.join("out"));
    prints(&["sample", text(&file), "--out", text(&out)]);
    build(3).unwrap();
    let said = says(2, &["resume", text(&out), "--trust", "--draws", "200"]);
    assert!(said.contains("not the one that was sampled"), "{said}");
    // To trust a library is not to say that its values have changed.
    prints(&["resume", text(&out), "--trust", "--changed", "--draws", "200"]);
}

#[test]
fn a_library_in_c_is_sampled_and_resumed() {
    library(&place("library-c"), "cc", "banana_library.c");
}

#[test]
fn a_library_in_fortran_is_sampled_and_resumed() {
    library(&place("library-fortran"), "gfortran", "banana_library.f90");
}

#[test]
fn a_server_is_sampled_and_resumed() {
    let Some(python) = python() else { return };
    let (place, port) = (place("server"), free_port());
    let _server = serve(&python, port);
    let model = format!("url = \"http://127.0.0.1:{port}\"\nmodel = \"banana\"\nconfig = {{ b = 0.1 }}\nretries = 12");
    let out = sampled_and_resumed(&place, &model, &[]);
    let said = prints(&["summary", text(&out)]);
    assert!(said.contains(&format!("AM-LS on http://127.0.0.1:{port} in 2 dimensions: 2 chains")), "{said}");
    // The server gives another density from now on.
    let settings = fs::read_to_string(out.join("settings.toml")).unwrap();
    assert!(settings.contains("b = 0.1"), "{settings}");
    fs::write(out.join("settings.toml"), settings.replace("b = 0.1", "b = 0.2")).unwrap();
    let said = on_one_line(&says(2, &["resume", text(&out), "--draws", "400"]));
    assert!(said.contains("the model is not the one that was sampled: at x1 = "), "{said}");
    assert!(said.contains(", where chain 0 is, its log density was -") && said.contains("--changed"), "{said}");
}

#[test]
fn a_server_that_dies_ends_the_run_which_goes_on_with_the_next() {
    let Some(python) = python() else { return };
    let (place, port) = (place("server-dies"), free_port());
    let server = serve(&python, port);
    let model = format!("url = \"http://127.0.0.1:{port}\"\nretries = 6\ntimeout = 10.0");
    let file = run_file(&place, &model, 900);
    let (whole, out) = (place.join("whole"), place.join("out"));
    prints(&["sample", text(&file), "--out", text(&whole)]);
    let mut command = command(&["sample", text(&file), "--out", text(&out), "--set", "model.retries=0"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    // Some draws of both chains are to be there already.
    let written = |chain: u64| fs::metadata(out.join(format!("chain-{chain}.journal"))).map_or(0, |file| file.len());
    while (0..2).map(written).min() < Some(1000) {
        sleep(Duration::from_millis(5));
    }
    drop(server);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(&format!("to resume: kameleon resume {}", text(&out))), "{said}");
    let summary = json(&["summary", text(&out)]);
    let warnings = summary["warnings"].to_string();
    assert!(warnings.contains("no connection: ") && warnings.contains("draws made before"), "{warnings}");
    assert!((1..900).contains(&summary["draws"].as_u64().unwrap()), "{summary}");
    let _next = serve(&python, port);
    wait_for(port);
    prints(&["resume", text(&out), "--quiet"]);
    assert_eq!(draws(&out), draws(&whole));
}

/// What is wrong with a start and what is wrong with a model are told apart by the exit code.
#[test]
fn a_program_that_fails_at_its_start_is_a_failure_and_one_that_refuses_it_is_not() {
    let place = place("fails-at-start");
    let out = place.join("out");
    let sampled = |body: &str, code: i32| {
        fs::write(place.join("model.sh"), body).unwrap();
        let file = run_file(&place, "program = [\"sh\", \"model.sh\"]", 100);
        let head = fs::read_to_string(&file).unwrap();
        fs::write(&file, format!("start = [[0.5, 0.5]]\n{head}")).unwrap();
        let output = command(&["sample", text(&file), "--out", text(&out)]).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{printed}{said}");
        assert!(!printed.contains("NaN") && !printed.contains("learned") && !out.exists(), "{printed}");
        on_one_line(&(printed + &said))
    };
    let said = sampled("echo no licence >&2; exit 3\n", 1);
    assert!(said.contains("chain 0 cannot start at x1 = 0.5, x2 = 0.5: program sh ended without an answer"), "{said}");
    assert!(said.contains("no licence"), "{said}");
    let said = sampled("while read -r line; do echo '{\"fatal\": \"no licence\"}'; done\n", 1);
    assert!(said.contains("There are no draws yet") && said.contains("the program says: no licence"), "{said}");
    assert!(!said.contains("the draws made before"), "{said}");
    let said = sampled("while read -r line; do echo '{\"reject\": \"too large\"}'; done\n", 2);
    assert!(said.contains("chain 0 cannot start at x1 = 0.5, x2 = 0.5: too large"), "{said}");
    let said = sampled("while read -r line; do echo '{\"log_density\": -Infinity}'; done\n", 2);
    assert!(said.contains("its density is zero"), "{said}");
}

/// Returns when somebody listens at the port.
fn wait_for(port: u16) {
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        sleep(Duration::from_millis(20));
    }
}

/// A seeded program that says once, at its 700th point, that it cannot go on.
const FAILS_ONCE: &str = r#"
import json, os, random, sys
mark = sys.argv[1]
count = 0
for line in sys.stdin:
    question = json.loads(line)
    count += 1
    if count == 700 and mark != "-" and not os.path.exists(mark):
        open(mark, "w").close()
        print(json.dumps({"fatal": "the licence server is down"}), flush=True)
        continue
    noise = random.Random(question["seed"]).gauss(0.0, 0.5)
    x1, x2 = question["x"]
    print(json.dumps({"log_density": noise - x1 * x1 / 2.0 - x2 * x2 / 2.0}), flush=True)
"#;

#[test]
fn a_seeded_program_that_fails_once_is_resumed_bit_for_bit() {
    let place = place("fails-once");
    fs::write(place.join("fails_once.py"), FAILS_ONCE).unwrap();
    let run = |mark: &str, out: &str| {
        let model = format!("program = [\"python3\", \"fails_once.py\", \"{mark}\"]\nnoisy = \"seed\"");
        let file = run_file(&place, &model, 700);
        let out = place.join(out);
        let output = command(&["sample", text(&file), "--out", text(&out), "--chains", "1"]).output().unwrap();
        (out, output.status.code(), on_one_line(&String::from_utf8(output.stdout).unwrap()))
    };
    let (whole, code, said) = run("-", "whole");
    assert_eq!(code, Some(0), "{said}");
    let (out, code, said) = run("failed", "out");
    assert!(code == Some(1) && said.contains("the licence server is down"), "{said}");
    prints(&["resume", text(&out), "--trust", "--quiet"]);
    assert_eq!(draws(&out), draws(&whole));
}
