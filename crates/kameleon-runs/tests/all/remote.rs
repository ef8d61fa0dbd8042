//! Chains that are run elsewhere, piece by piece: bit for bit the run that is made here.

use crate::common::{bits, resume, run, settings};
use crate::population;
use kameleon::{Control, Ending};
use kameleon_runs::{
    Model, Outside, RemoteError, RemoteRunner, Resume, RunError, RunSettings, resume_on, run_task, start_on,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::tempdir;

/// A place where pieces are done at once, each for one turn; every third answer is lost, and the piece done again.
struct Nearby {
    settings: RunSettings,
    pieces: AtomicUsize,
    /// The length of the longest.
    largest: AtomicUsize,
    /// The stop flag, set by the piece of this number.
    stop: Option<(usize, AtomicBool)>,
}

impl Nearby {
    fn new(settings: &RunSettings) -> Self {
        Self { settings: settings.clone(), pieces: AtomicUsize::new(0), largest: AtomicUsize::new(0), stop: None }
    }
}

impl RemoteRunner for Nearby {
    fn send(&self, _chain: usize, piece: Vec<u8>, _stop: &dyn Fn() -> bool) -> Result<Option<Vec<u8>>, RemoteError> {
        let count = self.pieces.fetch_add(1, Ordering::Relaxed);
        self.largest.fetch_max(piece.len(), Ordering::Relaxed);
        let model = || Model::open(&self.settings);
        if count.is_multiple_of(3) {
            run_task(&piece, model()?, None, Control::default())?;
        }
        if let Some((_, stop)) = self.stop.as_ref().filter(|(last, _)| count == *last) {
            stop.store(true, Ordering::Relaxed);
            return Ok(None);
        }
        Ok(Some(run_task(&piece, model()?, None, Control::default())?))
    }

    fn task_time(&self) -> Duration {
        Duration::ZERO
    }
}

/// With this runner.
fn by(runner: &dyn RemoteRunner) -> Outside<'_> {
    Outside { runner: Some(runner), ..Outside::default() }
}

/// Chains of the default sampler that learn together, of a model with a bound and a prior.
fn pooled(more: &str) -> RunSettings {
    let mut settings = settings(more);
    settings.sampler = kameleon::Sampler::default().choice();
    settings.run.chains = 5;
    (settings.run.warmup, settings.run.draws, settings.run.thin) = (kameleon::Warmup::Iterations(1000), Some(400), 2);
    settings.output.keep_warmup = true;
    settings
}

#[test]
fn chains_that_learn_together_make_the_same_draws_elsewhere() {
    for (more, chains) in [("", 5), ("until = \"ess=50\"\nmax-draws = 3000", 5), ("", 9)] {
        let mut settings = pooled(more);
        settings.run.chains = chains;
        let here = run(&settings, None).unwrap();
        let nearby = Nearby::new(&settings);
        let model = Model::open(&settings).unwrap();
        let there = start_on(&by(&nearby), &settings, model, None, Control::default()).unwrap();
        assert_eq!(bits(&there.posterior), bits(&here.posterior));
        assert_eq!(format!("{:?}", there.posterior.jumps), format!("{:?}", here.posterior.jumps));
        assert_eq!((there.reason, there.posterior.learned), (here.reason, here.posterior.learned));
        assert!(nearby.pieces.load(Ordering::Relaxed) > 3 * 5, "a piece for each stage of the warm-up");
        // The chain's own states and the model, but not the thousands of proposals of all.
        let largest = nearby.largest.load(Ordering::Relaxed);
        assert!(largest < 150_000, "{largest} bytes");
    }
}

#[test]
fn a_run_on_disk_can_be_stopped_elsewhere_and_gone_on_with_here_and_there() {
    let settings = pooled("");
    let expected = bits(&run(&settings, None).unwrap().posterior);
    for last in [0, 7, 18] {
        let place = tempdir().unwrap();
        let folder = place.path().join("run");
        let mut nearby = Nearby::new(&settings);
        nearby.stop = Some((last, AtomicBool::new(false)));
        let control = Control { stop: nearby.stop.as_ref().map(|(_, stop)| stop), ..Control::default() };
        let model = Model::open(&settings).unwrap();
        let stopped = start_on(&by(&nearby), &settings, model.clone(), Some(&folder), control).unwrap();
        assert!(matches!(stopped.ending, Ending::Stopped), "{}", stopped.reason);
        let resumed = match last % 2 {
            0 => resume(&folder, None),
            _ => resume_on(&by(&Nearby::new(&settings)), &folder, model, Resume::default(), Control::default()),
        };
        assert_eq!(bits(&resumed.unwrap().posterior), expected, "stopped at piece {last}");
    }
}

#[test]
fn the_noise_of_a_model_elsewhere_is_measured_there() {
    let text = "[model]\ntarget = \"gaussian:dim=2\"\nnoise = 0.8\n[run]\nwarmup = 500\ndraws = 100\nseed = 3\n";
    let settings = RunSettings::from_toml(text, "run.toml").unwrap();
    let model = || Model::open(&settings).unwrap();
    let nearby = Nearby::new(&settings);
    let there = start_on(&by(&nearby), &settings, model(), None, Control::default()).unwrap().posterior;
    let here = run(&settings, None).unwrap().posterior;
    assert_eq!(bits(&there), bits(&here));
    for sd in [there.sd_log_estimate.unwrap(), here.sd_log_estimate.unwrap()] {
        assert!((0.4..1.3).contains(&sd), "{sd}");
    }
}

/// A population, then chains; every task of either is done elsewhere, and some are stopped.
#[test]
fn a_population_is_evaluated_elsewhere_with_the_same_values() {
    let settings = population::quick("");
    let model = || Model::open(&settings).unwrap();
    let here = run(&settings, None).unwrap().posterior;
    let nearby = Nearby::new(&settings);
    let there = start_on(&by(&nearby), &settings, model(), None, Control::default()).unwrap().posterior;
    assert_eq!((bits(&there), &there.population), (bits(&here), &here.population));
    let pieces = nearby.pieces.load(Ordering::Relaxed);
    let batches = there.population.as_ref().unwrap().batches as usize;
    assert!(pieces > 3 * batches, "{pieces} pieces of {batches} batches");
    for last in [0, 40, pieces / 2] {
        let place = tempdir().unwrap();
        let folder = place.path().join("run");
        let mut nearby = Nearby::new(&settings);
        nearby.stop = Some((last, AtomicBool::new(false)));
        let control = Control { stop: nearby.stop.as_ref().map(|(_, stop)| stop), ..Control::default() };
        let stopped = start_on(&by(&nearby), &settings, model(), Some(&folder), control).unwrap();
        assert!(matches!(stopped.ending, Ending::Stopped), "{}", stopped.reason);
        let resumed =
            resume_on(&by(&Nearby::new(&settings)), &folder, model(), Resume::default(), Control::default()).unwrap();
        assert_eq!(bits(&resumed.posterior), bits(&here), "stopped at piece {last}");
    }
}

#[test]
fn what_goes_wrong_elsewhere_is_told_as_if_it_were_here() {
    let mut settings = pooled("");
    settings.start = Some(vec![vec![0.0, 0.0, 1.0]]);
    let broken = |x: &[f64]| if x[0] > 1.5 { f64::NAN } else { -x[0] * x[0] };
    struct Broken<F>(F);
    impl<F: Fn(&[f64]) -> f64 + Clone + Send + Sync> RemoteRunner for Broken<F> {
        fn send(&self, _: usize, piece: Vec<u8>, _: &dyn Fn() -> bool) -> Result<Option<Vec<u8>>, RemoteError> {
            let f = self.0.clone();
            Ok(Some(run_task(&piece, move |x: &[f64]| f(x), None, Control::default())?))
        }

        fn task_time(&self) -> Duration {
            Duration::from_secs(1)
        }
    }
    let nowhere = Broken(|_: &[f64]| f64::NEG_INFINITY);
    let refused = start_on(&by(&nowhere), &settings, nowhere.0, None, Control::default()).err().unwrap();
    assert!(matches!(refused, RunError::Start(_)), "{refused}");
    assert!(refused.to_string().contains("cannot start at"), "{refused}");
    let odd = start_on(&by(&Broken(broken)), &settings, broken, None, Control::default()).unwrap();
    assert!(odd.posterior.warnings.iter().any(|text| text.contains("no usable log density")));
    let panics = |x: &[f64]| if x[0] > 1.5 { panic!("too far") } else { -x[0] * x[0] };
    let failed = start_on(&by(&Broken(panics)), &settings, panics, None, Control::default()).unwrap();
    assert!(matches!(failed.ending, Ending::Failed(_)));
    assert!(failed.reason.contains("too far"), "{}", failed.reason);
}

#[test]
fn a_piece_from_another_version_is_refused() {
    let said = |bytes: &[u8]| run_task(bytes, |_: &[f64]| 0.0, None, Control::default()).err().unwrap().to_string();
    assert!(said(b"\x050.0.1 and more").contains("version 0.0.1"));
    assert!(said(b"").contains("cannot be read"));
    let mut cut = vec![env!("CARGO_PKG_VERSION").len() as u8];
    cut.extend(env!("CARGO_PKG_VERSION").bytes());
    assert!(said(&cut).contains("cannot be read"));
}

#[test]
fn a_result_that_is_not_that_of_its_task_ends_the_run() {
    type Change = fn(&mut Vec<u8>);
    /// Gives the first result as the answer to every task, after it was changed.
    struct Mistaken(RunSettings, Mutex<Option<Vec<u8>>>, Change);
    impl RemoteRunner for Mistaken {
        fn send(&self, _: usize, task: Vec<u8>, _: &dyn Fn() -> bool) -> Result<Option<Vec<u8>>, RemoteError> {
            let mut result = run_task(&task, Model::open(&self.0)?, None, Control::default())?;
            (self.2)(&mut result);
            Ok(Some(self.1.lock().unwrap().get_or_insert(result).clone()))
        }

        fn task_time(&self) -> Duration {
            Duration::ZERO
        }
    }
    let settings = settings("");
    let changes: [(Change, &str); 3] = [
        (|_| (), "the result is not that of the task that was sent"),
        (|bytes| bytes[1] = b'9', "it was sent by version 9"),
        (|bytes| bytes.truncate(bytes.len() / 2), "cannot be read"),
    ];
    for (change, why) in changes {
        let runner = Mistaken(settings.clone(), Mutex::new(None), change);
        let model = Model::open(&settings).unwrap();
        let failed = start_on(&by(&runner), &settings, model, None, Control::default()).unwrap();
        assert!(matches!(failed.ending, Ending::Failed(_)) && failed.reason.contains(why), "{}", failed.reason);
    }
}
