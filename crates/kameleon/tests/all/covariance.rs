//! The covariance that is shown of a proposal is that of the points it draws.

use crate::common::*;
use kameleon::any_chain::{AnyChain, SavedChain};
use kameleon::chain::ChainState;
use kameleon::proposal::{DifferentialEvolution, DifferentialEvolutionSettings, RandomWalk, RandomWalkSettings};
use kameleon::random::{Purpose, stream};
use kameleon::target::Banana;
use kameleon::*;

const DIM: usize = 3;
const DRAWS: usize = 40_000;

/// Each of 6 entries at two places within 5.5 standard errors: false alarms below 1e-6 for all six proposals.
fn assert_covariance<P>(name: &str, proposal: P)
where
    P: Proposal + Clone + Send,
    SavedChain: From<ChainState<P>>,
{
    let proposal = learned(proposal, &mut Banana::new(DIM, 0.1, 100.0).unwrap(), 2_000);
    for x in [[0.0, -10.0, 0.0], [12.0, 4.0, 0.5]] {
        let chain = Chain::new(proposal.clone(), &[0.5; DIM], frozen(0, 3, 0, 0.0)).unwrap();
        let shown = chain.covariance_at(&x).expect("this proposal knows its covariance");
        let drawn = chain.proposals_at(&x, &[], DRAWS, &mut stream(11, 0, Purpose::Move));
        // For each entry, the sum of the products and of their squares.
        let mut sums = [(0.0, 0.0); DIM * DIM];
        for y in drawn.chunks_exact(DIM) {
            for (k, (sum, squares)) in sums.iter_mut().enumerate() {
                let (i, j) = (k / DIM, k % DIM);
                let product = (y[i] - x[i]) * (y[j] - x[j]);
                *sum += product;
                *squares += product * product;
            }
        }
        for (k, (sum, squares)) in sums.iter().enumerate() {
            let n = DRAWS as f64;
            let (mean, second) = (sum / n, squares / n);
            let error = ((second - mean * mean) / n).sqrt();
            assert!((shown[k] - mean).abs() < 5.5 * error, "{name} at {x:?}, entry {k}: {} shown, {mean}", shown[k]);
        }
    }
}

#[test]
fn the_covariance_shown_is_that_of_the_draws() {
    assert_covariance("SM", RandomWalk::new(&RandomWalkSettings { nu: Some(0.7) }, DIM).unwrap());
    assert_covariance("AM-LS", adaptive(DIM, 2_000));
    assert_covariance("AM-PCA", principal(DIM, 2_000));
    assert_covariance("KAMH-LS", kameleon(DIM, 2_000, 200));
    assert_covariance("PCA-Kameleon", kameleon_pca(DIM, 2_000));
    // Its jumps are left out; the noise is large enough to be seen.
    let settings = DifferentialEvolutionSettings { snooker: 0.0, whole: 0.0, noise: 0.3, ..Default::default() };
    let length = Length::new(2_000, 0);
    assert_covariance("DE-MC(Z)", DifferentialEvolution::new(&settings, DIM, length).unwrap());
}

#[test]
fn what_is_proposed_with_drift_lies_around_the_drifted_point() {
    let proposal = learned(drifting(DIM, 2_000, 200), &mut Banana::new(DIM, 0.1, 100.0).unwrap(), 2_000);
    let chain = Chain::new(proposal, &[0.5; DIM], frozen(0, 3, 0, 0.0)).unwrap();
    let (x, mut banana) = ([12.0, 4.0, 0.5], Banana::new(DIM, 0.1, 100.0).unwrap());
    let gradient = exact_gradient(&mut banana, &x);
    let drawn = chain.proposals_at(&x, &gradient, DRAWS, &mut stream(12, 0, Purpose::Move));
    let mut at = chain.proposal().allocate(DIM);
    chain.proposal().take_gradient(&gradient, &mut at);
    chain.proposal().locate(&x, &mut at);
    let covariance = chain.covariance_at(&x).unwrap();
    let (drift, _) = at.drift().unwrap();
    assert!(drift.iter().any(|b| b.abs() > 1e-3), "{drift:?}");
    for i in 0..DIM {
        let mean = drawn.chunks_exact(DIM).map(|y| y[i]).sum::<f64>() / DRAWS as f64;
        let error = (covariance[i * DIM + i] / DRAWS as f64).sqrt();
        assert!((mean - x[i] - drift[i]).abs() < 5.5 * error, "{i}: {mean}, {} with drift", x[i] + drift[i]);
    }
}

#[test]
fn a_point_of_another_dimension_has_no_covariance() {
    let chain = Chain::new(kameleon(DIM, 2_000, 200), &[0.5; DIM], frozen(0, 3, 0, 0.0)).unwrap();
    assert_eq!(chain.covariance_at(&[0.0; 2]), None);
}
