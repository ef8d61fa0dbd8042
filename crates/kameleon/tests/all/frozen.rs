//! After the warm-up nothing that is learned changes, whatever the sampler.

use crate::common::*;
use kameleon::adapt::Until;
use kameleon::any_chain::AnyChain;
use kameleon::proposal::*;
use kameleon::*;
use serde_json::Value;

/// Everything that a chain's proposal is, as a file would hold it, without what it counts for people.
fn learned_state(chain: &dyn AnyChain) -> Value {
    let mut saved = serde_json::to_value(chain.save()).unwrap();
    let state = saved.as_object_mut().unwrap().values_mut().next().unwrap();
    let mut proposal = state["proposal"].take();
    if let Some(warmup) = proposal.get_mut("warmup").and_then(Value::as_object_mut) {
        warmup.remove("sampled").expect("the default counts its moves");
    }
    assert!(!proposal.is_null());
    proposal
}

/// What is learned at the start, at the end of the warm-up, and at the end of the run.
fn states(sampler: &Sampler) -> [Value; 3] {
    let settings = ChainSettings { index: 0, seed: 4, warmup: 1200, normals: 0, correlation: 0.0 };
    let mut chain = sampler.chain(&[0.1; 3], settings, Length::new(1200, 800)).unwrap();
    [0, 1200, 800].map(|steps| {
        for _ in 0..steps {
            chain.step(&mut banana()).unwrap();
        }
        learned_state(chain.as_ref())
    })
}

#[test]
fn nothing_changes_after_the_warm_up() {
    for sampler in SAMPLERS.map(|sampler| sampler()) {
        let [start, warm, end] = states(&sampler);
        assert_eq!(start == warm, sampler.name() == "SM", "{} learns in the warm-up", sampler.name());
        assert!(warm == end, "{} changed after the warm-up", sampler.name());
    }
}

#[test]
fn learning_that_does_not_end_is_seen() {
    let forever = [
        Sampler::AdaptiveMetropolis(AdaptiveMetropolisSettings { until: Until::Forever, ..Default::default() }),
        Sampler::PrincipalComponents(PrincipalComponentsSettings { until: Until::Forever, ..Default::default() }),
        Sampler::Kamh(KamhSettings { until: Until::Forever, ..Default::default() }),
        Sampler::DifferentialEvolution(DifferentialEvolutionSettings { until: Until::Forever, ..Default::default() }),
    ];
    for sampler in forever {
        let [_, warm, end] = states(&sampler);
        assert!(warm != end, "{}", sampler.name());
    }
}

#[test]
fn a_density_that_is_fitted_after_the_warm_up_is_seen() {
    // A chain that believes that its warm-up goes on fits once more where the proposal has a fit left.
    for sampler in [Sampler::kmc(), Sampler::kmc_finite()] {
        let settings = ChainSettings { index: 0, seed: 4, warmup: 2000, normals: 0, correlation: 0.0 };
        let mut chain = sampler.chain(&[0.1; 3], settings, Length::new(2000, 0)).unwrap();
        let [before, after] = [1200, 800].map(|steps| {
            for _ in 0..steps {
                chain.step(&mut banana()).unwrap();
            }
            learned_state(chain.as_ref())
        });
        assert!(!before["surrogate"].is_null() && before["surrogate"] != after["surrogate"], "{}", sampler.name());
    }
}
