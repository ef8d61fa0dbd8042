use super::*;
use crate::random::{Purpose, stream};
use rand::RngExt;

#[test]
fn a_coordinate_is_the_normal_quantile_of_its_place() {
    for (p, u) in [(0.5, 0.0), (0.975, 1.959963984540054), (0.001, -3.090232306167813), (1e-10, -6.361340902404056)] {
        assert!((coordinate(p) - u).abs() < 1e-14 * (1.0 + u.abs()), "{p}: {}", coordinate(p));
    }
    for k in 1..1000 {
        let p = f64::from(k) / 1000.0;
        assert!((place(coordinate(p)) - p).abs() < 4e-16, "{p}");
        assert!((coordinate(p) + coordinate(1.0 - p)).abs() < 1e-12);
    }
    for p in [0.0, 1.0, -1.0, 2.0] {
        assert!(coordinate(p).is_finite() && coordinate(p).abs() > 8.0);
    }
}

#[test]
fn turning_back_undoes_turning_and_both_tell_the_slope() {
    let circles = Circles::new(&[0, 2], |i| 0.3 + 0.2 * i as f64);
    for k in 0..200 {
        let x = [f64::from(k) / 40.0 - 2.5, 7.0, 1.7 - f64::from(k) / 60.0];
        let mut turned = x;
        let log = circles.turn(&mut turned);
        assert_eq!(turned[1], 7.0);
        let mut back = turned;
        assert!((circles.turn_back(&mut back) - log).abs() < 1e-8);
        assert!(x.iter().zip(back).all(|(a, b)| (a - b).abs() < 1e-8), "{x:?} {back:?}");
        // By differences, unless the cut is in between.
        let (mut below, mut above, h) = (x, x, 1e-5);
        [0, 2].iter().for_each(|i| (below[*i], above[*i]) = (x[*i] - h, x[*i] + h));
        circles.turn(&mut below);
        circles.turn(&mut above);
        let slope = |i: usize| (above[i] - below[i]) / (2.0 * h);
        if turned.iter().all(|v| v.abs() < 3.0 || *v == 7.0) && slope(0) > 0.0 && slope(2) > 0.0 {
            assert!((slope(0).ln() + slope(2).ln() - log).abs() < 1e-5 * (1.0 + log.abs()), "{x:?}");
        }
    }
}

#[test]
fn points_seen_from_other_cuts_keep_their_density_on_the_circle() {
    let (a, b) = (Circles::new(&[1], |_| 0.9), Circles::new(&[1], |_| 0.2));
    let mut points = vec![5.0, 0.4, 6.0, -1.3];
    let places = |circles: &Circles, points: &[f64]| {
        let mut points = points.to_vec();
        for x in points.chunks_exact_mut(2) {
            circles.turn_back(x);
        }
        points.chunks_exact(2).map(|x| place(x[1])).collect::<Vec<f64>>()
    };
    let (before, slopes) = (places(&a, &points), [log_slope(0.4), log_slope(-1.3)]);
    let mut changes = Vec::new();
    a.seen_from(&b, &mut points, 2, |_, change| changes.push(change));
    assert!(places(&b, &points).iter().zip(before).all(|(a, b)| (a - b).abs() < 1e-12));
    // ln of the density of u is that of p plus ln dp/du.
    for (k, change) in changes.into_iter().enumerate() {
        assert!((log_slope(points[2 * k + 1]) - slopes[k] - change).abs() < 1e-12);
    }
}

/// Points at these places of a circle.
fn points(places: impl Iterator<Item = f64>) -> Vec<[f64; 1]> {
    places.map(|p| [coordinate(wrapped(p))]).collect()
}

fn cut_of(circles: &Circles, points: &[[f64; 1]], factor: f64) -> f64 {
    let weighted = points.iter().map(|x| (x.as_slice(), 1.0));
    circles.emptier(weighted, factor).map_or(circles.cuts[0].1, |better| better.cuts[0].1)
}

#[test]
fn the_cut_is_opposite_to_one_mode_and_in_the_wider_gap_between_two() {
    let distance = |a: f64, b: f64| wrapped(a - b).min(wrapped(b - a));
    let mut rng = stream(1, 0, Purpose::Move);
    for turn in [0.0, 0.123, 0.5, 0.77] {
        let at_mode = Circles::new(&[0], |_| turn);
        let one = points((0..400).map(|_| turn + 0.04 * (rng.random::<f64>() - 0.5)));
        assert!(distance(cut_of(&at_mode, &one, 1.5), turn + 0.5) < 0.02);
        let two = points((0..400).map(|k| turn + 0.3 * f64::from(k % 2) + 0.04 * (rng.random::<f64>() - 0.5)));
        assert!(distance(cut_of(&at_mode, &two, 1.5), turn + 0.65) < 0.02);
        // A cut that is nearly as good stays.
        let good = Circles::new(&[0], |_| turn + 0.45);
        assert_eq!(cut_of(&good, &one, 1.5), good.cuts[0].1);
        let even = points((0..4000).map(|_| rng.random::<f64>()));
        assert_eq!(cut_of(&at_mode, &even, 1.5), at_mode.cuts[0].1);
    }
    assert_eq!(Circles::default().emptier([].into_iter(), 1.5), None);
    assert_eq!(Circles::new(&[0], |_| 0.5).emptier([].into_iter(), 1.5), None);
}

#[test]
fn circles_of_other_points_are_refused() {
    assert!(Circles::new(&[0, 2], |_| 0.5).fits(3) && Circles::default().fits(1));
    assert!(!Circles::new(&[0, 2], |_| 0.5).fits(2) && !Circles::new(&[2, 0], |_| 0.5).fits(3));
    assert!(!Circles { cuts: vec![(0, f64::NAN)] }.fits(1) && !Circles { cuts: vec![(0, 1.0)] }.fits(1));
}
