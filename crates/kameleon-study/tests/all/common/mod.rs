//! What tests of studies share: a folder, a counter of what is run, a run.

use kameleon_study::{Scale, Settings, Study, StudyError, Watch, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A folder that is removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kameleon-study-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn cached(&self) -> Vec<PathBuf> {
        fs::read_dir(self.0.join("cache")).unwrap().map(|entry| entry.unwrap().path()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Counts what is run, and stops the run after a number of iterations.
pub struct Counter {
    pub ahead: Mutex<Vec<(u64, usize)>>,
    done: AtomicU64,
    stop_after: u64,
    stop: AtomicBool,
}

impl Counter {
    pub fn new(stop_after: u64) -> Self {
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

/// Runs studies in a folder.
pub fn run_in(
    folder: &Path,
    studies: &[Study],
    threads: usize,
    seed: u64,
    watch: &Counter,
) -> Result<String, StudyError> {
    let settings = Settings {
        scale: Scale::Tiny,
        seed,
        threads,
        extras: false,
        out: folder.into(),
        command: "kameleon paper --scale tiny".into(),
        program: std::env::current_exe().unwrap(),
        stop: &watch.stop,
        watch,
    };
    run(studies, &settings).map(|report| report.text)
}

/// Runs to the end and returns the iterations that were run and the number of chains that were found in the cache.
pub fn run_whole(folder: &Folder, studies: &[Study], threads: usize, seed: u64) -> Vec<(u64, usize)> {
    let watch = Counter::new(u64::MAX);
    run_in(&folder.0, studies, threads, seed, &watch).unwrap();
    watch.ahead.into_inner().unwrap()
}
