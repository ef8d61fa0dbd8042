//! Many points at once, of which some need not be evaluated.

use kameleon::{EvalError, Evaluation, Noise, Target};

/// The values of `known` points as they are, and at all others what the target says, by one call, plus `more` of each.
pub fn evaluate_others(
    target: &mut impl Target,
    points: &[&[f64]],
    noise: Vec<Noise<'_>>,
    known: Vec<Option<Evaluation>>,
    more: &[f64],
) -> Vec<Evaluation> {
    let others = points.iter().zip(noise).zip(&known).filter(|(_, known)| known.is_none());
    let (asked, noise): (Vec<&[f64]>, Vec<Noise<'_>>) = others.map(|((x, noise), _)| (*x, noise)).unzip();
    let answers = if asked.is_empty() { Vec::new() } else { target.log_densities(&asked, noise) };
    let mut answers = answers.into_iter();
    let mut answer = || answers.next().unwrap_or_else(|| Err(EvalError::fatal("there is no value")));
    known.into_iter().zip(more).map(|(known, more)| known.unwrap_or_else(|| Ok(answer()? + more))).collect()
}
