//! Chains on a Python executor: tasks are sent out, run by workers, and their results come back.

use crate::error;
use crate::python_prior::PythonPrior;
use crate::session::{Session, SignalChecked, watched};
use crate::target::PyTarget;
use kameleon_runs::{RemoteError, RemoteRunner};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long to wait for an answer after the run was stopped: a worker that was interrupted too sends what it has.
const GRACE: Duration = Duration::from_secs(2);

/// The bridge to the executor.
pub struct ExecutorBridge {
    /// A `kameleon.executors.Sender`.
    sender: Py<PyAny>,
    task_time: Duration,
    session: Arc<Session>,
}

/// The result of a task, and the exception that ended it.
type Answer<'py> = (Bound<'py, PyBytes>, Option<Bound<'py, PyAny>>);

impl ExecutorBridge {
    /// Through this sender.
    pub fn new(py: Python<'_>, sender: Py<PyAny>, session: Arc<Session>) -> PyResult<Self> {
        let task_time = Duration::from_secs_f64(sender.getattr(py, "task_time")?.extract(py)?);
        session.set_sender(sender.clone_ref(py));
        Ok(Self { sender, task_time, session })
    }

    /// The answer, if it arrives within the poll time.
    fn answer(&self, py: Python<'_>, pending: &Py<PyAny>) -> PyResult<Option<Vec<u8>>> {
        let answer: Option<Answer<'_>> = pending.call_method0(py, "wait")?.extract(py)?;
        let Some((done, fault)) = answer else { return Ok(None) };
        if let Some(fault) = fault {
            self.session.blame(py, PyErr::from_value(fault));
        }
        Ok(Some(done.as_bytes().to_vec()))
    }

    /// An exception of the executor ends the run.
    fn failed(&self, error: PyErr) -> RemoteError {
        Python::attach(|py| self.session.blame(py, error.clone_ref(py)));
        error.into()
    }
}

impl RemoteRunner for ExecutorBridge {
    fn send(&self, chain: usize, task: Vec<u8>, stop: &dyn Fn() -> bool) -> Result<Option<Vec<u8>>, RemoteError> {
        let pending = Python::attach(|py| self.sender.call1(py, (chain, PyBytes::new(py, &task))));
        let pending = pending.map_err(|error| self.failed(error))?;
        drop(task);
        let mut stopped: Option<Instant> = None;
        loop {
            let answer = Python::attach(|py| self.answer(py, &pending)).map_err(|error| self.failed(error))?;
            let late = stop() && stopped.get_or_insert_with(Instant::now).elapsed() > GRACE;
            if late && answer.is_none() {
                Python::attach(|py| pending.call_method0(py, "cancel")).map_err(|error| self.failed(error))?;
            }
            if answer.is_some() || late {
                return Ok(answer);
            }
        }
    }

    fn task_time(&self) -> Duration {
        self.task_time
    }
}

/// Runs a task on a worker. Returns its result and the exception that ended it, if there was one.
#[pyfunction]
#[pyo3(signature = (task, target, *, attached, prior))]
pub fn work<'py>(
    py: Python<'py>,
    task: &[u8],
    target: &PyTarget,
    attached: bool,
    prior: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyBytes>, Option<Bound<'py, PyAny>>)> {
    let session = Arc::new(Session::new(1, None));
    let target = SignalChecked::new(target.copy(), Arc::clone(&session), attached);
    let prior = prior.map(|prior| PythonPrior::shared(py, prior, &session)).transpose()?;
    let work = || kameleon_runs::run_task(task, target, prior, session.control());
    let done = if attached { work() } else { watched(py, &session, work) };
    let fault = session.fault().map(|fault| fault.into_value(py).into_bound(py).into_any());
    Ok((PyBytes::new(py, &done.map_err(error::run)?), fault))
}
