mod fit;

use super::block::Blocks;
use super::*;
use crate::diagnose::kolmogorov_smirnov_uniform;
use crate::linalg::solve_lower;
use crate::random::{Purpose, stream};
use spec_math::Gamma;

fn rng(seed: u64) -> Rng {
    stream(seed, 0, Purpose::Learn)
}

fn normal(rng: &mut Rng) -> f64 {
    rng.sample(StandardNormal)
}

/// Components with centres, shapes, weights and degrees of freedom by chance.
fn any_mixture(dim: usize, count: usize, rng: &mut Rng) -> Mixture {
    let component = |k: usize| {
        let mut factor = vec![0.0; dim * dim];
        for i in 0..dim {
            (0..i).for_each(|j| factor[i * dim + j] = 0.5 * normal(rng));
            factor[i * dim + i] = libm::exp(normal(rng));
        }
        let centre = (0..dim).map(|_| 3.0 * normal(rng)).collect();
        let freedom = if k % 3 == 2 { 1000.0 } else { FREEDOMS[k % FREEDOMS.len()] };
        Component { weight: rng.random_range(0.1..1.0), centre, factor, freedom }
    };
    Mixture::new((0..count).map(component).collect()).unwrap()
}

/// ln Σ w t(u), as the books define it.
fn by_definition(mixture: &Mixture, u: &[f64]) -> f64 {
    let d = u.len();
    let log = |component: &Component| {
        let mut e: Vec<f64> = u.iter().zip(&component.centre).map(|(u, m)| u - m).collect();
        for i in 0..d {
            let known: f64 = (0..i).map(|j| component.factor[i * d + j] * e[j]).sum();
            e[i] = (e[i] - known) / component.factor[i * d + i];
        }
        let q: f64 = e.iter().map(|e| e * e).sum();
        let (nu, half) = (component.freedom, 0.5 * (component.freedom + d as f64));
        let log_det: f64 = (0..d).map(|i| component.factor[i * d + i].ln()).sum();
        component.weight.ln() + half.lgamma()
            - (0.5 * nu).lgamma()
            - 0.5 * d as f64 * (nu * std::f64::consts::PI).ln()
            - log_det
            - half * (q / nu).ln_1p()
    };
    let logs: Vec<f64> = mixture.components().iter().map(log).collect();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln()
}

#[test]
fn the_density_is_that_of_its_definition() {
    let mut rng = rng(1);
    for (dim, count) in [(1, 1), (1, 9), (2, 3), (3, 8), (5, 17), (9, 64), (12, 141), (30, 5)] {
        let mixture = any_mixture(dim, count, &mut rng);
        let total: f64 = mixture.components().iter().map(|component| component.weight).sum();
        assert!((total - 1.0).abs() < 1e-12);
        for far in [0.1, 3.0, 100.0, 1e6, 1e20] {
            let u: Vec<f64> = (0..dim).map(|_| far * normal(&mut rng)).collect();
            let (found, expected) = (mixture.log_density(&u), by_definition(&mixture, &u));
            assert!(
                (found - expected).abs() < 1e-11 * (1.0 + expected.abs()),
                "{dim} {count} {far}: {found} {expected}"
            );
        }
    }
}

#[test]
fn the_shares_are_those_of_the_components() {
    let mut rng = rng(2);
    let mixture = any_mixture(3, 11, &mut rng);
    let alone = |k: usize| {
        let Component { weight, .. } = mixture.components()[k];
        let one = Mixture::new(vec![mixture.components()[k].clone()]).unwrap();
        move |u: &[f64]| weight.ln() + one.log_density(u)
    };
    let mut shares = Vec::new();
    for _ in 0..50 {
        let u: Vec<f64> = (0..3).map(|_| 4.0 * normal(&mut rng)).collect();
        mixture.responsibilities(&u, &mut shares);
        assert_eq!(shares.len(), 11);
        for (k, share) in shares.iter().enumerate() {
            assert!((share - (alone(k)(&u) - mixture.log_density(&u)).exp()).abs() < 1e-12);
        }
    }
}

#[test]
fn many_points_at_once_are_as_each_alone_to_the_last_bit() {
    let mut rng = rng(7);
    for (dim, count, points) in
        [(1, 1, 1), (1, 9, 31), (2, 3, 32), (2, 64, 33), (3, 8, 70), (4, 20, 5), (9, 17, 64), (12, 141, 40)]
    {
        let mixture = any_mixture(dim, count, &mut rng);
        let far = [0.1, 3.0, 100.0, 1e6, 1e20, 1e200];
        let points: Vec<f64> = (0..points * dim).map(|i| far[i / dim % far.len()] * normal(&mut rng)).collect();
        let (blocks, mut at, mut shares) = (Blocks::new(&points, dim), AtBlock::new(count), Vec::new());
        let together = mixture.log_densities(&points);
        assert_eq!(together.len(), points.len() / dim);
        for block in blocks.iter() {
            mixture.shares_in(block.coordinates, &mut at);
            for (p, u) in points.chunks_exact(dim).skip(block.first).take(block.count).enumerate() {
                let alone = mixture.log_density(u).to_bits();
                assert_eq!(at.log_density.0[p].to_bits(), alone);
                assert_eq!(together[block.first + p].to_bits(), alone);
                mixture.responsibilities(u, &mut shares);
                for (k, share) in shares.iter().enumerate() {
                    assert_eq!((at.terms[k].0[p] / at.totals.0[p]).to_bits(), share.to_bits());
                    let component = &mixture.components()[k];
                    let mut e: Vec<f64> = u.iter().zip(&component.centre).map(|(u, m)| u - m).collect();
                    solve_lower(&component.factor, &mut e);
                    let (distance, expected) = (at.distances[k].0[p], e.iter().map(|e| e * e).sum::<f64>());
                    assert!(distance == expected || (distance - expected).abs() < 1e-9 * (1.0 + expected));
                }
            }
        }
    }
}

/// The p-value of counts whose expectations are given.
fn chi_squared_p(counts: &[f64], expected: &[f64]) -> f64 {
    let statistic: f64 = counts.iter().zip(expected).map(|(n, e)| (n - e) * (n - e) / e).sum();
    (0.5 * (counts.len() - 1) as f64).igammac(0.5 * statistic)
}

// One p-value with an alarm at 1e-6.
#[test]
fn draws_follow_the_density() {
    let mut rng = rng(3);
    let component = |weight, centre: [f64; 2], factor: [f64; 4], freedom| Component {
        weight,
        centre: centre.to_vec(),
        factor: factor.to_vec(),
        freedom,
    };
    let mixture = Mixture::new(vec![
        component(0.5, [0.0, 0.0], [1.0, 0.0, 0.7, 0.6], 3.0),
        component(0.2, [3.0, -1.0], [0.5, 0.0, 0.0, 1.5], 30.0),
        component(0.3, [-2.0, 2.0], [0.8, 0.0, -0.5, 0.8], 7.0),
    ])
    .unwrap();
    // Cells of a grid, and everything outside of it; a cell's probability by Simpson's rule in both directions.
    let (low, side, cells) = (-6.0, 1.0, 12);
    let simpson = [1.0, 4.0, 2.0, 4.0, 2.0, 4.0, 2.0, 4.0, 2.0, 4.0, 2.0, 4.0, 1.0];
    let points = (simpson.len() - 1) as f64;
    let probability = |cell: usize| {
        let (a, b) = (low + side * (cell % cells) as f64, low + side * (cell / cells) as f64);
        let mut sum = 0.0;
        for (i, wi) in simpson.iter().enumerate() {
            for (j, wj) in simpson.iter().enumerate() {
                let u = [a + side * i as f64 / points, b + side * j as f64 / points];
                sum += wi * wj * mixture.log_density(&u).exp();
            }
        }
        sum * (side / points / 3.0).powi(2)
    };
    let mut expected: Vec<f64> = (0..cells * cells).map(probability).collect();
    let inside: f64 = expected.iter().sum();
    assert!((0.95..1.0).contains(&inside), "{inside}");
    expected.push(1.0 - inside);
    let n = 200_000;
    let mut counts = vec![0.0; expected.len()];
    let mut u = [0.0; 2];
    for _ in 0..n {
        mixture.draw(&mut rng, &mut u);
        let [i, j] = u.map(|u| (u - low) / side);
        let grid = 0.0..cells as f64;
        let cell = if grid.contains(&i) && grid.contains(&j) { i as usize + cells * j as usize } else { cells * cells };
        counts[cell] += 1.0;
    }
    // Cells where hardly a draw is expected count as outside.
    let (mut merged, mut merged_expected) = (vec![0.0], vec![0.0]);
    for (count, p) in counts.into_iter().zip(expected) {
        let expected = p * f64::from(n);
        if expected < 20.0 {
            merged[0] += count;
            merged_expected[0] += expected;
        } else {
            merged.push(count);
            merged_expected.push(expected);
        }
    }
    let p = chi_squared_p(&merged, &merged_expected);
    assert!(p > 1e-6, "p = {p} from {} cells", merged.len());
}

// Seven p-values with an alarm at 1e-7, and moments within six standard errors.
#[test]
fn chi_squared_draws_have_its_law() {
    let mut rng = rng(4);
    for nu in [2.0, 2.5, 3.0, 5.0, 10.0, 100.0, 1e4] {
        let n = 100_000;
        let draws: Vec<f64> = (0..n).map(|_| chi_squared(nu, &mut rng)).collect();
        let n = f64::from(n);
        let mean = draws.iter().sum::<f64>() / n;
        let variance = draws.iter().map(|x| (x - nu) * (x - nu)).sum::<f64>() / n;
        assert!((mean - nu).abs() < 6.0 * (2.0 * nu / n).sqrt(), "{nu}: {mean}");
        // The fourth central moment is 12ν(ν + 4).
        let error = ((12.0 * nu * (nu + 4.0) - 4.0 * nu * nu) / n).sqrt();
        assert!((variance - 2.0 * nu).abs() < 6.0 * error, "{nu}: {variance}");
        let mut levels: Vec<f64> = draws.iter().map(|x| (0.5 * nu).igamma(0.5 * x)).collect();
        let p = kolmogorov_smirnov_uniform(&mut levels);
        assert!(p > 1e-7, "{nu}: p = {p}");
    }
}

#[test]
fn a_stored_mixture_has_the_same_densities_to_the_bit() {
    let mut rng = rng(10);
    for (dim, count) in [(1, 3), (4, 13), (10, 64)] {
        let mixture = any_mixture(dim, count, &mut rng);
        let text = serde_json::to_string(&mixture).unwrap();
        let again: Mixture = serde_json::from_str(&text).unwrap();
        assert_eq!(mixture.components(), again.components());
        let (mut one, mut other) = (rng.clone(), rng.clone());
        let (mut u, mut v) = (vec![0.0; dim], vec![0.0; dim]);
        for _ in 0..200 {
            mixture.draw(&mut one, &mut u);
            again.draw(&mut other, &mut v);
            assert_eq!(u, v);
            assert_eq!(mixture.log_density(&u), again.log_density(&u));
        }
    }
}

#[test]
fn a_damaged_mixture_is_refused() {
    let whole = serde_json::to_value(any_mixture(3, 5, &mut rng(11))).unwrap();
    assert!(serde_json::from_value::<Mixture>(whole.clone()).is_ok());
    let damaged = [
        ("/2/weight", serde_json::json!(-0.1)),
        ("/2/freedom", serde_json::json!(1.5)),
        ("/2/freedom", serde_json::json!(0.0)),
        ("/2/factor/4", serde_json::json!(0.0)),
        ("/2/factor/8", serde_json::json!(-1.0)),
        ("/2/factor", serde_json::json!([1.0])),
        ("/2/centre", serde_json::json!([0.0, 0.0])),
        ("/0/centre", serde_json::json!([])),
        ("", serde_json::json!([])),
    ];
    for (at, value) in damaged {
        let mut broken = whole.clone();
        *broken.pointer_mut(at).unwrap() = value;
        assert!(serde_json::from_value::<Mixture>(broken).is_err(), "{at}");
    }
    let too_many = vec![any_mixture(1, 1, &mut rng(1)).components()[0].clone(); LANES * MOST_GROUPS + 1];
    assert!(Mixture::new(too_many).is_none());
}

#[test]
fn a_component_too_narrow_for_where_it_lies_is_refused() {
    let at = |centre: f64, width: f64| {
        let component = Component { weight: 1.0, centre: vec![centre], factor: vec![width], freedom: 5.0 };
        Mixture::new(vec![component])
    };
    assert!(at(5.0, 4e-16).is_none() && at(5.0, 1e-10).is_none() && at(1e10, 1.0).is_none());
    assert!(at(5.0, 1e-6).is_some() && at(0.0, 1e-12).is_some() && at(1e6, 1.0).is_some());
}
