//! How often each move is made, by the expected squared distance that it moves the chain by.

use super::input::ChainInput;
use crate::moves::{Model, MoveId, PerMove, Share};

/// The least share of each local move among those that share by their worth.
const LEAST_LOCAL: f64 = 0.2;
/// The share of jumps before their worth is known.
const FIRST_JUMPS: f64 = 0.25;

/// The weights that follow from what the chains bring; zero for moves that the model does not allow.
pub fn weights(model: &Model, inputs: &[ChainInput]) -> PerMove<f64> {
    let possible: Vec<MoveId> = MoveId::all().filter(|id| id.get().is_possible(model)).collect();
    let worth = |id: MoveId| {
        let tallies = inputs.iter().map(|input| input.tallies[id]);
        let (made, squares) = tallies.fold((0, 0.0), |(made, squares), t| (made + t.made, squares + t.squares));
        (made > 0).then(|| squares / made as f64)
    };
    let local = |id: MoveId| (id.get().share() == Share::Worth).then(|| (id, worth(id).unwrap_or(0.0)));
    let locals: Vec<(MoveId, f64)> = possible.iter().filter_map(|id| local(*id)).collect();
    let best = locals.iter().fold(0.0f64, |best, (_, worth)| best.max(*worth));
    let mut weights = PerMove::default();
    let mut steps = 1.0;
    for id in possible.iter().rev() {
        if let Share::Jump { least, most } = id.get().share() {
            let jumps = worth(*id).map_or(FIRST_JUMPS.min(most), |worth| share(worth, best).clamp(least, most));
            weights[*id] = jumps * steps;
            steps -= weights[*id];
        }
    }
    let mut fixed = 0.0;
    for id in possible {
        if let Share::OfSteps(share) = id.get().share() {
            weights[id] = steps * share;
            fixed += share;
        }
    }
    let total: f64 = locals.iter().map(|(_, worth)| worth).sum();
    let share = |worth: f64| if total > 0.0 { (worth / total).max(LEAST_LOCAL) } else { 1.0 };
    let unit = steps * (1.0 - fixed) / locals.iter().map(|(_, worth)| share(*worth)).sum::<f64>();
    locals.iter().for_each(|(id, worth)| weights[*id] = unit * share(*worth));
    weights
}

/// a/(a + b), or a half where both are zero.
fn share(a: f64, b: f64) -> f64 {
    if a + b > 0.0 { a / (a + b) } else { 0.5 }
}
