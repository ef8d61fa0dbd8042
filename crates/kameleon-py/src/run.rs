//! Runs, started or resumed: on threads without the interpreter, on one thread with it, on an executor, or with all
//! chains evaluated in one call.

use crate::batcher::{Batched, Message, serve};
use crate::callable::noise_input;
use crate::executor_bridge::ExecutorBridge;
use crate::session::{Session, SignalChecked, watched};
use crate::target::PyTarget;
use crate::{error, json, posterior};
use kameleon::Ending;
use kameleon::any_target::AnyTarget;
use kameleon_runs::{Finished, Outside, RemoteRunner, RunError, RunSettings};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;

/// What came of a run.
#[pyclass(module = "kameleon._kameleon", frozen, get_all)]
pub struct Ran {
    /// The posterior, as a dictionary.
    posterior: Py<PyDict>,
    /// "complete", "stopped" or "failed".
    ending: &'static str,
    /// Why it ended.
    reason: String,
    /// The exception that ended it, if there was one.
    fault: Option<Py<PyAny>>,
}

/// A run to be started with settings, or to be resumed from a folder.
struct Work {
    /// None to resume.
    settings: Option<Box<RunSettings>>,
    folder: Option<PathBuf>,
    /// The new number of draws of a run that is resumed.
    draws: Option<u64>,
    bridge: Option<ExecutorBridge>,
    /// The number of threads, where the way in which the target is called demands one.
    threads: Option<usize>,
    session: Arc<Session>,
}

impl Work {
    fn new(
        settings: Option<&str>,
        folder: Option<PathBuf>,
        draws: Option<u64>,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let settings: Option<Box<RunSettings>> = settings.map(json::read).transpose()?;
        let chains = match (&settings, &folder) {
            (Some(settings), _) => settings.run.indices().len(),
            (None, Some(folder)) => kameleon_runs::settings_of(folder).map_err(error::run)?.run.indices().len(),
            (None, None) => return Err(error::setting("checkpoint", "a run to be resumed needs its folder")),
        };
        Ok(Self {
            settings,
            folder,
            draws,
            bridge: None,
            threads: None,
            session: Arc::new(Session::new(chains, watcher)),
        })
    }

    /// Runs with this number of threads, since the way in which the target is called demands it.
    fn set_threads(&mut self, threads: usize) {
        self.threads = Some(threads);
        if let Some(settings) = &mut self.settings {
            settings.run.threads = self.threads;
        }
    }

    fn run(&self, target: SignalChecked) -> Result<Finished, RunError> {
        let (folder, control) = (self.folder.as_deref(), self.session.control());
        let runner = self.bridge.as_ref().map(|bridge| bridge as &dyn RemoteRunner);
        let outside = Outside { runner, ..Outside::default() };
        match &self.settings {
            Some(settings) => kameleon_runs::start_on(&outside, settings, target, folder, control),
            None => {
                let folder = folder.unwrap_or("".as_ref());
                kameleon_runs::resume_on(&outside, folder, target, self.draws, self.threads, control)
            }
        }
    }
}

/// Starts a run with `settings` (JSON), or resumes the one in `folder` if there are none.
///
/// With `attached` the target is called on this thread, which holds the interpreter; otherwise on threads that do not
/// need it, while this one handles Ctrl-C and progress. With a `sender` it is called by the workers of an executor.
#[pyfunction]
#[pyo3(signature = (settings, target, *, folder, draws, attached, watcher, sender))]
#[expect(clippy::too_many_arguments)]
pub fn run(
    py: Python<'_>,
    settings: Option<&str>,
    target: &PyTarget,
    folder: Option<PathBuf>,
    draws: Option<u64>,
    attached: bool,
    watcher: Option<Py<PyAny>>,
    sender: Option<Py<PyAny>>,
) -> PyResult<Ran> {
    let mut work = Work::new(settings, folder, draws, watcher)?;
    work.bridge = sender.map(|sender| ExecutorBridge::new(py, sender, Arc::clone(&work.session))).transpose()?;
    let attached = attached && work.bridge.is_none();
    if attached {
        work.set_threads(1);
    }
    let target = SignalChecked::new(target.copy(), Arc::clone(&work.session), attached);
    let finished = if attached { work.run(target) } else { watched(py, &work.session, || work.run(target)) };
    conclude(py, &work.session, finished)
}

/// [`run`] for a vectorised `function`, which evaluates the points of all chains in one call: it takes (points),
/// (points, seeds) or (points, normals).
#[pyfunction]
#[pyo3(signature = (settings, function, *, folder, draws, seeded, normals, watcher))]
#[expect(clippy::too_many_arguments)]
pub fn run_in_step(
    py: Python<'_>,
    settings: Option<&str>,
    function: &Bound<'_, PyAny>,
    folder: Option<PathBuf>,
    draws: Option<u64>,
    seeded: bool,
    normals: usize,
    watcher: Option<Py<PyAny>>,
) -> PyResult<Ran> {
    let mut work = Work::new(settings, folder, draws, watcher)?;
    work.set_threads(work.session.going());
    let argument = noise_input(seeded, normals);
    let (batched, mut messages) = Batched::new(argument);
    let batcher = batched.batcher();
    let target = SignalChecked::new(AnyTarget::new(batched), Arc::clone(&work.session), false);
    let finished = std::thread::scope(|scope| {
        let work = &work;
        let worker = scope.spawn(move || {
            let finished = work.run(target);
            let _ = batcher.send(Message::End);
            finished
        });
        serve(py, &mut messages, function, argument, &work.session);
        py.detach(|| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    conclude(py, &work.session, finished)
}

/// The posterior for Python, and how the run ended; an exception if nothing was run.
fn conclude(py: Python<'_>, session: &Session, finished: Result<Finished, RunError>) -> PyResult<Ran> {
    if let Err(error) = session.ask(py) {
        session.stop(py, error);
    }
    let fault = session.fault();
    let finished = match (finished, fault) {
        (Err(_), Some(fault)) => return Err(fault),
        (finished, fault) => (finished.map_err(error::run)?, fault),
    };
    let (Finished { posterior, ending, reason, .. }, fault) = finished;
    let ending = match (ending, &fault) {
        _ if session.was_interrupted() => "stopped",
        (Ending::Failed(_), _) | (_, Some(_)) => "failed",
        (Ending::Stopped, None) => "stopped",
        (Ending::Complete, None) => "complete",
    };
    let posterior = posterior::to_dict(py, posterior)?.unbind();
    Ok(Ran { posterior, ending, reason, fault: fault.map(|fault| fault.into_value(py).into_any()) })
}
