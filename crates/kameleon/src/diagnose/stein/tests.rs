use super::*;
use crate::random::{Purpose, stream};
use crate::target::{Banana, Flower, Funnel, Known, Noise, Target};
use rand::RngExt;

/// Four chains of independent draws that `keep` takes, with their log densities.
fn chains<T: Known>(target: T, seed: u64, count: usize, keep: impl Fn(&[f64]) -> bool) -> Vec<(Vec<f64>, Vec<f64>)> {
    many(target, seed, 4, count, keep)
}

/// The same of any number of chains.
fn many<T: Known>(
    mut target: T,
    seed: u64,
    chains: u64,
    count: usize,
    keep: impl Fn(&[f64]) -> bool,
) -> Vec<(Vec<f64>, Vec<f64>)> {
    let dim = target.dim().unwrap();
    let mut one = |chain: u64| {
        let mut rng = stream(seed, chain, Purpose::Start);
        let (mut points, mut log_density, mut x) = (vec![], vec![], vec![0.0; dim]);
        while log_density.len() < count {
            target.sample(&mut rng, &mut x);
            if keep(&x) {
                points.extend_from_slice(&x);
                log_density.push(target.log_density(&x, Noise { rng: &mut rng, normals: &[] }).unwrap());
            }
        }
        (points, log_density)
    };
    (0..chains).map(&mut one).collect()
}

fn said(chains: &[(Vec<f64>, Vec<f64>)], dim: usize) -> Stein {
    stein(&chains.iter().map(|(points, log)| (&points[..], &log[..])).collect::<Vec<_>>(), dim).unwrap()
}

/// A run is doubted by mistake with probability 0.01; of twenty runs more than two are with probability 0.001.
#[test]
fn independent_draws_of_a_banana_are_not_doubted_and_their_means_are_explained() {
    let runs: Vec<Stein> =
        (0..20).map(|seed| said(&chains(Banana::new(3, 0.1, 100.0).unwrap(), seed, 1000, |_| true), 3)).collect();
    assert!(runs.iter().filter(|run| !run.off().is_empty()).count() <= 2);
    for run in &runs {
        assert!(run.residual < 1e-3, "{}", run.residual);
        assert!(run.means.iter().all(|mean| mean.explained > 0.99 && mean.is_better()), "{run:?}");
        // The intercept is much better than the mean over 4000 draws, whose error is 0.22.
        assert!(run.means[1].estimate.abs() < 0.1, "{run:?}");
    }
}

/// As above. By effective sizes, every second one of such runs was doubted.
#[test]
fn few_draws_of_each_of_a_thousand_chains_are_not_doubted_and_missed_tails_are_told() {
    let banana = Banana::new(2, 0.1, 100.0).unwrap();
    let runs = (0..20).map(|seed| said(&many(banana.clone(), seed, 1000, 8, |_| true), 2));
    let doubted = runs.filter(|run| !run.off().is_empty()).count();
    assert!(doubted <= 2, "{doubted}");
    let cut = said(&many(banana, 1, 1000, 8, |x| x[0].abs() < 20.0), 2);
    assert!(cut.off().iter().any(|(i, is_mean, _)| (*i, *is_mean) == (1, true)), "{cut:?}");
}

#[test]
fn chains_that_all_miss_the_same_tails_are_told() {
    for (seed, dim) in [(1, 2), (2, 3), (3, 8)] {
        let banana = Banana::new(dim, 0.1, 100.0).unwrap();
        let cut = said(&chains(banana, seed, 2000, |x| x[0].abs() < 20.0), dim);
        let low = |(i, is_mean, figure): &(usize, bool, SteinFigure)| (*i, *is_mean) == (1, true) && figure.z < 0.0;
        assert!(cut.off().iter().any(low), "{cut:?}");
        // And what the mean would be without the loss: the truth is zero.
        assert!(cut.means[1].estimate.abs() < 0.35, "{cut:?}");
    }
}

#[test]
fn a_density_that_is_no_polynomial_silences_the_check() {
    let flower = Flower::new(2, 10.0, 6.0, 6.0, 1.0).unwrap();
    let found = said(&chains(flower, 1, 1000, |x| x[0] < 5.0), 2);
    assert!(!found.speaks() && found.off().is_empty() && found.residual > 0.5, "{}", found.residual);
}

#[test]
fn noise_on_the_log_density_silences_the_check() {
    let mut noisy = chains(Banana::new(2, 0.1, 100.0).unwrap(), 1, 1000, |x| x[0].abs() < 15.0);
    let mut rng = stream(9, 0, Purpose::Start);
    noisy.iter_mut().for_each(|(_, log)| log.iter_mut().for_each(|l| *l += rng.random_range(-0.5..0.5)));
    let found = said(&noisy, 2);
    assert!(!found.speaks() && found.off().is_empty());
}

#[test]
fn too_few_draws_or_too_many_parameters_give_no_answer() {
    let few = chains(Banana::new(3, 0.1, 100.0).unwrap(), 1, 10, |_| true);
    assert_eq!(stein(&few.iter().map(|(p, l)| (&p[..], &l[..])).collect::<Vec<_>>(), 3), None);
    let wide = chains(Banana::new(9, 0.1, 100.0).unwrap(), 1, 500, |_| true);
    assert_eq!(stein(&wide.iter().map(|(p, l)| (&p[..], &l[..])).collect::<Vec<_>>(), 9), None);
    assert_eq!(stein(&[], 2), None);
}

type Chains = Vec<(Vec<f64>, Vec<f64>)>;

/// What slopes of a density, measured at draws of it, say of them.
fn measured_by(
    chains: &Chains,
    dim: usize,
    differences: Differences,
    value: impl FnMut(&[f64]) -> f64,
) -> Option<Stein> {
    let chains: Vec<(&[f64], &[f64])> = chains.iter().map(|(points, log)| (&points[..], &log[..])).collect();
    let places = Places::new(&chains, dim, differences).unwrap();
    places.stein(&places.neighbours().chunks_exact(dim).map(value).collect::<Vec<f64>>())
}

/// The log density of a target.
fn density_of(mut target: impl Target) -> impl FnMut(&[f64]) -> f64 {
    let mut rng = stream(0, 0, Purpose::Start);
    move |x| target.log_density(x, Noise { rng: &mut rng, normals: &[] }).unwrap()
}

/// What measured slopes say of chains of a funnel, whose log density no polynomial fits.
fn measured(seed: u64, differences: Differences, keep: impl Fn(&[f64]) -> bool) -> Stein {
    let funnel = Funnel::new(3, 1.5).unwrap();
    let chains = chains(funnel.clone(), seed, 2000, keep);
    assert!(!said(&chains, 3).speaks());
    measured_by(&chains, 3, differences, density_of(funnel)).unwrap()
}

/// A run is doubted by mistake with probability 0.01; of twenty runs more than two are with probability 0.001.
#[test]
fn measured_slopes_of_a_funnel_explain_its_means_and_doubt_no_independent_draws() {
    let runs: Vec<Stein> = (0..20).map(|seed| measured(seed, Differences::Forward(800), |_| true)).collect();
    assert!(runs.iter().filter(|run| !run.off().is_empty()).count() <= 2);
    for run in &runs {
        assert!(run.evaluations <= 800 && run.evaluations > 700, "{}", run.evaluations);
        // The error of the mean over 8000 draws is 0.017.
        assert!(run.means.iter().all(|mean| mean.is_better() && mean.estimate.abs() < 0.005), "{run:?}");
    }
}

#[test]
fn measured_slopes_tell_a_tail_that_all_chains_missed() {
    for differences in [Differences::Forward(800), Differences::Central] {
        let cut = measured(1, differences, |x| x[0] > -2.0);
        let high = |(i, is_mean, figure): &(usize, bool, SteinFigure)| (*i, *is_mean) == (0, true) && figure.z > 0.0;
        assert!(cut.off().iter().any(high), "{cut:?}");
    }
}

#[test]
fn measured_slopes_tell_missed_tails_of_eight_parameters_too() {
    let funnel = Funnel::new(8, 1.5).unwrap();
    let cut = chains(funnel.clone(), 1, 2000, |x| x[0] > -2.0);
    let found = measured_by(&cut, 8, Differences::Forward(9000), density_of(funnel)).unwrap();
    assert!(found.off().iter().any(|(i, _, figure)| *i == 0 && figure.z > 0.0), "{found:?}");
    let banana = Banana::new(8, 0.1, 100.0).unwrap();
    let cut = chains(banana.clone(), 2, 2000, |x| x[0].abs() < 20.0);
    let found = measured_by(&cut, 8, Differences::Central, density_of(banana)).unwrap();
    assert!(found.off().iter().any(|(i, _, figure)| *i == 1 && figure.z < 0.0), "{found:?}");
}

/// The slope of −2 Σ⌊|x|⌋ is zero nearly everywhere, and the draws are right.
#[test]
fn slopes_of_steps_are_not_believed() {
    let steps = |x: &[f64]| -2.0 * x.iter().map(|x| x.abs().floor()).sum::<f64>();
    for (dim, differences) in
        [(1, Differences::Forward(800)), (3, Differences::Forward(800)), (3, Differences::Central)]
    {
        let one = |chain: u64| {
            let mut rng = stream(5, chain, Purpose::Start);
            let mut coordinate = || {
                let (step, side) =
                    ((-0.5 * f64::ln(rng.random_range(0.0..1.0))).floor(), rng.random_range(-1.0f64..1.0));
                side.signum() * (step + side.abs())
            };
            let points: Vec<f64> = (0..2000 * dim).map(|_| coordinate()).collect();
            let log_density = points.chunks_exact(dim).map(steps).collect();
            (points, log_density)
        };
        assert_eq!(measured_by(&(0..4).map(one).collect(), dim, differences, steps), None);
    }
}

#[test]
fn slopes_are_not_measured_with_too_few_evaluations_nor_believed_at_an_edge() {
    let draws = chains(Funnel::new(3, 1.5).unwrap(), 1, 500, |_| true);
    let chains: Vec<(&[f64], &[f64])> = draws.iter().map(|(points, log)| (&points[..], &log[..])).collect();
    // Fields of degree two make 30 functions, which take 90 places.
    assert!(Places::new(&chains, 3, Differences::Forward(269)).is_none());
    let places = Places::new(&chains, 3, Differences::Forward(300)).unwrap();
    let count = places.neighbours().len() / 3;
    assert!((270..=300).contains(&count), "{count}");
    let mut values: Vec<f64> =
        places.neighbours().chunks_exact(3).map(density_of(Funnel::new(3, 1.5).unwrap())).collect();
    assert!(places.stein(&values).is_some());
    values[7] = f64::NEG_INFINITY;
    assert_eq!(places.stein(&values), None);
}

#[test]
fn slopes_that_do_not_judge_every_mean_leave_what_stored_values_said() {
    let of = |z: f64, explained: f64| SteinFigure { z, explained, estimate: 0.0, error: 1.0 };
    let free = Stein { residual: 0.01, means: vec![of(5.0, 0.6)], squares: vec![of(6.0, 0.7)], evaluations: 0 };
    assert_eq!(free.off().len(), 2);
    // Cut short, or with a mean of which little is explained.
    let vague = Stein { residual: 0.0, means: vec![of(1.0, 0.8)], squares: vec![], evaluations: 40 };
    for measured in [Stein::silent(40), vague.clone()] {
        let found = measured.after(Some(&free));
        assert!(found.off() == free.off() && found.evaluations == 40);
    }
    // Slopes that judge it: then only the square is doubted, which is still that of stored values.
    let clear = Stein { means: vec![of(1.0, 0.95)], ..vague.clone() };
    let off = clear.clone().after(Some(&free)).off();
    assert!(off.len() == 1 && !off[0].1);
    // Nothing was known before.
    assert_eq!(clear.clone().after(Some(&Stein::silent(0))), clear);
    assert_eq!(vague.clone().after(None), vague);
}
