use super::*;
use crate::population::settings::Moves;
use crate::population::testing::Gaussians;
use crate::random::{Purpose, stream};

const SMALL: LadderSettings = LadderSettings {
    particles: 60,
    first: 60,
    more: 0,
    least_sweeps: 3,
    most_sweeps: 3,
    effective: 0.5,
    links: (20, 20),
    moves: Moves::Usual,
    climbs: 150,
};

/// The levels that a ladder learned.
fn rungs(problem: &Gaussians, settings: LadderSettings, seed: u64) -> Vec<Rung> {
    let mut ladder = Ladder::new(settings);
    let mut rng = stream(seed, 0, Purpose::Learn);
    let mut rungs: Vec<Rung> = Vec::new();
    while let Some(points) = ladder.propose(problem, &mut rng) {
        if let Some(rung) = ladder.rung() {
            // That of the last sweep, with the one that follows.
            rungs.truncate(ladder.levels() - 1);
            rungs.push(Rung { sweeps: rung.sweeps + 1, ..rung });
        }
        let told = problem.values(points, 0.0, &mut rng);
        ladder.learn(told, problem, &mut rng);
    }
    rungs
}

/// The mean of Z over its true value, in standard errors from one, over independent runs of a ladder.
fn bias(
    problem: &Gaussians,
    runs: u64,
    noise: f64,
    ladder: impl Fn() -> Ladder,
    meddle: impl Fn(&mut Ladder, &mut Rng),
) -> (f64, f64) {
    let ratios: Vec<f64> = (0..runs)
        .map(|run| {
            let mut ladder = ladder();
            let mut rng = stream(1000 + run, 0, Purpose::Learn);
            while let Some(points) = ladder.propose(problem, &mut rng) {
                let told = problem.values(points, noise, &mut rng);
                ladder.learn(told, problem, &mut rng);
                meddle(&mut ladder, &mut rng);
            }
            assert!(ladder.is_complete());
            (ladder.log_z() - problem.log_z()).exp()
        })
        .collect();
    let n = runs as f64;
    let mean = ratios.iter().sum::<f64>() / n;
    let variance = ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (mean - 1.0) / (variance / n).sqrt())
}

/// False alarm: four standard errors, four times 1 in 16,000.
#[test]
fn with_everything_frozen_z_is_unbiased_with_and_without_noise() {
    let problem = Gaussians::two(2);
    for moves in [Moves::Usual, Moves::Kernel] {
        let settings = LadderSettings { moves, ..SMALL };
        let rungs = rungs(&problem, settings, 1);
        assert!(rungs.len() > 3 && rungs.iter().all(|rung| rung.sweeps == 3));
        assert!(rungs.iter().all(|rung| rung.guides[0].kernel.is_some() == (moves == Moves::Kernel)));
        for noise in [0.0, 0.7] {
            let (mean, z) = bias(&problem, 400, noise, || Ladder::frozen(settings, rungs.clone()), |_, _| {});
            assert!(z.abs() < 4.0, "{moves:?} {mean} {z}");
        }
    }
}

#[test]
fn learning_as_it_goes_leaves_little_bias() {
    let (mean, z) = bias(&Gaussians::one(3), 100, 0.0, || Ladder::new(SMALL), |_, _| {});
    assert!((0.9..1.1).contains(&mean) || z.abs() < 4.0, "{mean} {z}");
}

/// The mixture draws the states that it was fitted to back to where they are, the particles are too much alike, and Z grows.
#[test]
fn a_mixture_fitted_to_the_states_it_moves_is_caught() {
    let problem = Gaussians::one(6);
    let settings = LadderSettings { particles: 100, first: 100, least_sweeps: 5, most_sweeps: 5, ..SMALL };
    let broken = || Ladder { moved_by: [0, 1], ..Ladder::new(settings) };
    let (right, _) = bias(&problem, 40, 0.0, || Ladder::new(settings), |_, _| {});
    let (wrong, z) = bias(&problem, 40, 0.0, broken, |_, _| {});
    assert!(wrong > 1.5 * right && z > 3.0, "{right} {wrong} {z}");
}

/// A state whose estimate is made anew at every sweep is no draw from the posterior, and Z is not what it was.
#[test]
fn a_refreshed_noisy_estimate_is_caught() {
    let problem = Gaussians::two(2);
    let rungs = rungs(&problem, SMALL, 1);
    let refresh = |ladder: &mut Ladder, rng: &mut Rng| {
        for lineage in &mut ladder.lineages {
            let told = problem.values(lineage.states.points.clone(), 0.7, rng);
            let possible = lineage.states.log_likelihood.iter_mut().zip(told.log_likelihood);
            possible.filter(|(old, _)| old.is_finite()).for_each(|(old, new)| *old = new);
        }
    };
    let (mean, z) = bias(&problem, 400, 0.7, || Ladder::frozen(SMALL, rungs.clone()), refresh);
    assert!(z.abs() > 5.0, "{mean} {z}");
}

#[test]
fn a_ladder_without_a_possible_particle_ends_and_says_so() {
    let problem = Gaussians::one(2);
    let mut rng = stream(1, 0, Purpose::Learn);
    let mut ladder = Ladder::new(SMALL);
    let points = ladder.propose(&problem, &mut rng).unwrap();
    ladder.learn(Particles::proposed(points, &problem), &problem, &mut rng);
    assert!(ladder.propose(&problem, &mut rng).is_none() && !ladder.is_complete());
}

#[test]
fn where_one_lineage_has_no_possible_particle_the_other_takes_over() {
    let problem = Gaussians::one(2);
    let mut rng = stream(1, 0, Purpose::Learn);
    let mut ladder = Ladder::new(SMALL);
    let points = ladder.propose(&problem, &mut rng).unwrap();
    let mut told = problem.values(points, 0.0, &mut rng);
    told.log_likelihood[..30].fill(f64::NEG_INFINITY);
    ladder.learn(told, &problem, &mut rng);
    problem.run(&mut ladder, 0.0, &mut rng);
    let (states, logs) = ladder.states();
    assert!(ladder.is_complete() && states.len() == 60 && logs.iter().all(|log| log.is_finite()));
}
