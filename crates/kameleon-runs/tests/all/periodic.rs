//! Periodic parameters: the evidence and the draws are right wherever the mode is, and nothing that happens on the way changes them.

use crate::common::{bits, resume, run};
use crate::folder::interrupted;
use kameleon::target::Noisy;
use kameleon::{Control, Ending};
use kameleon_runs::output::Posterior;
use kameleon_runs::{RunSettings, start};
use std::f64::consts::TAU;
use tempfile::tempdir;

/// ln I₀, by its series.
fn ln_i0(k: f64) -> f64 {
    let terms = (1..2000).scan(1.0, |term, n| {
        *term *= (k / 2.0 / f64::from(n)).powi(2);
        Some(*term)
    });
    (1.0 + terms.sum::<f64>()).ln()
}

/// Settings of a likelihood of these periodic parameters, which are uniform.
fn periodic(log_likelihood: &str, names: &[&str], more: &str) -> RunSettings {
    let parameters: String = names
        .iter()
        .map(|name| format!("[parameters.{name}]\nprior = \"uniform(0, {TAU})\"\nperiodic = true\n"))
        .collect();
    let text = format!("[model]\nlog-density = \"{log_likelihood}\"\n{parameters}[run]\nseed = 5\n{more}\n");
    RunSettings::from_toml(&text, "run.toml").unwrap()
}

/// A von Mises law around a mode; its evidence is one.
fn von_mises(mode: f64, k: f64, more: &str) -> RunSettings {
    periodic(&format!("{k}*cos(phi - {mode}) - {}", ln_i0(k)), &["phi"], more)
}

/// On a torus: a ridge that winds twice around it, and a narrow mode at the cuts of all three circles; the evidence is one.
fn ridge_and_mode(more: &str) -> RunSettings {
    let (ridge, other, mode) = (8.0, 2.0, 30.0);
    let wound = format!("{ridge}*cos(b - 2*a) + {other}*cos(c - 1) + {}", 0.6f64.ln() - ln_i0(ridge) - ln_i0(other));
    let narrow = format!("{mode}*(cos(a) + cos(b) + cos(c)) + {}", 0.4f64.ln() - 3.0 * ln_i0(mode));
    periodic(&format!("logaddexp({wound}, {narrow})"), &["a", "b", "c"], more)
}

fn check_evidence(settings: &RunSettings, what: &str) -> Posterior {
    let posterior = run(settings, None).unwrap().posterior;
    let evidence = &posterior.jumps.as_ref().unwrap().evidence;
    assert!(evidence.reliable && evidence.log.abs() < 6.0 * evidence.error, "{what}: {evidence:?}");
    assert!(posterior.summary().verdict.converged, "{what}: {}", posterior.summary().verdict);
    posterior
}

const WARMUPS: [&str; 2] = ["draws = 2000\nwarmup = \"population\"", "draws = 2000\nwarmup = \"chains\""];

#[test]
fn the_evidence_of_a_von_mises_law_is_right_wherever_its_mode_is() {
    for warmup in WARMUPS {
        for (mode, k) in [(0.0, 4.0), (3.0, 4.0), (6.0, 200.0), (0.0, 500.0), (1.0, 0.0), (5.0, 0.5)] {
            let posterior = check_evidence(&von_mises(mode, k, warmup), &format!("{warmup}, {mode}, {k}"));
            // E cos is I₁/I₀, the derivative of ln I₀.
            let exact = (ln_i0(k + 1e-5) - ln_i0((k - 1e-5).max(0.0))) / 2e-5 * if k > 0.0 { 1.0 } else { 0.0 };
            let draws = posterior.points().concat();
            assert!(draws.iter().all(|x| (0.0..TAU).contains(x)));
            let mean = |of: fn(f64) -> f64| draws.iter().map(|x| of(x - mode)).sum::<f64>() / draws.len() as f64;
            // At least a thousand effective draws: five standard errors.
            let error = 5.0 * (0.5f64.min(1.0 / k.max(1.0)) / 1000.0).sqrt();
            assert!((mean(f64::cos) - exact).abs() < error && mean(f64::sin).abs() < error, "{warmup}, {mode}, {k}");
        }
    }
}

#[test]
fn the_evidence_of_a_ridge_that_winds_around_a_torus_is_right() {
    let posterior = check_evidence(&ridge_and_mode(WARMUPS[0]), "population");
    check_evidence(&ridge_and_mode(WARMUPS[1]), "chains");
    let near = |x: &[f64]| x.iter().all(|x| x.cos() > 0.7);
    let draws = posterior.points().concat();
    let share = draws.chunks(3).filter(|x| near(x)).count() as f64 / (draws.len() / 3) as f64;
    // The mode, and about three hundredths of the ridge.
    assert!((0.38..0.46).contains(&share), "{share}");
}

#[test]
fn figures_are_of_the_circle_unrolled_around_the_mean() {
    let at = |mode: f64| {
        let posterior = run(&von_mises(mode, 100.0, "draws = 1000"), None).unwrap().posterior;
        posterior.summary().parameters[0].clone()
    };
    for mode in [0.0, 1.0, 6.27] {
        let found = at(mode);
        let off = (found.mean - mode + 3.0).rem_euclid(TAU) - 3.0;
        assert!(off.abs() < 0.02 && (found.sd - 0.1).abs() < 0.01, "{found:?}");
        assert!(found.q5 < found.mean && found.mean < found.q95 && found.q95 - found.q5 < 0.4, "{found:?}");
        assert!(found.r_hat < 1.01 && found.ess_bulk > 1000.0, "{found:?}");
    }
}

#[test]
fn draws_on_both_sides_of_an_end_are_not_doubted() {
    // A curved ridge with its mode a quarter of the circle from its end, beyond which a hundredth of the draws lie: seen from there they are far
    // from all others, and few enough places make the check by slopes call the draws wrong.
    let ridge = "4*cos(phi - 1.5707963267948966) - ((x - 2*sin(phi - 1.5707963267948966))/0.3)^2/2";
    for seed in [3, 5] {
        let text = format!(
            "[model]\nlog-density = \"{ridge}\"\n[parameters.phi]\nprior = \"uniform(0, 6.283185307179586)\"\nperiodic = true\n\
             [parameters.x]\nprior = \"uniform(-4, 4)\"\n[run]\nwarmup = \"population\"\ndraws = 2000\nseed = {seed}\n"
        );
        let posterior = run(&RunSettings::from_toml(&text, "ridge").unwrap(), None).unwrap().posterior;
        let stein = posterior.stein.as_ref().unwrap();
        assert!(stein.evaluations > 0 && stein.means.len() == 2, "{stein:?}");
        assert!(stein.off().is_empty(), "seed {seed}: {:?}", stein.off());
    }
}

#[test]
fn a_run_is_the_same_on_any_number_of_threads_and_resumed() {
    let place = tempdir().unwrap();
    let small = "draws = 200\n[population]\nparticles = 100\nlooks = 1\ncheck = 300";
    let chains = "draws = 200\nwarmup = \"chains\"\nmax-warmup = 1500";
    let many = "draws = 50\nchains = 9\nwarmup = \"chains\"\nmax-warmup = 400";
    for (k, more) in [small, chains, many].into_iter().enumerate() {
        let settings =
            |threads: usize| ridge_and_mode(&format!("threads = {threads}\n{more}\n[output]\nsave-every = 0"));
        let whole = run(&settings(1), None).unwrap().posterior;
        assert_eq!(bits(&run(&settings(4), None).unwrap().posterior), bits(&whole), "{more}");
        let all = whole.evaluations();
        for after in [100, all / 4, all / 2, all - all / 8] {
            let folder = place.path().join(format!("{k} {after}"));
            interrupted(&folder, after, &settings(2));
            let resumed = resume(&folder, None).unwrap();
            assert!(matches!(resumed.ending, Ending::Complete), "{}", resumed.reason);
            assert_eq!(bits(&resumed.posterior), bits(&whole), "{more}, stopped after {after}");
        }
    }
}

#[test]
fn a_noisy_likelihood_of_an_angle_has_its_evidence() {
    let text = format!(
        "[model]\nexternal = \"f\"\n[parameters.phi]\nprior = \"uniform(0, {TAU})\"\nperiodic = true\n[run]\ndraws = 2000\nseed = 2"
    );
    let settings = RunSettings::from_toml(&text, "run.toml").unwrap();
    let exact = |x: &[f64]| 9.0 * (x[0] - 6.2).cos() - ln_i0(9.0);
    let posterior = start(&settings, Noisy::new(exact, 0.5).unwrap(), None, Control::default()).unwrap().posterior;
    let evidence = &posterior.jumps.as_ref().unwrap().evidence;
    assert!(evidence.reliable && evidence.log.abs() < 6.0 * evidence.error, "{evidence:?}");
}

#[test]
fn every_sampler_takes_periodic_parameters() {
    for sampler in ["SM", "AM-LS", "KAMH-LS", "DE-MC(Z)"] {
        let mut settings = von_mises(3.0, 4.0, "draws = 20000\nwarmup = 3000");
        settings.sampler = sampler.parse().unwrap();
        let posterior = run(&settings, None).unwrap().posterior;
        let draws = posterior.points().concat();
        let mean = draws.iter().map(|x| (x - 3.0).cos()).sum::<f64>() / draws.len() as f64;
        assert!((mean - 0.863).abs() < 0.03, "{sampler}: {mean}");
    }
}

#[test]
fn a_start_is_wrapped_and_one_at_an_end_is_a_start_like_any_other() {
    let with = |start: &str| {
        let text = format!(
            "model.log-density = \"cos(phi)\"\nparameters.phi = {{ lower = -1, upper = {}, periodic = true{start} }}\nrun.draws = 20",
            TAU - 1.0
        );
        run(&RunSettings::from_toml(&text, "run.toml").unwrap(), None).unwrap().posterior
    };
    for start in
        ["", ", start = -1", ", start = 100.0", ", start = [-1, 0, 50, -50]", ", start = { from = 0, to = 40 }"]
    {
        let posterior = with(start);
        assert!(posterior.points().concat().iter().all(|x| (-1.0..TAU - 1.0).contains(x)), "{start}");
    }
    let turned = |start: f64| bits(&with(&format!(", start = {start}")));
    assert_eq!(turned(0.5), turned(0.5));
}

#[test]
fn what_is_not_a_circle_is_refused_in_words() {
    for (parameter, words) in [
        ("periodic = true", "parameters.phi.periodic: a periodic parameter needs both lower and upper"),
        ("periodic = true, lower = 0", "needs both lower and upper"),
        ("periodic = true, prior = \"normal(0, 1)\"", "needs both lower and upper"),
        ("periodic = true, lower = 2, upper = 1", "lower, 2, must be less than upper, 1"),
        ("periodic = 7, lower = 0, upper = 1", "must be true or false"),
        ("period = 7", "unknown key `period`"),
    ] {
        let text = format!("model.log-density = \"cos(phi)\"\nparameters.phi = {{ {parameter} }}");
        let said = RunSettings::from_toml(&text, "run.toml").and_then(|s| s.check()).unwrap_err().to_string();
        assert!(said.contains(words), "{said}");
    }
}

/// The blocks of TOML in the documentation.
fn documented() -> Vec<&'static str> {
    let page = include_str!("../../../../docs/models.md");
    page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn the_examples_of_the_documentation_do_what_it_says() {
    let (angle, integer) = (documented()[0], documented()[1]);
    let angle = RunSettings::from_toml(&format!("model.log-density = \"cos(phi)\"\n{angle}"), "run.toml").unwrap();
    assert_eq!(angle.parameters.periods().unwrap(), [Some((0.0, TAU))]);
    let integer = RunSettings::from_toml(&format!("{integer}[run]\nseed = 1\ndraws = 5000"), "run.toml").unwrap();
    let draws = run(&integer, None).unwrap().posterior.points().concat();
    let share = |at: f64| draws.iter().filter(|n| n.round() == at).count() as f64 / draws.len() as f64;
    // The law of Poisson at 15, 20 and 27, of which the mode is that of 19 and 20; five standard errors of 2000 draws.
    for (n, exact) in [(15.0, 0.05165), (20.0, 0.08884), (27.0, 0.02542)] {
        assert!((share(n) - exact).abs() < 0.03, "{n}: {}", share(n));
    }
    let mean = draws.iter().map(|n| n.round()).sum::<f64>() / draws.len() as f64;
    assert!((mean - 20.0).abs() < 0.5, "{mean}");
}
