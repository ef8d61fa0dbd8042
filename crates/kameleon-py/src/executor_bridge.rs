//! Chains on a Python executor: tasks go out and come back, and are done by a worker.

use crate::error;
use crate::session::{Session, SignalChecked, watched};
use crate::target::PyTarget;
use kameleon_runs::{RemoteError, RemoteRunner};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long an answer is waited for when the run is to stop: a worker that was stopped too sends what it has.
const GRACE: Duration = Duration::from_secs(2);

/// The bridge to the executor.
pub struct ExecutorBridge {
    /// A `kameleon.executors.Sender`.
    sender: Py<PyAny>,
    patience: Duration,
    session: Arc<Session>,
}

/// What a worker made of a task, and the exception that ended it.
type Answer<'py> = (Bound<'py, PyBytes>, Option<Bound<'py, PyAny>>);

impl ExecutorBridge {
    /// By way of this sender.
    pub fn new(py: Python<'_>, sender: Py<PyAny>, session: Arc<Session>) -> PyResult<Self> {
        let patience = Duration::from_secs_f64(sender.getattr(py, "patience")?.extract(py)?);
        Ok(Self { sender, patience, session })
    }

    /// The answer, if it comes within a moment.
    fn answer(&self, py: Python<'_>, errand: &Py<PyAny>) -> PyResult<Option<Vec<u8>>> {
        let answer: Option<Answer<'_>> = errand.call_method0(py, "wait")?.extract(py)?;
        let Some((done, fault)) = answer else { return Ok(None) };
        if let Some(fault) = fault {
            self.session.blame(py, PyErr::from_value(fault));
        }
        Ok(Some(done.as_bytes().to_vec()))
    }

    /// An exception on the way ends the run.
    fn trouble(&self, error: PyErr) -> RemoteError {
        Python::attach(|py| self.session.blame(py, error.clone_ref(py)));
        error.into()
    }
}

impl RemoteRunner for ExecutorBridge {
    fn send(&self, chain: usize, task: Vec<u8>, stop: &dyn Fn() -> bool) -> Result<Option<Vec<u8>>, RemoteError> {
        let errand = Python::attach(|py| self.sender.call1(py, (chain, PyBytes::new(py, &task))));
        let errand = errand.map_err(|error| self.trouble(error))?;
        drop(task);
        let mut stopped: Option<Instant> = None;
        loop {
            let answer = Python::attach(|py| self.answer(py, &errand)).map_err(|error| self.trouble(error))?;
            let late = stop() && stopped.get_or_insert_with(Instant::now).elapsed() > GRACE;
            if late && answer.is_none() {
                Python::attach(|py| errand.call_method0(py, "cancel")).map_err(|error| self.trouble(error))?;
            }
            if answer.is_some() || late {
                return Ok(answer);
            }
        }
    }

    fn task_time(&self) -> Duration {
        self.patience
    }
}

/// Does a task of a run on a worker. Returns what came of it, and the exception that ended it, if one did.
#[pyfunction]
#[pyo3(signature = (task, target, *, attached))]
pub fn work<'py>(
    py: Python<'py>,
    task: &[u8],
    target: &PyTarget,
    attached: bool,
) -> PyResult<(Bound<'py, PyBytes>, Option<Bound<'py, PyAny>>)> {
    let session = Arc::new(Session::new(1, None));
    let target = SignalChecked::new(target.copy(), Arc::clone(&session), attached);
    let work = || kameleon_runs::run_task(task, target, session.control());
    let done = if attached { work() } else { watched(py, &session, work) };
    let fault = session.fault().map(|fault| fault.into_value(py).into_bound(py).into_any());
    Ok((PyBytes::new(py, &done.map_err(error::run)?), fault))
}
