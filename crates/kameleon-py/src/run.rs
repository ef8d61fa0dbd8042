//! Runs, started or resumed: on threads without the interpreter, on one thread with it, or on an executor.

use crate::executor_bridge::ExecutorBridge;
use crate::python_prior::PythonPrior;
use crate::session::{Session, SignalChecked, watched};
use crate::target::PyTarget;
use crate::{error, json, posterior, words};
use kameleon::Ending;
use kameleon_models::JointPrior;
use kameleon_runs::{Finished, Outside, RemoteRunner, Resume, RunError, RunSettings};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;
use std::sync::Arc;

/// What came of a run.
#[pyclass(module = "kameleon._kameleon", frozen, get_all)]
pub struct Ran {
    /// The posterior, as a dictionary.
    posterior: Py<PyDict>,
    /// "complete", "limited", "stopped" or "failed".
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
    /// What may differ in a run that is resumed.
    resume: Resume,
    bridge: Option<ExecutorBridge>,
    /// A proper prior that only Python can evaluate.
    prior: Option<JointPrior>,
    /// The number of threads, where the way in which the target is called demands one.
    threads: Option<usize>,
    session: Arc<Session>,
}

impl Work {
    fn new(
        settings: Option<&str>,
        folder: Option<PathBuf>,
        resume: Resume,
        watcher: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let settings: Option<Box<RunSettings>> = settings.map(json::read).transpose()?;
        let chains = match (&settings, &folder) {
            (Some(settings), _) => settings.run.indices().len(),
            (None, Some(folder)) => kameleon_runs::settings_of(folder).map_err(error::run)?.run.indices().len(),
            (None, None) => return Err(error::setting("checkpoint", "a run to be resumed needs its folder")),
        };
        let session = Arc::new(Session::new(chains, watcher));
        Ok(Self { settings, folder, resume, bridge: None, prior: None, threads: None, session })
    }

    /// Under a prior of Python's.
    fn under(mut self, py: Python<'_>, prior: Option<Py<PyAny>>) -> PyResult<Self> {
        self.prior = prior.map(|prior| PythonPrior::shared(py, prior, &self.session)).transpose()?;
        Ok(self)
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
        let outside = Outside { runner, prior: self.prior.clone(), limited: None };
        match &self.settings {
            Some(settings) => kameleon_runs::start_on(&outside, settings, target, folder, control),
            None => {
                let folder = folder.unwrap_or("".as_ref());
                kameleon_runs::resume_on(
                    &outside,
                    folder,
                    target,
                    Resume { threads: self.threads, ..self.resume },
                    control,
                )
            }
        }
    }
}

/// What may differ in a run that is resumed: the number of draws, the most minutes, and whether other values are trusted.
type Changes = (Option<u64>, Option<f64>, bool);

fn again((draws, max_minutes, trust): Changes) -> Resume {
    Resume { draws, threads: None, max_minutes, trust }
}

/// Starts a run with `settings` (JSON), or resumes the one in `folder` if there are none.
///
/// With `attached` the target is called on this thread, which holds the interpreter; otherwise on threads that do not
/// need it, while this one handles Ctrl-C and progress. With a `sender` it is called by the workers of an executor.
#[pyfunction]
#[pyo3(signature = (settings, target, *, folder, resume, prior, attached, watcher, sender))]
#[expect(clippy::too_many_arguments)]
pub fn run(
    py: Python<'_>,
    settings: Option<&str>,
    target: &PyTarget,
    folder: Option<PathBuf>,
    resume: Changes,
    prior: Option<Py<PyAny>>,
    attached: bool,
    watcher: Option<Py<PyAny>>,
    sender: Option<Py<PyAny>>,
) -> PyResult<Ran> {
    let mut work = Work::new(settings, folder, again(resume), watcher)?.under(py, prior)?;
    work.bridge = sender.map(|sender| ExecutorBridge::new(py, sender, Arc::clone(&work.session))).transpose()?;
    let attached = attached && work.bridge.is_none();
    if attached {
        work.set_threads(1);
    }
    let target = SignalChecked::new(target.copy(), Arc::clone(&work.session), attached);
    let finished = if attached { work.run(target) } else { watched(py, &work.session, || work.run(target)) };
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
    let reason = words::of_python(&reason);
    let reason = match (&ending, &fault) {
        // The exception of a prior, or of a function that shows progress.
        (Ending::Stopped, Some(fault)) => fault.to_string(),
        _ => reason,
    };
    let ending = match (ending, &fault) {
        _ if session.was_interrupted() => "stopped",
        (Ending::Failed(_), _) | (_, Some(_)) => "failed",
        (Ending::Stopped, None) => "stopped",
        (Ending::Limited, None) => "limited",
        (Ending::Complete, None) => "complete",
    };
    let posterior = posterior::to_dict(py, posterior)?.unbind();
    Ok(Ran { posterior, ending, reason, fault: fault.map(|fault| fault.into_value(py).into_any()) })
}
