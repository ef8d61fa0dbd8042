//! A warm-up that ends when the chains have learned: the same on any number of threads, interrupted or not, within the budget.

use crate::common::banana;
use kameleon::target::{Gaussian, Noisy};
use kameleon::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

fn plan() -> Plan {
    Plan { draws: Some(200), seed: 23, ..Plan::default() }
}

/// The iterations of warm-up of each chain, which are fewer than the most that it may have.
fn ends(run: &Run) -> Vec<u64> {
    let ends: Vec<u64> = run.chains.iter().map(|chain| chain.statistics.warmup.total()).collect();
    assert!(ends.iter().all(|end| (1000..10_000).contains(end)), "{ends:?}");
    ends
}

#[test]
fn it_ends_early_for_a_group_together_and_on_any_number_of_threads() {
    let with = |threads, chains| {
        let plan = Plan { threads: Some(threads), chains, ..plan() };
        sample(Noisy::new(banana(), 0.3).unwrap(), &[vec![0.0; 3]], &plan, Control::default()).unwrap()
    };
    let [one, two] = [1, 2].map(|threads| with(threads, 4));
    assert_eq!(one.draws(), two.draws());
    let end = ends(&one)[0];
    assert_eq!(ends(&one), vec![end; 4]);
    assert_eq!(ends(&one), ends(&two));
    // Nine chains, which do not wait for each other, have one end too.
    let nine = with(2, 9);
    assert_eq!(ends(&nine), vec![ends(&nine)[0]; 9]);
    assert!(nine.chains.iter().all(|chain| chain.draws.len() == 200));
}

/// A Gaussian that ends at a wall: beyond it jump proposals have no density.
fn walled(x: &[f64]) -> f64 {
    if x[0] < -1.5 { f64::NEG_INFINITY } else { -0.5 * (x[0] * x[0] + x[1] * x[1] + 9.0 * x[2] * x[2]) }
}

#[test]
fn stopped_in_the_middle_of_it_a_run_goes_on_as_if_it_had_not_been() {
    let plan = Plan { threads: Some(2), ..plan() };
    let whole = sample(walled, &[vec![0.5; 3]], &plan, Control::default()).unwrap();
    let end = 4 * ends(&whole)[0];
    for after in [500, 2000, end / 2, end * 8 / 10, end * 95 / 100, end + 100] {
        let stop = AtomicBool::new(false);
        let calls = AtomicU64::new(0);
        let target = |x: &[f64]| {
            if calls.fetch_add(1, Ordering::Relaxed) == after {
                stop.store(true, Ordering::Relaxed);
            }
            walled(x)
        };
        let first =
            sample(target, &[vec![0.5; 3]], &plan, Control { stop: Some(&stop), ..Control::default() }).unwrap();
        let saved = |chain: &run::ChainRun| serde_json::to_string(&chain.state).unwrap();
        let states = first.chains.iter().map(|chain| serde_json::from_str(&saved(chain)).unwrap()).collect();
        let second = resume(walled, states, &plan, Control::default()).unwrap();
        for ((whole, first), second) in whole.chains.iter().zip(&first.chains).zip(&second.chains) {
            assert_eq!(whole.draws.points, [first.draws.points.as_slice(), &second.draws.points].concat(), "{after}");
            assert_eq!(whole.statistics, second.statistics);
        }
    }
}

#[test]
fn what_it_leaves_of_the_budget_goes_to_draws() {
    let target = || Gaussian::diagonal(&[1.0, 4.0, 0.25]).unwrap();
    for (chains, thin, evaluations) in [(4, 1, 20_000), (4, 7, 20_000), (5, 3, 30_001), (1, 2, 9_999)] {
        let plan = Plan { draws: None, chains, thin, max_evaluations: Some(evaluations), ..plan() };
        let run = sample(target(), &[vec![0.0; 3]], &plan, Control::default()).unwrap();
        let longest = *ends(&run).iter().max().unwrap();
        let each = evaluations / chains as u64 - 1;
        let draws = (each - longest) / thin;
        assert!(run.chains.iter().all(|chain| chain.draws.len() as u64 == draws), "{chains} {thin}");
        let made: u64 = ends(&run).iter().map(|end| 1 + end + draws * thin).sum();
        assert!(run.evaluations() == made && made <= evaluations, "{made} of {evaluations}");
        assert!(run.reason.contains("max-evaluations"), "{}", run.reason);
        // Of four chains that learn together nothing is left but what does not make another draw of each.
        assert!(chains == 5 || evaluations - made < chains as u64 * (thin + 1), "{made} of {evaluations}");
    }
    // With a number of draws the budget is not used up.
    let plan = Plan { draws: Some(100), thin: 5, max_evaluations: Some(20_000), ..plan() };
    let run = sample(target(), &[vec![0.0; 3]], &plan, Control::default()).unwrap();
    assert!(run.chains.iter().all(|chain| chain.draws.len() == 100));
    assert_eq!(run.evaluations(), ends(&run).iter().map(|end| 1 + end + 500).sum::<u64>());
    assert_eq!(run.reason, "all 100 draws were made in each chain");
}

#[test]
fn it_is_no_longer_than_it_may_be() {
    // Half of the budget, or what is asked for, though nothing good was learned by then.
    let half = Plan { draws: None, max_evaluations: Some(4000), ..plan() };
    let asked = Plan { max_warmup: Some(700), ..plan() };
    for (plan, most) in [(half, 499), (asked, 700)] {
        let run = sample(banana(), &[vec![0.0; 3]], &plan, Control::default()).unwrap();
        assert!(run.chains.iter().all(|chain| chain.statistics.warmup.total() == most), "{most}");
    }
    // A number of iterations is kept to, however much is learned.
    let fixed = Plan { warmup: Warmup::Iterations(6000), ..plan() };
    let run = sample(banana(), &[vec![0.0; 3]], &fixed, Control::default()).unwrap();
    assert!(run.chains.iter().all(|chain| chain.statistics.warmup.total() == 6000));
}
