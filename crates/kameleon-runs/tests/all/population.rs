//! Runs that start from the prior: what they find, and that nothing that happens on the way changes it.

use crate::common::{bits, resume, run};
use crate::folder::interrupted;
use kameleon::population::Prior;
use kameleon::target::Noisy;
use kameleon::{Control, Ending, EvalError, Rng, Warmup};
use kameleon_runs::output::Posterior;
use kameleon_runs::store::{Files, Search};
use kameleon_runs::{Outside, Resume, RunSettings, load, resume_on, settings_of, start, start_on};
use rand::RngExt;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tempfile::tempdir;

const DIM: usize = 5;
/// The share of the mode on the right.
const RIGHT: f64 = 0.7;
/// −5 ln 20: the likelihood integrates to one, and the prior is flat on a box.
const LOG_Z: f64 = -14.978_661_367_769_955;

/// Two Gaussians of sd ½ at ±3 along the first axis: 12 standard deviations apart.
fn two_modes(more: &str) -> RunSettings {
    let names = ["a", "b", "c", "d", "e"];
    let priors: String =
        names.iter().map(|name| format!("[parameters.{name}]\nprior = \"uniform(-10, 10)\"\n")).collect();
    let text = format!(
        "[model]\nlog-density = \"ln(0.3*exp(-2*(a+3)^2) + 0.7*exp(-2*(a-3)^2)) - 2*(b^2+c^2+d^2+e^2) - 2.5*ln(pi/2)\"\n\
         {priors}[run]\ndraws = 1000\nseed = 3\n{more}\n"
    );
    RunSettings::from_toml(&text, "run.toml").unwrap()
}

/// Two modes in two dimensions, one of them with a bound: quick, and with all stages.
pub fn quick(more: &str) -> RunSettings {
    let text = format!(
        "[model]\nlog-density = \"ln(exp(-8*(x-2)^2) + exp(-8*(x+2)^2)) - (ln(s))^2\"\n\
         [parameters.x]\nprior = \"normal(0, 3)\"\n[parameters.s]\nprior = \"exponential(1)\"\nupper = 9\n\
         [run]\ndraws = 200\nseed = 5\n{more}\n[population]\nparticles = 100\nlooks = 1\ncheck = 300\n[output]\nsave-every = 0\n"
    );
    RunSettings::from_toml(&text, "run.toml").unwrap()
}

fn share_of(posterior: &Posterior, is_in: impl Fn(&[f64]) -> bool) -> f64 {
    let draws: Vec<&[f64]> = posterior.chains.iter().flat_map(|c| c.draws.points.chunks(posterior.dim())).collect();
    draws.iter().filter(|x| is_in(x)).count() as f64 / draws.len() as f64
}

/// Everything that was found, whatever happened on the way.
pub fn everything(posterior: &Posterior) -> String {
    format!("{:?} {:?}", posterior.population, posterior.jumps)
}

#[test]
fn a_run_file_with_priors_finds_modes_that_chains_would_not_by_their_weights() {
    let settings = two_modes("");
    let finished = run(&settings, None).unwrap();
    assert_eq!(finished.settings.run.warmup, Warmup::Population, "auto");
    let posterior = &finished.posterior;
    let population = posterior.population.as_ref().unwrap();
    // Six standard errors each: about 3000 effective draws, and what the evidence says of itself.
    let right = share_of(posterior, |x| x[0] > 0.0);
    assert!((right - RIGHT).abs() < 0.05, "{right}");
    let evidence = &posterior.jumps.as_ref().unwrap().evidence;
    assert!(evidence.reliable && (evidence.log - LOG_Z).abs() < 6.0 * evidence.error, "{evidence:?}");
    assert!((population.ladder_log_z.unwrap() - LOG_Z).abs() < 0.3 && population.doubts.is_empty(), "{population:?}");
    let [first, second] = population.modes.as_slice() else { panic!("{:?}", population.modes) };
    assert!((first.place[0] - 3.0).abs() < 0.1 && (second.place[0] + 3.0).abs() < 0.1);
    // A draw far out in a tail may be nearer to the other mode, in units of its width.
    let error = first.error.unwrap();
    assert!((first.weight - right).abs() < 0.005 && error > 0.0 && error < 0.05, "{first:?} {right}");
    assert!((first.log_evidence.unwrap() - (LOG_Z + RIGHT.ln())).abs() < 0.1, "{first:?}");
    assert_eq!((&first.chains, &second.chains), (&vec![0, 1, 2, 3], &vec![0, 1, 2, 3]));
    for (chain, labels) in posterior.chains.iter().zip(&population.labels) {
        let by_sign = chain.draws.points.chunks(DIM).map(|x| usize::from(x[0] < 0.0));
        let others = by_sign.zip(labels).filter(|(sign, label)| sign != *label).count();
        assert!(labels.len() == chain.draws.len() && others * 100 <= labels.len(), "{others} of {}", labels.len());
    }
    assert_eq!(posterior.warmup, kameleon::population::SETTLING);
    let regions = posterior.jumps.as_ref().unwrap().regions;
    assert!(regions.met >= 2 && regions.unvisited == 0 && !population.unfinished, "{regions:?}");
    assert!(posterior.summary().verdict.converged);
    let chains: u64 = posterior.chains.iter().map(|chain| chain.statistics.evaluations).sum();
    let check = posterior.stein.as_ref().map_or(0, |stein| stein.evaluations);
    assert!(check * 20 <= chains + population.evaluations, "{check}");
    assert_eq!(posterior.evaluations(), chains + population.evaluations + check);
}

#[test]
fn it_is_the_same_in_memory_on_disk_and_on_any_number_of_threads() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    let here = run(&quick("threads = 1"), None).unwrap().posterior;
    let four = run(&quick("threads = 4"), None).unwrap().posterior;
    let disk = run(&quick(""), Some(&folder)).unwrap().posterior;
    for other in [&four, &disk, &load(&folder).unwrap()] {
        assert_eq!(bits(other), bits(&here));
        assert_eq!(everything(other), everything(&here));
    }
    let more = resume(&folder, Some(300)).unwrap().posterior;
    let mut longer = quick("");
    longer.run.draws = Some(300);
    assert_eq!(bits(&more), bits(&run(&longer, None).unwrap().posterior));
}

#[test]
fn stopped_in_any_stage_and_resumed_it_is_the_uninterrupted_run() {
    let place = tempdir().unwrap();
    let settings = quick("threads = 2");
    let whole = run(&settings, None).unwrap().posterior;
    let all = whole.population.as_ref().unwrap().evaluations;
    for (k, after) in [0, 1, 150, all / 5, all / 3, all / 2, all - 700, all - 1, all + 900].into_iter().enumerate() {
        let folder = place.path().join(k.to_string());
        interrupted(&folder, after, &settings);
        let waiting = load(&folder).unwrap();
        assert!(waiting.population.is_some_and(|found| found.progress.is_some() == (after < all)), "after {after}");
        let resumed = resume(&folder, None).unwrap();
        assert!(matches!(resumed.ending, Ending::Complete), "{}", resumed.reason);
        assert_eq!(bits(&resumed.posterior), bits(&whole), "stopped after {after}");
        assert_eq!(everything(&resumed.posterior), everything(&whole), "stopped after {after}");
    }
}

/// A run killed at any moment leaves some state that was saved before. Every one of them leads to the same end.
#[test]
fn what_was_saved_at_any_moment_leads_to_the_same_end() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    let settings = quick("threads = 1");
    let whole = run(&settings, Some(&folder)).unwrap().posterior;
    let files = Files::of(&folder).unwrap();
    interrupted(&place.path().join("part"), 400, &settings);
    fs::copy(Files::of(&place.path().join("part")).unwrap().population(), files.population()).unwrap();
    for chain in 0..4 {
        fs::remove_file(files.checkpoint(chain)).unwrap();
    }
    assert_eq!(bits(&resume(&folder, None).unwrap().posterior), bits(&whole));
    // Killed between the population and the last of its chains; none waits for another.
    fs::remove_file(files.checkpoint(2)).unwrap();
    assert_eq!(bits(&resume(&folder, None).unwrap().posterior), bits(&whole));
    fs::remove_file(files.population()).unwrap();
    assert_eq!(everything(&resume(&folder, None).unwrap().posterior), everything(&whole));
}

#[test]
fn a_population_that_is_damaged_or_of_another_run_is_refused_in_words() {
    let place = tempdir().unwrap();
    let (one, other) = (place.path().join("one"), place.path().join("other"));
    interrupted(&one, 300, &quick(""));
    let mut seeded = quick("");
    seeded.run.seed = 6;
    interrupted(&other, 300, &seeded);
    let file = Files::of(&one).unwrap().population();
    let whole = fs::read(&file).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    let foreign = fs::read(Files::of(&other).unwrap().population()).unwrap();
    let cases: [(&[u8], &str); 5] = [
        (&damaged, "the population of a run is damaged: its checksum is wrong"),
        (&whole[..whole.len() / 2], "damaged"),
        (b"", "this is not a population of a run"),
        (b"KMLNPOP0 and more bytes", "another version"),
        (&foreign, "the population is that of a run with other settings"),
    ];
    for (bytes, why) in cases {
        fs::write(&file, bytes).unwrap();
        let said = resume(&one, None).err().unwrap().to_string();
        assert!(said.contains("population.checkpoint") && said.contains(why), "{said}");
        if !why.contains("other settings") {
            assert!(said.contains("remove this file, then resume"), "{said}");
            let shown = load(&one).unwrap();
            assert!(shown.warnings.iter().any(|text| text.contains("what the population found cannot be read")));
        }
    }
    fs::write(&file, &whole).unwrap();
    assert!(matches!(resume(&one, None).unwrap().ending, Ending::Complete));
    assert!(
        matches!(Search::read(&Files::of(&one).unwrap(), 3), Err(error) if error.to_string().contains("not of 3 parameters"))
    );
}

/// The model fails at an evaluation of the population, and works again later.
#[test]
fn a_model_that_fails_in_the_population_keeps_all_that_was_evaluated() {
    let place = tempdir().unwrap();
    let settings = external("f", "");
    let likelihood = |x: &[f64]| -8.0 * (x[0] - 1.0).powi(2) - 2.0 * x[1] * x[1];
    let count = AtomicU64::new(0);
    let failing = |x: &[f64]| match count.fetch_add(1, Ordering::Relaxed) {
        1500 => Err(EvalError::fatal("the cluster is down")),
        _ => Ok(likelihood(x)),
    };
    let whole = start(&settings, likelihood, None, Control::default()).unwrap().posterior;
    let folder = place.path().join("run");
    let failed = start(&settings, failing, Some(&folder), Control::default()).unwrap();
    assert!(matches!(failed.ending, Ending::Failed(_)) && failed.reason.contains("the cluster is down"));
    let done = failed.posterior.evaluations();
    assert!(done > 0 && done < 1500 && failed.posterior.points().is_empty(), "{done}");
    assert!(failed.posterior.warnings[0].contains("the population stopped after"), "{:?}", failed.posterior.warnings);
    let resumed = kameleon_runs::resume(&folder, likelihood, None, Control::default()).unwrap();
    assert_eq!(bits(&resumed.posterior), bits(&whole));
    let odd = |x: &[f64]| if x[0] > 3.0 { f64::NAN } else { likelihood(x) };
    let odd = start(&settings, odd, None, Control::default()).unwrap().posterior;
    assert!(odd.warnings.iter().any(|text| text.contains("points had no usable log likelihood")), "{:?}", odd.warnings);
    // One that never works leaves nothing behind, and one without a possible point says so.
    let never = place.path().join("never");
    let broken = |_: &[f64]| -> kameleon::Evaluation { Err(EvalError::fatal("no licence")) };
    assert!(matches!(start(&settings, broken, Some(&never), Control::default()).unwrap().ending, Ending::Failed(_)));
    let nowhere = start(&settings, |_: &[f64]| f64::NEG_INFINITY, Some(&never), Control::default()).err().unwrap();
    assert!(
        nowhere.to_string().starts_with("priors: no point where prior and likelihood are both positive was found in "),
        "{nowhere}"
    );
    assert!(!never.exists());
}

/// A function of this program, with priors.
fn external(name: &str, more: &str) -> RunSettings {
    let text = format!(
        "[model]\nexternal = \"{name}\"\n[parameters.x]\nprior = \"normal(0, 3)\"\n[parameters.y]\nprior = \"normal(0, 3)\"\n\
         [run]\nthreads = 1\ndraws = 500\n{more}\n[population]\nparticles = 100\ncheck = 500\n[output]\nsave-every = 0\n"
    );
    RunSettings::from_toml(&text, "run.toml").unwrap()
}

#[test]
fn a_budget_holds_for_population_and_chains_together() {
    for budget in [20_000, 30_000, 60_000] {
        let mut settings = two_modes(&format!("max-evaluations = {budget}"));
        settings.run.draws = None;
        let finished = run(&settings, None).unwrap();
        let (posterior, population) = (&finished.posterior, finished.posterior.population.as_ref().unwrap());
        assert!(population.evaluations <= budget / 2, "{} of {budget}", population.evaluations);
        let all = posterior.evaluations();
        assert!(all <= budget && all > budget - 8, "{all} of {budget}");
        // Without the full ladder there is no density, and chains learn as without a population.
        assert_eq!(population.frozen, posterior.warmup == kameleon::population::SETTLING);
        assert_eq!(posterior.warnings.iter().any(|text| text.contains("the budget is too small")), !population.frozen);
    }
}

/// Both modes are known by the looks, and so the chains agree and have their weights; but what a ladder would have found is not known.
#[test]
fn a_search_that_was_not_finished_gives_neither_a_verdict_nor_an_evidence() {
    let mut settings = two_modes("max-evaluations = 30000");
    settings.run.draws = None;
    let finished = run(&settings, None).unwrap();
    let posterior = &finished.posterior;
    assert!(posterior.population.as_ref().unwrap().unfinished, "{:?}", posterior.population);
    let verdict = posterior.summary().verdict;
    assert!(verdict.agree && !verdict.converged, "{verdict}");
    assert!(verdict.messages[0].contains("the search for them was not finished, as a warning says"), "{verdict}");
    assert!(posterior.warnings.iter().any(|text| text.contains("the budget is too small")), "{:?}", posterior.warnings);
    let evidence = &posterior.jumps.as_ref().unwrap().evidence;
    assert!(!evidence.reliable && evidence.why.ends_with("the search for modes was not finished, as a warning says"));
}

#[test]
fn time_that_runs_out_in_the_population_ends_the_run_which_can_be_resumed() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    let finished = run(&quick("max-minutes = 1e-9"), Some(&folder)).unwrap();
    assert!(matches!(finished.ending, Ending::Stopped));
    assert!(finished.reason.contains("(max-minutes) was reached in the population warm-up"), "{}", finished.reason);
    let mut settings = settings_of(&folder).unwrap();
    settings.run.max_minutes = None;
    fs::write(folder.join("settings.toml"), settings.to_toml().unwrap()).unwrap();
    let whole = run(&quick(""), None).unwrap().posterior;
    assert_eq!(bits(&resume(&folder, None).unwrap().posterior), bits(&whole));
}

#[test]
fn auto_takes_a_population_only_where_it_can_and_should() {
    let chosen = |settings: &RunSettings| {
        let mut short = settings.clone();
        (short.run.draws, short.population.max_evaluations) = (Some(1), Some(2000));
        let finished = start(&short, |x: &[f64]| -x[0] * x[0], None, Control::default());
        finished.map_or_else(|error| error.to_string(), |finished| format!("{:?}", finished.settings.run.warmup))
    };
    let with = |change: fn(&mut RunSettings)| {
        let mut settings = external("f", "");
        change(&mut settings);
        chosen(&settings)
    };
    assert_eq!(with(|_| ()), "Population");
    assert_eq!(with(|s| s.run.max_evaluations = Some(20_000)), "Population");
    assert_eq!(with(|s| (s.run.chain, s.run.pool) = (Some(0), false)), "Population");
    for chains in [
        (|s| s.run.max_evaluations = Some(19_999)) as fn(&mut RunSettings),
        |s| s.start = Some(vec![vec![0.0, 0.0]]),
        |s| s.parameters.0[1].1.start = Some(kameleon_runs::settings::Start::At(0.0)),
        |s| s.parameters.0[0].1.prior = None,
        |s| s.run.warmup = Warmup::Chains,
    ] {
        assert_eq!(with(chains), "Chains");
    }
    assert_eq!(with(|s| s.sampler.name = "AM-LS".into()), "Iterations(5000)");
}

#[test]
fn a_population_is_refused_in_words_where_it_cannot_be() {
    let said = |change: fn(&mut RunSettings)| {
        let mut settings = external("f", "warmup = \"population\"");
        change(&mut settings);
        settings.check().unwrap_err().to_string()
    };
    assert!(
        said(|s| s.parameters.0[1].1.prior = None)
            .contains("run.warmup: \"population\" starts from the prior, and needs one of every parameter: y has none")
    );
    assert!(said(|s| s.start = Some(vec![vec![0.0, 0.0]])).contains("start: a population needs no start"));
    assert!(said(|s| s.sampler.name = "AM-LS".into()).contains("hands over to the sampler kameleon"));
    assert!(said(|s| s.run.max_evaluations = Some(1000)).contains("run.max-evaluations: 1000 are not enough"));
    assert!(said(|s| s.population.particles = Some(3)).contains("population.particles: must be from 50"));
    let wrong = |warmup: &str| {
        let text = format!("[model]\ntarget = \"banana\"\n[run]\nwarmup = {warmup}\n");
        RunSettings::from_toml(&text, "run.toml").unwrap_err().to_string()
    };
    for given in ["-5", "2.5", "true", "\"populatoin\""] {
        let expected = format!("must be a number of iterations, \"chains\", \"population\" or \"auto\", not {given}");
        assert!(wrong(given).contains(&expected), "{}", wrong(given));
    }
    let text = "[model]\ntarget = \"sv\"\n[run]\nwarmup = \"population\"\n";
    let said = RunSettings::from_toml(text, "run.toml").unwrap_err().to_string();
    assert!(said.contains("needs a likelihood, and sv has a prior of its own"), "{said}");
}

/// Noise of standard deviation ½ on the log likelihood: the evidence is that of the exact likelihood.
#[test]
fn a_noisy_likelihood_gives_the_same_evidence() {
    let likelihood = |x: &[f64]| -2.0 * (x[0] - 1.0).powi(2) - 2.0 * x[1] * x[1];
    // A Gaussian of variance ¼ under one of variance 9, times π/2.
    let (total, tau) = (9.25_f64, std::f64::consts::TAU);
    let exact = (tau / 4.0).ln() - (tau * total).ln() - 0.5 / total;
    let mut settings = external("f", "");
    settings.run.draws = Some(2000);
    let noisy = Noisy::new(likelihood, 0.5).unwrap();
    for threads in [1, 3] {
        let mut settings = settings.clone();
        settings.run.threads = Some(threads);
        let found = start(&settings, noisy.clone(), None, Control::default()).unwrap().posterior;
        let evidence = &found.jumps.as_ref().unwrap().evidence;
        assert!(evidence.reliable && (evidence.log - exact).abs() < 6.0 * evidence.error, "{evidence:?} {exact}");
    }
}

/// The prior of [`external`] as a function of this program.
struct Function;

impl Prior for Function {
    fn dim(&self) -> usize {
        2
    }

    fn draw(&self, rng: &mut Rng, x: &mut [f64]) {
        x.iter_mut().for_each(|x| *x = rng.random_range(-9.0..9.0));
    }

    fn log_density(&self, x: &[f64]) -> f64 {
        if x.iter().all(|x| x.abs() < 9.0) { -2.0 * 18f64.ln() } else { f64::NEG_INFINITY }
    }
}

#[test]
fn a_prior_that_is_a_function_of_another_program_serves_population_and_chains() {
    let place = tempdir().unwrap();
    let folder = place.path().join("run");
    let text = "parameters = [\"x\", \"y\"]\n[model]\nexternal = \"f\"\nexternal-prior = \"g\"\n[run]\ndraws = 1000\n";
    let settings = RunSettings::from_toml(text, "run.toml").unwrap();
    let likelihood = |x: &[f64]| -2.0 * (x[0] - 1.0).powi(2) - 2.0 * x[1] * x[1];
    let outside = Outside { prior: Some(Arc::new(Function)), ..Outside::default() };
    let found = start_on(&outside, &settings, likelihood, Some(&folder), Control::default()).unwrap();
    assert_eq!(found.settings.run.warmup, Warmup::Population);
    let jumps = found.posterior.jumps.as_ref().unwrap();
    let exact = (std::f64::consts::TAU / 4.0).ln() - 2.0 * 18f64.ln();
    assert_eq!(jumps.name(), "log evidence");
    assert!((jumps.evidence.log - exact).abs() < 6.0 * jumps.evidence.error, "{:?} {exact}", jumps.evidence);
    let draws = &found.posterior.chains[0].draws;
    let log_density = likelihood(&draws.points[..2]) + Function.log_density(&draws.points[..2]);
    assert!((draws.log_density[0] - log_density).abs() < 1e-12);
    let said = kameleon_runs::resume(&folder, likelihood, Some(1500), Control::default()).err().unwrap().to_string();
    assert!(said.contains("model.external-prior: g is a function of another program"), "{said}");
    let more =
        resume_on(&outside, &folder, likelihood, Resume { draws: Some(1500), ..Resume::default() }, Control::default())
            .unwrap();
    assert_eq!(more.posterior.chains[3].draws.len(), 1500);
    assert_eq!(settings_of(&folder).unwrap().model.external_prior.as_deref(), Some("g"));
}
