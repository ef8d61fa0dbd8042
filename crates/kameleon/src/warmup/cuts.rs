//! Where circles are cut, by the states of a group, and what its chains bring as it is seen from there.

use super::correlation::shrunk_frame;
use super::fit::Fit;
use super::input::ChainInput;
use super::proposals::Evaluated;
use super::window::Window;
use crate::circles::Circles;
use crate::moves::Model;
use std::borrow::Cow;
use std::sync::Arc;

/// The cuts stay unless near one of them are more states, by this factor, than at the emptiest place, …
const EASY: f64 = 1.5;
/// … and by this one where there is a jump density already, which is then learned anew.
const COSTLY: f64 = 4.0;
/// The most states that a metric is made of when cuts move.
const MOST_STATES: usize = 3000;

/// What is known and what chains bring, as they are seen from the cuts of the next fit. Cuts that move take what was learned with them, but
/// for a metric.
pub fn seen_from_cuts<'a>(
    old: &'a Fit,
    inputs: &'a [Arc<ChainInput>],
    may_move: bool,
) -> (Cow<'a, Fit>, Cow<'a, [Arc<ChainInput>]>) {
    if old.circles.is_empty() {
        return (Cow::Borrowed(old), Cow::Borrowed(inputs));
    }
    let dim = old.model.metric.dim();
    let states = Window::of(inputs, dim);
    let factor = if old.model.density.is_some() { COSTLY } else { EASY };
    let weighted: Vec<(&[f64], f64)> = states.states().map(|(x, _)| (x, 1.0)).collect();
    let better = may_move.then(|| old.circles.emptier(weighted.iter().copied(), factor)).flatten();
    let circles = better.as_ref().unwrap_or(&old.circles);
    let inputs: Vec<Arc<ChainInput>> = inputs.iter().map(|input| Arc::new(turned(input, circles, dim))).collect();
    let old = match better {
        None => Cow::Borrowed(old),
        Some(circles) => Cow::Owned(recut(old, circles, &inputs)),
    };
    (old, Cow::Owned(inputs))
}

fn turned(input: &ChainInput, circles: &Circles, dim: usize) -> ChainInput {
    let seen = |points: &Evaluated| {
        let mut points = points.clone();
        let Evaluated { points: x, log_density } = &mut points;
        Circles::default().seen_from(circles, x, dim, |k, change| log_density[k] += change);
        points
    };
    let (states, early, jumps) = (seen(&input.states), seen(&input.early), seen(&input.jumps));
    ChainInput { states, early, jumps, ..*input }
}

/// What is known once cuts have moved: the metric of the states, which these chains bring.
fn recut(old: &Fit, circles: Circles, inputs: &[Arc<ChainInput>]) -> Fit {
    let dim = old.model.metric.dim();
    let metric = shrunk_frame(&Window::of(inputs, dim).sample(MOST_STATES));
    let metric = metric.unwrap_or_else(|| old.model.metric.clone());
    let model = Model { metric, history: None, density: None };
    Fit { circles, model, learning: None, before: None, ..old.clone() }
}
