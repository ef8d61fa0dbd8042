//! What the diagnostics must say of draws whose law is known, and of draws that are not to be diagnosed.

use kameleon::Rng;
use kameleon::diagnose::*;
use kameleon::random::{Purpose, stream};
use rand::RngExt;
use rand_distr::StandardNormal;

type Diagnostic = fn(&[&[f64]]) -> f64;

const ALL: [Diagnostic; 12] = [
    r_hat,
    r_hat_bulk,
    r_hat_folded,
    ess_bulk,
    ess_tail,
    ess_mean,
    ess_sd,
    |c| ess_quantile(c, 0.3),
    mcse_mean,
    mcse_sd,
    |c| mcse_quantile(c, 0.3),
    |c| summarise(&[], c, 1).parameters[0].r_hat,
];

fn normal(rng: &mut Rng) -> f64 {
    rng.sample(StandardNormal)
}

/// Four chains x_t = ρ x_{t−1} + √(1 − ρ²) e_t, each begun at its law N(0, 1).
fn autoregressive(rho: f64, count: usize) -> Vec<Vec<f64>> {
    (0..4)
        .map(|chain| {
            let mut rng = stream(7, chain, Purpose::Start);
            let start = normal(&mut rng);
            let next = move |x: &f64| Some(rho * x + (1.0 - rho * rho).sqrt() * normal(&mut rng));
            std::iter::successors(Some(start), next).take(count).collect()
        })
        .collect()
}

fn slices(chains: &[Vec<f64>]) -> Vec<&[f64]> {
    chains.iter().map(Vec::as_slice).collect()
}

#[test]
fn independent_draws_are_worth_their_number() {
    let chains = autoregressive(0.0, 5000);
    let chains = slices(&chains);
    for ess in [ess_bulk, ess_tail, ess_mean, ess_sd, |c: &[&[f64]]| ess_quantile(c, 0.5)] {
        let ratio = ess(&chains) / 20_000.0;
        assert!((0.85..1.15).contains(&ratio), "{ratio}");
    }
    assert!((r_hat(&chains) - 1.0).abs() < 0.003);
    assert!((mcse_mean(&chains) * 20_000f64.sqrt() - 1.0).abs() < 0.1);
    // The error of a normal sample's standard deviation is σ/√(2n), that of its median σ√(π/2n).
    assert!((mcse_sd(&chains) * 40_000f64.sqrt() - 1.0).abs() < 0.15);
    assert!((mcse_quantile(&chains, 0.5) * (40_000.0 / std::f64::consts::PI).sqrt() - 1.0).abs() < 0.2);
}

#[test]
fn autoregressive_draws_are_worth_their_number_over_the_autocorrelation_time() {
    for rho in [-0.5, 0.5, 0.9] {
        let chains = autoregressive(rho, 20_000);
        let expected = 80_000.0 * (1.0 - rho) / (1.0 + rho);
        let ratio = ess_mean(&slices(&chains)) / expected;
        assert!((0.85..1.15).contains(&ratio), "ρ = {rho}: {ratio}");
        let correlations = autocorrelation(&chains[0]);
        for (lag, correlation) in (0..5).zip(correlations) {
            let error = correlation - rho.powi(lag);
            assert!(error.abs() < 0.05, "ρ = {rho}, lag {lag}: {error}");
        }
    }
}

#[test]
fn chains_that_differ_in_spread_alone_are_caught_by_the_folded_r_hat() {
    let mut chains = autoregressive(0.0, 1000);
    chains[3].iter_mut().for_each(|x| *x *= 4.0);
    let chains = slices(&chains);
    assert!(r_hat_bulk(&chains) < 1.01 && r_hat_folded(&chains) > 1.05);
    assert_eq!(r_hat(&chains), r_hat_folded(&chains));
}

#[test]
fn a_draw_that_is_not_finite_makes_every_diagnostic_nan() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut chains = autoregressive(0.0, 50);
        chains[2][20] = bad;
        assert!(ALL.iter().all(|diagnostic| diagnostic(&slices(&chains)).is_nan()));
    }
}

#[test]
fn fewer_than_four_draws_or_no_chain_make_every_diagnostic_nan() {
    let few = [vec![1.0, 2.0, 3.0], vec![2.0, 1.0, 5.0, 7.0]];
    assert!(ALL.iter().all(|diagnostic| diagnostic(&slices(&few)).is_nan()));
    assert!(ALL.iter().all(|diagnostic| diagnostic(&[]).is_nan()));
    assert!(ALL.iter().all(|diagnostic| diagnostic(&[&[], &[]]).is_nan()));
}

#[test]
fn chains_of_different_lengths_are_trimmed_to_their_last_draws() {
    let mut chains = autoregressive(0.5, 120);
    let equal: Vec<Vec<f64>> = chains.iter().map(|c| c[20..].to_vec()).collect();
    for (chain, surplus) in chains.iter_mut().zip([20, 13, 7, 0]) {
        chain.drain(..20 - surplus);
    }
    for diagnostic in ALL {
        assert_eq!(diagnostic(&slices(&chains)), diagnostic(&slices(&equal)));
    }
}

#[test]
fn one_chain_has_an_effective_size_but_no_r_hat() {
    let chains = autoregressive(0.0, 1000);
    assert!(
        r_hat(&[&chains[0]]).is_nan() && r_hat_bulk(&[&chains[0]]).is_nan() && r_hat_folded(&[&chains[0]]).is_nan()
    );
    assert!(ess_bulk(&[&chains[0]]) > 700.0);
}

#[test]
fn a_constant_has_no_error_and_no_r_hat() {
    // A value whose mean is rounded: only the differences are exactly zero.
    let chains: [&[f64]; 2] = [&[0.1; 37], &[0.1; 37]];
    assert!(r_hat(&chains).is_nan() && mcse_sd(&chains).is_nan());
    assert_eq!((mcse_mean(&chains), mcse_quantile(&chains, 0.5)), (0.0, 0.0));
    assert_eq!((ess_bulk(&chains), ess_tail(&chains), ess_mean(&chains)), (72.0, 72.0, 72.0));
}

#[test]
fn chains_that_stand_still_in_different_places_have_an_infinite_r_hat() {
    assert_eq!(r_hat(&[&[0.1; 37], &[0.3; 37], &[0.1; 37]]), f64::INFINITY);
}

#[test]
fn the_scale_of_a_parameter_does_not_matter() {
    let chains = autoregressive(0.8, 300);
    let tiny: Vec<Vec<f64>> = chains.iter().map(|c| c.iter().map(|x| x * 2f64.powi(-100)).collect()).collect();
    for ess in [ess_bulk, ess_tail, ess_mean, ess_sd, r_hat] {
        let (a, b) = (ess(&slices(&chains)), ess(&slices(&tiny)));
        assert!((a - b).abs() < 1e-10 * a, "{a} {b}");
    }
}

#[test]
fn probabilities_outside_the_unit_interval_give_nan() {
    let chains = autoregressive(0.0, 50);
    for p in [-0.1, 1.1, f64::NAN] {
        assert!(ess_quantile(&slices(&chains), p).is_nan() && mcse_quantile(&slices(&chains), p).is_nan());
    }
    assert!(mcse_quantile(&slices(&chains), 0.0) >= 0.0 && mcse_quantile(&slices(&chains), 1.0) >= 0.0);
}
