//! Parts of a plan whose chains start from one population.

use crate::common::{Bits, bits, resume, run};
use crate::folder::{Stopping, interrupted};
use crate::population::{everything, quick};
use kameleon::{Control, Ending};
use kameleon_runs::{How, Model, RunSettings, load, merge, start};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tempfile::tempdir;

const CHAINS: usize = 3;

/// The part of a chain, or the whole plan.
fn plan(chain: Option<usize>, more: &str) -> RunSettings {
    let mut settings = quick(&format!("chains = {CHAINS}\n{more}"));
    (settings.run.chain, settings.output.formats) = (chain, Vec::new());
    settings
}

fn folders(place: &Path) -> Vec<PathBuf> {
    (0..CHAINS).map(|chain| place.join("parts").join(chain.to_string())).collect()
}

fn merged(place: &Path, name: &str) -> (Bits, String) {
    let out = place.join(name);
    merge(&folders(place), &out, false).unwrap();
    let posterior = load(&out).unwrap();
    (bits(&posterior), everything(&posterior))
}

#[test]
fn parts_wait_for_the_population_of_the_first_and_make_the_draws_of_one_process() {
    let place = tempdir().unwrap();
    let whole = run(&plan(None, ""), Some(&place.path().join("whole"))).unwrap().posterior;
    let found = whole.population.as_ref().unwrap();
    assert!(found.frozen && found.modes.len() == 2, "{found:?}");
    let parts = folders(place.path());
    // One is stopped while it waits.
    let (settings, stop) = (plan(Some(2), ""), AtomicBool::new(true));
    let control = Control { stop: Some(&stop), ..Control::default() };
    let waited = start(&settings, Model::open(&settings).unwrap(), Some(&parts[2]), control).unwrap();
    assert!(
        matches!(waited.ending, Ending::Stopped) && waited.reason.contains("after 0 evaluations"),
        "{}",
        waited.reason
    );
    // The one that runs it is stopped in the middle of it, and resumed.
    interrupted(&parts[0], found.evaluations / 2, &plan(Some(0), ""));
    resume(&parts[0], None).unwrap();
    // The others evaluate its best point once more, and their start, to see whether the model is noisy.
    let (settings, count, never) = (plan(Some(1), ""), AtomicU64::new(0), AtomicBool::new(false));
    let target = Model::open(&settings).unwrap();
    let counting = Stopping { target, count: &count, stop: &never, after: u64::MAX };
    let alone = start(&settings, counting, Some(&parts[1]), Control::default()).unwrap().posterior;
    assert!(count.into_inner() <= alone.chains[0].statistics.evaluations + 3);
    let said = merge(&parts, &place.path().join("no"), false).unwrap_err().to_string();
    assert!(said.contains("this part was stopped: chain 2 has not begun"), "{said}");
    merge(&parts, &place.path().join("some"), true).unwrap();
    let some = load(&place.path().join("some")).unwrap();
    assert_eq!((some.chains.len(), some.population.unwrap().modes.len()), (2, 2));
    resume(&parts[2], None).unwrap();
    assert_eq!(merged(place.path(), "merged"), (bits(&whole), everything(&whole)));
}

#[test]
fn chains_that_learn_from_what_it_found_learn_together_in_parts_too() {
    let place = tempdir().unwrap();
    let small = |chain| {
        let mut settings = plan(chain, "max-warmup = 900");
        settings.population.max_evaluations = Some(2000);
        settings
    };
    let whole = run(&small(None), None).unwrap().posterior;
    assert!(!whole.population.as_ref().unwrap().frozen);
    std::thread::scope(|scope| {
        for (chain, part) in folders(place.path()).into_iter().enumerate() {
            scope.spawn(move || run(&small(Some(chain)), Some(&part)).unwrap());
        }
    });
    assert_eq!(merged(place.path(), "merged"), (bits(&whole), everything(&whole)));
}

#[test]
fn parts_that_learn_alone_each_run_the_same_population() {
    let place = tempdir().unwrap();
    let whole = run(&plan(None, "pool = false"), None).unwrap().posterior;
    for (chain, part) in folders(place.path()).iter().enumerate() {
        run(&plan(Some(chain), "pool = false"), Some(part)).unwrap();
    }
    assert!(!place.path().join("parts/.exchange").exists());
    assert_eq!(merged(place.path(), "merged"), (bits(&whole), everything(&whole)));
}

/// The likelihood of a plan that is begun anew with another one: it is only named.
fn external(chain: usize) -> RunSettings {
    let mut settings = plan(Some(chain), "");
    (settings.model.log_density, settings.model.external) = (None, Some("f".into()));
    settings
}

#[test]
fn what_an_earlier_run_of_another_model_found_is_not_taken() {
    let place = tempdir().unwrap();
    let parts = folders(place.path());
    let narrow = |x: &[f64]| -30.0 * x[0] * x[0];
    start(&external(0), narrow, Some(&parts[0]), Control::default()).unwrap();
    std::fs::remove_dir_all(&parts[0]).unwrap();
    let asked = AtomicU64::new(0);
    let wide = |x: &[f64]| {
        asked.fetch_add(1, Ordering::Relaxed);
        -2.0 * (x[0] - 1.0).powi(2)
    };
    let second = std::thread::scope(|scope| {
        let second = scope.spawn(|| start(&external(1), wide, Some(&parts[1]), Control::default()).unwrap());
        // The second has looked at what is there before the first begins.
        while asked.load(Ordering::Relaxed) == 0 {
            std::thread::yield_now();
        }
        start(&external(0), wide, Some(&parts[0]), Control::default()).unwrap();
        second.join().unwrap()
    });
    let first = load(&parts[0]).unwrap();
    assert_eq!(How::of(&second.ending), How::Complete);
    assert_eq!(second.posterior.population.unwrap().evaluations, first.population.unwrap().evaluations);
    // Where the first does not come, the last one says why it does not go on.
    let refused = start(&external(2), narrow, Some(&parts[2]), Control::default()).err().unwrap().to_string();
    assert!(refused.contains("the model is not the one that was sampled"), "{refused}");
    assert!(!parts[2].exists());
}
