use super::*;

fn all() -> Vec<Kernel> {
    // Every kernel of the table, as it is and in other shapes.
    let mut kernels: Vec<Kernel> = KERNELS.iter().map(|entry| entry.build(&Default::default()).unwrap()).collect();
    kernels.extend([
        Kernel::polynomial(3),
        Kernel::gaussian(1.7),
        Kernel::matern(2.5, 0.8),
        Kernel::matern(1.2, 0.8),
        Kernel::matern(3.1, 1.3),
        Kernel::RationalQuadratic(RationalQuadratic { alpha: 0.7, length: 1.1 }),
        Kernel::RationalQuadratic(RationalQuadratic { alpha: 2.0, length: 1.1 }),
        Kernel::InverseMultiquadric(InverseMultiquadric { length: 1.4 }),
        Kernel::Sum(vec![Kernel::gaussian(0.9), Kernel::Scaled(0.3, Box::new(Kernel::polynomial(2)))]),
        Kernel::Scaled(2.5, Box::new(Kernel::Sum(vec![Kernel::matern(2.5, 1.0), Kernel::gaussian(3.0)]))),
    ]);
    kernels
}

/// A few points of the plane at all kinds of distances.
fn points() -> Vec<[f64; 3]> {
    (0..12).map(|i| [(f64::from(i) * 1.3).sin() * 2.0, (f64::from(i) * 0.7).cos(), 0.1 * f64::from(i) - 0.5]).collect()
}

/// The slope of `f` at `x` along coordinate `i`, by a central difference.
fn slope(x: [f64; 3], i: usize, f: impl Fn([f64; 3]) -> f64) -> f64 {
    let h = 1e-5;
    let at = |step: f64| {
        let mut x = x;
        x[i] += step;
        f(x)
    };
    (at(h) - at(-h)) / (2.0 * h)
}

#[test]
fn gradients_agree_with_finite_differences() {
    for kernel in all() {
        for x in points() {
            for y in points() {
                if x == y {
                    continue;
                }
                let mut gradient = [0.0; 3];
                kernel.gradient(&x, &y, &mut gradient);
                for i in 0..3 {
                    let slope = slope(x, i, |x| kernel.value(&x, &y));
                    let error = (slope - gradient[i]).abs();
                    assert!(error < 1e-6 * (1.0 + slope.abs()), "{kernel:?} at {x:?}, {y:?}: {slope} {}", gradient[i]);
                }
            }
        }
    }
}

#[test]
fn the_gradient_at_a_point_itself_is_half_that_of_the_diagonal() {
    // Proposition 1 of the paper: ∇k(x, x) − 2∇k(x, y) at x = y is zero.
    for kernel in all() {
        for x in points() {
            let mut gradient = [0.0; 3];
            kernel.gradient(&x, &x, &mut gradient);
            for i in 0..3 {
                let diagonal = slope(x, i, |x| kernel.value(&x, &x));
                assert!((diagonal - 2.0 * gradient[i]).abs() < 1e-6 * (1.0 + diagonal.abs()), "{kernel:?} at {x:?}");
            }
        }
    }
}

#[test]
fn block_weights_agree_with_single_ones() {
    for kernel in all() {
        let x = [0.3, -0.2, 0.9];
        let z: Vec<[f64; 3]> = (0..BLOCK).map(|i| [0.05 * i as f64 - 3.0, (i as f64).sin(), 0.3]).collect();
        let mut distances = Block(std::array::from_fn(|a| squared_distance(&x, &z[a])));
        let mut products = Block(std::array::from_fn(|a| dot(&x, &z[a])));
        kernel.weights(&mut distances, &mut products);
        let (radial, inner) = kernel.parts();
        for a in 0..BLOCK {
            let mut gradient = [0.0; 3];
            kernel.gradient(&x, &z[a], &mut gradient);
            for i in 0..3 {
                let along = if radial { distances[a] * (z[a][i] - x[i]) } else { 0.0 };
                let block = along + if inner { products[a] * z[a][i] } else { 0.0 };
                let error = (block - gradient[i]).abs();
                assert!(error < 1e-9 * (1.0 + gradient[i].abs()), "{kernel:?} at {a}: {block} {}", gradient[i]);
            }
        }
    }
}

#[test]
fn matern_with_a_large_order_tends_to_the_gaussian_of_the_same_bandwidth() {
    let (gaussian, mut matern) = (Kernel::gaussian(1.3), Kernel::matern(40.0, 1.0));
    matern.set_bandwidth(1.3);
    assert!((matern.bandwidth().unwrap() - 1.3).abs() < 1e-12);
    for r in [0.1, 0.5, 1.0, 2.0] {
        let difference = gaussian.value(&[0.0], &[r]) - matern.value(&[0.0], &[r]);
        assert!(difference.abs() < 0.02, "{r}: {difference}");
    }
}

#[test]
fn parameters_out_of_range_are_named() {
    let message = |kernel: Kernel| kernel.check().unwrap_err().to_string();
    assert_eq!(message(Kernel::gaussian(-1.0)), "sigma: must be positive, from 1e-150 to 1e150, not -1");
    assert!(message(Kernel::matern(1.0, 1.0)).contains("above 1"));
    assert!(message(Kernel::polynomial(0)).contains("from 1 to 16"));
    assert!(message(Kernel::Sum(vec![])).contains("at least one"));
    assert!(message(Kernel::Scaled(f64::NAN, Box::new(Kernel::gaussian(1.0)))).contains("factor"));
    assert!(message(Kernel::Sum(vec![Kernel::gaussian(1.0), Kernel::gaussian(0.0)])).contains("sigma"));
    assert!(all().iter().all(|kernel| kernel.check().is_ok()));
}

#[test]
fn kernels_round_trip_through_serde_and_by_name() {
    for kernel in all() {
        assert_eq!(Kernel::from_value(&kernel.to_value()), Ok(kernel.clone()));
        let text = serde_json::to_string(&kernel).unwrap();
        assert_eq!(serde_json::from_str::<Kernel>(&text).unwrap(), kernel);
    }
}
