//! Many points at once, of which some need not be evaluated.

use kameleon::{EvalError, Evaluation, Noise, Target};

/// The values of `known` points as they are, and at all others what the target says, by one call, plus `more` of each. With room for
/// them, the target's gradients at those points are written to `gradients`.
pub fn evaluate_others(
    target: &mut impl Target,
    points: &[&[f64]],
    noise: Vec<Noise<'_>>,
    known: Vec<Option<Evaluation>>,
    more: &[f64],
    gradients: &mut [f64],
) -> Vec<Evaluation> {
    let others = points.iter().zip(noise).zip(&known).filter(|(_, known)| known.is_none());
    let (asked, noise): (Vec<&[f64]>, Vec<Noise<'_>>) = others.map(|((x, noise), _)| (*x, noise)).unzip();
    let answers = match asked.first() {
        None => Vec::new(),
        Some(_) if gradients.is_empty() => target.log_densities(&asked, noise),
        Some(first) => {
            let dim = first.len();
            let mut found = vec![0.0; dim * asked.len()];
            let answers = target.gradients(&asked, noise, &mut found);
            let rooms = gradients.chunks_exact_mut(dim).zip(&known).filter(|(_, known)| known.is_none());
            rooms.zip(found.chunks_exact(dim)).for_each(|((room, _), found)| room.copy_from_slice(found));
            answers
        }
    };
    let mut answers = answers.into_iter();
    let mut answer = || answers.next().unwrap_or_else(|| Err(EvalError::fatal("there is no value")));
    known.into_iter().zip(more).map(|(known, more)| known.unwrap_or_else(|| Ok(answer()? + more))).collect()
}

/// Changes the gradients at points that have a finite value; with no room for gradients nothing is done.
pub fn change_gradients<'p>(
    values: &[Evaluation],
    points: &[&'p [f64]],
    gradients: &mut [f64],
    change: impl Fn(&'p [f64], &mut [f64]),
) {
    let rooms = gradients.chunks_exact_mut(points.first().map_or(1, |x| x.len().max(1)));
    for ((value, x), gradient) in values.iter().zip(points).zip(rooms) {
        if value.as_ref().is_ok_and(|value| value.is_finite()) {
            change(x, gradient);
        }
    }
}
