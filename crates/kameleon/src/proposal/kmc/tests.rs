use super::basis::Basis;
use super::features::Features;
use super::fit::fit;
use super::frame::Frame;
use super::kernels::Kernels;
use super::objective::Objective;
use super::surrogate::Surrogate;
use crate::linalg::dot;
use crate::points::Points;
use crate::random::{Purpose, stream};
use crate::simd::{BLOCK, Block};
use rand::RngExt;
use rand_distr::StandardNormal;

/// Independent standard normals.
fn normals(count: usize, seed: u64) -> Vec<f64> {
    let mut rng = stream(seed, 0, Purpose::Move);
    (0..count).map(|_| rng.sample(StandardNormal)).collect()
}

/// Kernels at some points, and features.
fn bases(centres: &[f64], d: usize) -> [Basis; 2] {
    let features = Basis::Features(Features::new(centres.len() / d, d));
    [Basis::Kernels(Kernels { centres: Points::from_rows(centres, d) }), features]
}

/// ∇f at u by central differences of f.
fn slopes(basis: &Basis, sigma: f64, theta: &[f64], u: &[f64]) -> Vec<f64> {
    let h = 1e-5;
    let value = |i: usize, by: f64| {
        let mut moved = u.to_vec();
        moved[i] += by;
        basis.value(sigma, theta, &moved)
    };
    (0..u.len()).map(|i| (value(i, h) - value(i, -h)) / (2.0 * h)).collect()
}

#[test]
fn the_gradient_is_that_of_the_energy() {
    // More than one block of kernels, and a block that is not full.
    let d = 5;
    for basis in bases(&normals(150 * d, 1), d) {
        let (theta, u) = (normals(150, 2), normals(d, 3));
        let mut gradient = vec![1.0; d];
        basis.add_gradient(1.7, &theta, &u, &mut Block([0.0; BLOCK]), &mut gradient);
        for (gradient, slope) in gradient.iter().zip(slopes(&basis, 1.7, &theta, &u)) {
            assert!((gradient - 1.0 - slope).abs() < 1e-7, "{gradient} {slope}");
        }
    }
}

/// J by its definition, with finite differences: the mean of ½|∇f|² + Δf + ⟨∇f, s⟩.
fn naive_objective(basis: &Basis, sigma: f64, theta: &[f64], points: &[f64], precision: f64) -> f64 {
    let (d, h) = (basis.dim(), 1e-3);
    let of = |u: &[f64]| {
        let gradient = slopes(basis, sigma, theta, u);
        let laplacian: f64 = (0..d)
            .map(|i| {
                let value = |by: f64| {
                    let mut moved = u.to_vec();
                    moved[i] += by;
                    basis.value(sigma, theta, &moved)
                };
                (value(h) - 2.0 * value(0.0) + value(-h)) / (h * h)
            })
            .sum();
        0.5 * dot(&gradient, &gradient) + laplacian - precision * dot(&gradient, u)
    };
    points.chunks(d).map(of).sum::<f64>() / (points.len() / d) as f64
}

#[test]
fn the_objective_is_that_of_score_matching() {
    let (d, n) = (3, 11);
    let points = normals(20 * d, 4);
    let theta = normals(n, 5);
    for basis in bases(&normals(n * d, 6), d) {
        for precision in [0.0, 0.7] {
            let objective = basis.objective(&basis.table(&points, precision), 1.3);
            let naive = naive_objective(&basis, 1.3, &theta, &points, precision);
            assert!(
                (objective.at(&theta) - naive).abs() < 1e-5 * (1.0 + naive.abs()),
                "{} {naive}",
                objective.at(&theta)
            );
        }
    }
}

#[test]
fn the_minimum_is_one() {
    let (d, n) = (3, 11);
    for basis in bases(&normals(n * d, 6), d) {
        let objective = basis.objective(&basis.table(&normals(20 * d, 4), 0.0), 1.3);
        let (norm, lambda) = (basis.norm(1.3), 1e-2);
        let penalised = |theta: &[f64]| {
            let penalty = Objective { c: norm.clone(), b: vec![0.0; n] };
            objective.at(theta) + lambda * penalty.at(theta)
        };
        let theta = objective.minimum(&norm, lambda).unwrap();
        for seed in 0..20 {
            let other: Vec<f64> =
                theta.iter().zip(normals(n, 20 + seed)).map(|(theta, by)| theta + 0.01 * by).collect();
            assert!(penalised(&other) > penalised(&theta));
        }
    }
}

#[test]
fn the_fitted_score_of_a_gaussian_is_near_its_own() {
    // N(1, ½) in each coordinate; in a frame its score is near −u, whose mean square is d. The mean squared error of the fit is a small part.
    let (d, count) = (3, 1000);
    let points: Vec<f64> = normals(count * d, 7).iter().map(|x| 1.0 + x / 2f64.sqrt()).collect();
    for finite in [false, true] {
        for gaussian in [false, true] {
            let frame = Frame::new(&points, d).unwrap();
            let surrogate = Surrogate::new(frame, &points, 200, finite, gaussian);
            let mut error = 0.0;
            for u in normals(500 * d, 8).chunks(d) {
                let mut gradient = vec![0.0; d];
                surrogate.gradient(u, &mut Block([0.0; BLOCK]), &mut gradient);
                error += gradient.iter().zip(u).map(|(g, u)| (g + u).powi(2)).sum::<f64>() / 500.0;
            }
            assert!(error < 0.1 * d as f64, "finite {finite}, gaussian {gaussian}: {error}");
        }
    }
}

#[test]
fn what_is_gaussian_already_is_left_alone() {
    // With the right base density there is next to nothing to fit, and what is fitted is small.
    let d = 4;
    for basis in bases(&normals(100 * d, 9), d) {
        let objective = fit(&basis, &normals(1000 * d, 10), 1.0).map_or(0.0, |fit| fit.held_out);
        assert!((-0.05..=0.0).contains(&objective), "{objective}");
    }
}

#[test]
fn kernels_that_a_half_is_fitted_with_are_at_its_own_states() {
    for n in [7, 8, 100] {
        let past: Vec<f64> = (0..40).map(f64::from).collect();
        let kernels = Kernels::at_some(&past, 1, n);
        assert_eq!(kernels.centres.len(), n.min(20));
        let [earlier, later] = kernels.halves().map(|half| {
            let centre = |j| {
                let mut z = [0.0];
                half.centres.get(j, &mut z);
                z[0]
            };
            (0..half.centres.len()).map(centre).collect::<Vec<f64>>()
        });
        assert!(
            earlier.iter().all(|z| *z < 20.0) && later.iter().skip(n % 2).all(|z| *z >= 20.0),
            "{earlier:?} {later:?}"
        );
        assert!(earlier.len() + later.len() <= n.min(20) + 1);
    }
}

#[test]
fn far_from_the_past_kernels_have_no_gradient() {
    let d = 2;
    let [kernels, features] = bases(&normals(50 * d, 11), d);
    for (basis, fades) in [(kernels, true), (features, false)] {
        let mut gradient = vec![0.0; d];
        basis.add_gradient(1.0, &normals(50, 12), &[100.0, 0.0], &mut Block([0.0; BLOCK]), &mut gradient);
        assert_eq!(gradient.iter().all(|g| g.abs() < 1e-100), fades);
    }
}
