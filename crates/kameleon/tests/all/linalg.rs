//! Small dense linear algebra: factors, solves, updates and eigenpairs.

use kameleon::linalg::*;

/// A symmetric positive definite matrix with eigenvalues spread over a few decades.
fn matrix(d: usize) -> Vec<f64> {
    let root: Vec<f64> = (0..d * d).map(|k| ((k * k + 3 * k) as f64).sin() / (1.0 + (k % d) as f64)).collect();
    (0..d * d)
        .map(|k| {
            let (i, j) = (k / d, k % d);
            dot(&root[i * d..(i + 1) * d], &root[j * d..(j + 1) * d]) + if i == j { 0.01 } else { 0.0 }
        })
        .collect()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-10 * (1.0 + a.abs())
}

#[test]
fn cholesky_multiplies_back_and_solves() {
    for d in [1, 2, 5, 9] {
        let a = matrix(d);
        let mut factor = a.clone();
        assert!(cholesky(&mut factor, d));
        for k in 0..d * d {
            let (i, j) = (k / d, k % d);
            assert!(close(dot(&factor[i * d..(i + 1) * d], &factor[j * d..(j + 1) * d]), a[k]));
        }
        let x: Vec<f64> = (0..d).map(|i| i as f64 - 1.5).collect();
        let mut back = x.clone();
        multiply_lower(&factor, &mut back);
        solve_lower(&factor, &mut back);
        assert!(x.iter().zip(&back).all(|(x, b)| close(*x, *b)));
    }
}

#[test]
fn cholesky_refuses_what_is_not_positive_definite() {
    assert!(!cholesky(&mut [1.0, 2.0, 2.0, 1.0], 2));
    assert!(!cholesky(&mut [f64::NAN, 0.0, 0.0, 1.0], 2));
    assert!(!cholesky(&mut [f64::INFINITY, 0.0, 0.0, 1.0], 2));
    assert!(!cholesky(&mut [0.0], 1));
}

#[test]
fn a_rank_one_update_equals_factoring_anew() {
    let d = 6;
    let a = matrix(d);
    let v: Vec<f64> = (0..d).map(|i| (i as f64 * 1.1).cos()).collect();
    let mut updated = a.clone();
    assert!(cholesky(&mut updated, d));
    cholesky_add(&mut updated, &mut v.clone());
    let mut anew: Vec<f64> = (0..d * d).map(|k| a[k] + v[k / d] * v[k % d]).collect();
    assert!(cholesky(&mut anew, d));
    assert!(updated.iter().zip(&anew).all(|(u, n)| close(*u, *n)));
}

#[test]
fn eigenpairs_satisfy_their_equation_and_are_orthonormal() {
    for d in [1, 2, 7, 33, 90] {
        let a = matrix(d);
        let (mut values, mut vectors) = (a.clone(), vec![0.0; d * d]);
        eigen(&mut values, &mut vectors, d);
        for j in 0..d {
            let v = &vectors[j * d..(j + 1) * d];
            for i in 0..d {
                assert!(close(dot(&a[i * d..(i + 1) * d], v), values[j * d + j] * v[i]));
            }
            for k in 0..d {
                let expected = if j == k { 1.0 } else { 0.0 };
                assert!(close(dot(v, &vectors[k * d..(k + 1) * d]), expected));
            }
        }
    }
}

#[test]
fn subspace_iteration_finds_the_largest_eigenpairs() {
    let (n, m) = (30, 4);
    let a = matrix(n);
    let (mut all, mut vectors) = (a.clone(), vec![0.0; n * n]);
    eigen(&mut all, &mut vectors, n);
    let mut largest: Vec<f64> = (0..n).map(|i| all[i * n + i]).collect();
    largest.sort_by(|a, b| b.total_cmp(a));
    let mut basis: Vec<f64> = (0..m * n).map(|k| ((k * 37 % 101) as f64).sin()).collect();
    let mut values = vec![0.0; m];
    leading_eigenpairs(&a, n, &mut basis, &mut values, &mut LeadingScratch::new(n, m));
    for j in 0..m {
        assert!((values[j] - largest[j]).abs() < 1e-6 * largest[0], "{values:?} {largest:?}");
        let v = &basis[j * n..(j + 1) * n];
        assert!(close(dot(v, v), 1.0));
    }
}

/// A symmetric matrix with the given eigenvalues, by random rotations of the coordinates.
fn with_eigenvalues(values: &[f64]) -> Vec<f64> {
    let d = values.len();
    let rows: Vec<f64> = (0..d * d).map(|k| ((k * k % 7919) as f64 * 0.7).sin()).collect();
    let basis = orthonormal_rows(&rows, d);
    assert_eq!(basis.len(), d * d);
    let entry = |i: usize, j: usize| (0..d).map(|k| values[k] * basis[k * d + i] * basis[k * d + j]).sum();
    (0..d * d).map(|k| entry((k / d).max(k % d), (k / d).min(k % d))).collect()
}

#[test]
fn eigenvalues_of_large_matrices_are_found_over_many_decades_and_repeated() {
    let d = 60;
    for values in [
        (0..d).map(|i| 10f64.powf(f64::from(i) / 10.0)).collect::<Vec<f64>>(),
        (0..d).map(|i| f64::from(i / 20)).collect(),
        vec![3.0; d as usize],
        (0..d).map(|i| f64::from(i) - 30.0).collect(),
    ] {
        let d = values.len();
        let (mut a, mut vectors) = (with_eigenvalues(&values), vec![0.0; d * d]);
        eigen(&mut a, &mut vectors, d);
        assert!(are_orthonormal(&vectors, d));
        let mut found: Vec<f64> = a.iter().step_by(d + 1).copied().collect();
        found.sort_by(f64::total_cmp);
        let largest = values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        for (found, value) in found.iter().zip(&values) {
            assert!((found - value).abs() < 1e-12 * largest, "{found} {value}");
        }
    }
}

#[test]
fn a_matrix_that_is_not_finite_has_the_identity_for_eigenvectors() {
    for d in [3, 40] {
        let (mut a, mut vectors) = (vec![f64::NAN; d * d], vec![0.0; d * d]);
        eigen(&mut a, &mut vectors, d);
        assert!(are_orthonormal(&vectors, d));
    }
}
