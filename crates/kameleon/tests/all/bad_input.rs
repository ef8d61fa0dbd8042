//! Targets that misbehave, starts and settings that make no sense, and stored chains that were changed.

use crate::common::*;
use kameleon::any_chain::SavedChain;
use kameleon::proposal::*;
use kameleon::target::{Gaussian, Noisy, WithGradient};
use kameleon::*;

#[test]
fn invalid_values_are_rejected_counted_and_shown() {
    for bad in [f64::NAN, f64::INFINITY] {
        let target = move |x: &[f64]| if x[0] > 1.0 { bad } else { -x[0] * x[0] };
        let run = sample(target, &[vec![0.0]], &plan(Sampler::kamh_ls()), Control::default()).unwrap();
        for chain in &run.chains {
            assert!(chain.draws.points.iter().all(|x| *x <= 1.0));
            let counts = chain.statistics.sampling;
            assert_eq!(counts.total(), 300);
            assert!(chain.statistics.warmup.invalid + counts.invalid > 0);
            let first = chain.statistics.first_invalid.as_ref().unwrap();
            assert!(first.point[0] > 1.0);
            assert_eq!(first.why, format!("the log density is {bad}"));
        }
    }
}

#[test]
fn zero_density_is_outside_the_support() {
    let target = |x: &[f64]| if x[0] < 0.0 { f64::NEG_INFINITY } else { -x[0] };
    let run = sample(target, &[vec![1.0]], &plan(Sampler::am_ls()), Control::default()).unwrap();
    for chain in &run.chains {
        assert!(chain.statistics.sampling.outside_support > 0);
        assert_eq!(chain.statistics.sampling.invalid, 0);
        assert!(chain.draws.points.iter().all(|x| *x >= 0.0));
    }
}

#[test]
fn a_refusal_is_an_invalid_point_with_its_reason() {
    let target = |x: &[f64]| if x[0] > 0.5 { Err(EvalError::reject("solver diverged")) } else { Ok(-x[0] * x[0]) };
    let run = sample(target, &[vec![0.0]], &plan(Sampler::sm()), Control::default()).unwrap();
    let statistics = &run.chains[0].statistics;
    assert!(statistics.sampling.invalid > 0);
    assert_eq!(statistics.first_invalid.as_ref().unwrap().why, "solver diverged");
    assert!(matches!(run.ending, Ending::Complete));
}

#[test]
fn a_fatal_error_at_step_1000_returns_all_draws_before_it() {
    let mut calls = 0;
    let target = move |x: &[f64]| {
        calls += 1;
        // The first call is the start, so this is the thousandth step.
        if calls == 1001 { Err(EvalError::fatal("licence expired")) } else { Ok(-x[0] * x[0]) }
    };
    let plan = Plan { chains: 1, ..plan(Sampler::kamh_ls()) };
    let run = sample(target, &[vec![0.0]], &plan, Control::default()).unwrap();
    assert_eq!(run.chains[0].draws.len(), 199);
    let Ending::Failed(error) = run.ending else { panic!("it must say that it failed") };
    let text = error.to_string();
    assert!(
        text.starts_with("chain 0 stopped at iteration 999, at x1 = ") && text.ends_with(": licence expired"),
        "{text}"
    );
}

#[test]
fn a_panic_in_the_target_ends_the_run_with_all_draws_before_it() {
    let mut calls = 0;
    let target = move |x: &[f64]| {
        calls += 1;
        assert!(calls < 1001, "index out of range");
        -x[0] * x[0]
    };
    let run = sample(target, &[vec![0.0]], &plan(Sampler::kamh_ls()), Control::default()).unwrap();
    assert!(run.chains.iter().any(|chain| chain.draws.len() == 199));
    let Ending::Failed(error) = run.ending else { panic!("it must say that it failed") };
    assert!(error.to_string().ends_with("the target panicked: index out of range"), "{error}");
}

#[test]
fn a_point_that_overflows_is_never_visited() {
    let flat = WithGradient::new(2, |_: &[f64], slopes: &mut [f64]| {
        slopes.fill(0.0);
        0.0
    });
    for sampler in SAMPLERS {
        let plan = Plan { warmup: Warmup::Iterations(20_000), chains: 1, ..plan(sampler()) };
        let run = sample(flat.clone(), &[vec![1e300, 0.0]], &plan, Control::default()).unwrap();
        assert!(run.chains[0].draws.points.iter().all(|x| x.is_finite()), "{}", sampler().name());
    }
}

#[test]
fn names_are_as_many_as_there_are_parameters() {
    #[derive(Clone)]
    struct Nameless(usize);
    impl Target for Nameless {
        fn names(&self, _dim: usize) -> Vec<String> {
            vec!["a".into(); self.0]
        }
        fn log_density(&mut self, x: &[f64], _noise: Noise<'_>) -> Evaluation {
            Ok(-x[0] * x[0] - x[1] * x[1])
        }
    }
    for (count, expected) in [(0, ["x1", "x2"]), (1, ["a", "x2"]), (3, ["a", "a"])] {
        let run = sample(Nameless(count), &[vec![0.0; 2]], &plan(Sampler::sm()), Control::default()).unwrap();
        assert_eq!(run.names, expected);
        assert_eq!(run.summary().parameters.len(), 2);
    }
}

#[test]
fn a_run_is_not_resumed_on_another_target() {
    let run = sample(banana(), &[vec![0.0; 3]], &plan(Sampler::sm()), Control::default()).unwrap();
    let states = || run.chains.iter().map(|chain| chain.state.clone()).collect::<Vec<_>>();
    let refuses = |error: sampler::StartError| error.to_string().contains("saved for another target");
    let flat = Gaussian::diagonal(&[1.0, 1.0]).unwrap();
    assert!(refuses(resume(flat, states(), &plan(Sampler::sm()), Control::default()).unwrap_err()));
    let noisy = Noisy::new(banana(), 0.5).unwrap();
    assert!(refuses(resume(noisy, states(), &plan(Sampler::sm()), Control::default()).unwrap_err()));
}

#[test]
fn a_stored_chain_changed_by_hand_is_refused_and_never_panics() {
    for sampler in SAMPLERS {
        let settings = ChainSettings { index: 1, seed: 5, warmup: 700, normals: 1, correlation: 0.7 };
        let mut chain = sampler().chain(&[0.1; 3], settings, Length::new(700, 0)).unwrap();
        let mut target = Noisy::new(banana(), 0.5).unwrap();
        (0..650).for_each(|_| drop(chain.step(&mut target)));
        let whole = serde_json::to_value(chain.save()).unwrap();
        let mut changed = 0;
        for pointer in arrays(&whole, String::new()) {
            let mut broken = whole.clone();
            let array = broken.pointer_mut(&pointer).unwrap().as_array_mut().unwrap();
            if array.pop().is_none() {
                continue;
            }
            changed += 1;
            // Refused when read or when resumed, or harmless: then it must go on.
            let read = serde_json::from_value::<SavedChain>(broken);
            if let Some(Ok(mut chain)) = read.ok().map(SavedChain::resume) {
                (0..100).for_each(|_| drop(chain.step(&mut target)));
            }
        }
        assert!(changed >= 4, "{}", sampler().name());
    }
}

/// Where in a JSON value arrays are; of those in an array of many, the first.
fn arrays(value: &serde_json::Value, at: String) -> Vec<String> {
    match value {
        serde_json::Value::Array(array) => {
            let inside = array.first().map_or(Vec::new(), |first| arrays(first, format!("{at}/0")));
            std::iter::once(at).chain(inside).collect()
        }
        serde_json::Value::Object(map) => {
            map.iter().flat_map(|(key, value)| arrays(value, format!("{at}/{key}"))).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn bad_starts_name_chain_point_and_value() {
    let fails = |target: fn(&[f64]) -> f64, starts: &[Vec<f64>]| {
        sample(target, starts, &plan(Sampler::kamh_ls()), Control::default()).unwrap_err().to_string()
    };
    let nan = |_: &[f64]| f64::NAN;
    assert_eq!(
        fails(nan, &[vec![1.0, 2.0]]),
        "chain 0 cannot start at x1 = 1, x2 = 2: the log density there is NaN; start where it is finite"
    );
    let nowhere = |_: &[f64]| f64::NEG_INFINITY;
    assert!(fails(nowhere, &[vec![1.0]]).contains("start inside the support"));
    let infinite = |_: &[f64]| f64::INFINITY;
    assert!(fails(infinite, &[vec![1.0]]).contains("the log density there is inf"));
    let fine = |x: &[f64]| -x[0] * x[0];
    assert!(fails(fine, &[vec![0.0, f64::NAN]]).contains("chain 0 cannot start at x1 = 0, x2 = NaN: every"));
    assert!(fails(fine, &[vec![]]).contains("at least one dimension"));
    assert!(fails(fine, &[]).contains("one point, or one for each of the 4 chains, not 0"));
    assert!(fails(fine, &vec![vec![0.0]; 3]).contains("not 3"));
    let uneven = [vec![0.0], vec![0.0, 1.0], vec![0.0], vec![0.0]];
    assert!(fails(fine, &uneven).contains("the point for chain 1 has 2 coordinates where 1 are wanted"));
    let third = [vec![0.0], vec![0.0], vec![-5.0], vec![0.0]];
    let half_line = |x: &[f64]| if x[0] < -1.0 { f64::NEG_INFINITY } else { -x[0] * x[0] };
    assert!(fails(half_line, &third).starts_with("chain 2 cannot start at x1 = -5:"));
}

#[test]
fn a_start_of_the_wrong_length_for_the_target_is_refused() {
    let error = sample(banana(), &[vec![0.0; 2]], &plan(Sampler::sm()), Control::default()).unwrap_err();
    assert_eq!(error.to_string(), "start: the point for chain 0 has 2 coordinates where 3 are wanted");
}

#[test]
fn impossible_settings_are_refused_before_anything_runs() {
    let never = |_: &[f64]| -> f64 { panic!("must not be evaluated") };
    let refuses = |plan: Plan| sample(never, &[vec![0.0, 0.0]], &plan, Control::default()).unwrap_err().to_string();
    let kameleon = |change: fn(&mut KamhSettings)| {
        let mut settings = KamhSettings::default();
        change(&mut settings);
        refuses(plan(Sampler::Kamh(settings)))
    };
    assert_eq!(kameleon(|s| s.n = 0), "n: must be from 1 to 1000000, not 0");
    assert_eq!(kameleon(|s| s.gamma = -0.2), "gamma: must be positive and finite, not -0.2");
    assert!(kameleon(|s| s.nu2 = 0.0).starts_with("nu2:"));
    assert!(kameleon(|s| s.gamma_decay = f64::NAN).starts_with("gamma-decay:"));
    assert!(kameleon(|s| s.kernel = Kernel::gaussian(0.0)).starts_with("kernel.sigma: must be positive"));
    assert!(kameleon(|s| s.schedule = adapt::Schedule::Constant(2.0)).starts_with("schedule:"));
    assert!(kameleon(|s| s.z = Some(vec![])).starts_with("z:"));
    assert!(kameleon(|s| s.z = Some(vec![vec![1.0]])).contains("2 numbers"));
    assert!(kameleon(|s| s.z = Some(vec![vec![1.0, f64::NAN]])).contains("finite"));
    assert!(
        refuses(Plan { warmup: Warmup::Iterations(500), ..plan(Sampler::kamh_ls()) })
            .contains("use a longer warm-up or a smaller discard")
    );
    assert!(refuses(Plan { warmup: Warmup::Iterations(0), ..plan(Sampler::am_ls()) }).starts_with("warmup:"));
    assert!(refuses(Plan { chains: 0, ..plan(Sampler::sm()) }).starts_with("chains:"));
    assert!(refuses(Plan { draws: Some(0), ..plan(Sampler::sm()) }).starts_with("draws:"));
    assert!(refuses(Plan { draws: Some(u64::MAX), ..plan(Sampler::sm()) }).contains("do not fit into memory"));
    assert!(refuses(Plan { thin: 0, ..plan(Sampler::sm()) }).starts_with("thin:"));
    assert!(refuses(Plan { threads: Some(0), ..plan(Sampler::sm()) }).starts_with("threads:"));
    assert!(refuses(Plan { correlation: 1.0, ..plan(Sampler::sm()) }).starts_with("correlation:"));
    let am = AdaptiveMetropolisSettings { variances: Some(vec![1.0]), ..Default::default() };
    assert!(refuses(plan(Sampler::AdaptiveMetropolis(am))).starts_with("variances:"));
    let pca = PrincipalComponentsSettings { components: Some(3), ..Default::default() };
    assert!(refuses(plan(Sampler::PrincipalComponents(pca))).starts_with("components:"));
    let pca = |components, n| {
        let kamh = KamhSettings { n, ..Default::default() };
        refuses(plan(Sampler::KamhPca(KamhPcaSettings { components: Some(components), kamh })))
    };
    assert_eq!(pca(20, 20), "components: must be at least 1 and fewer than the 20 points of z, not 20");
    assert!(pca(20, 200_000).starts_with("n: must be from 1 to 10000"));
    let walk = RandomWalkSettings { nu: Some(-1.0) };
    assert!(refuses(plan(Sampler::RandomWalk(walk))).starts_with("nu:"));
    assert!(Sampler::chosen(&"nuts".parse().unwrap()).unwrap_err().to_string().contains("choose one of "));
}
