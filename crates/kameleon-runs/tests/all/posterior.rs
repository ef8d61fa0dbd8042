//! A run in memory as a posterior to be shown or exported.

use kameleon::record::Draws;
use kameleon::{Control, Plan, Sampler, Warmup, sample};
use kameleon_runs::output::{ChainDraws, Posterior, Variable};

#[test]
fn draws_without_their_log_densities_are_refused() {
    let names = vec!["x1".to_string()];
    let draws = Draws { points: vec![1.0, 2.0], log_density: vec![0.0], ..Draws::default() };
    let chains = vec![ChainDraws { draws, ..ChainDraws::default() }];
    let posterior = Posterior { variables: Posterior::scalars(&names), names, chains, ..Posterior::default() };
    assert!(posterior.check().unwrap_err().to_string().contains("chain 0 has 1 log densities"));
    assert!(Posterior::default().check().is_err());
}

#[test]
fn a_run_in_memory_becomes_a_posterior_with_its_draws_and_proposals() {
    let plan = Plan {
        sampler: Sampler::sm(),
        chains: 2,
        warmup: Warmup::Iterations(10),
        draws: Some(50),
        seed: 7,
        ..Plan::default()
    };
    let target = |x: &[f64]| -0.5 * (x[0] * x[0] + x[1] * x[1]);
    let run = sample(target, &[vec![0.0, 0.0]], &plan, Control::default()).unwrap();
    let posterior = Posterior::from_run(&run, &plan, "a plain Gaussian");
    assert_eq!((posterior.dim(), posterior.chains.len(), posterior.chains[1].index), (2, 2, 1));
    assert_eq!(posterior.chains[0].draws.points, run.chains[0].draws.points);
    assert_eq!(posterior.summary(), run.summary());
    assert_eq!(posterior.evaluations(), run.evaluations());
    let ellipse = &posterior.chains[0].proposals[0];
    assert!(run.chains[0].draws.points.chunks(2).any(|x| x == ellipse.centre));
    let nu2 = 2.38f64.powi(2) / 2.0;
    assert!((ellipse.covariance[0] - nu2).abs() < 1e-12 && ellipse.covariance[1] == 0.0);
    let written = kameleon_runs::RunSettings::from_toml(&posterior.settings, "").unwrap_err();
    assert!(written.what.contains("what to sample"), "all but the model is there: {written}");
    let sizes: usize = posterior.variables.iter().map(Variable::size).sum();
    assert_eq!(sizes, posterior.dim());
}
