//! Exact invariance (Gandy & Scott 2020): where replicates end that started at exact draws.

use super::*;
use kameleon::diagnose::kolmogorov_smirnov_uniform;
use kameleon::target::Noisy;
use rand::RngExt;
use rand_distr::StandardNormal;

pub const REPLICATES: usize = 16_000;
pub const STEPS: usize = 10;
pub const ALARM: f64 = 1e-6;
/// The sd of the log estimate of noisy targets.
pub const NOISE: f64 = 1.0;

/// The smallest p-value of level and first two coordinates at the ends of `replicate(index, exact start)`.
pub fn smallest_p(target: &impl Known, mut replicate: impl FnMut(usize, &[f64]) -> Vec<f64>) -> f64 {
    let d = target.dim().unwrap();
    let (mut starts, mut fresh) = (stream(11, 0, Purpose::Start), stream(12, 0, Purpose::Start));
    let (mut x, mut y) = (vec![0.0; d], vec![0.0; d]);
    let mut levels = Vec::new();
    let mut ends = [Vec::new(), Vec::new()];
    let mut exact = [Vec::new(), Vec::new()];
    for index in 0..REPLICATES {
        target.sample(&mut starts, &mut x);
        target.sample(&mut fresh, &mut y);
        let end = replicate(index, &x);
        levels.push(target.level(&end));
        for i in 0..d.min(2) {
            ends[i].push(end[i]);
            exact[i].push(y[i]);
        }
    }
    let coordinates = (0..d.min(2)).map(|i| two_sample_p(&mut ends[i], &mut exact[i])).fold(1.0, f64::min);
    coordinates.min(kolmogorov_smirnov_uniform(&mut levels))
}

/// Steps on the exact target.
pub fn exact_p<P: Proposal + Clone>(proposal: &P, target: &(impl Known + Clone)) -> f64 {
    exact_p_after(STEPS, proposal, target)
}

/// This number of steps on the exact target.
pub fn exact_p_after<P: Proposal + Clone>(steps: usize, proposal: &P, target: &(impl Known + Clone)) -> f64 {
    let mut evaluated = target.clone();
    smallest_p(target, |index, start| {
        let mut chain = Chain::new(proposal.clone(), start, frozen(index, 5, 0, 0.0)).unwrap();
        for _ in 0..steps {
            chain.step(&mut evaluated).unwrap();
        }
        chain.position().to_vec()
    })
}

/// Steps on the noisy target, whose state is (x, e): in equilibrium e is N(s, 1), since the density carries exp(s e − s²/2).
pub fn noisy_p<P: Proposal + Clone>(proposal: &P, target: &(impl Known + Clone), correlation: f64) -> f64 {
    let mut noisy = Noisy::new(target.clone(), NOISE).unwrap();
    let mut evaluated = target.clone();
    let mut rng = stream(13, 0, Purpose::Noise);
    smallest_p(target, |index, start| {
        let mut chain = Chain::new(proposal.clone(), start, frozen(index, 6, 1, correlation)).unwrap();
        let e = NOISE + rng.sample::<f64, _>(StandardNormal);
        chain.normals_mut()[0] = e;
        let estimate = exact(&mut evaluated, start) + NOISE * e - 0.5 * NOISE * NOISE;
        chain.ask();
        let slopes = if proposal.needs_gradient() { exact_gradient(&mut evaluated, start) } else { vec![] };
        chain.tell_with_gradient(estimate, &slopes).unwrap();
        for _ in 0..STEPS {
            chain.step(&mut noisy).unwrap();
        }
        chain.position().to_vec()
    })
}

pub fn holds<P: Proposal + Clone + Sync>(proposal: P, mut target: impl Known + Clone + Sync) {
    let proposal = learned(proposal, &mut target, 3000);
    let name = std::any::type_name::<P>();
    for (kind, p) in [
        ("exact", exact_p(&proposal, &target)),
        ("noisy", noisy_p(&proposal, &target, 0.0)),
        ("correlated", noisy_p(&proposal, &target, 0.9)),
    ] {
        assert!(p > ALARM, "{name} on the {kind} target: p = {p}");
    }
}
