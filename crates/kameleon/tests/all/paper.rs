//! The published settings give the figures of the paper's comparison, within margins far wider than its noise.

use kameleon::diagnose::quantile_deviation;
use kameleon::proposal::*;
use kameleon::target::{Banana, Flower, Known};
use kameleon::*;

/// The mean quantile deviation of chains that start at zero, as in the paper.
fn deviation(target: impl Known + Clone + Send, sampler: Sampler, chains: usize, half: u64) -> f64 {
    let plan =
        Plan { sampler, chains, warmup: Warmup::Iterations(half), draws: Some(half), seed: 2014, ..Plan::default() };
    let mut starts = vec![vec![0.0; 8]; chains];
    // Equal starts would be moved apart.
    starts[0][0] = f64::MIN_POSITIVE;
    let run = sample(target.clone(), &starts, &plan, Control::default()).unwrap();
    let levels = |draws: &[f64]| draws.chunks(8).map(|x| target.level(x)).collect::<Vec<f64>>();
    run.draws().iter().map(|draws| quantile_deviation(&levels(draws))).sum::<f64>() / chains as f64
}

fn kamh_ls(sigma: f64) -> Sampler {
    Sampler::Kamh(KamhSettings::published(sigma))
}

fn am_ls(first_variance: f64) -> Sampler {
    let mut variances = vec![1.0; 8];
    variances[0] = first_variance;
    Sampler::AdaptiveMetropolis(AdaptiveMetropolisSettings {
        variances: Some(variances),
        ..AdaptiveMetropolisSettings::published(true)
    })
}

fn compare_on_the_strongly_twisted_banana(chains: usize) {
    let banana = Banana::new(8, 0.1, 100.0).unwrap();
    let kameleon = deviation(banana.clone(), kamh_ls(10.0), chains, 40_000);
    let am = deviation(banana, am_ls(100.0), chains, 40_000);
    println!("B(0.1,100): KAMH-LS {kameleon:.4}, AM-LS {am:.4}");
    assert!(kameleon < 0.022, "KAMH-LS {kameleon}");
    assert!(am > 0.035, "AM-LS {am}");
}

fn compare_on_the_flower(chains: usize) {
    let flower = Flower::new(8, 10.0, 6.0, 6.0, 1.0).unwrap();
    let kameleon = deviation(flower.clone(), kamh_ls(5.0), chains, 60_000);
    let am = deviation(flower, am_ls(1.0), chains, 60_000);
    println!("F(10,6,6,1): KAMH-LS {kameleon:.4}, AM-LS {am:.4}");
    assert!(kameleon < 0.010, "KAMH-LS {kameleon}");
    assert!(am > 0.035, "AM-LS {am}");
}

#[test]
fn on_the_strongly_twisted_banana_the_kameleon_finds_the_quantiles_and_am_does_not() {
    compare_on_the_strongly_twisted_banana(8);
}

#[test]
fn on_the_flower_the_kameleon_finds_the_quantiles_and_am_does_not() {
    compare_on_the_flower(8);
}

#[test]
#[ignore = "takes a minute: make test-slow"]
fn twenty_chains_as_in_the_paper_say_the_same() {
    compare_on_the_strongly_twisted_banana(20);
    compare_on_the_flower(20);
}
