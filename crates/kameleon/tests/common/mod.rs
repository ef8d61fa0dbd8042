//! What several tests share: every sampler with a proposal that has learned, and Kolmogorov-Smirnov on two samples.
#![allow(dead_code)]

pub mod replicates;

use kameleon::proposal::*;
use kameleon::random::{Purpose, stream};
use kameleon::target::{Banana, Known, Noise};
use kameleon::*;

/// All samplers.
pub const SAMPLERS: [fn() -> Sampler; 14] = [
    Sampler::sm,
    Sampler::am_fs,
    Sampler::am_ls,
    Sampler::am_pca,
    Sampler::kamh,
    Sampler::kamh_ls,
    Sampler::pca_kameleon,
    Sampler::kameleon,
    Sampler::de_mc_z,
    Sampler::mala,
    Sampler::pmala,
    Sampler::kamh_ls_with_drift,
    Sampler::kmc,
    Sampler::kmc_finite,
];

/// A strongly twisted one in three dimensions.
pub fn banana() -> Banana {
    Banana::new(3, 0.1, 25.0).unwrap()
}

/// A short run of four chains.
pub fn plan(sampler: Sampler) -> Plan {
    Plan { sampler, warmup: Warmup::Iterations(800), draws: Some(300), chains: 4, seed: 17, ..Plan::default() }
}

/// A chain's settings with no warm-up: nothing is learned.
pub fn frozen(index: usize, seed: u64, normals: usize, correlation: f64) -> ChainSettings {
    ChainSettings { index, seed, warmup: 0, normals, correlation }
}

/// The proposal after a warm-up on the target: what a user's chain samples with.
pub fn learned<P: Proposal + Clone>(proposal: P, target: &mut (impl Known + Clone), warmup: u64) -> P {
    let start = vec![0.5; target.dim().unwrap()];
    let settings = ChainSettings { index: 0, seed: 99, warmup, normals: target.normals(), correlation: 0.0 };
    let mut chain = Chain::new(proposal, &start, settings).unwrap();
    for _ in 0..warmup {
        chain.step(target).unwrap();
    }
    chain.proposal().clone()
}

pub fn kameleon_settings(n: usize) -> KamhSettings {
    KamhSettings { n, discard: 100, ..KamhSettings::default() }
}

pub fn kameleon(dim: usize, warmup: u64, n: usize) -> Kamh {
    Kamh::new(&kameleon_settings(n), dim, Length::new(warmup, 0)).unwrap()
}

/// KAMH-LS with drift, whose cut is met at some points and not at others.
pub fn drifting(dim: usize, warmup: u64, n: usize) -> Kamh {
    let settings = KamhSettings { drift: true, drift_cut: 0.5, ..kameleon_settings(n) };
    Kamh::new(&settings, dim, Length::new(warmup, 0)).unwrap()
}

pub fn mala(dim: usize, warmup: u64, learn_covariance: bool) -> Mala {
    let settings = MalaSettings { learn_covariance, discard: 100, drift_cut: 0.5, ..MalaSettings::default() };
    Mala::new(&settings, dim, Length::new(warmup, 0)).unwrap()
}

/// KMC, or KMC-finite, of short paths and few kernels, so that steps are cheap.
pub fn kmc(dim: usize, warmup: u64, finite: bool) -> Kmc {
    let settings = KmcSettings { finite, n: 60, history: 400, steps: 4, discard: 100, ..KmcSettings::default() };
    Kmc::new(&settings, dim, Length::new(warmup, 0)).unwrap()
}

pub fn kameleon_pca(dim: usize, warmup: u64) -> KamhPca {
    let settings = KamhPcaSettings { components: Some(6), kamh: kameleon_settings(100) };
    KamhPca::new(&settings, dim, Length::new(warmup, 0)).unwrap()
}

/// The default sampler for one chain alone. It judges three jumps together, so that few steps hold several blocks.
pub fn default_sampler(dim: usize, warmup: u64, n: usize) -> Kameleon {
    let mut sampler = Kameleon::new(&KameleonSettings { n }, dim, Length::new(warmup, 0)).unwrap();
    sampler.set_block(3);
    sampler
}

pub fn differential_evolution(dim: usize, warmup: u64) -> DifferentialEvolution {
    let settings = DifferentialEvolutionSettings::default();
    DifferentialEvolution::new(&settings, dim, Length::new(warmup, 0)).unwrap()
}

pub fn adaptive(dim: usize, warmup: u64) -> AdaptiveMetropolis {
    let settings = AdaptiveMetropolisSettings { discard: 100, ..Default::default() };
    AdaptiveMetropolis::new(&settings, dim, Length::new(warmup, 0)).unwrap()
}

pub fn principal(dim: usize, warmup: u64) -> PrincipalComponents {
    let settings = PrincipalComponentsSettings { discard: 100, ..Default::default() };
    PrincipalComponents::new(&settings, dim, Length::new(warmup, 0)).unwrap()
}

/// The exact log density of a target, without noise.
pub fn exact(target: &mut impl Known, x: &[f64]) -> f64 {
    let mut rng = stream(0, 0, Purpose::Noise);
    target.log_density(x, Noise { rng: &mut rng, normals: &[] }).unwrap()
}

/// The exact gradient of the log density of a target, without noise.
pub fn exact_gradient(target: &mut impl Known, x: &[f64]) -> Vec<f64> {
    let mut rng = stream(0, 0, Purpose::Noise);
    let mut gradient = vec![0.0; x.len()];
    target.gradient(x, Noise { rng: &mut rng, normals: &[] }, &mut gradient).unwrap();
    gradient
}

/// The p-value that two samples of equal size come from one law.
pub fn two_sample_p(a: &mut [f64], b: &mut [f64]) -> f64 {
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    let n = a.len() as f64;
    let (mut i, mut j, mut distance) = (0, 0, 0.0f64);
    while i < a.len() && j < b.len() {
        if a[i] <= b[j] {
            i += 1;
        } else {
            j += 1;
        }
        distance = distance.max((i as f64 - j as f64).abs() / n);
    }
    let s = (n / 2.0).sqrt() * distance;
    let tail: f64 = (1..=100).map(|k| (-1f64).powi(k - 1) * (-2.0 * f64::from(k * k) * s * s).exp()).sum();
    (2.0 * tail).clamp(0.0, 1.0)
}
