//! What the check of draws spends, and when.

use crate::common::run;
use kameleon_runs::output::Posterior;
use kameleon_runs::{RunSettings, load};
use tempfile::tempdir;

const FUNNEL: &str = r#"model.target = "funnel:s=1,dim=3""#;
const BANANA: &str = r#"model.target = "banana:b=0.03,dim=2""#;

fn settings(model: &str, more: &str) -> RunSettings {
    let text = format!("{model}\nrun.warmup = 2000\nrun.draws = 2000\nrun.seed = 3\n{more}");
    RunSettings::from_toml(&text, "run.toml").unwrap()
}

/// The evaluations of a run in memory, those of its check, and the run.
fn spent(model: &str, more: &str) -> (u64, u64, Posterior) {
    let posterior = run(&settings(model, more), None).unwrap().posterior;
    let check = posterior.stein.as_ref().map_or(0, |stein| stein.evaluations);
    (posterior.evaluations(), check, posterior)
}

#[test]
fn auto_spends_at_most_a_twentieth_and_only_where_stored_values_say_nothing() {
    let (chains, none, free) = spent(FUNNEL, "run.check = \"free\"");
    assert_eq!((chains, none), (16_004, 0));
    let (all, check, auto) = spent(FUNNEL, "");
    assert!(all == chains + check && check > 700 && check <= chains / 20, "{check}");
    assert_eq!(free.chains[3].draws, auto.chains[3].draws);
    let best = &auto.stein.as_ref().unwrap().means[0];
    assert!(best.is_better() && best.estimate.abs() < 0.01, "{best:?}");
    assert_eq!(spent(BANANA, "").1, 0);
    assert_eq!(spent(&format!("{FUNNEL}\nmodel.noise = 0.5"), "").1, 0);
    assert!(spent(FUNNEL, "run.check = \"off\"").2.stein.is_none());
}

#[test]
fn full_measures_slopes_everywhere_and_auto_keeps_within_a_limit_of_evaluations() {
    let (_, check, full) = spent(BANANA, "run.check = \"full\"");
    // Two differences for each parameter at two thousand draws.
    assert_eq!(check, 8000);
    let stein = full.stein.unwrap();
    assert_eq!(stein.squares.len(), 2, "those by stored values stay");
    assert!(stein.means.iter().all(|mean| mean.explained > 0.999));
    assert_eq!(spent(FUNNEL, "run.max-evaluations = 16100").1, 0);
    let (all, check, _) = spent(FUNNEL, "run.max-evaluations = 16400");
    assert!(check > 270 && all <= 16_400, "{check} of {all}");
}

#[test]
fn a_folder_keeps_what_the_check_found() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    let posterior = run(&settings(FUNNEL, ""), Some(&folder)).unwrap().posterior;
    let stored = load(&folder).unwrap();
    assert!(posterior.stein.as_ref().unwrap().evaluations > 0);
    assert_eq!(stored.stein, posterior.stein);
    assert_eq!(stored.evaluations(), posterior.evaluations());
}

#[test]
fn modes_that_nobody_looked_for_are_told_and_a_warm_up_at_its_limit_is_where_it_may_matter() {
    let model = "model.log-density = \"-2*a^2\"\nparameters.a = { prior = \"normal(0, 3)\" }\nrun.draws = 2000";
    let said = |more: &str| {
        let settings = RunSettings::from_toml(&format!("{model}\n{more}"), "run.toml").unwrap();
        run(&settings, None).unwrap().posterior.summary().verdict
    };
    let limit = |words: &[String]| words[0].contains("limit of 300 iterations") && words[0].contains("max-warmup");
    let short = "run.warmup = \"chains\"\nrun.max-warmup = 300";
    let good = said(short);
    assert!(good.converged && good.messages.is_empty() && good.remarks.len() == 1, "{good}");
    assert!(good.remarks[0].starts_with("A mode that no chain met"), "{good}");
    let unknown = said(&format!("{short}\noutput.keep-jumps = false"));
    assert!(unknown.converged && unknown.messages.is_empty() && limit(&unknown.remarks), "{unknown}");
    let few = said(&format!("{short}\nrun.max-draws = 50"));
    assert!(!few.converged && limit(&few.messages[few.messages.len() - 1..]) && few.remarks.len() == 1, "{few}");
    let whole = said("run.warmup = \"chains\"");
    assert!(whole.messages.is_empty() && whole.remarks.len() == 1, "{whole}");
    assert_eq!(said("run.warmup = \"population\"").words().count(), 0);
    let started = RunSettings::from_toml(&format!("{model}\nstart = [[0]]\nrun.warmup = 300"), "run.toml").unwrap();
    assert_eq!(run(&started, None).unwrap().posterior.summary().verdict.words().count(), 0);
}

/// The draws are right, but the slope of a step function is not that of the steps.
#[test]
fn slopes_of_rounded_likelihoods_are_measured_and_not_believed() {
    let poisson = "model.log-density = \"round(n)*ln(7) - lgamma(round(n)+1) - 7\"\nparameters.n = { prior = \"uniform(0, 40)\" }";
    let steps = "parameters = [\"x\", \"y\", \"z\"]\nmodel.log-density = \"-2*(floor(abs(x)) + floor(abs(y)) + floor(abs(z)))\"";
    for model in [poisson, steps] {
        let (_, check, posterior) = spent(model, "");
        let verdict = posterior.summary().verdict;
        assert!(check > 270 && verdict.converged && !verdict.tails_checked, "{verdict}");
    }
}
