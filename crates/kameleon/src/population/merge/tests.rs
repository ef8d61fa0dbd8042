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
    let niches =
        [niche(&problem, -4.0, 1.0), niche(&problem, 4.0, 0.4), niche(&problem, 4.1, 0.4), niche(&problem, -3.5, 1.0)];
    let mut unite = Unite::new(&niches[..2], &niches[2..]);
    problem.run(&mut unite, 0.0, &mut stream(1, 0, Purpose::Learn));
    let tops: Vec<f64> = unite.niches().iter().map(|niche| niche.top[0]).collect();
    assert_eq!(tops, [4.0, -4.0]);
    assert_eq!(unite.different(), (0, 0));
}

/// A hill at 0 on the way from one mode to the other, whose mass is nothing beside theirs.
#[test]
fn modes_that_only_one_of_two_ladders_found_are_counted_and_niches_without_mass_are_not() {
    let mut problem = Gaussians::two(2);
    problem.modes.push((vec![0.0; 2], 1e-3, 1e-9));
    let [wide, narrow, tiny] = [(-4.0, 1.0), (4.0, 0.4), (0.0, 1e-3)].map(|(x, sd)| niche(&problem, x, sd));
    // On the same hill, and worse.
    let beside = niche(&problem, 4.2, 0.4);
    let different = |known: &[&Niche], found: &[&Niche]| {
        let [known, found] = [known, found].map(|niches| niches.iter().copied().cloned().collect::<Vec<Niche>>());
        let mut unite = Unite::new(&known, &found);
        problem.run(&mut unite, 0.0, &mut stream(1, 0, Purpose::Learn));
        unite.different()
    };
    assert_eq!(different(&[&wide, &narrow], &[&beside]), (0, 1));
    assert_eq!(different(&[&beside], &[&narrow, &wide]), (1, 0));
    assert_eq!(different(&[&narrow], &[&wide]), (1, 1));
    assert_eq!(different(&[&wide, &narrow, &tiny], &[&beside, &wide]), (0, 0));
    assert_eq!(different(&[&wide, &narrow], &[&beside, &tiny, &wide]), (0, 0));
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
