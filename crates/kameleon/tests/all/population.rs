//! A population, and chains that start from what it found.

use kameleon::diagnose::Estimate;
use kameleon::population::{Found, OnThreads, Population, Posterior, Prior, Settings};
use kameleon::target::Noisy;
use kameleon::{
    Control, EvalError, Evaluation, Noise, Plan, Rng, Sampler, Target, Warmup, resume, sample, sample_from,
    sample_from_prior,
};
use rand::RngExt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

const DIM: usize = 3;
/// Centre in every coordinate, standard deviation and weight: far apart, so that local moves never lead from one to another.
const MODES: [(f64, f64, f64); 2] = [(-5.0, 1.0, 0.3), (5.0, 0.4, 0.7)];
const LOG_PRIOR: f64 = -8.987_196_820_661_973; // −3 ln 20

#[derive(Clone)]
struct InBox;

impl Prior for InBox {
    fn dim(&self) -> usize {
        DIM
    }

    fn draw(&self, rng: &mut Rng, x: &mut [f64]) {
        x.iter_mut().for_each(|x| *x = rng.random_range(-10.0..10.0));
    }

    fn log_density(&self, x: &[f64]) -> f64 {
        if x.iter().all(|x| x.abs() <= 10.0) { LOG_PRIOR } else { f64::NEG_INFINITY }
    }
}

fn log_likelihood(x: &[f64]) -> f64 {
    let of = |(centre, sd, weight): &(f64, f64, f64)| {
        let log = |x: &f64| -0.5 * ((x - centre) / sd).powi(2) - (sd * std::f64::consts::TAU.sqrt()).ln();
        weight * x.iter().map(log).sum::<f64>().exp()
    };
    MODES.iter().map(of).sum::<f64>().ln()
}

fn posterior(x: &[f64]) -> f64 {
    InBox.log_density(x) + log_likelihood(x)
}

fn found() -> Found {
    let settings = Settings { particles: Some(300), check: 1000, ..Settings::default() };
    let mut population = Population::new(DIM, &settings, 5).unwrap();
    population.run(&InBox, log_likelihood).unwrap().clone()
}

fn plan() -> Plan {
    Plan { draws: Some(4000), seed: 3, ..Plan::default() }
}

/// The share of the right mode has a standard error of about .005; the bounds are six of them.
#[test]
fn chains_from_a_population_visit_all_modes_by_their_weights() {
    let found = found();
    assert!(found.is_good && found.doubts.is_empty(), "{:?}", found.doubts);
    let starts = found.starts(4, 1);
    // The heaviest mode first, then the other one.
    assert!(starts.len() == 4 && starts[0][0] > 0.0 && starts[1][0] < 0.0, "{starts:?}");
    let run = sample_from(posterior, &found, &plan(), Control::default()).unwrap();
    let draws: Vec<f64> = run.draws().concat();
    let right = draws.chunks_exact(DIM).filter(|x| x[0] > 0.0).count() as f64 / (draws.len() / DIM) as f64;
    assert!((right - 0.7).abs() < 0.03, "{right}");
    assert!(run.chains.iter().all(|chain| chain.statistics.warmup.total() == kameleon::population::SETTLING));
    let evidence = run.evidence(true).unwrap();
    assert!(evidence.reliable && (evidence.log - LOG_PRIOR).abs() < 6.0 * evidence.error, "{evidence:?}");
    assert!(run.summary().verdict.converged, "{}", run.summary());
}

#[test]
fn a_density_that_seems_better_than_the_last_rounds_of_a_population_gives_no_evidence() {
    let mut found = found();
    let late = found.late.unwrap();
    let judged = |found: &Found| {
        let run = sample_from(posterior, found, &plan(), Control::default()).unwrap();
        let late = run.chains[0].report.late;
        (late, run.evidence(true).unwrap())
    };
    let (told, believed) = judged(&found);
    assert!(
        told == Some(late) && believed.reliable && believed.efficiency < 3.0 * late.efficiency,
        "{late:?} {believed:?}"
    );
    found.late = Some(Estimate { efficiency: 0.2 * believed.efficiency, ..late });
    let (_, doubted) = judged(&found);
    assert!(!doubted.reliable && doubted.why.contains("the efficiency of jump proposals was"), "{doubted:?}");
    found.late = Some(Estimate { log_z: late.log_z + 0.3, ..late });
    let (_, doubted) = judged(&found);
    assert!(!doubted.reliable && doubted.why.contains("log Z was"), "{doubted:?}");
}

#[test]
fn the_regions_that_a_population_met_are_those_of_its_modes() {
    let found = found();
    let fit = found.fit(100, 1).unwrap();
    let density = fit.model.density.as_ref().unwrap();
    let of = |centre: f64| {
        let mut largest = (0, 0.0);
        density.shares(&[centre; DIM], |k, share| {
            if share > largest.1 {
                largest = (k, share)
            }
        });
        largest.0
    };
    assert!(MODES.iter().all(|(centre, ..)| fit.met.contains(&of(*centre))), "{:?}", fit.met);
}

#[test]
fn they_do_not_depend_on_threads_and_go_on_bit_for_bit() {
    let found = found();
    let run = |threads, draws| {
        let plan = Plan { threads: Some(threads), draws: Some(draws), ..plan() };
        sample_from(posterior, &found, &plan, Control::default()).unwrap()
    };
    let (whole, again, first) = (run(1, 600), run(3, 600), run(2, 200));
    assert_eq!(whole.draws(), again.draws());
    let states = first.chains.iter().map(|chain| chain.state.clone()).collect();
    let rest = resume(posterior, states, &Plan { draws: Some(600), ..plan() }, Control::default()).unwrap();
    for (whole, (first, rest)) in whole.draws().iter().zip(first.draws().iter().zip(rest.draws())) {
        assert_eq!(*whole, [first, rest].concat());
    }
}

#[test]
fn without_a_density_or_with_another_sampler_chains_learn_as_usual() {
    let mut found = found();
    let short = Plan { draws: Some(100), warmup: Warmup::Iterations(300), ..plan() };
    let longer = Warmup::Iterations(5000);
    let other = Plan { sampler: Sampler::kamh_ls(), warmup: longer, ..short.clone() };
    assert!(sample_from(posterior, &found, &other, Control::default()).is_ok());
    found.density = None;
    assert!(sample_from(posterior, &found, &short, Control::default()).is_ok());
    found.log_weights.fill(f64::NEG_INFINITY);
    assert!(found.starts(4, 1).is_empty());
    assert!(sample_from(posterior, &found, &short, Control::default()).is_err());
}

/// A funnel: v is N(0, 3²), and the others N(0, e^v).
fn funnel(x: &[f64]) -> f64 {
    let log = |x: f64, variance: f64| -0.5 * (x * x / variance + variance.ln());
    log(x[0], 9.0) + log(x[1], x[0].exp()) + log(x[2], x[0].exp())
}

/// Looks at a funnel show one mode. Where the density that they lead to is not to be believed, chains learn by themselves. Chains are slow in
/// the neck, so the share of v < 0 is known to about .05 only.
#[test]
fn after_looks_alone_chains_sample_a_funnel() {
    let within = |v: f64| libm::erf(10.0 / (0.5 * v).exp() / 2f64.sqrt()).powi(2) * (-v * v / 18.0).exp();
    let mass = |from: i32, to: i32| (from..to).map(|i| within(0.01 * f64::from(i))).sum::<f64>();
    let share = mass(-1000, 0) / mass(-1000, 1000);
    for seed in 1..=3 {
        let mut population = Population::new(DIM, &Settings::default(), seed).unwrap();
        let found = population.run(&InBox, funnel).unwrap();
        assert!(found.niches.len() == 1 && found.evaluations < 30_000, "{}", found.evaluations);
        assert_eq!(found.is_good, found.density.is_some());
        let posterior = |x: &[f64]| InBox.log_density(x) + funnel(x);
        let run = sample_from(posterior, found, &plan(), Control::default()).unwrap();
        let draws: Vec<f64> = run.draws().concat();
        let below = draws.chunks_exact(DIM).filter(|x| x[0] < 0.0).count() as f64 / (draws.len() / DIM) as f64;
        assert!((below - share).abs() < 0.15, "{below} {share}");
    }
}

#[test]
fn a_population_that_was_damaged_is_refused() {
    let mut population = Population::new(DIM, &Settings::default(), 1).unwrap();
    population.ask(&InBox).unwrap();
    let text = serde_json::to_string(&population).unwrap();
    let whole: Population = serde_json::from_str(&text).unwrap();
    assert!(whole.fits(DIM));
    for cut in [text.len() / 3, text.len() - 1] {
        assert!(serde_json::from_str::<Population>(&text[..cut]).is_err());
    }
}

fn small() -> Settings {
    Settings { particles: Some(100), looks: 1, check: 300, ..Settings::default() }
}

#[test]
fn a_noisy_likelihood_is_the_same_on_any_number_of_threads() {
    let noisy = Noisy::new(log_likelihood, 0.5).unwrap();
    let run = |threads| {
        let mut population = Population::new(DIM, &small(), 7).unwrap();
        let found = population.run_on(threads, &InBox, &noisy, None).unwrap().unwrap();
        serde_json::to_string(found).unwrap()
    };
    assert_eq!(run(1), run(3));
    let found: Found = serde_json::from_str(&run(2)).unwrap();
    let plan = Plan { draws: Some(200), ..plan() };
    let run = sample_from(Posterior::new(noisy, InBox), &found, &plan, Control::default()).unwrap();
    assert!(run.chains.iter().all(|chain| chain.draws.log_density.len() == 200));
}

/// A likelihood that fails once, and one that stops the run.
#[derive(Clone)]
struct Failing<'a>(&'a AtomicBool);

impl Target for Failing<'_> {
    fn log_density(&mut self, x: &[f64], _: Noise<'_>) -> Evaluation {
        if x[0] > 9.0 && self.0.swap(false, Ordering::Relaxed) {
            return Err(EvalError::fatal("the cluster is down"));
        }
        if x[1] > 9.0 { Err(EvalError::reject("no")) } else { Ok(log_likelihood(x)) }
    }
}

#[test]
fn a_run_that_failed_or_was_stopped_goes_on_as_if_nothing_had_happened() {
    let run = |fails: bool, stopped: bool| {
        let (fails, stop) = (AtomicBool::new(fails), AtomicBool::new(stopped));
        let mut population = Population::new(DIM, &small(), 7).unwrap();
        let mut ask =
            |likelihood: &Failing<'_>| population.run_on(2, &InBox, likelihood, Some(&stop)).map(|f| f.cloned());
        if stopped {
            assert!(ask(&Failing(&fails)).unwrap().is_none());
            stop.store(false, Ordering::Relaxed);
        }
        if fails.load(Ordering::Relaxed) {
            assert_eq!(ask(&Failing(&fails)).unwrap_err().to_string(), "the cluster is down");
        }
        let found = ask(&Failing(&fails)).unwrap().unwrap();
        assert!(found.invalid > 0);
        serde_json::to_string(&found).unwrap()
    };
    let whole = run(false, false);
    assert_eq!(run(true, false), whole);
    assert_eq!(run(false, true), whole);
}

#[test]
fn one_call_goes_from_prior_and_likelihood_to_draws_within_its_budget() {
    let population = Settings { particles: Some(300), check: 1000, ..Settings::default() };
    let plan = Plan { population, max_evaluations: Some(100_000), ..plan() };
    let (population, run) = sample_from_prior(log_likelihood, InBox, &plan, Control::default()).unwrap();
    let (found, run) = (population.found().unwrap(), run.unwrap());
    assert!(found.is_good && run.chains.iter().all(|chain| chain.draws.log_density.len() == 4000));
    assert!(found.evaluations + run.evaluations() <= 100_000);
    let stop = AtomicBool::new(true);
    let control = Control { stop: Some(&stop), ..Control::default() };
    assert!(sample_from_prior(log_likelihood, InBox, &plan, control).unwrap().1.is_none());
    let short = Plan { max_minutes: Some(1e-9), ..plan.clone() };
    let (population, run) = sample_from_prior(log_likelihood, InBox, &short, Control::default()).unwrap();
    assert!(run.is_none() && population.found().is_none(), "the time was over in the population");
    let said =
        |plan: &Plan| sample_from_prior(log_likelihood, InBox, plan, Control::default()).err().unwrap().to_string();
    assert!(said(&Plan { max_evaluations: Some(900), ..plan.clone() }).contains("are not enough for a population"));
    let chains = Plan { warmup: Warmup::Chains, max_evaluations: Some(500), ..plan.clone() };
    let refused = chains.check().err().unwrap().to_string();
    assert!(refused.contains("max-evaluations: 500 are not enough for 4 chains and their warm-up, which take 1604"));
    assert!(said(&Plan { sampler: Sampler::sm(), ..plan.clone() }).contains("hands over to the sampler kameleon"));
    assert!(said(&Plan { chain: Some(1), ..plan.clone() }).contains("none can be run alone"));
    let alone = Plan { warmup: Warmup::Population, ..plan };
    let refused = sample(posterior, &[vec![0.0; DIM]], &alone, Control::default()).err().unwrap().to_string();
    assert!(refused.contains("use sample_from_prior"), "{refused}");
}

/// A likelihood that is asked for many points at once, and counts how often.
#[derive(Clone)]
struct Vectorised<'a>(&'a AtomicUsize);

impl Target for Vectorised<'_> {
    fn batch(&self) -> usize {
        usize::MAX
    }

    fn log_density(&mut self, x: &[f64], _: Noise<'_>) -> Evaluation {
        Ok(log_likelihood(x))
    }

    fn log_densities(&mut self, points: &[&[f64]], _: Vec<Noise<'_>>) -> Vec<Evaluation> {
        self.0.fetch_add(1, Ordering::Relaxed);
        points.iter().map(|x| Ok(log_likelihood(x))).collect()
    }
}

#[test]
fn a_target_can_be_asked_for_a_whole_batch_at_once() {
    let (calls, mut one, mut all) = (AtomicUsize::new(0), population(), population());
    let single = one.run(&InBox, log_likelihood).unwrap().clone();
    let vectorised = kameleon::any_target::AnyTarget::new(Vectorised(&calls));
    let together = all.run_on(3, &InBox, &vectorised, None).unwrap().unwrap();
    assert_eq!(serde_json::to_string(together).unwrap(), serde_json::to_string(&single).unwrap());
    assert_eq!(calls.load(Ordering::Relaxed) as u64, together.batches, "one call for each batch");
}

fn population() -> Population {
    Population::new(DIM, &small(), 7).unwrap()
}

#[test]
fn a_batch_can_be_told_in_parts_and_stored_in_between() {
    let whole = population().run(&InBox, log_likelihood).unwrap().clone();
    let mut parts = population();
    let mut evaluator = OnThreads::new(2, &log_likelihood, 7);
    while parts.advance(&InBox, &mut evaluator, 37, &|| false).unwrap() {
        let text = serde_json::to_string(&parts).unwrap();
        parts = serde_json::from_str(&text).unwrap();
        assert!(parts.fits(DIM));
    }
    assert_eq!(serde_json::to_string(parts.found().unwrap()).unwrap(), serde_json::to_string(&whole).unwrap());
}

#[test]
fn a_warmup_is_a_number_or_one_of_three_words() {
    let read = |text: &str| serde_json::from_str::<Warmup>(text);
    for (text, warmup) in [
        ("\"auto\"", Warmup::Auto),
        ("\"chains\"", Warmup::Chains),
        ("\"population\"", Warmup::Population),
        ("700", Warmup::Iterations(700)),
    ] {
        assert_eq!(read(text).unwrap(), warmup);
        assert_eq!(serde_json::to_string(&warmup).unwrap(), text);
    }
    for wrong in ["-5", "2.5", "true", "\"chain\"", "null", "[1]"] {
        let said = read(wrong).unwrap_err().to_string();
        let allowed = "must be a number of iterations, \"chains\", \"population\" or \"auto\", not ";
        assert!(said.contains(&format!("{allowed}{wrong}")), "{said}");
    }
}
