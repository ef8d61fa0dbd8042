//! How heavy the tails of draws are: where they are too heavy there is no standard deviation, whatever the draws say.

use super::pareto_k;
use super::rank::quantile;

/// The weight from which on a standard deviation may not exist. It is 1/ν for Student's t with ν degrees of freedom, and from 0.5 on there is
/// none; estimates from thousands of draws are good to about 0.1.
pub(super) const HEAVY: f64 = 0.45;
/// Tails are looked at where the farthest draw is this many times as far from the median as half of the middle 90 % is wide: 2.5 for 10,000
/// normal draws, 9 for Student's t with three degrees of freedom.
const FAR: f64 = 5.0;

/// Pareto k̂ of the distances from the median, of draws that are sorted; 0 where no draw is far out.
pub(super) fn weight(sorted: &[f64]) -> f64 {
    let [low, median, high] = [0.05, 0.5, 0.95].map(|p| quantile(sorted, p));
    let farthest = (median - sorted[0]).max(sorted[sorted.len() - 1] - median);
    let is_far = farthest > FAR * (high - low) / 2.0;
    if !is_far {
        return 0.0;
    }
    let distances = sorted.iter().map(|x| libm::log((x - median).abs()));
    pareto_k(&distances.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use rand::RngExt;
    use rand_distr::{Exp1, StudentT};

    fn weight_of(draw: impl Fn(&mut crate::Rng) -> f64) -> f64 {
        let mut rng = stream(3, 0, Purpose::Start);
        let mut draws: Vec<f64> = (0..20_000).map(|_| draw(&mut rng)).collect();
        draws.sort_by(f64::total_cmp);
        weight(&draws)
    }

    /// The standard error of k̂ is 0.07: a false alarm for two degrees of freedom has probability 0.2, for the fixed seed none.
    #[test]
    fn tails_without_a_standard_deviation_are_heavy_and_those_of_an_exponential_are_not() {
        assert!(weight_of(|rng| rng.sample(StudentT::new(1.5).unwrap())) > HEAVY);
        assert!(weight_of(|rng| rng.sample(StudentT::new(2.0).unwrap())) > HEAVY);
        assert!(weight_of(|rng| rng.sample(StudentT::new(6.0).unwrap())) < HEAVY);
        assert!(weight_of(|rng| rng.sample::<f64, _>(Exp1)) < 0.2);
        assert_eq!(weight(&[1.0; 100]), 0.0);
    }
}
