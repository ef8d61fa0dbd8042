//! Correlated pseudo-marginal chains on a classification posterior: the same law, bit-exact resume, any threads.

use kameleon::any_chain::SavedChain;
use kameleon::{Control, Plan, Run, Sampler, Target, Warmup, sample};
use kameleon_gp::{Dataset, GpClassification, Inputs, Settings};

/// Thirty rows: the first column decides, the second does not.
fn target() -> GpClassification {
    let a: Vec<f64> = (0..30).map(|i| f64::from(i * 7 % 30) / 10.0).collect();
    let b: Vec<f64> = (0..30).map(|i| f64::from(i * 11 % 13)).collect();
    let y = a.iter().zip(&b).map(|(a, b)| if a + 0.05 * b > 1.8 { 1.0 } else { -1.0 }).collect();
    let inputs = Inputs::new(vec!["a".into(), "b".into()], [a, b].concat()).unwrap();
    // One sample, no pairs: as noisy as it gets.
    let settings = Settings { n_imp: 1, antithetic: false, ..Settings::default() };
    GpClassification::new(&Dataset::new(inputs, y).unwrap(), settings).unwrap()
}

fn plan(correlation: f64, draws: u64) -> Plan {
    Plan {
        sampler: Sampler::am_ls(),
        warmup: Warmup::Iterations(2000),
        draws: Some(draws),
        correlation,
        seed: 3,
        ..Plan::default()
    }
}

fn run(plan: &Plan) -> Run {
    sample(target(), &[vec![0.5, 0.5]], plan, Control::default()).unwrap()
}

#[test]
fn correlated_noise_leaves_the_posterior_as_it_is() {
    // Two means and two mean squares, each within 4 combined standard errors: one false alarm in 4,000
    // seeds; the seed is fixed.
    let (independent, correlated) = (run(&plan(0.0, 20_000)), run(&plan(0.99, 20_000)));
    let squares = |run: &Run| {
        let of = |draws: &&[f64]| draws.iter().map(|x| x * x).collect::<Vec<f64>>();
        let squares: Vec<Vec<f64>> = run.draws().iter().map(of).collect();
        let squares: Vec<&[f64]> = squares.iter().map(Vec::as_slice).collect();
        kameleon::diagnose::summarise(&[], &squares, 2).parameters
    };
    let pairs = independent.summary().parameters.into_iter().zip(correlated.summary().parameters);
    for (a, b) in pairs.chain(squares(&independent).into_iter().zip(squares(&correlated))) {
        let z = (a.mean - b.mean) / a.mcse_mean.hypot(b.mcse_mean);
        assert!(z.abs() < 4.0, "{}: {} ± {}, {} ± {}", a.name, a.mean, a.mcse_mean, b.mean, b.mcse_mean);
    }
}

#[test]
fn a_stored_chain_goes_on_bit_for_bit_with_its_normals() {
    let mut target = target();
    let plan = plan(0.9, 300);
    let stopped = run(&plan);
    let state = stopped.chains[1].state.clone();
    let text = serde_json::to_string(&state).unwrap();
    let mut original = state.resume().unwrap();
    let mut restored = serde_json::from_str::<SavedChain>(&text).unwrap().resume().unwrap();
    assert_eq!(original.normals().len(), target.normals());
    for _ in 0..200 {
        original.step(&mut target).unwrap();
        restored.step(&mut target.clone()).unwrap();
        assert_eq!(original.position(), restored.position());
        assert_eq!(original.log_density().to_bits(), restored.log_density().to_bits());
        assert_eq!(original.normals(), restored.normals());
    }
}
