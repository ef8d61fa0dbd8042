//! Runs: started or gone on with, on threads without the interpreter, on one thread with it, on an executor, or all
//! chains in step.

use crate::batcher::{Batched, Message, serve};
use crate::callable::NoiseArgument;
use crate::executor_bridge::ExecutorBridge;
use crate::sampler::read_sampler;
use crate::session::{Session, SignalChecked, watched};
use crate::target::PyTarget;
use crate::{error, json, posterior};
use kameleon::Ending;
use kameleon::any_target::AnyTarget;
use kameleon_runs::{Finished, RemoteRunner, RunError, RunSettings};
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
    /// Why it ended, in words.
    reason: String,
    /// The exception that ended it, where it was one.
    fault: Option<Py<PyAny>>,
}

/// What is run.
enum Task {
    Start(Box<RunSettings>),
    Resume(Option<u64>),
}

/// A run to be made: settings, a folder, and how far to go.
struct Work {
    task: Task,
    folder: Option<PathBuf>,
    /// The executor that chains are run on.
    bridge: Option<ExecutorBridge>,
}

impl Work {
    fn run(&self, target: SignalChecked, session: &Session) -> Result<Finished, RunError> {
        let (folder, control) = (self.folder.as_deref(), session.control());
        let bridge = self.bridge.as_ref().map(|bridge| bridge as &dyn RemoteRunner);
        match &self.task {
            Task::Start(settings) => kameleon_runs::start_on(bridge, settings, target, folder, control),
            Task::Resume(draws) => {
                kameleon_runs::resume_on(bridge, folder.unwrap_or("".as_ref()), target, *draws, control)
            }
        }
    }
}

/// The settings of a run with its sampler.
fn settings(settings: &str, sampler: &str) -> PyResult<RunSettings> {
    let mut settings: RunSettings = json::read(settings)?;
    settings.sampler = read_sampler(sampler)?.choice();
    Ok(settings)
}

/// Starts a run.
///
/// With `attached` the target is called on this thread, which holds on to the interpreter; otherwise on threads that do
/// without it, while this one looks after Ctrl-C and progress. With a `sender` it is called elsewhere.
#[pyfunction]
#[pyo3(name = "start", signature = (run, sampler, target, *, folder, attached, watcher, sender))]
#[expect(clippy::too_many_arguments)]
pub fn start(
    py: Python<'_>,
    run: &str,
    sampler: &str,
    target: &PyTarget,
    folder: Option<PathBuf>,
    attached: bool,
    watcher: Option<Py<PyAny>>,
    sender: Option<Py<PyAny>>,
) -> PyResult<Ran> {
    let mut settings = settings(run, sampler)?;
    if attached && sender.is_none() {
        settings.run.threads = Some(1);
    }
    let session = Arc::new(Session::new(settings.run.indices().len(), watcher));
    let bridge = sender.map(|sender| ExecutorBridge::new(py, sender, Arc::clone(&session))).transpose()?;
    let work = Work { task: Task::Start(Box::new(settings)), folder, bridge };
    go(py, &work, target.copy(), session, attached)
}

/// Goes on with the run in a folder.
#[pyfunction]
#[pyo3(signature = (folder, target, *, draws, attached, watcher, sender))]
pub fn resume(
    py: Python<'_>,
    folder: PathBuf,
    target: &PyTarget,
    draws: Option<u64>,
    attached: bool,
    watcher: Option<Py<PyAny>>,
    sender: Option<Py<PyAny>>,
) -> PyResult<Ran> {
    let settings = kameleon_runs::settings_of(&folder).map_err(error::run)?;
    let session = Arc::new(Session::new(settings.run.indices().len(), watcher));
    let bridge = sender.map(|sender| ExecutorBridge::new(py, sender, Arc::clone(&session))).transpose()?;
    let work = Work { task: Task::Resume(draws), folder: Some(folder), bridge };
    go(py, &work, target.copy(), session, attached)
}

/// Starts a run, or goes on with one if `run` is none, whose chains are answered all at once by `function`, which takes
/// (points), (points, seeds) or (points, normals).
#[pyfunction]
#[pyo3(signature = (run, sampler, function, *, folder, draws, seeded, normals, watcher))]
#[expect(clippy::too_many_arguments)]
pub fn run_in_step(
    py: Python<'_>,
    run: Option<&str>,
    sampler: &str,
    function: &Bound<'_, PyAny>,
    folder: Option<PathBuf>,
    draws: Option<u64>,
    seeded: bool,
    normals: usize,
    watcher: Option<Py<PyAny>>,
) -> PyResult<Ran> {
    let (task, chains) = match run {
        Some(run) => {
            let mut settings = settings(run, sampler)?;
            let chains = settings.run.indices().len();
            settings.run.threads = Some(chains);
            (Task::Start(Box::new(settings)), chains)
        }
        None => {
            let settings = kameleon_runs::settings_of(folder.as_deref().unwrap_or(".".as_ref())).map_err(error::run)?;
            (Task::Resume(draws), settings.run.indices().len())
        }
    };
    let (work, session) = (Work { task, folder, bridge: None }, Arc::new(Session::new(chains, watcher)));
    let argument = NoiseArgument::new(seeded, normals);
    let (batched, mut messages) = Batched::new(argument);
    let batcher = batched.batcher();
    let target = SignalChecked::new(AnyTarget::new(batched), Arc::clone(&session), false);
    let finished = std::thread::scope(|scope| {
        let (work, session) = (&work, &session);
        let worker = scope.spawn(move || {
            let finished = work.run(target, session);
            let _ = batcher.send(Message::End);
            finished
        });
        serve(py, &mut messages, function, argument, session);
        py.detach(|| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    conclude(py, &session, finished)
}

fn go(py: Python<'_>, work: &Work, target: AnyTarget<'static>, session: Arc<Session>, attached: bool) -> PyResult<Ran> {
    // On an executor nothing is evaluated on this thread.
    let attached = attached && work.bridge.is_none();
    let target = SignalChecked::new(target, Arc::clone(&session), attached);
    let finished =
        if attached { work.run(target, &session) } else { watched(py, &session, || work.run(target, &session)) };
    conclude(py, &session, finished)
}

/// Arrays for Python, and how it ended. Where nothing was run there is an exception.
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
