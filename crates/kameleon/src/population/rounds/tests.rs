use super::*;
use crate::mixture::Component;
use crate::population::testing::Gaussians;
use crate::random::{Purpose, stream};
use rand_distr::StandardNormal;

/// A narrow mode of weight .3, whose top is two million times as high as that of a wide one of weight .7.
fn problem() -> Gaussians {
    Gaussians { half_width: 10.0, modes: vec![(vec![-4.0; 4], 0.02, 0.3), (vec![4.0; 4], 1.0, 0.7)] }
}

/// Rounds after a ladder that has lost the wide mode, whose top a climb has found.
fn begun(problem: &Gaussians, rng: &mut Rng) -> (Rounds, Vec<Niche>) {
    let (centre, sd, _) = &problem.modes[0];
    let points = (0..300 * 4).map(|i| centre[i % 4] + sd * rng.sample::<f64, _>(StandardNormal)).collect();
    let states = problem.values(points, 0.0, rng);
    let niche = |(centre, sd, _): &(Vec<f64>, f64, f64)| {
        let mut factor = vec![0.0; 16];
        factor.iter_mut().step_by(5).for_each(|l| *l = *sd);
        Niche::new(centre.clone(), problem.log_likelihood(centre), factor)
    };
    let niches: Vec<Niche> = problem.modes.iter().map(niche).collect();
    let settings = RoundSettings { sizes: vec![1000], most: 8, at_once: false, check: 1000 };
    (Rounds::new(settings, &states, &[0.0; 300], &niches, rng), niches)
}

/// The error of log Z is about .03.
#[test]
fn a_mode_that_the_ladder_lost_gets_its_weight_however_low_its_top_is() {
    let problem = problem();
    for seed in 1..=3 {
        let mut rng = stream(seed, 0, Purpose::Learn);
        let (mut rounds, _) = begun(&problem, &mut rng);
        problem.run(&mut rounds, 0.0, &mut rng);
        let error = rounds.checked().unwrap().log_z - problem.log_z();
        assert!(rounds.is_good() && error.abs() < 0.2, "{error}");
    }
}

/// Its draws are all at the highest top, and log Z is that of the narrow mode, ln .3 too low.
#[test]
fn niches_weighed_by_their_heights_are_caught() {
    let problem = problem();
    for seed in 1..=3 {
        let mut rng = stream(seed, 0, Purpose::Learn);
        let (mut rounds, niches) = begun(&problem, &mut rng);
        let equal = rounds.niches.clone().unwrap();
        let weighed = |(component, niche): (&Component, &Niche)| Component {
            weight: libm::exp(niche.log_density - niches[0].log_density),
            ..component.clone()
        };
        let weighed = Mixture::new(equal.components().iter().zip(&niches).map(weighed).collect());
        rounds.niches = weighed.clone();
        rounds.density.as_mut().unwrap().niches = weighed.map(|niches| (niches, FIRST_SHARE));
        problem.run(&mut rounds, 0.0, &mut rng);
        let error = rounds.checked().unwrap().log_z - problem.log_z();
        assert!(error < -0.5, "{error} {:?}", rounds.checked());
    }
}
