//! Built-in priors within bounds, for Python: support, log density and draws.

use crate::array::Vector;
use crate::error;
use kameleon::random::{Purpose, stream};
use kameleon_models::{Bound, ModelError, Prior, WithPrior};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// The ends of an interval; none where there is no bound.
type Ends = (Option<f64>, Option<f64>);

/// A flat target under a prior.
type Flat = WithPrior<fn(&[f64]) -> f64>;

/// The prior cut by the bounds.
fn cut(text: &str, ends: Ends) -> Result<(Flat, Bound), ModelError> {
    let prior: Prior = text.parse()?;
    let support = prior.support();
    let bound = Bound::new(ends.0.or(support.lower()), ends.1.or(support.upper()))?;
    let flat: fn(&[f64]) -> f64 = |_| 0.0;
    Ok((WithPrior::within(flat, vec![Some(prior)], &[bound])?, bound))
}

fn refused(why: ModelError) -> PyErr {
    error::setting("priors", why.to_string())
}

/// Where a built-in prior within bounds has a density.
#[pyfunction]
pub fn prior_support(text: &str, ends: Ends) -> PyResult<Ends> {
    let (_, bound) = cut(text, ends).map_err(refused)?;
    Ok((bound.lower(), bound.upper()))
}

/// Its log density at some values, normalised within the bounds.
#[pyfunction]
pub fn prior_log_density<'py>(
    py: Python<'py>,
    text: &str,
    ends: Ends,
    x: PyReadonlyArray1<'py, f64>,
) -> PyResult<Vector<'py>> {
    let (prior, _) = cut(text, ends).map_err(refused)?;
    Ok(PyArray1::from_iter(py, x.as_array().iter().map(|x| prior.log_prior(&[*x]))))
}

/// Independent draws, strictly inside.
#[pyfunction]
pub fn prior_draws<'py>(py: Python<'py>, text: &str, ends: Ends, seed: u64, count: usize) -> PyResult<Vector<'py>> {
    let (prior, _) = cut(text, ends).map_err(refused)?;
    let mut rng = stream(seed, 0, Purpose::Start);
    Ok(PyArray1::from_vec(py, prior.draw_prior(&mut rng, count)))
}
