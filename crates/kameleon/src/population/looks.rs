//! What short looks say: which niches count as modes, and whether a density that was learned after them may be believed.

use super::niche::Niche;
use super::rounds::{LARGEST_K, Rounds};
use crate::diagnose::log_sum_exp;
use crate::moves::Density;

/// A niche whose mass is e^−12 of that of the heaviest is no mode: that is far below what a chain would ever visit. Its mass is
/// known by a Laplace approximation at a top that may not be reached, so the limit is a low one.
const NEGLIGIBLE: f64 = 12.0;
/// The largest ln of posterior over density at a top. In a funnel whose neck was not met it is 8 to 21; where the density is right
/// it was 3.5 at most.
const UNCOVERED: f64 = 5.0;
/// The looks' log Z is mostly too small, since few particles lose mass on their way. If it is larger than that of a density by more
/// than this, it is the density that lost something.
const LOST: f64 = 1.0;

/// The niches that are modes, by their own mass.
pub(super) fn with_mass(niches: Vec<Niche>) -> Vec<Niche> {
    let least = least_mass(&niches);
    niches.into_iter().filter(|niche| niche.log_mass() > least).collect()
}

/// ln of the mass above which one of these niches is a mode.
pub(super) fn least_mass(niches: &[Niche]) -> f64 {
    niches.iter().map(Niche::log_mass).fold(f64::NEG_INFINITY, f64::max) - NEGLIGIBLE
}

/// Whether the density of rounds is good, and knows all that the looks have met: their tops, and their mass, by the log Z of each.
pub(super) fn are_content(rounds: &Rounds, niches: &[Niche], log_z: &[f64]) -> bool {
    let Some(density) = rounds.frozen().filter(|_| rounds.is_good()) else { return false };
    let last = rounds.last();
    let mut u = vec![0.0; Density::dim(density)];
    let mut covers =
        |niche: &Niche| niche.log_density - density.log_density(&niche.top, &mut u) - last.log_z < UNCOVERED;
    last.pareto_k <= LARGEST_K && niches.iter().all(&mut covers) && !lost(log_z, last.log_z)
}

/// Whether a density with this log Z lost something that looks had.
pub(super) fn lost(looks: &[f64], log_z: f64) -> bool {
    let mean = log_sum_exp(looks.iter().copied()) - libm::log(looks.len() as f64);
    !looks.is_empty() && mean - log_z > LOST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_niche_counts_by_its_mass_and_not_by_its_height() {
        let of = |log_density: f64, sd: f64| Niche::new(vec![0.0; 2], log_density, vec![sd, 0.0, 0.0, sd]);
        let high_and_narrow = of(0.0, 1e-4);
        let low_and_wide = of(-10.0, 1.0);
        let kept = with_mass(vec![high_and_narrow.clone(), low_and_wide.clone(), of(-10.0, 1e-4)]);
        assert_eq!(kept, [high_and_narrow, low_and_wide]);
    }

    #[test]
    fn only_a_density_with_less_than_the_looks_lost_something() {
        assert!(lost(&[0.0, 0.0], -1.5) && !lost(&[0.0, 0.0], 7.0) && !lost(&[], 0.0));
        // Their mean is that of Z.
        assert!(lost(&[0.0, -40.0], -2.0) && !lost(&[0.0, -40.0], -1.5));
    }
}
