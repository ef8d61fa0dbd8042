//! A run is resumed with the model that it sampled, noise is told, and a limit is told from a goal.

use crate::common::{bits, resume, run, settings};
use crate::folder::{Stopping, interrupted};
use crate::population::quick;
use kameleon::{Control, Ending, Evaluation, Noise, Target};
use kameleon_runs::store::{Files, Search};
use kameleon_runs::{How, Model, Outside, Resume, RunError, RunSettings, Status, load, resume_on, start};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use tempfile::tempdir;

fn again(folder: &Path, target: impl Target + Clone + Send, trust: bool) -> Result<String, RunError> {
    let resume = Resume { draws: Some(500), trust, ..Resume::default() };
    Ok(resume_on(&Outside::default(), folder, target, resume, Control::default())?.reason)
}

#[test]
fn another_model_is_refused_with_both_values_unless_it_is_trusted() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    let settings = settings("");
    let model = || Model::open(&settings).unwrap();
    let posterior = run(&settings, Some(&folder)).unwrap().posterior;
    let stored = *posterior.chains[0].draws.log_density.last().unwrap();
    let mut same = model();
    let other = move |x: &[f64]| same.log_density(x, Noise { rng: &mut rng(), normals: &[] }).map(|value| value - 1.0);
    let said = again(&folder, other.clone(), false).unwrap_err().to_string();
    assert!(said.contains("the model is not the one that was sampled: at x = "), "{said}");
    assert!(said.contains(&format!("its log density was {stored} and is ")), "{said}");
    assert!(again(&folder, |_: &[f64]| f64::NEG_INFINITY, false).is_err());
    // A refusal leaves the run as it was; the same model resumes it exactly.
    assert_eq!(bits(&load(&folder).unwrap()), bits(&posterior));
    let copy = place.path().join("copy");
    run(&settings, Some(&copy)).unwrap();
    again(&folder, model(), false).unwrap();
    again(&copy, other, true).unwrap();
    let longer =
        RunSettings::from_toml(&settings.to_toml().unwrap().replace("draws = 400", "draws = 500"), "").unwrap();
    assert_eq!(bits(&load(&folder).unwrap()), bits(&run(&longer, None).unwrap().posterior));
}

#[test]
fn a_shift_is_refused_where_log_densities_are_large() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    let far = |shift: f64| move |x: &[f64]| -1e6 - shift - x.iter().map(|x| x * x).sum::<f64>();
    start(&noisy_run("false"), far(0.0), Some(&folder), Control::default()).unwrap();
    assert!(matches!(again(&folder, far(0.9), false), Err(RunError::OtherModel(_))));
    // Nobody adds up in the same order everywhere.
    again(&folder, far(1e-8), false).unwrap();
}

#[test]
fn another_likelihood_is_refused_in_the_population_and_right_after_it() {
    let place = tempdir().unwrap();
    let settings = quick("threads = 1");
    let whole = run(&settings, None).unwrap().posterior;
    let all = whole.population.as_ref().unwrap().evaluations;
    for name in ["in the population", "right after it"] {
        let folder = place.path().join(name);
        if name == "in the population" {
            interrupted(&folder, 400, &settings);
        } else {
            run(&settings, Some(&folder)).unwrap();
            (0..4).for_each(|chain| fs::remove_file(Files::of(&folder).unwrap().checkpoint(chain)).unwrap());
        }
        let mut same = Model::open(&settings).unwrap();
        let best = Search::read(&Files::of(&folder).unwrap(), 2).unwrap().unwrap().witness().unwrap().clone();
        assert!(best.evaluation < all && best.log_likelihood > -1.0, "{best:?}");
        let shifted = move |x: &[f64]| same.log_density(x, Noise { rng: &mut rng(), normals: &[] }).map(|v| v - 1.5);
        let said = again(&folder, shifted, false).unwrap_err().to_string();
        let [found, now] = said.split("its log density was ").nth(1).unwrap().split(" and is ").collect::<Vec<_>>()[..]
        else {
            panic!("{said}")
        };
        let now: f64 = now.strip_suffix(" now").unwrap().parse().unwrap();
        assert!((found.parse::<f64>().unwrap() - now - 1.5).abs() < 1e-9, "{said}");
        assert!(said.contains(&format!("at x = {}, s = ", best.point[0])) && said.contains("the best point"), "{said}");
        let resumed = resume(&folder, None).unwrap().posterior;
        assert_eq!(bits(&resumed), bits(&whole), "a refusal changes nothing");
    }
}

#[test]
fn noise_of_a_population_is_made_again() {
    let place = tempdir().unwrap();
    let text = "[model]\nexternal = \"f\"\nnoisy = \"seed\"\n[parameters.a]\nprior = \"normal(0, 3)\"\n[run]\nthreads = 1\n\
                draws = 300\n[population]\nparticles = 100\n[output]\nsave-every = 0\n";
    let settings = RunSettings::from_toml(text, "run.toml").unwrap();
    let folder = place.path().join("run");
    let (stop, count) = (AtomicBool::new(false), AtomicU64::new(0));
    let noisy = |shift: f64| Noisy { sd: 0.8, own: None, shift };
    let counting = Stopping { target: noisy(0.0), count: &count, stop: &stop, after: 700 };
    start(&settings, counting, Some(&folder), Control { stop: Some(&stop), ..Control::default() }).unwrap();
    let said = again(&folder, noisy(0.01), false).unwrap_err().to_string();
    assert!(said.contains("the best point of the population"), "{said}");
    again(&folder, noisy(0.0), false).unwrap();
}

fn rng() -> kameleon::Rng {
    kameleon::random::stream(1, 0, kameleon::random::Purpose::Noise)
}

/// A standard normal whose estimate has noise of this standard deviation: of the chain, or of its own.
#[derive(Clone)]
pub struct Noisy {
    pub sd: f64,
    pub own: Option<Arc<AtomicU64>>,
    pub shift: f64,
}

impl Target for Noisy {
    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        let e: f64 = match &self.own {
            None => noise.rng.sample(StandardNormal),
            Some(count) => {
                let count = count.fetch_add(1, Ordering::Relaxed);
                kameleon::random::stream(count, 0, kameleon::random::Purpose::Noise).sample(StandardNormal)
            }
        };
        Ok(self.shift - x.iter().map(|x| x * x).sum::<f64>() / 2.0 + self.sd * e - self.sd * self.sd / 2.0)
    }
}

fn noisy_run(noisy: &str) -> RunSettings {
    let text = format!(
        "parameters = [\"a\", \"b\"]\nstart = [[0.0, 0.0]]\n[model]\nexternal = \"a function\"\nnoisy = {noisy}\n[run]\nwarmup = 2000\n\
         draws = 400\nseed = 3\n"
    );
    RunSettings::from_toml(&text, "run.toml").unwrap()
}

#[test]
fn noise_of_the_chain_must_agree_and_noise_of_its_own_must_be_plausible() {
    let place = tempdir().unwrap();
    for (name, noisy, own) in [("seed", "\"seed\"", None), ("own", "true", Some(Arc::default()))] {
        let folder = place.path().join(name);
        let target = |shift: f64| Noisy { sd: 0.8, own: own.clone(), shift };
        let begun = start(&noisy_run(noisy), target(0.0), Some(&folder), Control::default()).unwrap();
        assert!(
            (0.4..1.3).contains(&begun.posterior.sd_log_estimate.unwrap()),
            "{:?}",
            begun.posterior.sd_log_estimate
        );
        let far = if own.is_some() { 40.0 } else { 0.01 };
        let said = again(&folder, target(far), false).unwrap_err().to_string();
        assert!(said.contains("not the one that was sampled"), "{said}");
        again(&folder, target(0.0), false).unwrap();
    }
}

#[test]
fn noise_that_nobody_declared_is_told_and_large_noise_gets_advice() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    let target = |sd: f64| Noisy { sd, own: Some(Arc::default()), shift: 0.0 };
    start(&noisy_run("false"), target(0.5), Some(&folder), Control::default()).unwrap();
    let warnings = load(&folder).unwrap().warnings;
    let found = warnings.iter().find(|warning| warning.starts_with("the log density is noisy, but not declared so"));
    assert!(found.is_some_and(|found| found.contains("noisy = true")), "{warnings:?}");
    let large = start(&noisy_run("true"), target(2.2), None, Control::default()).unwrap().posterior;
    assert!(large.sd_log_estimate.is_some_and(|sd| sd > 1.5), "{:?}", large.sd_log_estimate);
    let told = |warning: &String| warning.starts_with("sd(log p̂) = ") || warning.contains("is stuck");
    let advice = large.warnings.iter().find(|warning| told(warning));
    assert!(advice.is_some_and(|words| words.contains("Average more samples")), "{:?}", large.warnings);
    let quiet = start(&noisy_run("true"), target(0.0), None, Control::default()).unwrap().posterior;
    assert!(!quiet.warnings.iter().any(|warning| warning.contains("noisy") || warning.contains("log p̂")));
}

#[test]
fn a_limit_before_the_goal_is_told_and_a_goal_is_not() {
    let place = tempdir().unwrap();
    let ends = |name: &str, settings: RunSettings, goal: bool| {
        let folder = place.path().join(name);
        let finished = run(&settings, Some(&folder)).unwrap();
        let (ending, how) = (&finished.ending, Status::read(&Files::of(&folder).unwrap()).ending);
        let warned = finished.posterior.warnings.contains(&finished.reason);
        match goal {
            true => assert!(matches!(ending, Ending::Complete) && how == How::Complete && !warned, "{name}"),
            false => assert!(matches!(ending, Ending::Limited) && how == How::Limited && warned, "{name}"),
        }
    };
    ends("draws", settings(""), true);
    ends("rule", settings("until = \"ess=2\""), true);
    ends("before the rule", settings("until = \"ess=100000\"\nmax-draws = 300"), false);
    ends("evaluations", settings("max-evaluations = 1000"), false);
    // The time is looked at now and then, so the run must not be over before.
    let mut long = settings("max-minutes = 1e-9");
    long.run.draws = Some(10_000_000);
    ends("minutes", long, false);
}
