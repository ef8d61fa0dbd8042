//! Regions that the warm-up met: the components of the frozen density that a state with a density that counts belongs to. A run
//! whose draws do not come to all of them has left something behind.

use super::window::Window;
use crate::circles::Circles;
use crate::moves::JumpDensity;

/// A state belongs to a component that has at least this share of the density there, …
const BELONGS: f64 = 0.5;
/// … and a draw has visited one with this share.
const VISITED: f64 = 0.05;
/// The most states and the most draws that are looked at.
const MOST: usize = 10_000;

/// The components of the density that states of the warm-up belong to, in order.
pub fn met_regions(density: &JumpDensity, window: &Window<'_>) -> Vec<usize> {
    let every = window.len().div_ceil(MOST).max(1);
    regions_at(density, window.states().step_by(every).chain(window.early()).map(|(x, _)| x))
}

/// The components of the density that these points belong to, in order.
pub fn regions_at<'a>(density: &JumpDensity, points: impl Iterator<Item = &'a [f64]>) -> Vec<usize> {
    let mut met = vec![false; density.parts().mixture.components().len()];
    points.for_each(|x| density.shares(x, |k, share| met[k] |= share >= BELONGS));
    (0..met.len()).filter(|k| met[*k]).collect()
}

/// How many of the regions met none of the draws has visited; the density sees them from the cuts of circles.
pub fn unvisited(density: &JumpDensity, met: &[usize], draws: &[&[f64]], circles: &Circles) -> usize {
    let mut visited = vec![false; density.parts().mixture.components().len()];
    let every = draws.len().div_ceil(MOST).max(1);
    for x in draws.iter().step_by(every) {
        let mut turned = x.to_vec();
        circles.turn(&mut turned);
        density.shares(&turned, |k, share| visited[k] |= share >= VISITED);
    }
    met.iter().filter(|k| !visited.get(**k).copied().unwrap_or(true)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mixture::{Component, Mixture};
    use crate::moves::{Frame, Parts};
    use crate::warmup::Evaluated;

    /// Two components, around 0 and 20.
    fn density() -> JumpDensity {
        let at = |centre: f64| Component { weight: 0.5, centre: vec![centre], factor: vec![1.0], freedom: 10.0 };
        let mixture = Mixture::new(vec![at(0.0), at(20.0)]).unwrap();
        Parts { frame: Frame::raw(vec![0.0]), few: None, mixture, wide: 0.05 }.into()
    }

    #[test]
    fn a_region_that_no_draw_comes_to_is_told_and_one_that_was_not_met_is_not() {
        let mut states = Evaluated::default();
        [0.3, -1.0, 20.5].iter().for_each(|x| states.push(&[*x], -1.0));
        let met = met_regions(&density(), &Window::new(vec![&states], 1));
        assert_eq!(met, [0, 1]);
        let (here, there): (&[f64], &[f64]) = (&[0.1], &[19.0]);
        assert_eq!(unvisited(&density(), &met, &[here], &Circles::default()), 1);
        assert_eq!(unvisited(&density(), &met, &[here, there], &Circles::default()), 0);
        assert_eq!(unvisited(&density(), &[0], &[here], &Circles::default()), 0);
    }
}
