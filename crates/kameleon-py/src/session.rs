//! What a run shares with the interpreter: Ctrl-C, progress, and the exception that ended it.

use kameleon::any_target::AnyTarget;
use kameleon::engine::{PopulationProgress, SoFar};
use kameleon::{Control, EvalError, Evaluation, Noise, Progress, Target};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How often the interpreter is asked for signals and told the progress.
const TICK: Duration = Duration::from_millis(50);

/// How often the chains are compared.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// A run as the interpreter sees it.
pub struct Session {
    progress: Vec<Progress>,
    stop: AtomicBool,
    interrupted: AtomicBool,
    fault: Mutex<Option<PyErr>>,
    /// What a population before the chains is doing.
    population: PopulationProgress,
    /// Called with (iterations, acceptance, scale, warm-up) of each chain, what the population is doing, and R-hat and ESS so far.
    watcher: Option<Py<PyAny>>,
    /// A `kameleon.executors.Sender`, which warns of what has become known about its executor.
    sender: OnceLock<Py<PyAny>>,
    /// R-hat and ESS, and when the chains were last compared.
    so_far: Mutex<(Instant, Option<SoFar>)>,
    /// When the interpreter was last asked.
    asked: Mutex<Instant>,
}

impl Session {
    /// For a run with this number of chains.
    pub fn new(chains: usize, watcher: Option<Py<PyAny>>) -> Self {
        Self {
            progress: (0..chains).map(|_| Progress::default()).collect(),
            stop: AtomicBool::new(false),
            interrupted: AtomicBool::new(false),
            fault: Mutex::new(None),
            population: PopulationProgress::default(),
            watcher,
            sender: OnceLock::new(),
            so_far: Mutex::new((Instant::now(), None)),
            asked: Mutex::new(Instant::now()),
        }
    }

    /// From now on this sender is asked for warnings.
    pub fn set_sender(&self, sender: Py<PyAny>) {
        // There is one for each run.
        let _ = self.sender.set(sender);
    }

    /// How the chains are stopped and watched.
    pub fn control(&self) -> Control<'_> {
        Control { stop: Some(&self.stop), progress: Some(&self.progress), population: Some(&self.population) }
    }

    /// Whether Ctrl-C stopped the run.
    pub fn was_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// The exception that ended the run, if there was one.
    pub fn fault(&self) -> Option<PyErr> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Asks the interpreter, unless it was asked recently.
    pub fn tick(&self, py: Python<'_>) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.elapsed() < TICK {
            return;
        }
        *asked = Instant::now();
        drop(asked);
        if let Err(error) = self.ask(py) {
            self.stop(py, error);
        }
    }

    /// Handles signals and reports the progress.
    pub fn ask(&self, py: Python<'_>) -> PyResult<()> {
        py.check_signals()?;
        if let Some(sender) = self.sender.get() {
            sender.call_method0(py, "tell")?;
        }
        let Some(watcher) = &self.watcher else { return Ok(()) };
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let seen = |p: &Progress| (count(&p.iterations), p.acceptance(), p.scale(), count(&p.warmup));
        let live = self.so_far().map(|so_far| (so_far.r_hat, so_far.ess));
        watcher.call1(py, (self.progress.iter().map(seen).collect::<Vec<_>>(), self.population.line(), live))?;
        Ok(())
    }

    /// How well the chains agree so far, compared every few seconds.
    fn so_far(&self) -> Option<SoFar> {
        let mut so_far = self.so_far.lock().unwrap_or_else(PoisonError::into_inner);
        if so_far.0.elapsed() > LOOK_EVERY {
            *so_far = (Instant::now(), SoFar::of(&self.progress));
        }
        so_far.1
    }

    /// Stops the run, with this exception unless it is Ctrl-C.
    pub fn stop(&self, py: Python<'_>, error: PyErr) {
        self.blame(py, error);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Keeps the exception of the log density that ends the run; Ctrl-C during an evaluation stops the run.
    pub fn blame(&self, py: Python<'_>, error: PyErr) {
        if error.is_instance_of::<PyKeyboardInterrupt>(py) {
            self.interrupted.store(true, Ordering::Relaxed);
            self.stop.store(true, Ordering::Relaxed);
        } else {
            self.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }
}

/// Does the work on another thread, while this one releases the interpreter and asks it at every tick.
pub fn watched<R: Send>(py: Python<'_>, session: &Session, work: impl FnOnce() -> R + Send) -> R {
    py.detach(|| kameleon_runs::watched(TICK, || Python::attach(|py| session.tick(py)), work))
}

/// A target that lets its session check for signals, and keeps the exception that ended it.
#[derive(Clone)]
pub struct SignalChecked {
    target: AnyTarget<'static>,
    session: Arc<Session>,
    /// Whether it runs on the thread that is attached to the interpreter, and so has to ask it.
    attached: bool,
}

impl SignalChecked {
    /// A target that belongs to a session.
    pub fn new(target: AnyTarget<'static>, session: Arc<Session>, attached: bool) -> Self {
        Self { target, session, attached }
    }

    /// Asks the interpreter, and keeps an exception.
    fn check<'e>(&self, values: impl IntoIterator<Item = &'e Evaluation>) {
        if self.attached {
            Python::attach(|py| self.session.tick(py));
        }
        for value in values {
            if let Err(EvalError::Fatal(source)) = value
                && let Some(error) = source.downcast_ref::<PyErr>()
            {
                Python::attach(|py| self.session.blame(py, error.clone_ref(py)));
            }
        }
    }
}

impl Target for SignalChecked {
    fn inner(&self) -> Option<&dyn Target> {
        Some(&self.target)
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        let value = self.target.log_density(x, noise);
        self.check([&value]);
        value
    }

    fn has_gradient(&self) -> bool {
        self.target.has_gradient()
    }

    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        let value = self.target.gradient(x, noise, gradient);
        self.check([&value]);
        value
    }

    fn log_densities(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>) -> Vec<Evaluation> {
        let values = self.target.log_densities(points, noise);
        self.check(&values);
        values
    }

    fn gradients(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>, gradients: &mut [f64]) -> Vec<Evaluation> {
        let values = self.target.gradients(points, noise, gradients);
        self.check(&values);
        values
    }
}
