//! How often each move is made, by the expected squared distance that it moves the chain by.

use super::input::ChainInput;
use super::schedule::MANY;
use crate::moves::{Model, MoveId, PerMove, Share};
use std::sync::Arc;

/// The least share of each local move among those that share by their worth.
const LEAST_LOCAL: f64 = 0.2;
/// The least and the largest share of jumps while their density is learned, for which they are needed, …
const LEARNING: (f64, f64) = (0.3, 0.7);
/// … also where [`MANY`] chains have few iterations each, …
const LEARNING_OF_MANY: (f64, f64) = (0.5, 0.9);
/// … at first this, …
const FIRST_JUMPS: f64 = 0.5;
/// … and after it.
const LEARNED: (f64, f64) = (0.05, 0.97);

/// The weights that follow from what the chains bring; zero for moves that the model does not allow.
pub fn weights(model: &Model, inputs: &[Arc<ChainInput>], learning: bool) -> PerMove<f64> {
    let possible: Vec<MoveId> = MoveId::all().filter(|id| id.get().is_possible(model)).collect();
    let worth = |id: MoveId| {
        let tallies = inputs.iter().map(|input| input.tallies[id]);
        let (made, squares) = tallies.fold((0, 0.0), |(made, squares), t| (made + t.made, squares + t.squares));
        (made > 0).then(|| squares / made as f64)
    };
    let local = |id: &MoveId| (id.get().share() == Share::Worth).then(|| (*id, worth(*id).unwrap_or(0.0)));
    let locals: Vec<(MoveId, f64)> = possible.iter().filter_map(local).collect();
    let best = locals.iter().fold(0.0f64, |best, (_, worth)| best.max(*worth));
    let (least, most) = match learning {
        true if inputs.len() >= MANY => LEARNING_OF_MANY,
        true => LEARNING,
        false => LEARNED,
    };
    let jumps = |worth: f64| if learning { share(worth, best) } else { jump_share(worth, best) }.clamp(least, most);
    let mut weights = PerMove::default();
    let mut steps = 1.0;
    if let Some(jump) = possible.iter().find(|id| id.get().share() == Share::Jump) {
        weights[*jump] = worth(*jump).map_or(FIRST_JUMPS, jumps);
        steps -= weights[*jump];
    }
    let total: f64 = locals.iter().map(|(_, worth)| worth).sum();
    let share = |worth: f64| if total > 0.0 { (worth / total).max(LEAST_LOCAL) } else { 1.0 };
    let unit = steps / locals.iter().map(|(_, worth)| share(*worth)).sum::<f64>();
    locals.iter().for_each(|(id, worth)| weights[*id] = unit * share(*worth));
    weights
}

/// The share of jumps among moves that learn nothing more, by their worth and that of the best local move. Squares give most moves to the
/// better kind.
pub fn jump_share(jump: f64, local: f64) -> f64 {
    share(jump * jump, local * local)
}

/// a/(a + b), or a half where both are zero.
fn share(a: f64, b: f64) -> f64 {
    if a + b > 0.0 { a / (a + b) } else { 0.5 }
}
