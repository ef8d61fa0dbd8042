use super::*;
use crate::population::climb::Climb;
use crate::population::links::Root;
use crate::population::testing::Gaussians;
use crate::random::{Purpose, stream};

fn niche(problem: &Gaussians, x: f64, sd: f64) -> Niche {
    let top = vec![x; 2];
    let log_density = problem.log_likelihood(&top) + problem.log_z();
    Niche::new(top, log_density, vec![sd, 0.0, 0.0, sd])
}

#[test]
fn tops_on_one_hill_become_one_and_others_stay() {
    let problem = Gaussians::two(2);
    let niches = vec![
        niche(&problem, -4.0, 1.0),
        niche(&problem, 4.0, 0.4),
        niche(&problem, 4.1, 0.4),
        niche(&problem, -3.5, 1.0),
    ];
    let mut unite = Unite::new(niches);
    problem.run(&mut unite, 0.0, &mut stream(1, 0, Purpose::Learn));
    let tops: Vec<f64> = unite.niches().iter().map(|niche| niche.top[0]).collect();
    assert_eq!(tops, [4.0, -4.0]);
}

#[test]
fn climbs_from_many_roots_end_in_one_niche_for_each_mode() {
    let problem = Gaussians::two(2);
    let mut rng = stream(2, 0, Purpose::Learn);
    let root = |i: usize| {
        let point = vec![-8.0 + i as f64, 7.0 - i as f64 * 0.5];
        Root { log_density: problem.log_likelihood(&point) + problem.log_z(), point, steps: vec![1.0; 2] }
    };
    let mut climb = Climb::new(&(0..16).map(root).collect::<Vec<Root>>());
    problem.run(&mut climb, 0.0, &mut rng);
    let mut niches = climb.niches();
    niches.sort_by(|a, b| a.top[0].total_cmp(&b.top[0]));
    assert_eq!(niches.len(), 2, "{niches:?}");
    for (niche, (centre, sd, _)) in niches.iter().zip(&problem.modes) {
        assert!(niche.top.iter().zip(centre).all(|(a, b)| (a - b).abs() < *sd), "{niche:?}");
        assert!((0.3..3.0).contains(&(niche.factor[0] / sd)), "{niche:?}");
    }
}

#[test]
fn no_roots_give_no_niches() {
    let problem = Gaussians::one(2);
    let mut climb = Climb::new(&[]);
    problem.run(&mut climb, 0.0, &mut stream(2, 0, Purpose::Learn));
    assert!(climb.niches().is_empty());
}
