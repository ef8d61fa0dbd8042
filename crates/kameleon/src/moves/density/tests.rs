use super::*;
use crate::diagnose::kolmogorov_smirnov_uniform;
use crate::mixture::Component;
use crate::random::{Purpose, stream};

fn stream_of(seed: u64) -> Rng {
    stream(seed, 0, Purpose::Learn)
}

fn normal(rng: &mut Rng) -> f64 {
    rng.sample(StandardNormal)
}

fn any_frame(dim: usize, rng: &mut Rng) -> Frame {
    let mut factor = vec![0.0; dim * dim];
    for i in 0..dim {
        (0..i).for_each(|j| factor[i * dim + j] = 0.4 * normal(rng));
        factor[i * dim + i] = rng.random_range(0.5..2.0);
    }
    Frame { origin: (0..dim).map(|_| normal(rng)).collect(), factor }
}

/// A density in `dim` dimensions with a mixture of five in `k` directions, or in all if k = d.
fn any_density(dim: usize, k: usize, rng: &mut Rng) -> JumpDensity {
    let frame = any_frame(dim, rng);
    let component = |_| {
        let Frame { origin: centre, factor } = any_frame(k, rng);
        Component { weight: rng.random_range(0.2..1.0), centre, factor, freedom: rng.random_range(3.0..20.0) }
    };
    let mixture = Mixture::new((0..5).map(component).collect()).unwrap();
    let rows: Vec<f64> = (0..k * dim).map(|_| normal(rng)).collect();
    let rest = Student { freedom: 7.0, scale: 0.6 };
    let few = (k < dim).then(|| FewDirections { rows: orthonormal_rows(&rows, dim), rest });
    let density = JumpDensity::from(Parts { frame, few, mixture, wide: 0.1 });
    assert!(density.fits(dim));
    density
}

/// All pairs of d and the number of directions that are tried.
const CASES: [(usize, usize); 7] = [(2, 2), (2, 1), (3, 3), (3, 2), (3, 1), (6, 6), (6, 4)];

fn log_t(e: &[f64], nu: f64, scale: f64) -> f64 {
    let d = e.len() as f64;
    let q: f64 = e.iter().map(|e| e * e / scale).sum();
    log_t_constant(d, nu) - 0.5 * d * scale.ln() - 0.5 * (nu + d) * (1.0 + q / nu).ln()
}

/// [(1 − δ) M(Eu) t(rest) + δ t₃(u)] / |A|, with the rest in coordinates of an orthonormal basis of what E leaves.
fn by_definition(density: &JumpDensity, x: &[f64]) -> f64 {
    let d = x.len();
    let mut u = vec![0.0; d];
    let density = density.parts();
    density.frame.coordinates(x, &mut u);
    let near = match &density.few {
        None => density.mixture.log_density(&u),
        Some(few) => {
            let mut rows = few.rows.clone();
            rows.extend(Frame::raw(vec![0.0; d]).factor);
            let basis = orthonormal_rows(&rows, d);
            assert_eq!(basis.len(), d * d);
            let all: Vec<f64> = basis.chunks_exact(d).map(|row| dot(row, &u)).collect();
            let (s, rest) = all.split_at(density.mixture.dim());
            density.mixture.log_density(s) + log_t(rest, few.rest.freedom, few.rest.scale)
        }
    };
    let volume: f64 = (0..d).map(|i| density.frame.factor[i * d + i]).product();
    (((1.0 - density.wide) * near.exp() + density.wide * log_t(&u, 3.0, 1.5).exp()) / volume).ln()
}

#[test]
fn many_points_at_once_are_as_each_alone_to_the_last_bit() {
    let mut rng = stream_of(6);
    for (dim, k) in CASES.into_iter().chain([(9, 9), (13, 3)]) {
        let density = any_density(dim, k, &mut rng);
        for count in [0, 1, 32, 75] {
            let points: Vec<f64> = (0..count * dim).map(|i| [1.0, 1e3, 1e9][i / dim % 3] * normal(&mut rng)).collect();
            let mut u = vec![0.0; dim];
            let alone: Vec<f64> = points.chunks_exact(dim).map(|x| density.log_density(x, &mut u)).collect();
            assert_eq!(density.log_densities(points.chunks_exact(dim)), alone, "{dim} {k}");
        }
    }
}

#[test]
fn the_density_is_that_of_its_definition() {
    let mut rng = stream_of(1);
    for (d, k) in CASES {
        let density = any_density(d, k, &mut rng);
        let mut room = vec![0.0; d];
        for far in [0.3, 1.0, 5.0, 300.0] {
            let x: Vec<f64> = (0..d).map(|_| far * normal(&mut rng)).collect();
            let (found, expected) = (density.log_density(&x, &mut room), by_definition(&density, &x));
            assert!((found - expected).abs() < 1e-10 * (1.0 + expected.abs()), "{d} {k} {far}: {found} {expected}");
        }
    }
}

// Seven means within six standard errors.
#[test]
fn the_density_integrates_to_one() {
    let mut rng = stream_of(2);
    for (d, k) in CASES {
        let density = any_density(d, k, &mut rng);
        // Points from a wide t₂ around the origin: its tails are so heavy that the weights have a variance.
        let n = 200_000;
        let (mut sum, mut squares) = (0.0, 0.0);
        let (mut u, mut room) = (vec![0.0; d], vec![0.0; d]);
        let scale = 4.0;
        for _ in 0..n {
            let stretch = (2.0 * scale / chi_squared(2.0, &mut rng)).sqrt();
            u.iter_mut().for_each(|u| *u = stretch * normal(&mut rng));
            let log_q = log_t(&u, 2.0, scale) - density.parts().frame.log_volume();
            density.parts().frame.point(&mut u);
            let weight = (density.log_density(&u, &mut room) - log_q).exp();
            sum += weight;
            squares += weight * weight;
        }
        let n = f64::from(n);
        let mean = sum / n;
        let error = ((squares / n - mean * mean) / n).sqrt();
        assert!(error < 0.05 && (mean - 1.0).abs() < 6.0 * error, "{d} {k}: {mean} ± {error}");
    }
}

/// Bounded functions of a point: of where it is in and across the directions of the mixture, and on which side of the origin.
fn functions(density: &JumpDensity, x: &[f64]) -> [f64; 6] {
    let d = x.len();
    let mut u = vec![0.0; d];
    let Parts { frame, few, .. } = density.parts();
    frame.coordinates(x, &mut u);
    let (squared, mut room) = (dot(&u, &u), [0.0; JumpDensity::MOST_DIRECTIONS]);
    let near = few.as_ref().map_or(squared, |few| {
        let s = few.coordinates(&u, &mut room);
        dot(s, s)
    });
    let (near, rest) = (1.0 / (1.0 + near), 1.0 / (1.0 + squared - near));
    let side = |i: usize| f64::from(u8::from(u[i] > 0.0));
    [1.0 / (1.0 + squared), near, rest, near * rest, side(0), near * side(1)]
}

// 42 differences within six standard errors.
#[test]
fn draws_follow_the_density() {
    let mut rng = stream_of(3);
    for (d, k) in CASES {
        let density = any_density(d, k, &mut rng);
        let (mut drawn, mut weighed) = ([(0.0, 0.0); 6], [(0.0, 0.0); 6]);
        let (mut x, mut room) = (vec![0.0; d], vec![0.0; d]);
        let (n, scale) = (100_000, 4.0);
        let add = |sums: &mut [(f64, f64); 6], x: &[f64], weight: f64| {
            for ((sum, squares), f) in sums.iter_mut().zip(functions(&density, x)) {
                *sum += weight * f;
                *squares += (weight * f).powi(2);
            }
        };
        for _ in 0..n {
            density.draw(&mut rng, &mut x);
            add(&mut drawn, &x, 1.0);
            // The same by points from a wide t₂, with weights.
            let stretch = (2.0 * scale / chi_squared(2.0, &mut rng)).sqrt();
            x.iter_mut().for_each(|x| *x = stretch * normal(&mut rng));
            let log_p = log_t(&x, 2.0, scale) - density.parts().frame.log_volume();
            density.parts().frame.point(&mut x);
            add(&mut weighed, &x, (density.log_density(&x, &mut room) - log_p).exp());
        }
        let n = f64::from(n);
        for (of, ((a, a2), (b, b2))) in drawn.into_iter().zip(weighed).enumerate() {
            let (a, a2, b, b2) = (a / n, a2 / n, b / n, b2 / n);
            let error = ((a2 - a * a + b2 - b * b) / n).sqrt();
            assert!((a - b).abs() < 6.0 * error, "{d} {k}, function {of}: {a} {b} ± {error}");
        }
    }
}

// p-values, alarms at 1e-6: a spot given a point is uniform if the point was drawn at a uniform one, and a second point from the same part
// has the law of the first.
#[test]
fn a_point_may_have_been_drawn_at_its_spot() {
    let mut rng = stream_of(4);
    for (d, k) in CASES {
        let density = any_density(d, k, &mut rng);
        let (mut x, mut room) = (vec![0.0; d], vec![0.0; d]);
        let mut spots = Vec::new();
        let shares = density.shares_of_parts();
        let mut together = vec![0.0; shares.len()];
        for _ in 0..20_000 {
            let part = density.draw_at(rng.random(), &mut rng, &mut x);
            let spot = density.spot(&x, &mut room, &mut rng);
            spots.push(spot);
            let other = density.draw_at(spot, &mut rng, &mut x);
            together[usize::from(other)] += 1.0;
            assert!(usize::from(part.max(other)) < shares.len());
        }
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let p = kolmogorov_smirnov_uniform(&mut spots);
        assert!(p > 1e-6, "{d} {k}: p = {p}");
        for (count, share) in together.into_iter().zip(shares) {
            let error = (20_000.0 * share * (1.0 - share)).sqrt();
            assert!((count - 20_000.0 * share).abs() < 6.0 * error + 1.0, "{d} {k}: {count} {share}");
        }
    }
}

#[test]
fn directions_in_another_frame_span_the_same_space() {
    let mut rng = stream_of(4);
    let density = any_density(6, 3, &mut rng).parts().clone();
    let few = density.few.as_ref().unwrap();
    let to = any_frame(6, &mut rng);
    let rows = few.rows_in(&density.frame, &to);
    assert!(rows.len() == 18 && are_orthonormal(&rows, 6));
    // Directions of points, not of coordinates, stay the same: A E₁ᵀ is in the span of B E₂ᵀ.
    let points = |rows: &[f64], frame: &Frame| {
        let mut rows = rows.to_vec();
        rows.chunks_exact_mut(6).for_each(|row| frame.direction(row));
        rows
    };
    let both = [points(&few.rows, &density.frame), points(&rows, &to)].concat();
    assert_eq!(orthonormal_rows(&both, 6).len(), 18);
    let back = few.rows_in(&density.frame, &density.frame);
    assert!(back.iter().zip(&few.rows).all(|(a, b)| (a - b).abs() < 1e-12));
}

#[test]
fn a_damaged_density_does_not_fit() {
    let mut rng = stream_of(5);
    for (d, k) in [(4, 4), (4, 2)] {
        let whole = any_density(d, k, &mut rng);
        let stored = serde_json::to_string(&whole).unwrap();
        let again: JumpDensity = serde_json::from_str(&stored).unwrap();
        let (mut x, mut room) = (vec![0.0; d], vec![0.0; d]);
        for _ in 0..100 {
            whole.draw(&mut rng, &mut x);
            assert_eq!(whole.log_density(&x, &mut room), again.log_density(&x, &mut room));
        }
        assert!(again.fits(d) && !again.fits(d - 1) && !again.fits(d + 1));
        let fits = |change: &dyn Fn(&mut Parts)| {
            let mut changed = whole.parts().clone();
            change(&mut changed);
            JumpDensity::from(changed).fits(d)
        };
        assert!(fits(&|_| {}));
        for wide in [0.0, 1.0, -0.1, f64::NAN] {
            assert!(!fits(&|density| density.wide = wide));
        }
        assert!(!fits(&|density| density.frame.factor[d + 1] = 0.0));
        assert!(!fits(&|density| density.frame.factor.truncate(d)) && !fits(&|density| density.frame.origin.clear()));
        assert!(!fits(&|density| density.few = match density.few {
            None => Some(FewDirections { rows: Frame::raw(vec![0.0; d]).factor, rest: WIDE }),
            Some(_) => None,
        }));
        if k < d {
            let few = |change: &dyn Fn(&mut FewDirections)| fits(&|density| change(density.few.as_mut().unwrap()));
            for change in [1e-4, 0.1, -2.5, f64::NAN] {
                assert!(!few(&|few| few.rows[0] += change), "{change}");
            }
            assert!(!few(&|few| few.rows.truncate(d)) && !few(&|few| few.rows.clear()));
            assert!(!few(&|few| few.rest.scale = 0.0) && !few(&|few| few.rest.freedom = 1.0));
            assert!(!few(&|few| few.rest.scale = f64::INFINITY));
        }
    }
}
