//! Chains as a user meets them: caches, resume, streams, threads, stopping, and targets that misbehave.

mod common;

use common::*;
use kameleon::any_chain::{AnyChain, SavedChain};
use kameleon::chain::ChainError;
use kameleon::history::HistoryKind;
use kameleon::proposal::*;
use kameleon::random::{Purpose, stream};
use kameleon::target::{Banana, Gaussian, Noisy};
use kameleon::*;
use rand::RngExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const SAMPLERS: [fn() -> Sampler; 9] = [
    Sampler::sm,
    Sampler::am_fs,
    Sampler::am_ls,
    Sampler::am_pca,
    Sampler::kamh,
    Sampler::kamh_ls,
    Sampler::pca_kameleon,
    Sampler::kameleon,
    Sampler::de_mc_z,
];

fn banana() -> Banana {
    Banana::new(3, 0.1, 25.0).unwrap()
}

fn plan(sampler: Sampler) -> Plan {
    Plan { sampler, warmup: 800, draws: 300, chains: 4, seed: 17, ..Plan::default() }
}

fn points(run: &Run) -> Vec<f64> {
    run.draws().concat()
}

#[test]
fn after_every_step_the_cache_equals_a_fresh_look() {
    let length = Length { warmup: 1500, sampling: 0 };
    for history in [HistoryKind::Reservoir, HistoryKind::Stored] {
        let settings = KameleonSettings { gamma_decay: 0.1, history, ..kameleon_settings(60) };
        let proposal = Kameleon::new(&settings, 3, length).unwrap();
        let mut chain =
            Chain::new(proposal, &[0.0; 3], ChainSettings { warmup: 1500, ..frozen(0, 3, 0, 0.0) }).unwrap();
        for _ in 0..2000 {
            chain.step(&mut banana()).unwrap();
            let mut fresh = chain.proposal().allocate(3);
            chain.proposal().locate(chain.position(), &mut fresh);
            assert_eq!(chain.local().factor(), fresh.factor());
            assert_eq!(chain.local().spread(), fresh.spread());
        }
    }
    let proposal = kameleon_pca(3, 1500);
    let mut chain = Chain::new(proposal, &[0.0; 3], ChainSettings { warmup: 1500, ..frozen(0, 3, 0, 0.0) }).unwrap();
    for _ in 0..2000 {
        chain.step(&mut banana()).unwrap();
        let mut fresh = chain.proposal().allocate(3);
        chain.proposal().locate(chain.position(), &mut fresh);
        assert_eq!(chain.local().directions(), fresh.directions());
    }
}

#[test]
fn the_log_ratio_changes_sign_when_the_points_change_places() {
    fn check<P: Proposal + Clone>(proposal: P) {
        let proposal = learned(proposal, &mut banana(), 1500);
        let mut rng = stream(4, 0, Purpose::Move);
        let mut at = [proposal.allocate(3), proposal.allocate(3), proposal.allocate(3), proposal.allocate(3)];
        for _ in 0..100 {
            let x: Vec<f64> = (0..3).map(|_| rng.random_range(-4.0..4.0)).collect();
            let y: Vec<f64> = (0..3).map(|_| rng.random_range(-4.0..4.0)).collect();
            let [a, b, c, d] = &mut at;
            proposal.locate(&x, a);
            proposal.locate(&y, c);
            let forth = proposal.log_ratio(&x, a, &y, b, 0);
            let back = proposal.log_ratio(&y, c, &x, d, 0);
            assert!((forth + back).abs() < 1e-9 * (1.0 + forth.abs()), "{forth} {back}");
        }
    }
    check(kameleon(3, 1500, 80));
    check(kameleon_pca(3, 1500));
    check(adaptive(3, 1500));
}

#[test]
fn drawn_points_have_the_covariance_they_should() {
    // 10⁵ draws: the standard error of a covariance is at most √2/√10⁵ of the product of sds; six of them.
    let proposal = learned(kameleon(3, 1500, 80), &mut banana(), 1500);
    let x = [2.0, -1.0, 0.3];
    let mut at = proposal.allocate(3);
    proposal.locate(&x, &mut at);
    let mut rng = stream(8, 0, Purpose::Move);
    let (mut y, mut sum) = ([0.0; 3], [0.0; 9]);
    let count = 100_000;
    for _ in 0..count {
        proposal.draw(&x, &at, &mut rng, &mut y);
        (0..9).for_each(|k| sum[k] += (y[k / 3] - x[k / 3]) * (y[k % 3] - x[k % 3]) / f64::from(count));
    }
    let l = at.factor();
    let r = |i: usize, j: usize| linalg::dot(&l[i * 3..i * 3 + 3], &l[j * 3..j * 3 + 3]);
    for k in 0..9 {
        let (i, j) = (k / 3, k % 3);
        let tolerance = 6.0 * (2.0 * r(i, i) * r(j, j) / f64::from(count)).sqrt();
        assert!((sum[k] - r(i, j)).abs() < tolerance, "{i}{j}: {} {}", sum[k], r(i, j));
    }
}

#[test]
fn resuming_anywhere_gives_the_same_draws() {
    let noisy = || Noisy::new(banana(), 0.5).unwrap();
    for sampler in SAMPLERS {
        let length = Length { warmup: 900, sampling: 300 };
        let settings = ChainSettings { index: 1, seed: 5, warmup: 900, normals: 1, correlation: 0.7 };
        let start = || sampler().chain(&[0.1; 3], settings, length).unwrap();
        let (mut straight, mut broken): (Box<dyn AnyChain>, _) = (start(), start());
        let mut target = noisy();
        let mut rng = stream(1, 1, Purpose::Start);
        for t in 0..1200 {
            straight.step(&mut target).unwrap();
            if rng.random::<f64>() < 0.02 {
                // As a file would hold it, half the time between a question and its answer.
                if rng.random() {
                    broken.ask();
                }
                let text = serde_json::to_string(&broken.save()).unwrap();
                broken = serde_json::from_str::<SavedChain>(&text).unwrap().resume().unwrap();
            }
            broken.step(&mut target).unwrap();
            assert_eq!(straight.position(), broken.position(), "{} at {t}", sampler().name());
            assert_eq!(straight.log_density(), broken.log_density());
        }
        assert_eq!(straight.statistics(), broken.statistics());
    }
}

#[test]
fn a_run_that_was_stopped_goes_on_as_if_it_had_not_been() {
    let plan = plan(Sampler::kamh_ls());
    let whole = sample(banana(), &[vec![0.0; 3]], &plan, Control::default()).unwrap();
    // What stops the run may take the target with it, as Ctrl-C does with a program.
    for (after, fails) in [(0, false), (100, true), (3000, false), (4200, true)] {
        let stop = AtomicBool::new(false);
        let calls = std::sync::Arc::new(AtomicU64::new(0));
        let target = |x: &[f64]| {
            if calls.fetch_add(1, Ordering::Relaxed) == after {
                stop.store(true, Ordering::Relaxed);
                if fails {
                    return Err(EvalError::fatal("interrupted"));
                }
            }
            Ok(exact(&mut banana(), x))
        };
        let plan = Plan { threads: Some(2), ..plan.clone() };
        let first = sample(target, &[vec![0.0; 3]], &plan, Control { stop: Some(&stop), progress: None }).unwrap();
        assert!(matches!(first.ending, Ending::Stopped));
        let states: Vec<SavedChain> = first.chains.iter().map(|chain| chain.state.clone()).collect();
        // The chains know their own warm-up.
        let plan = Plan { warmup: 123_456, ..plan };
        let second = resume(banana(), states, &plan, Control::default()).unwrap();
        for ((whole, first), second) in whole.chains.iter().zip(&first.chains).zip(&second.chains) {
            assert_eq!(whole.draws.points, [first.draws.points.as_slice(), &second.draws.points].concat());
            assert_eq!(whole.statistics, second.statistics);
        }
    }
    assert!(resume(banana(), vec![], &plan, Control::default()).unwrap_err().to_string().contains("0 saved chains"));
}

#[test]
fn adapting_for_ever_changes_z_ever_more_rarely() {
    let settings = KameleonSettings {
        until: adapt::Until::Forever,
        schedule: adapt::Schedule::Power(0.5),
        history: history::HistoryKind::Stored,
        ..kameleon_settings(40)
    };
    let length = Length { warmup: 200, sampling: 8000 };
    let proposal = Kameleon::new(&settings, 3, length).unwrap();
    let mut chain = Chain::new(proposal, &[0.0; 3], ChainSettings { warmup: 200, ..frozen(0, 3, 0, 0.0) }).unwrap();
    let mut changes = [0; 2];
    for t in 0..8000 {
        let before = (chain.position().to_vec(), chain.local().spread().to_vec());
        chain.step(&mut banana()).unwrap();
        let stayed = chain.position() == before.0;
        // Where the chain stayed, only a new z can have changed the spread.
        changes[t / 4000] += usize::from(stayed && chain.local().spread() != before.1);
    }
    assert!(2 * changes[0] > 3 * changes[1] && changes[1] > 10, "{changes:?}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for sampler in SAMPLERS {
        let with = |threads| {
            let plan = Plan { threads: Some(threads), ..plan(sampler()) };
            let target = Noisy::new(banana(), 0.3).unwrap();
            points(&sample(target, &[vec![0.0; 3]], &plan, Control::default()).unwrap())
        };
        let one = with(1);
        assert_eq!(one, with(4), "{}", sampler().name());
        assert_eq!(one.len(), 4 * 300 * 3);
        assert!(one[..900] != one[900..1800], "chains have streams of their own");
    }
}

#[test]
fn pinned_seeds_give_pinned_draws() {
    // A change here is a change of what users get from their seeds: say so in the CHANGELOG.
    let mut found = Vec::new();
    for sampler in SAMPLERS {
        let run = sample(banana(), &[vec![0.0; 3]], &plan(sampler()), Control::default()).unwrap();
        let last = run.chains[1].draws.points.len();
        found.push([run.chains[0].draws.points[0], run.chains[1].draws.points[last - 1]]);
    }
    let pinned = [
        [4.00730051353734, -1.1525725031265446],
        [5.654587373844073, -1.7570679307173924],
        [-4.27177084412722, 0.5431182976340034],
        [1.6813027544402657, 1.2070380116051533],
        [1.5052858824770436, 0.2506493858012764],
        [2.02877178197644, -0.923815180805033],
        [-2.518079194677621, -0.7975414457495831],
        [-2.1241228487112447, 0.03653939124072256],
        [-1.2232475192445236, 0.2794914289401771],
    ];
    assert_eq!(found, pinned);
}

#[test]
fn thinning_keeps_every_so_many_th_draw() {
    let thick = sample(banana(), &[vec![0.0; 3]], &plan(Sampler::am_ls()), Control::default()).unwrap();
    let thin = Plan { thin: 10, draws: 30, ..plan(Sampler::am_ls()) };
    let thin = sample(banana(), &[vec![0.0; 3]], &thin, Control::default()).unwrap();
    let every_tenth: Vec<f64> = thick.chains[2].draws.points.chunks(3).skip(9).step_by(10).flatten().copied().collect();
    assert_eq!(thin.chains[2].draws.points, every_tenth);
}

#[test]
fn ask_and_tell_is_the_same_chain_as_a_closure() {
    let mut target = banana();
    let settings = ChainSettings { index: 0, seed: 17, warmup: 800, normals: 0, correlation: 0.0 };
    let length = Length { warmup: 800, sampling: 300 };
    let mut chain = Sampler::kamh_ls().chain(&[0.0; 3], settings, length).unwrap();
    let mut draws = Vec::new();
    while chain.iterations() < 1100 {
        let x = chain.ask().to_vec();
        assert_eq!(chain.ask(), x, "asking twice is asking once");
        let value = exact(&mut target, &x);
        if let Some(step) = chain.tell(Ok(value)).unwrap()
            && !step.warm
        {
            draws.extend_from_slice(chain.position());
        }
    }
    let run = sample(banana(), &[vec![0.0; 3]], &plan(Sampler::kamh_ls()), Control::default()).unwrap();
    assert_eq!(draws, run.chains[0].draws.points);
    assert!(matches!(chain.tell(Ok(0.0)), Err(ChainError::NothingAsked { chain: 0 })));
}

#[test]
fn a_stop_returns_what_was_drawn() {
    let stop = AtomicBool::new(false);
    let calls = AtomicU64::new(0);
    let target = |x: &[f64]| {
        if calls.fetch_add(1, Ordering::Relaxed) == 3000 {
            stop.store(true, Ordering::Relaxed);
        }
        -x[0] * x[0]
    };
    let plan = Plan { warmup: 1000, draws: 1_000_000, chains: 1, sampler: Sampler::sm(), ..Plan::default() };
    let run = sample(target, &[vec![0.0]], &plan, Control { stop: Some(&stop), progress: None }).unwrap();
    assert!(matches!(run.ending, Ending::Stopped));
    assert_eq!(run.chains[0].draws.len(), 2000);
    assert_eq!(run.evaluations(), 3001);
}

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
        text.starts_with("chain 0 stopped at iteration 999, at (") && text.ends_with("): licence expired"),
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
    let flat = |_: &[f64]| 0.0;
    for sampler in SAMPLERS {
        let plan = Plan { warmup: 20_000, chains: 1, ..plan(sampler()) };
        let run = sample(flat, &[vec![1e300, 0.0]], &plan, Control::default()).unwrap();
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
        let mut chain = sampler().chain(&[0.1; 3], settings, Length { warmup: 700, sampling: 0 }).unwrap();
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

/// Where in a JSON value arrays are.
fn arrays(value: &serde_json::Value, at: String) -> Vec<String> {
    match value {
        serde_json::Value::Array(_) => vec![at],
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
        "chain 0 cannot start at (1, 2): the log density there is NaN; start where it is finite"
    );
    let nowhere = |_: &[f64]| f64::NEG_INFINITY;
    assert!(fails(nowhere, &[vec![1.0]]).contains("start inside the support"));
    let infinite = |_: &[f64]| f64::INFINITY;
    assert!(fails(infinite, &[vec![1.0]]).contains("the log density there is inf"));
    let fine = |x: &[f64]| -x[0] * x[0];
    assert!(fails(fine, &[vec![0.0, f64::NAN]]).contains("chain 0 cannot start at (0, NaN): coordinate 2 is NaN"));
    assert!(fails(fine, &[vec![]]).contains("at least one dimension"));
    assert!(fails(fine, &[]).contains("one point, or one for each of the 4 chains, not 0"));
    assert!(fails(fine, &vec![vec![0.0]; 3]).contains("not 3"));
    let uneven = [vec![0.0], vec![0.0, 1.0], vec![0.0], vec![0.0]];
    assert!(fails(fine, &uneven).contains("the point for chain 1 has 2 coordinates where 1 are wanted"));
    let third = [vec![0.0], vec![0.0], vec![-5.0], vec![0.0]];
    let half_line = |x: &[f64]| if x[0] < -1.0 { f64::NEG_INFINITY } else { -x[0] * x[0] };
    assert!(fails(half_line, &third).starts_with("chain 2 cannot start at (-5):"));
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
    let kameleon = |change: fn(&mut KameleonSettings)| {
        let mut settings = KameleonSettings::default();
        change(&mut settings);
        refuses(plan(Sampler::Kameleon(settings)))
    };
    assert_eq!(kameleon(|s| s.n = 0), "n: must be at least 1");
    assert_eq!(kameleon(|s| s.gamma = -0.2), "gamma: must be positive and finite, not -0.2");
    assert!(kameleon(|s| s.nu2 = 0.0).starts_with("nu2:"));
    assert!(kameleon(|s| s.gamma_decay = f64::NAN).starts_with("gamma-decay:"));
    assert!(kameleon(|s| s.kernel = Kernel::gaussian(0.0)).starts_with("kernel: kernel gaussian: sigma"));
    assert!(kameleon(|s| s.schedule = adapt::Schedule::Constant(2.0)).starts_with("schedule:"));
    assert!(kameleon(|s| s.z = Some(vec![])).starts_with("z:"));
    assert!(kameleon(|s| s.z = Some(vec![vec![1.0]])).contains("2 numbers"));
    assert!(kameleon(|s| s.z = Some(vec![vec![1.0, f64::NAN]])).contains("finite"));
    assert!(
        refuses(Plan { warmup: 500, ..plan(Sampler::kamh_ls()) }).contains("use a longer warm-up or a smaller discard")
    );
    assert!(refuses(Plan { warmup: 0, ..plan(Sampler::am_ls()) }).starts_with("warmup:"));
    assert!(refuses(Plan { chains: 0, ..plan(Sampler::sm()) }).starts_with("chains:"));
    assert!(refuses(Plan { draws: 0, ..plan(Sampler::sm()) }).starts_with("draws:"));
    assert!(refuses(Plan { draws: u64::MAX, ..plan(Sampler::sm()) }).contains("do not fit into memory"));
    assert!(refuses(Plan { thin: 0, ..plan(Sampler::sm()) }).starts_with("thin:"));
    assert!(refuses(Plan { threads: Some(0), ..plan(Sampler::sm()) }).starts_with("threads:"));
    assert!(refuses(Plan { correlation: 1.0, ..plan(Sampler::sm()) }).starts_with("correlation:"));
    let am = AdaptiveMetropolisSettings { variances: Some(vec![1.0]), ..Default::default() };
    assert!(refuses(plan(Sampler::AdaptiveMetropolis(am))).starts_with("variances:"));
    let pca = PrincipalComponentsSettings { components: Some(3), ..Default::default() };
    assert!(refuses(plan(Sampler::PrincipalComponents(pca))).starts_with("components:"));
    let pca = |components, n| {
        let kameleon = KameleonSettings { n, ..Default::default() };
        refuses(plan(Sampler::KameleonPca(KameleonPcaSettings { components, kameleon })))
    };
    assert_eq!(pca(20, 20), "components: must be at least 1 and fewer than the 20 points of z, not 20");
    assert!(pca(20, 200_000).starts_with("n: must be from 1 to 10000"));
    let walk = RandomWalkSettings { nu: Some(-1.0) };
    assert!(refuses(plan(Sampler::RandomWalk(walk))).starts_with("nu:"));
    assert!(Sampler::by_name("nuts").unwrap_err().to_string().contains("choose one of kameleon, SM, AM-FS"));
}

#[test]
fn the_estimate_stays_with_its_point_until_the_chain_moves() {
    let mut noisy = Noisy::new(Gaussian::diagonal(&[1.0, 1.0]).unwrap(), 2.0).unwrap();
    let settings = ChainSettings { index: 0, seed: 2, warmup: 0, normals: 1, correlation: 0.0 };
    let mut chain =
        Chain::new(RandomWalk::new(&RandomWalkSettings::default(), 2).unwrap(), &[0.0; 2], settings).unwrap();
    let mut before = (Vec::new(), 0.0);
    for t in 0..500 {
        let step = chain.step(&mut noisy).unwrap();
        let now = (chain.position().to_vec(), chain.log_density());
        if t > 0 && step.outcome != Outcome::Accepted {
            assert_eq!(now, before);
        }
        before = now;
    }
    assert!(chain.statistics().longest_rejection_run > 5, "noise this large makes a chain wait");
}

#[test]
fn oracle_points_stay_as_given_while_the_scale_is_learned() {
    let z = vec![vec![1.0, 0.0], vec![0.0, 2.0], vec![-1.0, 1.0]];
    let settings = KameleonSettings { z: Some(z), ..KameleonSettings::default() };
    let proposal = Kameleon::new(&settings, 2, Length { warmup: 100, sampling: 0 }).unwrap();
    let sigma = proposal.bandwidth().unwrap();
    let mut chain = Chain::new(proposal, &[0.0; 2], ChainSettings { warmup: 100, ..frozen(0, 1, 0, 0.0) }).unwrap();
    let scale = chain.proposal().scale();
    for _ in 0..100 {
        chain.step(&mut |x: &[f64]| -x[0] * x[0] - x[1] * x[1]).unwrap();
    }
    assert_ne!(chain.proposal().scale(), scale);
    assert_eq!(chain.proposal().bandwidth().unwrap(), sigma);
}

#[test]
fn statistics_add_up_and_trace_the_warm_up() {
    let run = sample(banana(), &[vec![0.0; 3]], &plan(Sampler::kamh_ls()), Control::default()).unwrap();
    for chain in &run.chains {
        let s = &chain.statistics;
        assert_eq!((s.warmup.total(), s.sampling.total(), s.evaluations), (800, 300, 1101));
        assert!((0.05..0.6).contains(&s.acceptance()));
        assert_eq!(s.trace.len(), 200);
        assert!(s.trace.iter().all(|p| p.scale > 0.0 && p.bandwidth.unwrap() > 0.0));
        assert_ne!(s.trace[0].scale, s.trace[199].scale);
        assert_ne!(s.trace[0].bandwidth, s.trace[199].bandwidth);
    }
}
