//! A run that is too large for memory is summarised from its files.

use crate::common::{jumping, run};
use kameleon::diagnose::ParameterSummary;
use kameleon_runs::output::report_html;
use kameleon_runs::{load, load_limited};
use std::cell::Cell;
use tempfile::tempdir;

#[test]
fn figures_of_all_draws_are_exact_and_those_of_some_are_near() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    let mut settings = jumping("");
    (settings.run.draws, settings.output.keep_warmup) = (Some(20_000), true);
    let whole = run(&settings, Some(&folder)).unwrap().posterior;
    let (share, calls) = (Cell::new(0.0), Cell::new(0));
    let watch = |now: f64| {
        assert!(now >= share.get());
        share.set(now);
        calls.set(calls.get() + 1);
    };
    let some = load_limited(&folder, 400_000, &watch).unwrap();
    let all = some.all.as_ref().unwrap();
    assert!(all.every > 5 && some.chains[0].draws.len() as u64 == 20_000 / all.every, "{}", all.every);
    assert_eq!((some.draws_of_chain(), some.names.clone()), ((20_000, 20_000), whole.names.clone()));
    assert!(some.chains[1].draws.points.chunks(3).all(|x| x[2] > 0.0), "in the parameters' own units");
    let near = |a: f64, b: f64, error: f64| assert!((a - b).abs() <= error, "{a} {b}");
    for (some, whole) in some.summary().parameters.iter().zip(&whole.summary().parameters) {
        near(some.mean, whole.mean, 1e-10 * whole.sd);
        near(some.sd, whole.sd, 1e-10 * whole.sd);
        // The two sides sum up in another order, and quantiles of values that are the same are the same.
        for of in [|p: &ParameterSummary| p.q5, |p: &ParameterSummary| p.q50, |p: &ParameterSummary| p.q95] {
            near(of(some), of(whole), 1e-12 * whole.sd);
        }
        assert!(some.r_hat < 1.05 && some.ess_bulk > 100.0 && some.mcse_mean >= 0.8 * whole.mcse_mean);
    }
    let evidence = |posterior: &kameleon_runs::output::Posterior| posterior.jumps.as_ref().unwrap().evidence.clone();
    let (a, b) = (evidence(&some), evidence(&whole));
    near(a.log, b.log, 5.0 * a.error);
    let page = report_html(&some);
    assert!(page.contains(&format!("<dd>20\u{202f}000 ({})</dd>", all.words("figures"))), "what is shown of how many");
    // A run that is small enough is read as a whole.
    let small = load_limited(&folder, u64::MAX, &|_| {}).unwrap();
    assert!(small.all.is_none() && small.chains[0].draws == load(&folder).unwrap().chains[0].draws);
}
