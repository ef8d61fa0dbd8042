//! Runs on disk: the same as in memory, the same when interrupted, safe against what happens to files.

use crate::common::{bits, resume, run, settings};
use kameleon::{Control, Ending, Sampler};
use kameleon_runs::store::Files;
use kameleon_runs::{How, Model, RunSettings, Status, load, start};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tempfile::tempdir;

/// A run that is stopped after this number of evaluations of each chain's model.
pub fn interrupted(folder: &Path, after: u64, settings: &RunSettings) {
    let (stop, count) = (AtomicBool::new(false), AtomicU64::new(0));
    let model = Model::open(settings).unwrap();
    let counting = Stopping { target: model, count: &count, stop: &stop, after };
    let control = Control { stop: Some(&stop), ..Control::default() };
    let finished = start(settings, counting, Some(folder), control).unwrap();
    assert!(matches!(finished.ending, Ending::Stopped), "{}", finished.reason);
    assert!(finished.posterior.warnings[0].contains("stopped before its end"));
}

/// Sets the stop flag at an evaluation.
#[derive(Clone)]
pub struct Stopping<'a, T> {
    pub target: T,
    pub count: &'a AtomicU64,
    pub stop: &'a AtomicBool,
    pub after: u64,
}

impl<T: kameleon::Target> kameleon::Target for Stopping<'_, T> {
    fn dim(&self) -> Option<usize> {
        self.target.dim()
    }

    fn log_density(&mut self, x: &[f64], noise: kameleon::Noise<'_>) -> kameleon::Evaluation {
        if self.count.fetch_add(1, Ordering::Relaxed) >= self.after {
            self.stop.store(true, Ordering::Relaxed);
        }
        self.target.log_density(x, noise)
    }
}

#[test]
fn a_run_on_disk_is_the_run_in_memory_and_reads_back_the_same() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    let mut settings = settings("thin = 3");
    settings.output.keep_warmup = true;
    let memory = run(&settings, None).unwrap().posterior;
    let disk = run(&settings, Some(&folder)).unwrap().posterior;
    assert_eq!(memory.names, ["x", "y", "s"]);
    assert_eq!((memory.chains[1].draws.len(), memory.chains[1].warmup.len()), (400, 100));
    assert!(memory.chains[0].draws.points.chunks(3).all(|x| x[2] > 0.0), "in the parameters' own units");
    let read = load(&folder).unwrap();
    for other in [&disk, &read] {
        assert_eq!(bits(other), bits(&memory));
        assert_eq!(other.chains[1].statistics, memory.chains[1].statistics);
        assert_eq!(other.chains[0].proposals, memory.chains[0].proposals);
    }
    assert!(!memory.chains[0].proposals.is_empty());
    assert!(folder.join("posterior.nc").exists());
}

#[test]
fn the_log_density_is_that_of_the_model_and_its_priors_in_their_own_units() {
    let posterior = run(&settings(""), None).unwrap().posterior;
    let draws = &posterior.chains[0].draws;
    for (x, log_density) in draws.points.chunks(3).zip(&draws.log_density) {
        let model = -x[0].powi(2) / 8.0 - (x[1] - 0.3 * x[0].powi(2)).powi(2) / 2.0 + x[2].ln() - x[2];
        let prior = x[2].ln() - x[2];
        assert!((model + prior - log_density).abs() < 1e-9, "{x:?}: {log_density}");
    }
}

#[test]
fn stopped_anywhere_and_resumed_it_is_the_uninterrupted_run() {
    let place = tempdir().unwrap();
    let expected = bits(&run(&settings(""), None).unwrap().posterior);
    for after in [0, 1, 250, 620, 1100] {
        let folder = place.path().join(after.to_string());
        interrupted(&folder, after, &settings(""));
        let finished = resume(&folder, None).unwrap();
        assert!(matches!(finished.ending, Ending::Complete));
        assert_eq!(bits(&finished.posterior), expected, "stopped after {after}");
        assert!(finished.posterior.warnings.is_empty(), "{:?}", finished.posterior.warnings);
    }
}

#[test]
fn more_draws_can_be_asked_for_and_are_those_of_the_longer_run() {
    let place = tempdir().unwrap();
    run(&settings(""), Some(&place.path().join("a"))).unwrap();
    let longer = resume(&place.path().join("a"), Some(700)).unwrap();
    let mut plan = settings("");
    plan.run.draws = Some(700);
    assert_eq!(bits(&longer.posterior), bits(&run(&plan, None).unwrap().posterior));
    assert_eq!(load(&place.path().join("a")).unwrap().chains[0].draws.len(), 700);
    let said = resume(&place.path().join("a"), Some(100)).err().unwrap().to_string();
    assert!(said.contains("100 are fewer than the 700"), "{said}");
    assert_eq!(
        bits(&resume(&place.path().join("a"), None).unwrap().posterior),
        bits(&longer.posterior),
        "complete already"
    );
}

#[test]
fn a_rule_ends_the_run_at_the_same_place_interrupted_or_not() {
    let place = tempdir().unwrap();
    let rule = "until = \"ess=60\"\nmax-draws = 100000";
    let memory = run(&settings(rule), None).unwrap();
    assert!(memory.reason.starts_with("ess=60 was reached after "), "{}", memory.reason);
    let draws = memory.posterior.chains[0].draws.len();
    assert!(draws < 20_000 && memory.posterior.chains[1].draws.len() == draws, "{draws}");
    let ess = |p: &kameleon_runs::output::Posterior| {
        p.summary().parameters.iter().map(|p| p.ess_bulk).fold(f64::MAX, f64::min)
    };
    assert!(ess(&memory.posterior) >= 60.0);
    for after in [900, 1300] {
        let folder = place.path().join(after.to_string());
        interrupted(&folder, after, &settings(rule));
        let resumed = resume(&folder, None).unwrap();
        assert_eq!((&resumed.reason, bits(&resumed.posterior)), (&memory.reason, bits(&memory.posterior)));
        assert_eq!(bits(&resume(&folder, None).unwrap().posterior), bits(&memory.posterior), "it goes no further");
    }
}

#[test]
fn limits_end_a_run_and_are_told() {
    let ends = |more: &str, draws: usize, reason: &str| {
        let finished = run(&settings(more), None).unwrap();
        assert!(matches!(finished.ending, Ending::Complete | Ending::Limited));
        assert_eq!(finished.posterior.chains[1].draws.len(), draws, "{more}");
        assert!(finished.reason.contains(reason), "{}", finished.reason);
        finished
    };
    ends("", 400, "all 400 draws were made");
    ends("max-draws = 150", 150, "the limit of 150 draws in each chain (max-draws) was reached");
    let finished = ends("max-evaluations = 1000", 199, "(max-evaluations) was reached");
    assert!(finished.posterior.evaluations() <= 1000);
    let place = tempdir().unwrap();
    run(&settings("until = \"ess=1e9\""), Some(place.path())).unwrap();
    let said = resume(place.path(), Some(10)).err().unwrap().to_string();
    assert!(said.contains("10 are fewer than the 400 that a chain of the run has already"), "{said}");
    ends("until = \"ess=1e9\"", 400, "the limit of 400 draws in each chain (draws) was reached before ess=1000000000");
    let mut short = settings("");
    short.run.max_evaluations = Some(600);
    let said = run(&short, None).err().unwrap().to_string();
    assert!(said.contains("run.max-evaluations: 600 are not enough") && said.contains("which take 604"), "{said}");
    let finished = run(&settings("thin = 1000000\nmax-minutes = 0.002"), None).unwrap();
    assert!(matches!(finished.ending, Ending::Limited));
    assert!(finished.reason.contains("the limit of 0.002 minutes (max-minutes) was reached"), "{}", finished.reason);
}

#[test]
fn random_starts_without_density_are_drawn_again_and_given_ones_are_not() {
    let place = tempdir().unwrap();
    let mut plan = settings("");
    plan.run.chains = 6;
    // A quarter of the default range of x and y.
    plan.model.log_density = Some("ln(min(x, y)) * 0 - x^2/8 - y^2/2".into());
    let folder = place.path().join("run");
    let found = run(&plan, Some(&folder)).unwrap().posterior;
    assert!(found.chains.iter().all(|chain| chain.draws.points.chunks(3).all(|x| x[0] > 0.0 && x[1] > 0.0)));
    assert_eq!(bits(&found), bits(&run(&plan, None).unwrap().posterior));
    plan.model.log_density = Some("ln(x - 5)".into());
    let said = run(&plan, None).err().unwrap().to_string();
    assert!(said.contains("the last of 100 starts that were drawn at random; give a start"), "{said}");
    plan.start = Some(vec![vec![1.0, 0.0, 1.0]]);
    let said = run(&plan, None).err().unwrap().to_string();
    assert!(said.starts_with("chain 0 cannot start at x = 1, y = 0, s = 1: ") && !said.contains("100"), "{said}");
}

#[test]
fn a_start_that_cannot_be_sampled_from_leaves_no_run_behind() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    let mut plan = settings("");
    plan.model.log_density = Some("ln(x)".into());
    plan.start = Some(vec![vec![1.0, 0.0, 1.0], vec![-1.0, 0.0, 1.0]]);
    let said = run(&plan, Some(&folder)).err().unwrap().to_string();
    assert!(said.starts_with("chain 1 cannot start at x = -1, y = 0, s"), "{said}");
    assert!(!folder.exists());
    run(&settings(""), Some(&folder)).unwrap();
}

#[test]
fn chains_that_cannot_be_kept_leave_no_run_behind() {
    let place = tempdir().unwrap();
    // Where the journal of the second chain would be, there is a folder.
    fs::create_dir(place.path().join("chain-1.journal")).unwrap();
    let said = run(&settings(""), Some(place.path())).err().unwrap().to_string();
    assert!(said.contains("chain-1.journal: creating the journal failed"), "{said}");
    let left: Vec<_> = fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["chain-1.journal"]);
    fs::remove_dir(place.path().join("chain-1.journal")).unwrap();
    run(&settings(""), Some(place.path())).unwrap();
}

#[test]
fn a_chain_whose_group_has_learned_is_not_started_again_alone() {
    let place = tempdir().unwrap();
    let mut plan = settings("");
    plan.sampler = Sampler::default().choice();
    let expected = bits(&run(&plan, Some(place.path())).unwrap().posterior);
    let files = Files::of(place.path()).unwrap();
    let remove = |chain| [files.journal(chain), files.checkpoint(chain)].map(|file| fs::remove_file(file).unwrap());
    remove(1);
    for _ in 0..2 {
        let said = resume(place.path(), None).err().unwrap().to_string();
        assert!(
            said.contains("chain-1.checkpoint: the checkpoint is missing\nThe chains of this run learned"),
            "{said}"
        );
        assert!(!files.journal(1).exists(), "nothing was begun");
    }
    remove(0);
    assert_eq!(bits(&resume(place.path(), None).unwrap().posterior), expected);
}

#[test]
fn a_model_that_fails_ends_the_run_and_keeps_what_was_drawn() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    let failing = |x: &[f64]| {
        if x[1] > 3.0 { Err(kameleon::EvalError::fatal("out of fuel")) } else { Ok(-x[0].abs() - x[1].abs()) }
    };
    let mut plan = settings("");
    (plan.model, plan.parameters) =
        (Default::default(), kameleon_runs::settings::Parameters::named(["a".into(), "b".into()]));
    plan.model.external = Some("the function f of a test".into());
    let finished = start(&plan, failing, Some(&folder), Control::default()).unwrap();
    assert!(matches!(finished.ending, Ending::Failed(_)));
    let read = load(&folder).unwrap();
    // It fails in the warm-up, before there is a draw.
    assert!(read.warnings[0].ends_with(": out of fuel") && read.points().is_empty(), "{:?}", read.warnings);
    assert_eq!(read.target, "the function f of a test");
    // Only who has the function can go on with it.
    let said = Model::open(&kameleon_runs::settings_of(&folder).unwrap()).err().unwrap().to_string();
    assert!(said.contains("a function of another program"), "{said}");
    let mended = |x: &[f64]| -x[0].abs() - x[1].abs();
    let resumed = kameleon_runs::resume(&folder, mended, None, Control::default()).unwrap();
    assert_eq!(resumed.posterior.chains[1].draws.len(), 400);
    // After 1200 of 2 × 701 evaluations both chains have draws.
    let (late, count) = (place.path().join("late"), AtomicU64::new(0));
    let failing = |x: &[f64]| match count.fetch_add(1, Ordering::Relaxed) {
        1200 => Err(kameleon::EvalError::fatal("out of fuel")),
        _ => Ok(mended(x)),
    };
    let failed = start(&plan, failing, Some(&late), Control::default()).unwrap().posterior;
    assert!(failed.warnings[0].ends_with("out of fuel; the draws made before it are shown"), "{:?}", failed.warnings);
    assert!(!failed.points().is_empty());
}

#[test]
fn a_run_that_was_killed_as_it_began_can_be_resumed() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    let expected = bits(&run(&settings(""), Some(&folder)).unwrap().posterior);
    let files = Files::of(&folder).unwrap();
    // Killed before the first chain was saved, with a journal begun; or a user removed a damaged chain.
    fs::remove_file(files.checkpoint(0)).unwrap();
    fs::remove_file(files.checkpoint(1)).unwrap();
    fs::remove_file(files.journal(1)).unwrap();
    fs::remove_file(folder.join("status.toml")).unwrap();
    let read = load(&folder).unwrap();
    assert!(read.warnings.iter().any(|w| w.contains("chain 1 has not started")), "{:?}", read.warnings);
    assert!(read.warnings.iter().any(|w| w.contains("it is still running, or was killed")), "{:?}", read.warnings);
    assert_eq!(bits(&resume(&folder, None).unwrap().posterior), expected);
    assert_eq!(Status::read(&files).ending, How::Complete);
}

#[test]
fn files_that_were_cut_are_recovered_or_told() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    // What is quickly read, so that every length can be tried.
    let mut plan = settings("max-draws = 150");
    plan.sampler = Sampler::sm().choice();
    plan.run.chains = 1;
    run(&plan, Some(&folder)).unwrap();
    let files = Files::of(&folder).unwrap();
    for file in [files.journal(0), files.checkpoint(0)] {
        let whole = fs::read(&file).unwrap();
        let open = fs::File::options().write(true).open(&file).unwrap();
        // At every byte of the last 4 KB, from the end, and near the beginning.
        for length in (whole.len().saturating_sub(4096)..whole.len()).rev().chain([19, 7, 0]) {
            open.set_len(length as u64).unwrap();
            match load(&folder) {
                Ok(read) => {
                    assert!(read.warnings.iter().any(|w| w.contains("chain 0")), "{length}: {:?}", read.warnings)
                }
                Err(error) => assert!(error.to_string().contains("not a journal"), "{length}: {error}"),
            }
            let said = resume(&folder, None).err().unwrap().to_string();
            assert!(said.contains("remove chain-0.checkpoint and chain-0.journal, then resume"), "{length}: {said}");
        }
        fs::write(&file, &whole).unwrap();
    }
    resume(&folder, None).unwrap();
}

#[test]
fn a_folder_is_for_one_run_and_one_process_at_a_time() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    run(&settings(""), Some(&folder)).unwrap();
    let said = run(&settings(""), Some(&folder)).err().unwrap().to_string();
    assert!(said.contains("already holds a run; resume it, or choose another folder"), "{said}");
    let held = kameleon_runs::store::Folder::open(&folder).unwrap();
    assert!(resume(&folder, None).err().unwrap().to_string().contains("in use by another process"));
    assert!(load(&folder).is_ok(), "reading needs no lock");
    drop(held);
    assert!(load(place.path()).err().unwrap().to_string().contains("holds no run"));
    // A model of another dimension is refused.
    let said = kameleon_runs::resume(&folder, TwoDimensional, None, Control::default()).err().unwrap().to_string();
    assert!(said.contains("parameters: 3 are named, but the model has 2"), "{said}");
}

#[derive(Clone)]
struct TwoDimensional;

impl kameleon::Target for TwoDimensional {
    fn dim(&self) -> Option<usize> {
        Some(2)
    }

    fn log_density(&mut self, x: &[f64], _noise: kameleon::Noise<'_>) -> kameleon::Evaluation {
        Ok(-x[0].abs() - x[1].abs())
    }
}

#[test]
fn a_folder_from_elsewhere_can_say_anything_and_nothing_happens() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    run(&settings(""), Some(&folder)).unwrap();
    let file = folder.join("settings.toml");
    let whole = fs::read_to_string(&file).unwrap();
    let says = |from: &str, to: &str, expected: &str| {
        assert!(whole.contains(from), "{from}");
        fs::write(&file, whole.replace(from, to)).unwrap();
        let said = load(&folder).err().unwrap().to_string();
        assert!(said.contains(expected), "{to}: {said}");
    };
    says("chains = 2", "chains = 1000000000000", "run.chains: must be at most 100000");
    says("[parameters.y]\n", "", "model.log-density");
    says("[parameters.y]", "[parameters.\"\\u001b[2J\"]", "is not a valid name");
    says("[model]", "[model]\nlibrary = \"/bin/evil.so\"", "a run has one model");
    let expression = whole.lines().find(|line| line.starts_with("log-density")).unwrap();
    says(expression, "target = \"gaussian\"\ndim = 1000000000", "model.dim: must be from 2 to 1000000");
    fs::write(&file, whole.replace(expression, "external = \"f\"").replace("[parameters.y]\n", "")).unwrap();
    let said = load(&folder).err().unwrap().to_string();
    assert!(said.contains("belongs to chain 0 in 3 dimensions, but the settings have 2 parameters"), "{said}");
    // A program that is only named is not started.
    fs::write(&file, whole.replace(expression, "program = [\"/bin/false\"]")).unwrap();
    assert_eq!(load(&folder).unwrap().target, "/bin/false");
    // Journals of other chains are not taken for one's own.
    fs::write(&file, &whole).unwrap();
    let files = Files::of(&folder).unwrap();
    fs::copy(files.journal(0), files.journal(1)).unwrap();
    assert!(load(&folder).err().unwrap().to_string().contains("the journal of chain 1 belongs to chain 0"));
}
