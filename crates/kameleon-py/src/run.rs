//! Chains taken to their end: on threads without the interpreter, or on one thread with it.

use crate::chain::PyChain;
use crate::error;
use crate::record::{Keep, MemoryRecord};
use crate::session::{Attended, Session, TICK};
use crate::target::PyTarget;
use kameleon::chain::ChainError;
use kameleon::run::{Job, run_jobs};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use std::sync::mpsc;

/// What came of a run.
#[pyclass(module = "kameleon._kameleon", frozen, get_all)]
pub struct Ran {
    /// (warm-up, draws) of each chain, dictionaries of arrays.
    records: Vec<(Py<PyDict>, Py<PyDict>)>,
    /// "complete", "stopped" or "failed".
    ending: &'static str,
    /// Why it failed, in words.
    message: Option<String>,
    /// The exception that ended it, where it was one.
    fault: Option<Py<PyAny>>,
}

/// Runs every chain through its warm-up and `sampling` iterations more.
///
/// With `attached` the target is called on this thread, which holds on to the interpreter; otherwise on threads that do
/// without it, while this one looks after Ctrl-C and progress.
#[pyfunction]
#[pyo3(signature = (chains, target, *, sampling, thin, keep_warmup, threads, attached, watcher))]
#[expect(clippy::too_many_arguments)]
pub fn run(
    py: Python<'_>,
    chains: Vec<Py<PyChain>>,
    target: &PyTarget,
    sampling: u64,
    thin: u64,
    keep_warmup: bool,
    threads: Option<usize>,
    attached: bool,
    watcher: Option<Py<PyAny>>,
) -> PyResult<Ran> {
    let session = Arc::new(Session::new(chains.len(), watcher));
    let keep = Keep { thin, with_warmup: keep_warmup };
    let mut jobs = Vec::with_capacity(chains.len());
    for chain in &chains {
        let target = Attended::new(target.copy(), Arc::clone(&session), attached);
        jobs.push(Job::new(chain.get().take()?, target, MemoryRecord::new(keep)));
    }
    let jobs = if attached {
        run_jobs(jobs, sampling, Some(1), session.control())
    } else {
        watched(py, &session, || run_jobs(jobs, sampling, threads, session.control()))
    };
    if let Err(error) = session.ask(py) {
        session.end(py, error);
    }
    let mut first = None;
    let mut records = Vec::with_capacity(jobs.len());
    for (job, chain) in jobs.into_iter().zip(&chains) {
        let dim = job.chain.position().len();
        chain.get().put(job.chain);
        records.push((job.record, dim));
        first = first.or(job.error);
    }
    conclude(py, &session, records, first)
}

/// Does the work on another thread while this one, without the interpreter, wakes now and then to ask it.
fn watched<R: Send>(py: Python<'_>, session: &Session, work: impl FnOnce() -> R + Send) -> R {
    py.detach(|| {
        std::thread::scope(|scope| {
            let (done, wait) = mpsc::channel::<()>();
            let worker = scope.spawn(move || {
                let result = work();
                drop(done);
                result
            });
            while wait.recv_timeout(TICK) == Err(mpsc::RecvTimeoutError::Timeout) {
                Python::attach(|py| session.tick(py));
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    })
}

/// Arrays for Python, and how it ended. A start that cannot be sampled from is an exception.
pub fn conclude(
    py: Python<'_>,
    session: &Session,
    records: Vec<(MemoryRecord, usize)>,
    error: Option<ChainError>,
) -> PyResult<Ran> {
    if let Some(error @ ChainError::Start { .. }) = &error {
        return Err(error::chain(error));
    }
    let fault = session.fault();
    let ending = match (&fault, &error) {
        _ if session.was_interrupted() => "stopped",
        (None, None) => "complete",
        _ => "failed",
    };
    let arrays = |(record, dim): (MemoryRecord, usize)| {
        let (warmup, draws) = record.arrays(py, dim)?;
        Ok((warmup.unbind(), draws.unbind()))
    };
    Ok(Ran {
        records: records.into_iter().map(arrays).collect::<PyResult<_>>()?,
        ending,
        message: error.map(|error| error.to_string()).or(fault.as_ref().map(ToString::to_string)),
        fault: fault.map(|fault| fault.into_value(py).into_any()),
    })
}
