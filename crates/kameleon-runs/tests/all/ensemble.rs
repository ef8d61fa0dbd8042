//! Batches of points in the parameters' own units: the run that calls its model, bit for bit.

use crate::common::{bits, jumping, run, settings};
use kameleon::random::{Purpose, stream};
use kameleon::{Evaluation, Noise, Target};
use kameleon_runs::{Ensemble, How, Model, RunSettings};

/// What the model says at the points asked for.
fn values(ensemble: &mut Ensemble, model: &mut Model) -> Vec<Evaluation> {
    let (rows, dim) = (ensemble.ask().clone(), ensemble.dim());
    let mut rng = stream(1, 0, Purpose::Noise);
    let mut value = |x: &[f64]| model.log_density(x, Noise { rng: &mut rng, normals: &[] });
    rows.points.chunks_exact(dim).map(&mut value).collect()
}

fn driven(settings: &RunSettings, save_at: &[usize]) -> Ensemble {
    let (mut ensemble, mut model) = (Ensemble::start(settings).unwrap(), Model::open(settings).unwrap());
    for call in 0.. {
        if ensemble.ending().is_some() {
            break;
        }
        let values = values(&mut ensemble, &mut model);
        if save_at.contains(&call) {
            ensemble = Ensemble::load(&ensemble.save().unwrap()).unwrap();
            assert_eq!(ensemble.ask().count, values.len());
        }
        ensemble.tell(values).unwrap();
    }
    ensemble
}

#[test]
fn an_ensemble_within_bounds_and_priors_makes_the_run_of_its_model() {
    for settings in [settings("thin = 2"), jumping(""), jumping("until = \"ess=50\"\nmax-draws = 3000")] {
        let expected = run(&settings, None).unwrap();
        let mut ensemble = driven(&settings, &[0, 7, 500]);
        let (posterior, ending, reason) = ensemble.posterior().unwrap();
        assert_eq!(bits(&posterior), bits(&expected.posterior));
        assert_eq!((ending, reason), (How::Complete, expected.reason));
        assert_eq!(posterior.learned, expected.posterior.learned);
    }
}

#[test]
fn the_positions_of_an_ensemble_are_its_draws_as_they_come() {
    let settings = jumping("");
    let (mut ensemble, mut model) = (Ensemble::start(&settings).unwrap(), Model::open(&settings).unwrap());
    let mut seen = Vec::new();
    while ensemble.ending().is_none() {
        let values = values(&mut ensemble, &mut model);
        ensemble.tell(values).unwrap();
        seen.push(ensemble.positions());
    }
    let (posterior, dim) = (ensemble.posterior().unwrap().0, ensemble.dim());
    let mut compared = 0;
    for (c, chain) in posterior.chains.iter().enumerate() {
        for positions in &seen {
            let Some(k) = positions.iterations[c].checked_sub(posterior.warmup + 1).map(|k| k as usize) else {
                continue;
            };
            assert_eq!(positions.points[c * dim..(c + 1) * dim], chain.draws.points[k * dim..(k + 1) * dim]);
            assert!((positions.log_density[c] - chain.draws.log_density[k]).abs() < 1e-9);
            compared += 1;
        }
    }
    assert!(compared >= posterior.chains.len() * posterior.chains[0].draws.len() * 9 / 10, "{compared}");
}

#[test]
fn points_that_the_bounds_rule_out_are_not_asked_for() {
    // Where exp overflows there is no parameter, and the density is largest next to it.
    let text = r#"
        [model]
        log-density = "-ln(s)/2"
        [parameters.s]
        lower = 0
        start = 1e308
        [sampler]
        name = "SM"
        [run]
        chains = 2
        warmup = 0
        draws = 300
        seed = 5
    "#;
    let settings = RunSettings::from_toml(text, "run.toml").unwrap();
    let (mut ensemble, mut model) = (Ensemble::start(&settings).unwrap(), Model::open(&settings).unwrap());
    let mut rows = [0; 3];
    while ensemble.ending().is_none() {
        let values = values(&mut ensemble, &mut model);
        rows[values.len()] += 1;
        ensemble.tell(values).unwrap();
    }
    assert!(rows[0] == 0 && rows[1] > 10 && rows[2] > 10, "{rows:?}");
    assert_eq!(bits(&ensemble.posterior().unwrap().0), bits(&run(&settings, None).unwrap().posterior));
}

#[test]
fn what_an_ensemble_cannot_do_is_said() {
    let refused = |more: &str| Ensemble::start(&settings(more)).err().unwrap().to_string();
    assert!(refused("max-minutes = 1").contains("does not watch the clock"));
    let damaged = Ensemble::load(b"KMLNENS5 and nothing more").err().unwrap().to_string();
    assert!(damaged.contains("checksum"), "{damaged}");
    let older = Ensemble::load(b"KMLNENS2 with what chains share stored with each").err().unwrap().to_string();
    assert!(older.contains("another version of kameleon"), "{older}");
}
