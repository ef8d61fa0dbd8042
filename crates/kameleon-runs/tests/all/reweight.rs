//! A run under a changed density, from its draws.

use crate::common::run;
use kameleon::diagnose::pareto_k;
use kameleon::record::Draws;
use kameleon_runs::output::{ChainDraws, Posterior};
use kameleon_runs::{RunSettings, log_ratios, reweight};

/// A standard normal distribution in x, and one with mean 3 and standard deviation 2 in y.
fn normals(draws: u32) -> Posterior {
    let model = "parameters = [\"x\", \"y\"]\n[model]\nlog-density = \"-x^2/2 - (y-3)^2/8\"\n";
    let text = format!("{model}[run]\ndraws = {draws}\nseed = 2\n");
    run(&RunSettings::from_toml(&text, "normals.toml").unwrap(), None).unwrap().posterior
}

#[test]
fn a_small_change_is_applied_with_its_errors_and_moves_the_evidence() {
    let posterior = normals(5000);
    // exp(x/2): the mean of x becomes 1/2, and the integral exp(1/8) times as large.
    let found = reweight(&posterior, &log_ratios(&posterior, "x/2 + 7").unwrap()).unwrap();
    assert!(found.reliable && found.pareto_k < 0.5 && found.draws == 20_000, "{found:?}");
    let [x, y] = &found.parameters[..] else { panic!("two parameters") };
    assert!((x.mean - 0.5).abs() < 4.0 * x.mcse_mean && x.mcse_mean < 0.05, "{x:?}");
    assert!((y.mean - 3.0).abs() < 4.0 * y.mcse_mean && (y.sd - 2.0).abs() < 0.1, "{y:?}");
    assert!((x.q50 - 0.5).abs() < 0.1 && (x.q95 - 2.145).abs() < 0.2 && (x.q5 + 1.145).abs() < 0.2, "{x:?}");
    assert!((found.log_change - 7.125).abs() < 4.0 * found.log_change_error && found.log_change_error < 0.05);
    assert!(found.ess > 1000.0 && found.ess < 20_000.0, "{}", found.ess);
    // No change changes nothing.
    let same = reweight(&posterior, &log_ratios(&posterior, "0").unwrap()).unwrap();
    let summary = posterior.summary();
    for (p, q) in same.parameters.iter().zip(&summary.parameters) {
        assert!((p.mean - q.mean).abs() < 1e-12 && (p.mcse_mean / q.mcse_mean - 1.0).abs() < 1e-3, "{p:?} {q:?}");
    }
    assert_eq!(same.log_change, 0.0);
}

#[test]
fn a_large_change_is_refused_in_words_and_without_numbers() {
    let posterior = normals(5000);
    let found = reweight(&posterior, &log_ratios(&posterior, "0.49*x^2").unwrap()).unwrap();
    assert!(!found.reliable && found.parameters.is_empty() && found.log_change.is_nan(), "{found:?}");
    assert!(found.ess <= 20_000.0, "{}", found.ess);
    let far = reweight(&posterior, &log_ratios(&posterior, "-50*(x-9)^2").unwrap()).unwrap();
    assert!(!far.reliable && far.ess < 100.0, "{far:?}");
    let said = found.to_string();
    assert!(said.starts_with("not reliable: the change is too large for these draws"), "{said}");
    assert!(said.contains("sample the changed model instead"), "{said}");
}

#[test]
fn repeats_of_one_draw_and_a_draw_that_stands_alone_are_refused() {
    let text = "model.target = \"gaussian:dim=5\"\nsampler.name = \"AM-LS\"\nrun.warmup = 2000\nrun.draws = 5000\nrun.seed = 3\n";
    let posterior = run(&RunSettings::from_toml(text, "repeats.toml").unwrap(), None).unwrap().posterior;
    let narrow = "-5000*((x1-1)^2 + (x2+1)^2 + (x3-1)^2 + (x4+1)^2 + (x5-1)^2)";
    let refused = |posterior: &Posterior, ratios: &[Vec<f64>]| {
        let found = reweight(posterior, ratios).unwrap();
        assert!(!found.reliable && found.parameters.is_empty() && found.ess < 10.0, "{found:?}");
        assert!(found.why.contains("100 is the least") && !found.to_string().contains("NaN"), "{found}");
    };
    refused(&posterior, &log_ratios(&posterior, narrow).unwrap());
    // Repeats alone are no reason: a small change is believed.
    let small = reweight(&posterior, &log_ratios(&posterior, "0.2*x1").unwrap()).unwrap();
    assert!(small.reliable && small.pareto_k < 0.7, "{small:?}");
    // The other weights have a light tail.
    let posterior = normals(5000);
    let mut alone = log_ratios(&posterior, "0.02*x").unwrap();
    alone[2][77] = 16.0;
    assert!(pareto_k(&alone.concat()) < 0.7);
    refused(&posterior, &alone);
}

/// One chain in which each of `count` points comes twice.
fn doubled(count: u32, point: impl Fn(u32) -> [f64; 2]) -> Posterior {
    let points: Vec<f64> = (0..count).flat_map(|k| [point(k); 2].concat()).collect();
    let draws = Draws { log_density: vec![0.0; points.len() / 2], points, ..Draws::default() };
    let chains = vec![ChainDraws { index: 0, draws, ..ChainDraws::default() }];
    Posterior { names: vec!["x".into(), "y".into()], chains, ..Posterior::default() }
}

#[test]
fn repeats_count_as_one_and_a_parameter_that_never_moved_has_no_table() {
    let grid = |k: u32| [37, 101].map(|step| f64::from(k * step % 1009));
    let judged = |posterior: &Posterior| reweight(posterior, &log_ratios(posterior, "0").unwrap()).unwrap();
    let few = judged(&doubled(90, grid));
    assert!(!few.reliable && few.ess <= 90.0 && few.why.contains("repeats of a draw count as one"), "{few:?}");
    let enough = judged(&doubled(1000, grid));
    assert!(enough.reliable && enough.ess <= 1000.0, "{enough:?}");
    let slow = judged(&doubled(1000, |k| [f64::from(k); 2]));
    assert!(!slow.reliable && slow.why.starts_with("these draws say too little"), "{slow:?}");
    let still = judged(&doubled(1000, |k| [grid(k)[0], 1.0]));
    assert!(!still.reliable && still.why.starts_with("y has no standard error"), "{still:?}");
}

#[test]
fn a_run_that_is_not_converged_says_so_under_its_table() {
    let said = |posterior: &Posterior| reweight(posterior, &log_ratios(posterior, "0").unwrap()).unwrap().to_string();
    let short = said(&normals(100));
    assert!(short.contains("MCSE") && short.contains("The run is not converged: what is wrong"), "{short}");
    assert!(!said(&normals(5000)).contains("not converged"));
}

#[test]
fn what_is_no_log_ratio_is_told() {
    let posterior = normals(5000);
    let says = |ratios: &[Vec<f64>]| reweight(&posterior, ratios).unwrap_err().to_string();
    assert!(says(&[]).contains("one number for each draw of each chain"));
    assert!(says(&log_ratios(&posterior, "ln(x)").unwrap()).contains("is NaN at a draw"));
    assert!(says(&log_ratios(&posterior, "-inf").unwrap()).contains("is -inf at every draw"));
    assert!(log_ratios(&posterior, "z").unwrap_err().to_string().contains('z'));
}

#[test]
fn an_effective_size_above_the_number_of_draws_is_explained() {
    // Each draw is followed by its mirror image, so that means are far better than those of independent draws.
    let points: Vec<f64> = (0..1000).flat_map(|k| [f64::from(k * 37 % 1009), -f64::from(k * 37 % 1009)]).collect();
    let draws = Draws { log_density: vec![0.0; points.len()], points, ..Draws::default() };
    let chain = |index| ChainDraws { index, draws: draws.clone(), ..ChainDraws::default() };
    let mirrored = Posterior { names: vec!["x".into()], chains: (0..2).map(chain).collect(), ..Posterior::default() };
    let said = |posterior: &Posterior| reweight(posterior, &log_ratios(posterior, "0").unwrap()).unwrap().to_string();
    assert!(said(&mirrored).contains("An ESS above the number of draws (4000) is no mistake"), "{}", said(&mirrored));
    assert!(!said(&normals(5000)).contains("no mistake"), "{}", said(&normals(5000)));
}
