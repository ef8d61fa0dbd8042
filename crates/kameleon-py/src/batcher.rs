//! Vectorised Python functions: chains that advance in step, each asking on its own thread, are answered by one call; and so are
//! all points of a batch.

use crate::callable::{kind_of, rejects};
use crate::session::Session;
use kameleon::{EvalError, Evaluation, Noise, Target};
use kameleon_models::NoiseInput;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How long the batcher waits for more chains: one may have ended, or may be waiting for its group.
const WAIT: Duration = Duration::from_millis(20);

/// What reaches the batcher.
pub enum Message {
    /// A chain asks for the log density at a point.
    Ask(Question),
    /// All points of a batch, to be answered in their order.
    Batch(Vec<Question>),
    /// The run has ended.
    End,
}

/// A point with the noise of its chain, and where to send the answer.
pub struct Question {
    x: Vec<f64>,
    normals: Vec<f64>,
    seed: u64,
    answer: Sender<Evaluation>,
}

impl Question {
    fn new(x: &[f64], noise: &mut Noise<'_>, argument: NoiseInput, answer: Sender<Evaluation>) -> Self {
        let seed = argument.seed(noise).unwrap_or(0);
        Self { x: x.to_vec(), normals: noise.normals.to_vec(), seed, answer }
    }

    fn all(points: &[&[f64]], noise: Vec<Noise<'_>>, argument: NoiseInput, answer: &Sender<Evaluation>) -> Vec<Self> {
        let each = |(x, mut noise): (&&[f64], Noise<'_>)| Self::new(x, &mut noise, argument, answer.clone());
        points.iter().zip(noise).map(each).collect()
    }
}

/// A chain's end of the batcher.
#[derive(Clone)]
pub struct Batched {
    batcher: Sender<Message>,
    argument: NoiseInput,
}

impl Batched {
    /// The chains' end and the batcher's.
    pub fn new(argument: NoiseInput) -> (Self, Receiver<Message>) {
        let (batcher, messages) = channel();
        (Self { batcher, argument }, messages)
    }

    /// For telling the batcher that the run has ended.
    pub fn batcher(&self) -> Sender<Message> {
        self.batcher.clone()
    }
}

impl Target for Batched {
    fn normals(&self) -> usize {
        self.argument.normals()
    }

    fn log_density(&mut self, x: &[f64], mut noise: Noise<'_>) -> Evaluation {
        let (answer, wait) = channel();
        let question = Question::new(x, &mut noise, self.argument, answer);
        let sent = self.batcher.send(Message::Ask(question)).is_ok();
        let answered = if sent { wait.recv().ok() } else { None };
        // The batcher keeps the exception itself.
        answered.unwrap_or_else(ended)
    }

    fn batch(&self) -> usize {
        usize::MAX
    }

    fn log_densities(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>) -> Vec<Evaluation> {
        let (answer, wait) = channel();
        let questions = Question::all(points, noise, self.argument, &answer);
        drop(answer);
        let sent = self.batcher.send(Message::Batch(questions)).is_ok();
        let answered = || if sent { wait.recv().ok() } else { None };
        points.iter().map(|_| answered().unwrap_or_else(ended)).collect()
    }
}

/// The answer to a question that comes too late.
fn ended() -> Evaluation {
    Err(EvalError::fatal("the run has ended"))
}

/// Answers questions until the run has ended: as soon as every active chain has asked, or none has for a while.
pub fn serve(
    py: Python<'_>,
    messages: &mut Receiver<Message>,
    function: &Bound<'_, PyAny>,
    argument: NoiseInput,
    reject: bool,
    session: &Session,
) {
    let mut waiting = Vec::new();
    loop {
        let wait = &mut *messages;
        let complete = match py.detach(move || wait.recv_timeout(WAIT)) {
            Ok(Message::Ask(question)) => {
                waiting.push(question);
                waiting.len() >= session.going()
            }
            Ok(Message::Batch(questions)) => {
                waiting.extend(questions);
                true
            }
            Err(RecvTimeoutError::Timeout) => {
                session.tick(py);
                !waiting.is_empty()
            }
            Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => return,
        };
        if !complete {
            continue;
        }
        match evaluations(py, &waiting, function, argument, reject) {
            Ok(values) => waiting.drain(..).zip(values).for_each(|(question, value)| {
                let _ = question.answer.send(value);
            }),
            Err(error) => {
                let said = error.to_string();
                session.blame(py, error);
                waiting.drain(..).for_each(|question| {
                    let _ = question.answer.send(Err(EvalError::fatal(said.clone())));
                });
            }
        }
        session.tick(py);
    }
}

/// A vectorised function as a target of its own: one row for a point, all rows of a batch in one call.
#[derive(Clone)]
pub struct Rows {
    function: Arc<Py<PyAny>>,
    argument: NoiseInput,
    reject: bool,
}

impl Rows {
    /// The function, what it takes besides the points, and whether its exceptions reject a point or end the run.
    pub fn new(function: Py<PyAny>, argument: NoiseInput, reject: bool) -> Self {
        Self { function: Arc::new(function), argument, reject }
    }
}

impl Target for Rows {
    fn normals(&self) -> usize {
        self.argument.normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        let value = self.log_densities(&[x], vec![noise]).pop();
        value.unwrap_or_else(|| Err(EvalError::fatal("there is no value")))
    }

    fn batch(&self) -> usize {
        usize::MAX
    }

    fn log_densities(&mut self, points: &[&[f64]], noise: Vec<Noise<'_>>) -> Vec<Evaluation> {
        let questions = Question::all(points, noise, self.argument, &channel().0);
        Python::attach(|py| match evaluations(py, &questions, self.function.bind(py), self.argument, self.reject) {
            Ok(values) => values,
            Err(error) => points.iter().map(|_| Err(EvalError::fatal(error.clone_ref(py)))).collect(),
        })
    }
}

/// The log densities at all points, by one call. If an exception is to reject points, those that raise it are found one by one.
fn evaluations(
    py: Python<'_>,
    all: &[Question],
    function: &Bound<'_, PyAny>,
    argument: NoiseInput,
    reject: bool,
) -> PyResult<Vec<Evaluation>> {
    match evaluate(py, all, function, argument) {
        Ok(values) => Ok(values.into_iter().map(Ok).collect()),
        Err(error) if !reject || !rejects(py, &error) => Err(error),
        Err(error) if all.len() == 1 => Ok(vec![Err(EvalError::reject(error.to_string()))]),
        Err(_) => {
            let one = |question| evaluations(py, std::slice::from_ref(question), function, argument, reject);
            Ok(all.iter().map(one).collect::<PyResult<Vec<_>>>()?.into_iter().flatten().collect())
        }
    }
}

/// The log densities at all points, by one call.
fn evaluate(py: Python<'_>, all: &[Question], function: &Bound<'_, PyAny>, argument: NoiseInput) -> PyResult<Vec<f64>> {
    let matrix = |row: fn(&Question) -> &[f64]| {
        let values: Vec<f64> = all.iter().flat_map(row).copied().collect();
        let columns = values.len() / all.len();
        PyArray1::from_vec(py, values).reshape([all.len(), columns])
    };
    let points = matrix(|question| &question.x)?;
    let values = match argument {
        NoiseInput::Exact | NoiseInput::Own => function.call1((points,)),
        NoiseInput::Seed => function.call1((points, all.iter().map(|question| question.seed).collect::<Vec<_>>())),
        NoiseInput::Normals(_) => function.call1((points, matrix(|question| &question.normals)?)),
    }?;
    let values: Vec<f64> = match values.extract::<PyReadonlyArray1<'_, f64>>() {
        Ok(array) => array.as_array().to_vec(),
        Err(_) => values.extract().map_err(|_| not_rows(all.len(), &kind_of(&values)))?,
    };
    if values.len() != all.len() {
        return Err(not_rows(all.len(), &values.len().to_string()));
    }
    Ok(values)
}

/// The error for a function that did not return a number for each row.
fn not_rows(rows: usize, what: &str) -> PyErr {
    PyValueError::new_err(format!("log_density must return {rows} numbers, one for each row, not {what}"))
}
