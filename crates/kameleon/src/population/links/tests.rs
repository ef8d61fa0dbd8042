use super::*;
use crate::population::settings::Settings;
use crate::population::testing::Gaussians;
use crate::random::{Purpose, stream};

fn settings() -> LadderSettings {
    Settings::default().ladder(3)
}

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
        let mut links = Links::new(&[level(&problem, 1000, &mut rng)], 1, &settings(), true);
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
    let NearestBetter { order, scale, links, around } = nearest_better(&level, &log_posteriors(&level)).unwrap();
    for rank in 1..order.len() {
        let distance = |other: usize| {
            let (a, b) = (level.point(order[rank]), level.point(order[other]));
            (0..2).map(|k| ((a[k] - b[k]) / scale[k]).powi(2)).sum::<f64>().sqrt()
        };
        let nearer =
            (0..order.len()).filter(|other| *other != rank && distance(*other) < links[rank].0 * (1.0 - 1e-12));
        assert_eq!(around[rank], nearer.count() as f64);
        let expected = (0..rank).map(distance).fold(f64::INFINITY, f64::min);
        assert!((links[rank].0 - expected).abs() < 1e-12);
        assert!(level.log_posterior(order[links[rank].1]) >= level.log_posterior(order[rank]));
    }
}

#[test]
fn too_few_points_have_no_links() {
    let problem = Gaussians::one(2);
    let mut rng = stream(5, 0, Purpose::Learn);
    let mut links = Links::new(&[Particles::default(), level(&problem, 1, &mut rng)], 1, &settings(), false);
    problem.run(&mut links, 0.0, &mut rng);
    assert!(links.roots().is_empty());
}

#[test]
fn the_root_of_a_link_is_the_highest_point_before_the_dip() {
    assert_eq!(before_a_dip(&[0.0, -1.0, 2.0, 3.0]), Some(0));
    assert_eq!(before_a_dip(&[0.0, 5.0, 9.0, -2.0, 1.0]), Some(2));
    assert_eq!(before_a_dip(&[0.0, 1.0, 9.0, f64::NEG_INFINITY, 1.0]), Some(2));
    // A hill, a slope, and a dip that is no deeper than rounding.
    for values in [[0.0, 2.0, 3.0, 2.0, 1.0], [0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 0.5, 0.45, 0.6, 0.7]] {
        assert_eq!(before_a_dip(&values), None);
    }
}

/// Three wide hills and a narrow one in a box of ±10, and one hill alone.
#[test]
fn several_large_hills_are_seen() {
    let mut rng = stream(6, 0, Purpose::Learn);
    let wide = |x: f64, y: f64| (vec![x, y, 0.0], 1.0, 0.3);
    let modes = vec![wide(-6.0, -6.0), wide(6.0, -6.0), wide(-6.0, 6.0), (vec![6.0, 6.0, 0.0], 0.15, 0.1)];
    let several = Gaussians { half_width: 10.0, modes };
    assert!(shows_large_hills(&level(&several, 5000, &mut rng)));
    assert!(!shows_large_hills(&level(&Gaussians::one(3), 5000, &mut rng)));
    assert!(!shows_large_hills(&Particles::default()));
}
