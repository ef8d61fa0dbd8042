use super::super::flat::{EXPLORING, FROZEN, with_flat_part};
use super::*;
use crate::random::{Purpose, stream};
use crate::target::{Banana, Gaussian, Known, TwoModes};
use rand::RngExt;

/// Exact draws from a target, a part of them held out.
fn draws(target: &dyn Known, dim: usize, n: usize) -> Sample {
    let mut rng = stream(3, 0, Purpose::Start);
    let (mut sample, mut x) = (Sample::new(dim), vec![0.0; dim]);
    for _ in 0..n {
        target.sample(&mut rng, &mut x);
        sample.push(&x, 1.0, rng.random());
    }
    sample
}

fn learned(sample: &Sample) -> Fitted {
    learn_density(sample, None, Effort::FINAL, &mut stream(4, 0, Purpose::Learn)).unwrap()
}

/// The log density of a fit without the flat and the wide part.
fn log_density(fitted: &Fitted, x: &[f64]) -> f64 {
    let mut u = vec![0.0; x.len()];
    fitted.frame.coordinates(x, &mut u);
    let near = match &fitted.few {
        None => fitted.mixture.log_density(&u),
        Some(few) => {
            let mut room = [0.0; JumpDensity::MOST_DIRECTIONS];
            let s = few.coordinates(&u, &mut room);
            let rest = crate::linalg::dot(&u, &u) - crate::linalg::dot(s, s);
            fitted.mixture.log_density(s) + few.rest.log_density((x.len() - s.len()) as f64)(rest)
        }
    };
    near - fitted.frame.log_volume()
}

#[test]
fn a_banana_is_learned_in_its_two_directions() {
    let target = Banana::new(8, 0.1, 100.0).unwrap();
    let sample = draws(&target, 8, 3000);
    let fitted = learned(&sample);
    let rows = &fitted.few.as_ref().unwrap().rows;
    assert!(rows.len() == 2 * 8 && fitted.mixture.components().len() >= 8);
    // In the target's units its directions are the first two axes, up to a little.
    let inside: f64 = rows.chunks_exact(8).map(|row| row[0] * row[0] + row[1] * row[1]).sum();
    assert!(inside > 1.98, "{inside}");
    // ln π = −½|…|² − ½ ln((2π)⁸·100): the fit is near it at fresh draws.
    let fresh = draws(&target, 8, 4000);
    let constant = 4.0 * std::f64::consts::TAU.ln() + 0.5 * 100f64.ln();
    let truth = |x: &[f64]| {
        let straight = x[1] - 0.1 * (x[0] * x[0] - 100.0);
        let rest: f64 = x[2..].iter().map(|x| x * x).sum();
        -0.5 * (x[0] * x[0] / 100.0 + straight * straight + rest) - constant
    };
    let divergence = fresh.mean(|x| truth(x) - log_density(&fitted, x));
    assert!((0.0..0.3).contains(&divergence), "{divergence}");
}

#[test]
fn both_of_two_modes_are_learned() {
    let sample = draws(&TwoModes::new(5, 12.0, 0.2).unwrap(), 5, 2000);
    let fitted = learned(&sample);
    // Left of the middle there is a fifth of the mixture, right of it the rest.
    let mut rng = stream(6, 0, Purpose::Learn);
    let density = with_flat_part(fitted, &sample, FROZEN, &mut rng).unwrap();
    let (n, mut x) = (20_000, vec![0.0; 5]);
    let mut near = [0, 0];
    for _ in 0..n {
        density.draw(&mut rng, &mut x);
        for (k, centre) in [-6.0, 6.0].into_iter().enumerate() {
            near[k] += usize::from((x[0] - centre).abs() < 3.0);
        }
    }
    assert!(near[0] > n / 8 && near[1] > n / 2, "{near:?}");
}

#[test]
fn one_component_is_enough_for_a_gaussian() {
    let sample = draws(&Gaussian::diagonal(&[1.0, 1e4, 1e-6, 3.0]).unwrap(), 4, 2000);
    let fitted = learned(&sample);
    assert_eq!(fitted.mixture.components().len(), 1);
    assert!(fitted.mixture.components()[0].freedom >= 30.0);
}

#[test]
fn the_flat_part_has_its_share_and_reaches_farther() {
    let sample = draws(&Banana::new(8, 0.1, 100.0).unwrap(), 8, 2000);
    for shares in [EXPLORING, FROZEN] {
        let fitted = learned(&sample);
        let count = fitted.mixture.components().len();
        let density = with_flat_part(fitted, &sample, shares, &mut stream(6, 0, Purpose::Learn)).unwrap();
        assert!(density.fits(8) && density.parts().wide == shares.wide);
        let (fit, flat) = density.parts().mixture.components().split_at(count);
        let share: f64 = flat.iter().map(|component| component.weight).sum();
        assert!(((1.0 - shares.wide) * share - shares.flat).abs() < 1e-12, "{share}");
        assert!(flat.iter().all(|component| component.freedom <= 5.0));
        let volume = |component: &crate::mixture::Component| crate::linalg::log_diagonal(&component.factor, 2);
        let mean = |part: &[crate::mixture::Component]| part.iter().map(volume).sum::<f64>() / part.len() as f64;
        assert!(mean(flat) > mean(fit) + 1.0);
    }
}

#[test]
fn a_sample_that_tells_nothing_gives_nothing() {
    let mut rng = stream(9, 0, Purpose::Learn);
    for n in [0, 1, 2, 5, 20] {
        for dim in [1, 3, 20] {
            let mut sample = Sample::new(dim);
            for _ in 0..n {
                let x: Vec<f64> = (0..dim).map(|_| rng.random()).collect();
                sample.push(&x, 1.0, rng.random());
            }
            // Whatever comes of it is a density.
            let fine = |sample: &Sample, rng: &mut Rng| {
                let fitted = learn_density(sample, None, Effort::FINAL, rng);
                fitted.and_then(|fitted| with_flat_part(fitted, sample, EXPLORING, rng)).is_none_or(|q| q.fits(dim))
            };
            assert!(fine(&sample, &mut rng), "{n} {dim}");
            // A coordinate that never changes, and points that are all the same.
            sample.points.iter_mut().step_by(dim).for_each(|x| *x = 3.0);
            assert!(fine(&sample, &mut rng), "{n} {dim}");
            sample.points.fill(1.0);
            assert!(fine(&sample, &mut rng), "{n} {dim}");
            sample.weights.fill(0.0);
            assert!(learn_density(&sample, None, Effort::FINAL, &mut rng).is_none());
        }
    }
}
