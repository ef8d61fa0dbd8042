use super::*;

/// `n` draws from a mixture, each of weight one.
fn sample_of(mixture: &Mixture, n: usize, rng: &mut Rng) -> Sample {
    let mut sample = Sample::new(mixture.dim());
    let mut u = vec![0.0; mixture.dim()];
    for _ in 0..n {
        mixture.draw(rng, &mut u);
        sample.push(&u, 1.0, false);
    }
    sample
}

fn three_groups() -> Mixture {
    let component = |weight, centre: [f64; 2], factor: [f64; 4]| Component {
        weight,
        centre: centre.to_vec(),
        factor: factor.to_vec(),
        freedom: 30.0,
    };
    Mixture::new(vec![
        component(0.5, [0.0, 0.0], [1.0, 0.0, 0.9, 0.3]),
        component(0.3, [8.0, 0.0], [0.4, 0.0, 0.0, 1.2]),
        component(0.2, [0.0, 9.0], [1.0, 0.0, -0.5, 0.5]),
    ])
    .unwrap()
}

#[test]
fn a_known_mixture_is_found_again() {
    let mut rng = rng(5);
    let truth = three_groups();
    let sample = sample_of(&truth, 4000, &mut rng);
    let found = fit(&sample, Start::Clusters(3, &mut rng), 2, 40).unwrap();
    assert_eq!(found.components().len(), 3);
    for component in truth.components() {
        let distance =
            |other: &Component| other.centre.iter().zip(&component.centre).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let near = found.components().iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
        // About six standard errors of a mean of 800 points, and of a weight.
        assert!(distance(near).sqrt() < 0.25 && (near.weight - component.weight).abs() < 0.05, "{near:?}");
        for (a, b) in near.factor.iter().zip(&component.factor) {
            assert!((a - b).abs() < 0.15, "{near:?}");
        }
    }
    // What was found explains the sample better than the truth does, and new draws nearly as well.
    let gain = |sample: &Sample| sample.mean(|u| found.log_density(u) - truth.log_density(u));
    assert!(gain(&sample) > 0.0, "{}", gain(&sample));
    let fresh = sample_of(&truth, 20_000, &mut rng);
    assert!(gain(&fresh) > -0.02, "{}", gain(&fresh));
}

#[test]
fn each_iteration_explains_the_sample_better() {
    let mut rng = rng(6);
    for (dim, count) in [(2, 3), (4, 5), (6, 2)] {
        // Many points for each component, since what few points say is drawn towards the whole.
        let mut sample = sample_of(&any_mixture(dim, count, &mut rng), 6000, &mut rng);
        let weights: Vec<f64> = (0..sample.len()).map(|_| rng.random_range(0.2..1.8)).collect();
        sample.weights = weights;
        let mut mixture = fit(&sample, Start::Clusters(count, &mut rng), dim, 1).unwrap();
        let first = sample.mean(|u| mixture.log_density(u));
        let mut last = first;
        for _ in 0..25 {
            mixture = fit(&sample, Start::From(&mixture), dim, 1).unwrap();
            let now = sample.mean(|u| mixture.log_density(u));
            // It is not the likelihood alone that is maximised: centres and shapes are drawn towards the whole.
            assert!(now > last - 2e-3, "{dim}: from {last} to {now}");
            last = now;
        }
        assert!(last > first + 0.01, "{dim}: from {first} to {last}");
    }
}

#[test]
fn a_shifted_sample_gives_a_shifted_mixture() {
    let mut rng = rng(13);
    // Few points, so that what draws towards the whole has a part in it.
    let sample = sample_of(&three_groups(), 40, &mut rng);
    let start = fit(&sample, Start::Clusters(4, &mut rng), 2, 1).unwrap();
    let found = fit(&sample, Start::From(&start), 2, 10).unwrap();
    let shift = [100.0, -30.0];
    let mut components = start.components().to_vec();
    components.iter_mut().for_each(|c| c.centre.iter_mut().zip(shift).for_each(|(c, s)| *c += s));
    let start = Mixture::new(components).unwrap();
    let shifted = sample.mapped(2, |x, y| (0..2).for_each(|i| y[i] = x[i] + shift[i]));
    let again = fit(&shifted, Start::From(&start), 2, 10).unwrap();
    for ((x, _), (y, _)) in sample.iter().zip(shifted.iter()) {
        assert!((found.log_density(x) - again.log_density(y)).abs() < 1e-8);
    }
}

/// LLᵀ
fn product(factor: &[f64], d: usize) -> Vec<f64> {
    let mut product = vec![0.0; d * d];
    crate::linalg::times_transpose(factor, d, &mut product);
    product
}

fn assert_near(found: &[f64], expected: &[f64]) {
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}, not {expected:?}");
}

#[test]
fn covariances_are_drawn_towards_the_pooled_shape() {
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0].to_vec();
    let shape = covariance::PooledShape::new(std::slice::from_ref(&identity), &[1.0], 3, None).unwrap();
    let of = |count: f64, own: usize| {
        let covariance = [9.0, 0.6, 0.0, 0.6, 1.0, 0.0, 0.0, 0.0, 2.0];
        product(&shape.shrunk(&covariance, count, own).unwrap(), 3)
    };
    // The size is a mean variance of 4; with as many points as dimensions half of it counts, with many all.
    assert_near(&of(3.0, 3), &[6.5, 0.3, 0.0, 0.3, 2.5, 0.0, 0.0, 0.0, 3.0]);
    assert_near(&of(1e12, 3), &[9.0, 0.6, 0.0, 0.6, 1.0, 0.0, 0.0, 0.0, 2.0]);
    assert_near(&of(1e12, 0), &[4.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 4.0]);
    // One direction of its own, that of the least variance, which on the log scale differs most; the others share what is left.
    let one = of(1e12, 1);
    let trace: f64 = one.iter().step_by(4).sum();
    let own = 5.0 - (16.0f64 + 0.36).sqrt();
    let rest = (12.0 - own) / 2.0;
    assert!((trace - 12.0).abs() < 1e-6 && (one[8] - rest).abs() < 1e-6, "{one:?}");
    let determinant = (one[0] * one[4] - one[1] * one[1]) * one[8];
    assert!((determinant - own * rest * rest).abs() < 1e-5, "{one:?}");
}

#[test]
fn degrees_of_freedom_are_learned() {
    let mut rng = rng(7);
    for (freedom, within) in [(3.0, 3.0..=4.0), (100.0, 30.0..=100.0)] {
        let mut truth = any_mixture(3, 1, &mut rng).components().to_vec();
        truth[0].freedom = freedom;
        let sample = sample_of(&Mixture::new(truth).unwrap(), 4000, &mut rng);
        let found = fit(&sample, Start::Clusters(1, &mut rng), 3, 20).unwrap();
        assert!(within.contains(&found.components()[0].freedom), "{}", found.components()[0].freedom);
    }
}

fn assert_alike(a: &Mixture, b: &Mixture, sample: &Sample) {
    assert_eq!(a.components().len(), b.components().len());
    for (u, _) in sample.iter() {
        let (a, b) = (a.log_density(u), b.log_density(u));
        assert!((a - b).abs() < 1e-8, "{a} {b}");
    }
}

#[test]
fn a_weight_of_two_counts_as_two_points() {
    let mut rng = rng(8);
    let few = sample_of(&three_groups(), 300, &mut rng);
    let start = fit(&few, Start::Clusters(4, &mut rng), 2, 1).unwrap();
    let (mut heavy, mut twice) = (Sample::new(2), Sample::new(2));
    for (i, (u, _)) in few.iter().enumerate() {
        let double = i % 3 == 0;
        heavy.push(u, if double { 2.0 } else { 1.0 }, false);
        (0..1 + usize::from(double)).for_each(|_| twice.push(u, 1.0, false));
    }
    let fits = [&heavy, &twice].map(|sample| fit(sample, Start::From(&start), 2, 15).unwrap());
    assert_alike(&fits[0], &fits[1], &few);
    // The same weights with a smaller sum tell less: shapes stay nearer to the common one.
    let mut light = heavy.clone();
    light.weights.iter_mut().for_each(|w| *w *= 0.05);
    let light = fit(&light, Start::From(&start), 2, 15).unwrap();
    assert!(heavy.mean(|u| light.log_density(u)) < heavy.mean(|u| fits[0].log_density(u)) - 1e-3);
}

#[test]
fn a_component_of_less_than_two_points_is_dropped() {
    let mut rng = rng(9);
    let mut sample = sample_of(&three_groups(), 200, &mut rng);
    sample.push(&[50.0, 50.0], 1.0, false);
    let mut start = three_groups().components().to_vec();
    let far = Component { centre: vec![50.0, 50.0], ..start[0].clone() };
    start.push(far);
    let start = Mixture::new(start).unwrap();
    assert_eq!(fit(&sample, Start::From(&start), 2, 1).unwrap().components().len(), 3);
    // As a cluster of three it stays.
    sample.push(&[50.1, 50.0], 1.0, false);
    sample.push(&[50.0, 50.2], 1.0, false);
    assert_eq!(fit(&sample, Start::From(&start), 2, 1).unwrap().components().len(), 4);
}

// Samples that are too small, lie in fewer dimensions, or have absurd units: no fit, or one that is finite at the points.

#[test]
fn an_odd_sample_gives_nothing_or_something_finite() {
    let mut rng = rng(12);
    let mut fitted = 0;
    for case in 0..1500 {
        let dim = rng.random_range(1..7);
        let n = rng.random_range(1..40);
        let unit: Vec<f64> = (0..dim)
            .map(|_| match rng.random_range(0..5) {
                0 => 0.0,
                1 => libm::pow(10.0, rng.random_range(-150.0..150.0)),
                2 => libm::pow(10.0, rng.random_range(-12.0..12.0)),
                _ => 1.0,
            })
            .collect();
        let shift = if rng.random::<f64>() < 0.3 { 1e8 } else { 0.0 };
        let doubled: bool = rng.random();
        let mut sample = Sample::new(dim);
        for _ in 0..n {
            let mut x: Vec<f64> = unit.iter().map(|unit| shift + unit * normal(&mut rng)).collect();
            if doubled && dim > 1 {
                x[dim - 1] = x[0];
            }
            let weight = match rng.random_range(0..4) {
                0 => 0.0,
                1 => 1e-12,
                2 => 1e6,
                _ => 1.0,
            };
            sample.push(&x, weight, rng.random());
        }
        let (count, own) = (rng.random_range(1..9), rng.random_range(0..=dim));
        let Some(mixture) = fit(&sample, Start::Clusters(count, &mut rng), own, 12) else { continue };
        fitted += 1;
        let mut u = vec![0.0; dim];
        mixture.draw(&mut rng, &mut u);
        assert!(u.iter().all(|u| u.is_finite()), "case {case}: {u:?}");
        for (x, _) in sample.iter() {
            assert!(
                mixture.log_density(x).is_finite(),
                "case {case}, {count} components, {own} of their own: {mixture:?}"
            );
        }
    }
    assert!((100..1500).contains(&fitted), "{fitted}");
    assert!(fit(&Sample::new(2), Start::Clusters(1, &mut rng), 2, 5).is_none());
}

#[test]
fn points_that_are_all_the_same_give_a_density_that_is_that_of_its_draws() {
    let mut rng = rng(21);
    let mut sample = Sample::new(2);
    for _ in 0..300 {
        sample.push(&[normal(&mut rng), normal(&mut rng)], 1.0, false);
    }
    // A chain that stayed far out.
    (0..100).for_each(|_| sample.push(&[7.0, -7.0], 1.0, false));
    for count in [1, 2, 4, 8] {
        let mixture = fit(&sample, Start::Clusters(count, &mut rng), 2, 20).unwrap();
        let by = by_definition(&mixture, &[7.0, -7.0]);
        assert!((mixture.log_density(&[7.0, -7.0]) - by).abs() < 1e-6, "{count}");
        // At its own draws too: rounding must not make them look unlikely.
        let mut u = [0.0; 2];
        for _ in 0..2000 {
            mixture.draw(&mut rng, &mut u);
            assert!((mixture.log_density(&u) - by_definition(&mixture, &u)).abs() < 1e-6, "{count} {u:?}");
        }
    }
}
