//! What a run shares with R: Ctrl-C, progress, and what went wrong in the user's function.

use crate::host::{Host, Trouble};
use kameleon::engine::{PopulationProgress, SoFar};
use kameleon::{Control, EvalError, Progress};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often R is asked for Ctrl-C.
const TICK: Duration = Duration::from_millis(50);

/// How often R is told the progress, and the chains are compared.
const TELL: Duration = Duration::from_millis(200);
const LOOK: Duration = Duration::from_secs(2);

/// A run as R sees it.
pub struct Session {
    host: Host,
    progress: Vec<Progress>,
    population: PopulationProgress,
    stop: AtomicBool,
    interrupted: AtomicBool,
    fault: Mutex<Option<String>>,
    /// Whether R wants to be told the progress.
    tells: bool,
    started: Instant,
    times: Mutex<Times>,
}

/// When R was last asked and told, and how well the chains agreed when they were last compared.
struct Times {
    asked: Instant,
    told: Instant,
    looked: Instant,
    so_far: Option<SoFar>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// For a run with this number of chains.
    pub fn new(host: Host, chains: usize, tells: bool) -> Self {
        let now = Instant::now();
        Self {
            host,
            progress: (0..chains).map(|_| Progress::default()).collect(),
            population: PopulationProgress::default(),
            stop: AtomicBool::new(false),
            interrupted: AtomicBool::new(false),
            fault: Mutex::new(None),
            tells,
            started: now,
            times: Mutex::new(Times { asked: now, told: now, looked: now, so_far: None }),
        }
    }

    /// How the chains are stopped and watched.
    pub fn control(&self) -> Control<'_> {
        Control { stop: Some(&self.stop), progress: Some(&self.progress), population: Some(&self.population) }
    }

    /// Whether Ctrl-C stopped the run.
    pub fn was_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// What went wrong in the user's function, if anything.
    pub fn fault(&self) -> Option<String> {
        lock(&self.fault).take()
    }

    /// Calls the user's function, and now and then asks R.
    pub fn call(&self, x: &[f64], second: &[f64]) -> Result<f64, Trouble> {
        let value = self.host.call(x, second);
        match value {
            // After an error of the function R is on its way out too.
            Err(Trouble::Leaving) if lock(&self.fault).is_none() => self.interrupt(),
            Err(_) => {}
            Ok(_) => self.tick(),
        }
        value
    }

    /// Keeps what went wrong: it ends the run.
    pub fn blame(&self, what: String) -> EvalError {
        lock(&self.fault).get_or_insert(what.clone());
        EvalError::fatal(what)
    }

    fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Asks R, unless it was asked recently.
    fn tick(&self) {
        let mut times = lock(&self.times);
        let now = Instant::now();
        if now.duration_since(times.asked) < TICK {
            return;
        }
        times.asked = now;
        let tells = self.tells && now.duration_since(times.told) >= TELL;
        let line = tells.then(|| self.line(&mut times));
        drop(times);
        if !self.host.tick(line.as_deref()) {
            self.interrupt();
        }
    }

    /// How far the run is, in a line.
    fn line(&self, times: &mut Times) -> String {
        times.told = Instant::now();
        let seconds = self.started.elapsed().as_secs();
        if let Some(population) = self.population.line() {
            return format!("population: {population}, {seconds} s");
        }
        if times.looked.elapsed() >= LOOK {
            (times.looked, times.so_far) = (Instant::now(), SoFar::of(&self.progress));
        }
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let learning = self.progress.iter().any(|chain| count(&chain.iterations) < count(&chain.warmup));
        let phase = if learning { "warm-up" } else { "sampling" };
        let done: u64 = self.progress.iter().map(|chain| count(&chain.iterations)).sum();
        let accepted: f64 =
            self.progress.iter().map(|chain| chain.acceptance() * count(&chain.iterations) as f64).sum();
        let share = 100.0 * accepted / done.max(1) as f64;
        let chains = self.progress.len();
        let agreement = times
            .so_far
            .map_or_else(String::new, |so_far| format!(", R-hat {:.3}, ESS at least {:.0}", so_far.r_hat, so_far.ess));
        format!("{phase}: {chains} chains, {done} iterations, accepted {share:.0} %, {seconds} s{agreement}")
    }

    /// Does the work on another thread, while this one asks R at every tick.
    pub fn watch<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let tick = || {
            if !self.was_interrupted() {
                self.tick();
            }
        };
        kameleon_runs::watched(TICK, tick, work)
    }
}
