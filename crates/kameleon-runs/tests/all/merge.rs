//! Plans whose chains run on many machines.

use crate::common::{bits, resume, run, settings};
use crate::same_model::Noisy;
use kameleon::Control;
use kameleon_runs::{Model, RunSettings, load, merge, start};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tempfile::tempdir;

#[test]
fn chains_that_ran_alone_merge_into_the_run_of_one_machine() {
    let place = tempdir().unwrap();
    let whole = run(&settings(""), Some(&place.path().join("whole"))).unwrap().posterior;
    let parts: Vec<PathBuf> = (0..2).map(|chain| place.path().join(format!("part-{chain}"))).collect();
    for (chain, part) in parts.iter().enumerate() {
        let alone = run(&settings(&format!("chain = {chain}\nthreads = {}", chain + 1)), Some(part)).unwrap().posterior;
        assert_eq!((alone.chains.len(), alone.chains[0].index), (1, chain));
    }
    let merged = place.path().join("merged");
    // In any order.
    merge(&[parts[1].clone(), parts[0].clone()], &merged, false).unwrap();
    let read = load(&merged).unwrap();
    assert_eq!(bits(&read), bits(&whole));
    assert_eq!(read.chains[1].statistics, whole.chains[1].statistics);
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
    let text = |name: &str| fs::read_to_string(place.path().join(name).join("settings.toml")).unwrap();
    assert_eq!(text("merged"), text("whole"));
    // It can be resumed like any other.
    let longer = resume(&merged, Some(600)).unwrap().posterior;
    assert_eq!(bits(&longer), bits(&resume(&place.path().join("whole"), Some(600)).unwrap().posterior));
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let place = tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    let make = |name: &str, more: &str| drop(run(&settings(more), Some(&at(name))).unwrap());
    make("whole", "");
    make("zero", "chain = 0");
    make("again", "chain = 0");
    make("other", "chain = 1\nthin = 2");
    let says = |folders: &[&str], expected: &str| {
        let folders: Vec<PathBuf> = folders.iter().map(|name| at(name)).collect();
        let said = merge(&folders, &at("out"), false).err().unwrap().to_string();
        assert!(said.contains(expected), "{said}");
        assert!(!at("out").exists());
    };
    says(&["zero"], "of the 2 chains of the plan, these are missing: 1");
    says(&["zero", "again"], "chain 0 is also in ");
    says(&["zero", "other"], "its settings differ from those of ");
    says(&["zero", "other"], "`thin = 1` there, `thin = 2` here");
    says(&["zero", "whole"], "holds a whole run, not one chain of a plan");
    says(&["zero", "nothing"], "holds no run");
    let stopped = AtomicBool::new(true);
    let control = Control { stop: Some(&stopped), ..Control::default() };
    let part = settings("chain = 1");
    start(&part, Model::open(&part).unwrap(), Some(&at("killed")), control).unwrap();
    says(&["zero", "killed"], "killed: this part was stopped: chain 1 has made 0 of ");
    says(&[], "there is nothing to merge");
}

#[test]
fn a_part_that_was_killed_leaves_the_merged_run_unfinished() {
    let place = tempdir().unwrap();
    let parts: Vec<PathBuf> = (0..2).map(|chain| place.path().join(format!("part-{chain}"))).collect();
    for (chain, part) in parts.iter().enumerate() {
        run(&settings(&format!("chain = {chain}")), Some(part)).unwrap();
    }
    fs::write(parts[0].join("status.toml"), "ending = \"open\"\n").unwrap();
    let refused = merge(&parts, &place.path().join("whole"), false).unwrap_err().to_string();
    assert!(refused.contains("part-0: this part was killed, or is still running"), "{refused}");
    for (order, out) in [([0, 1], "a"), ([1, 0], "b")] {
        merge(&order.map(|part| parts[part].clone()), &place.path().join(out), true).unwrap();
        let warnings = load(&place.path().join(out)).unwrap().warnings;
        assert!(warnings.iter().any(|warning| warning.contains("has not ended")), "{warnings:?}");
    }
}

#[test]
fn what_parts_said_of_noise_is_said_of_the_merged_run() {
    let place = tempdir().unwrap();
    let plan = |noisy: &str, more: &str| {
        let text = format!(
            "parameters = [\"a\", \"b\"]\nstart = [0.5, 0.5]\nsampler = \"AM-LS\"\nmodel.external = \"f\"\n\
             model.noisy = {noisy}\n[run]\nchains = 3\nwarmup = 600\ndraws = 200\n{more}"
        );
        RunSettings::from_toml(&text, "plan.toml").unwrap()
    };
    let merged = |noisy: &str, target: &Noisy| {
        let make = |chain: usize| {
            let part = place.path().join(noisy).join(chain.to_string());
            start(&plan(noisy, &format!("chain = {chain}")), target.clone(), Some(&part), Control::default()).unwrap();
            part
        };
        let out = place.path().join(noisy).join("merged");
        merge(&[0, 1, 2].map(make), &out, false).unwrap();
        load(&out).unwrap()
    };
    // Each part says it of another point and other values.
    let own = Noisy { sd: 0.8, own: Some(Arc::default()), shift: 0.0 };
    let warnings = merged("false", &own).warnings;
    assert_eq!(warnings.iter().filter(|text| text.contains("not declared so")).count(), 1, "{warnings:?}");
    let given = Noisy { own: None, ..own };
    let whole = start(&plan("\"seed\"", ""), given.clone(), None, Control::default()).unwrap().posterior;
    let (found, whole) = (merged("\"seed\"", &given).sd_log_estimate.unwrap(), whole.sd_log_estimate.unwrap());
    assert!((found - whole).abs() < 1e-12 && found > 0.3, "{found} {whole}");
}

/// A part of a plan whose chains learn together, stopped after a number of evaluations.
fn part_of(settings: &RunSettings, folder: &Path, stop_after: Option<u64>) {
    let (stop, calls) = (AtomicBool::new(false), AtomicU64::new(0));
    let count = |x: &[f64]| {
        stop.fetch_or(Some(calls.fetch_add(1, Ordering::Relaxed)) == stop_after, Ordering::Relaxed);
        -0.5 * (x[0] * x[0] / 9.0 + (x[1] - 0.1 * x[0] * x[0]).powi(2))
    };
    let control = Control { stop: Some(&stop), ..Control::default() };
    match folder.exists() {
        false => drop(start(settings, count, Some(folder), control).unwrap()),
        true => drop(kameleon_runs::resume(folder, count, None, control).unwrap()),
    }
}

#[test]
fn chains_in_different_processes_learn_together_through_files_and_make_the_draws_of_one_process() {
    for (sampler, chains) in [("kameleon", 3), ("kameleon", 9), ("DE-MC(Z)", 3)] {
        let place = tempdir().unwrap();
        let plan = |more: &str| {
            let text = format!(
                "parameters = [\"a\", \"b\"]\nstart = [0.5, 0.5]\nsampler = \"{sampler}\"\n\
                 [model]\nlog-density = \"-a^2 - b^2\"\n[run]\nchains = {chains}\nwarmup = 600\ndraws = 50\n{more}\n[output]\nformats = []"
            );
            RunSettings::from_toml(&text, "plan.toml").unwrap()
        };
        part_of(&plan(""), &place.path().join("whole"), None);
        let parts: Vec<PathBuf> = (0..chains).map(|chain| place.path().join(format!("parts/{chain}"))).collect();
        fs::create_dir(place.path().join("parts")).unwrap();
        std::thread::scope(|scope| {
            for (chain, part) in parts.iter().enumerate() {
                let settings = plan(&format!("chain = {chain}"));
                scope.spawn(move || {
                    // One is stopped twice on the way, and resumed.
                    if chain == 1 {
                        [170, 240].into_iter().for_each(|after| part_of(&settings, part, Some(after)));
                    }
                    part_of(&settings, part, None);
                });
            }
        });
        let merged = place.path().join("merged");
        merge(&parts, &merged, false).unwrap();
        assert_eq!(bits(&load(&merged).unwrap()), bits(&load(&place.path().join("whole")).unwrap()), "{sampler}");
    }
}

#[test]
fn parts_can_be_begun_again_where_an_earlier_run_has_left_files_and_a_lost_one_is_told() {
    let place = tempdir().unwrap();
    let plan = |chain: usize| {
        let text = format!(
            "parameters = [\"a\", \"b\"]\nstart = [0.5, 0.5]\n[model]\nlog-density = \"-a^2 - b^2\"\n\
             [run]\nchains = 2\nwarmup = 1500\ndraws = 50\nchain = {chain}\n[output]\nformats = []"
        );
        RunSettings::from_toml(&text, "plan.toml").unwrap()
    };
    let folder = |chain: usize| place.path().join(chain.to_string());
    let run_all = || {
        std::thread::scope(|scope| {
            (0..2).for_each(|chain| drop(scope.spawn(move || part_of(&plan(chain), &folder(chain), None))));
        });
        let draws = [0, 1].map(|chain| bits(&load(&folder(chain)).unwrap()));
        (0..2).for_each(|chain| fs::remove_dir_all(folder(chain)).unwrap());
        draws
    };
    assert_eq!(run_all(), run_all());
    // One alone: the other has ended.
    let refused = start(&plan(0), |_: &[f64]| 0.0, Some(&folder(0)), Control::default());
    let refused = refused.map(|finished| finished.reason).unwrap_or_else(|error| error.to_string());
    assert!(refused.contains("begin all parts anew"), "{refused}");
}
