//! Batches of points, told from outside: the draws of a run, stored in the middle, and errors in words.

use kameleon::engine::{Ensemble, SavedEnsemble, TellError};
use kameleon::ensemble::{finish, resume, start};
use kameleon::*;

/// A noisy banana in which the seed of the noise can be told apart.
#[derive(Clone)]
struct Noisy;

impl Noisy {
    fn value(x: &[f64], mut noise: Noise<'_>) -> f64 {
        let noise = 1e-16 * noise.seed() as f64 + 0.1 * noise.normals.iter().sum::<f64>();
        noise - x[0].powi(2) / 200.0 - (x[1] - 0.1 * (x[0].powi(2) - 100.0)).powi(2) / 2.0
    }
}

impl Target for Noisy {
    fn normals(&self) -> usize {
        2
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        Ok(Self::value(x, noise))
    }
}

fn plan() -> Plan {
    Plan { warmup: Warmup::Iterations(900), draws: Some(200), chains: 10, seed: 3, thin: 2, ..Plan::default() }
}

fn answer(ensemble: &mut Ensemble<'_>) {
    let values = ensemble.ask().into_iter().map(|asked| Ok(Noisy::value(asked.x, asked.noise))).collect();
    ensemble.tell(values).unwrap();
}

/// Asks, and takes the seeds.
fn seeds(ensemble: &mut Ensemble<'_>) -> Vec<u64> {
    ensemble.ask().into_iter().map(|mut asked| asked.noise.seed()).collect()
}

fn copy(ensemble: &mut Ensemble<'_>, plan: &Plan) -> Ensemble<'static> {
    let text = serde_json::to_string(&ensemble.save().unwrap()).unwrap();
    resume(serde_json::from_str::<SavedEnsemble>(&text).unwrap(), plan).unwrap()
}

#[test]
fn an_ensemble_makes_the_draws_of_a_run_also_saved_between_question_and_answer() {
    let plan = plan();
    let whole = sample(Noisy, &[vec![0.5, 0.0]], &plan, Control::default()).unwrap();
    let mut ensemble = start(&[vec![0.5, 0.0]], &plan, 2).unwrap();
    let mut calls = 0;
    while ensemble.ending().is_none() {
        if calls % 400 == 50 {
            ensemble = copy(&mut ensemble, &plan);
        }
        if calls % 400 == 51 {
            // Asked, not told: the copy asks for the same points, with the same noise.
            let before = seeds(&mut ensemble);
            ensemble = copy(&mut ensemble, &plan);
            assert_eq!(seeds(&mut ensemble), before);
        }
        if calls == 700 {
            // Saving changes nothing, and asking again neither.
            seeds(&mut ensemble);
            ensemble.save().unwrap();
        }
        answer(&mut ensemble);
        calls += 1;
    }
    assert!((1301..1330).contains(&calls), "{calls}");
    assert!(matches!(ensemble.ending(), Some((Ending::Complete, _))));
    let again = finish(copy(&mut ensemble, &plan)).unwrap();
    let run = finish(ensemble).unwrap();
    assert!(run.draws() == whole.draws() && again.draws() == whole.draws());
    assert!(matches!(again.ending, Ending::Complete), "{}", again.reason);
    assert_eq!((run.evaluations(), run.reason), (whole.evaluations(), whole.reason));
}

#[test]
fn an_ensemble_ends_by_the_rule_of_its_plan() {
    let plan = Plan { until: Some("ess=300".parse().unwrap()), draws: Some(5000), thin: 1, ..plan() };
    let whole = sample(Noisy, &[vec![0.5, 0.0]], &plan, Control::default()).unwrap();
    let mut ensemble = start(&[vec![0.5, 0.0]], &plan, 2).unwrap();
    while ensemble.ending().is_none() {
        answer(&mut ensemble);
    }
    let told = ensemble.tell(vec![Ok(0.0)]);
    assert!(matches!(&told, Err(TellError::Ended(reason)) if *reason == whole.reason), "{told:?}");
    let run = finish(ensemble).unwrap();
    assert!(run.reason == whole.reason && run.draws() == whole.draws(), "{}", run.reason);
}

#[test]
fn an_ensemble_that_is_stopped_keeps_its_draws_and_says_so() {
    let mut ensemble = start(&[vec![0.5, 0.0]], &plan(), 2).unwrap();
    (0..1101).for_each(|_| answer(&mut ensemble));
    let run = finish(ensemble).unwrap();
    assert!(matches!(run.ending, Ending::Stopped) && run.reason.contains("after 100 draws"), "{}", run.reason);
}

#[test]
fn wrong_answers_are_refused_in_words_and_can_be_given_again() {
    let mut ensemble = start(&[vec![0.5, 0.0]], &plan(), 2).unwrap();
    assert!(matches!(ensemble.tell(vec![Ok(0.0)]), Err(TellError::NothingAsked)));
    ensemble.ask();
    let why = ensemble.tell((0..3).map(|_| Ok(0.0)).collect());
    assert_eq!(why.unwrap_err().to_string(), "10 points were asked for, so 10 values are wanted, not 3");
    answer(&mut ensemble);
    assert_eq!(ensemble.ask().len(), 10);
    let invalid = (0..10).map(|k| if k < 5 { Ok(f64::NAN) } else { Err(EvalError::reject("it gave up")) }).collect();
    ensemble.tell(invalid).unwrap();
    let run = finish(ensemble).unwrap();
    assert!(run.chains.iter().all(|chain| chain.statistics.warmup.invalid == 1));
}

#[test]
fn a_start_without_density_ends_an_ensemble_with_an_error() {
    let mut ensemble = start(&[vec![0.5, 0.0]], &plan(), 0).unwrap();
    let nowhere = ensemble.ask().iter().map(|_| Ok(f64::NEG_INFINITY)).collect();
    let why = ensemble.tell(nowhere).unwrap_err().to_string();
    assert!(why.contains("chain 0 cannot start at x1 = 0.5, x2 = 0"), "{why}");
    assert!(ensemble.ask().is_empty() && ensemble.ending().is_some());
    let wrong = start(&[vec![0.0], vec![1.0]], &plan(), 0).err().unwrap().to_string();
    assert!(wrong.contains("one for each of the 10 chains"), "{wrong}");
}

/// The length of a state as text.
fn length(state: &impl serde::Serialize) -> usize {
    serde_json::to_string(state).unwrap().len()
}

#[test]
fn what_the_chains_share_is_stored_once_and_put_back() {
    let rival = Sampler::chosen(&"DE-MC(Z)".parse().unwrap()).unwrap();
    for (sampler, most) in [(Sampler::default(), 0.55), (rival, 0.7)] {
        let plan = Plan { sampler, ..plan() };
        let mut ensemble = start(&[vec![0.5, 0.0]], &plan, 2).unwrap();
        (0..850).for_each(|_| answer(&mut ensemble));
        let saved = ensemble.save().unwrap();
        let shared = length(&saved);
        let chains = saved.clone().into_chains().unwrap();
        assert_eq!(chains.len(), 10);
        let alone: usize = chains.iter().map(|(chain, _)| length(chain)).sum();
        assert!((shared as f64) < most * alone as f64, "{shared} of {alone}");
        let copy = copy(&mut ensemble, &plan).save().unwrap();
        assert_eq!(serde_json::to_string(&copy).unwrap(), serde_json::to_string(&saved).unwrap());
    }
}

#[test]
fn a_fit_that_is_missing_or_is_that_of_other_chains_is_refused() {
    let mut ensemble = start(&[vec![0.5, 0.0]], &plan(), 2).unwrap();
    (0..850).for_each(|_| answer(&mut ensemble));
    let text = serde_json::to_string(&ensemble.save().unwrap()).unwrap();
    for (before, after) in [("\"fit_of\":[null,0,", "\"fit_of\":[null,7,"), ("\"fit_of\":[null,", "\"fit_of\":[")] {
        assert!(text.contains(before));
        let broken: SavedEnsemble = serde_json::from_str(&text.replace(before, after)).unwrap();
        let why = broken.into_chains().err().unwrap().to_string();
        assert!(why.contains("do not fit together"), "{why}");
    }
}

/// The point that all chains are given is at the edge of the support, so that about half of those near it are outside.
#[test]
fn an_ensemble_saved_before_its_first_answer_finds_the_starts_of_a_run_that_was_not() {
    let value = |x: &[f64]| if x[0] > 0.5 { f64::NEG_INFINITY } else { -x[0].powi(2) - x[1].powi(2) };
    let (plan, starts) = (Plan { thin: 1, ..plan() }, [vec![0.5, 0.0]]);
    let whole = sample(move |x: &[f64]| value(x), &starts, &plan, Control::default()).unwrap();
    for saved_after in [0, 1, 2] {
        let mut ensemble = start(&starts, &plan, 0).unwrap();
        for call in 0.. {
            if ensemble.ending().is_some() {
                break;
            }
            if call == saved_after {
                ensemble = copy(&mut ensemble, &plan);
            }
            let values = ensemble.ask().into_iter().map(|asked| Ok(value(asked.x))).collect();
            ensemble.tell(values).unwrap();
        }
        assert_eq!(finish(ensemble).unwrap().draws(), whole.draws(), "saved after {saved_after}");
    }
}
