//! Every entry of the registry is reached from the command line, from run files, from studies and from Python; every prior
//! from where priors can be given.

use crate::common::{json, place, prints};
use kameleon::kernel::KERNELS;
use kameleon::registry::{Choice, Entry};
use kameleon::sampler::SAMPLERS;
use kameleon::target::TARGETS;
use kameleon_models::prior;
use kameleon_runs::{GLASS, RunSettings, posteriors};
use kameleon_study::Study;
use serde_json::Value;

/// An entry by its name with every setting that has a default, except `published`, which changes others.
fn choice<T>(entry: &Entry<T>) -> Choice {
    let told =
        (entry.settings)().into_iter().filter(|setting| !setting.default.is_null() && setting.key != "published");
    Choice { name: entry.name.into(), settings: told.map(|setting| (setting.key, setting.default)).collect() }
}

/// The choice as text where it can be, and as a table of a TOML file.
fn spellings(choice: &Choice) -> (String, String) {
    let table = toml_of(&choice.to_table().into());
    let plain = choice.settings.iter().filter(|(_, value)| !value.is_object());
    let plain = Choice { name: choice.name.clone(), settings: plain.map(|(k, v)| (k.clone(), v.clone())).collect() };
    (plain.to_string(), table)
}

fn toml_of(value: &Value) -> String {
    match value {
        Value::Object(table) => {
            let pairs: Vec<String> = table.iter().map(|(key, value)| format!("{key} = {}", toml_of(value))).collect();
            format!("{{ {} }}", pairs.join(", "))
        }
        value => value.to_string(),
    }
}

/// What is printed of a short run with these flags, which must end well.
fn samples(flags: &[&str]) -> Value {
    json(&[&["sample", "--warmup", "700", "--draws", "4", "--chains", "1"], flags].concat())
}

fn run_file(target: &str, sampler: &str) -> RunSettings {
    let text = format!("sampler = {sampler}\n[model]\ntarget = {target}\n");
    RunSettings::from_toml(&text, "run.toml").unwrap_or_else(|error| panic!("{text}{error}"))
}

fn study(target: &str, dim: usize, sampler: &str) -> Study {
    let text = format!(
        "name = \"a\"\ntitle = \"a\"\nkind = \"table\"\nchains = 4\n[[target]]\nname = \"t\"\ndim = {dim}\n\
         iterations = 1400\ntarget = {target}\n[[sampler]]\nname = \"s\"\nsampler = {sampler}\n"
    );
    Study::parse("study.toml", &text).unwrap_or_else(|error| panic!("{text}{error}"))
}

fn python_has<T>(entry: &Entry<T>) {
    let classes = [
        include_str!("../../../../python/kameleon/_kernels.py"),
        include_str!("../../../../python/kameleon/_samplers.py"),
        include_str!("../../../../python/kameleon/_targets.py"),
    ];
    let class = format!("class {}(", entry.class);
    assert!(classes.iter().any(|text| text.contains(&class)), "no Python {class}");
}

#[test]
fn every_sampler_is_reached_from_all_four() {
    for entry in SAMPLERS {
        let (text, table) = spellings(&choice(entry));
        assert_eq!(samples(&["--target", "ring:dim=2", "--sampler", &text])["sampler"], entry.name, "{text}");
        for spelling in [format!("{text:?}"), table] {
            assert_eq!(run_file("\"ring\"", &spelling).sampler().unwrap().name(), entry.name);
            assert_eq!(study("\"ring\"", 2, &spelling).samplers(true)[0].sampler.name(), entry.name);
        }
        python_has(entry);
    }
}

#[test]
fn every_kernel_is_reached_from_all_four() {
    for entry in KERNELS {
        let (text, table) = spellings(&choice(entry));
        samples(&["--target", "ring:dim=2", "--sampler", "KAMH-LS:n=20", "--kernel", &text]);
        for kernel in [format!("{text:?}"), table] {
            let sampler = format!("{{ name = \"KAMH\", kernel = {kernel} }}");
            let wanted = run_file("\"ring\"", &sampler).sampler().unwrap();
            assert_eq!(study("\"ring\"", 2, &sampler).samplers(true)[0].sampler, wanted);
            assert_eq!(wanted.choice().settings["kernel"]["name"], entry.name);
        }
        python_has(entry);
    }
}

#[test]
fn every_target_is_reached_from_all_four() {
    for entry in TARGETS.iter().chain(posteriors::entries()) {
        let (text, table) = spellings(&choice(entry));
        let run = samples(&["--target", &text, "--sampler", "SM"]);
        let dim = run["parameters"].as_array().unwrap().len();
        for spelling in [format!("{text:?}"), table] {
            run_file(&spelling, "\"SM\"");
            study(&spelling, dim, "\"SM\"");
        }
        python_has(entry);
    }
    run_file("\"glass:n-imp=3,published=true\"", "\"SM\"");
    study("\"glass:n-imp=3,published=true\"", 9, "\"SM\"");
    assert_eq!(GLASS.class, "", "the Glass data are km.targets.glass(), for GPClassification");
}

#[test]
fn the_list_fits_a_terminal_and_shows_every_setting() {
    let list = prints(&["list"]);
    assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
    let registry = json(&["list"]);
    for entry in registry.as_object().unwrap().values().flat_map(|entries| entries.as_array().unwrap()) {
        let name = entry["name"].as_str().unwrap();
        assert!(["\n", "("].iter().any(|after| list.contains(&format!("  {name}{after}"))), "{entry}");
        for setting in entry["settings"].as_array().into_iter().flatten() {
            assert!(list.contains(setting["key"].as_str().unwrap()), "{setting}");
        }
    }
}

/// Studies compare samplers on targets as they are, so they take no priors. Python passes them on as text:
/// `python/tests/test_registry.py` samples every one.
#[test]
fn every_prior_is_reached_from_the_command_line_and_from_run_files() {
    let file = place("priors").join("run.toml");
    let model = "[model]\nlog-density = \"0*x\"\n[sampler]\nname = \"SM\"\n[parameters.x]\n";
    assert!(prior::entries().count() >= 14);
    for (name, parameters, _) in prior::entries() {
        // 0.5, 1.5, 2.5, … are parameters of every prior.
        let values: Vec<String> = (0..parameters.len()).map(|i| format!("{i}.5")).collect();
        let prior = format!("{name}({})", values.join(", "));
        std::fs::write(&file, format!("{model}prior = \"{prior}\"\n")).unwrap();
        let from_file = samples(&[file.to_str().unwrap()]);
        assert_eq!(from_file["draws"], 4, "{prior}");
        std::fs::write(&file, model).unwrap();
        let by_flag = samples(&[file.to_str().unwrap(), "--set", &format!("parameters.x.prior={prior}")]);
        assert_eq!(by_flag["parameters"], from_file["parameters"], "{prior}");
    }
}
