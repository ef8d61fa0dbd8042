use super::*;
use crate::population::testing::Gaussians;
use crate::random::{Purpose, stream};

/// Points from the prior, evaluated.
fn level(problem: &Gaussians, n: usize, rng: &mut Rng) -> Particles {
    let mut points = vec![0.0; n * problem.dim()];
    points.chunks_exact_mut(problem.dim()).for_each(|x| problem.draw(rng, x));
    problem.values(points, 0.0, rng)
}

#[test]
fn every_mode_has_a_root_and_one_mode_has_few() {
    let mut rng = stream(3, 0, Purpose::Learn);
    for (problem, modes) in [(Gaussians::two(3), 2), (Gaussians::one(3), 1)] {
        let mut links = Links::new(&[level(&problem, 1000, &mut rng)], 100, true);
        problem.run(&mut links, 0.0, &mut rng);
        let roots = links.roots();
        let right = roots.iter().filter(|root| root.point.iter().sum::<f64>() > 0.0).count();
        if modes == 2 {
            assert!(right > 0 && right < roots.len(), "{roots:?}");
        }
        // The log density of one Gaussian dips nowhere.
        assert!(modes == 2 || roots.len() == 1, "{}", roots.len());
    }
}

#[test]
fn the_nearest_better_point_is_found() {
    let mut rng = stream(4, 0, Purpose::Learn);
    let level = level(&Gaussians::two(2), 200, &mut rng);
    let NearestBetter { order, scale, links } = nearest_better(&level).unwrap();
    for rank in 1..order.len() {
        let distance = |other: usize| {
            let (a, b) = (level.point(order[rank]), level.point(order[other]));
            (0..2).map(|k| ((a[k] - b[k]) / scale[k]).powi(2)).sum::<f64>().sqrt()
        };
        let expected = (0..rank).map(distance).fold(f64::INFINITY, f64::min);
        assert!((links[rank].0 - expected).abs() < 1e-12);
        assert!(level.log_posterior(order[links[rank].1]) >= level.log_posterior(order[rank]));
    }
}

#[test]
fn too_few_points_have_no_links() {
    let problem = Gaussians::one(2);
    let mut rng = stream(5, 0, Purpose::Learn);
    let mut links = Links::new(&[Particles::default(), level(&problem, 1, &mut rng)], 10, false);
    problem.run(&mut links, 0.0, &mut rng);
    assert!(links.roots().is_empty());
}
