use super::testing::Gaussians;
use super::*;
use rand::RngExt;
use rand_distr::StandardNormal;

fn quick() -> Settings {
    Settings { particles: Some(200), looks: 0, check: 1000, ..Settings::default() }
}

fn run(problem: &Gaussians, settings: &Settings, seed: u64, noise: f64) -> Found {
    let mut rng = stream(seed, 0, Purpose::Noise);
    let likelihood = |x: &[f64]| {
        let e: f64 = rng.sample(StandardNormal);
        problem.log_likelihood(x) + noise * e - 0.5 * noise * noise
    };
    let mut population = Population::new(problem.dim(), settings, seed).unwrap();
    population.run(problem, likelihood).unwrap().clone()
}

/// Ten runs. False alarm: the mean squared error over its claim is χ²₁₀/10, above 4 once in 10⁵.
#[test]
fn the_evidence_is_right_and_its_error_honest() {
    for (problem, noise) in [(Gaussians::two(2), 0.0), (Gaussians::two(2), 0.5)] {
        let errors = (1..=10).map(|seed| {
            let found = run(&problem, &quick(), seed, noise);
            let frozen = found.frozen.unwrap();
            assert!(frozen.error < 0.1, "{frozen:?}");
            (frozen.log_z - problem.log_z()) / frozen.error.max(1e-3)
        });
        let mean = errors.map(|z| z * z).sum::<f64>() / 10.0;
        assert!(mean < 4.0, "{mean}");
    }
}

/// A hundred runs, in which the truth is to be within 1.96 standard errors 95 times: from 89 to 99 times, but for 1 in 100. The pool
/// that tells the weights of modes is of densities fitted to earlier draws of it, so its errors are claimed a little too small.
#[test]
fn claimed_errors_cover_the_truth_as_often_as_they_say() {
    let problem = Gaussians::two(2);
    let settings = Settings { particles: Some(100), check: 500, ..quick() };
    let (mut evidence, mut weights) = (0, 0);
    for seed in 1001..=1100 {
        let found = run(&problem, &settings, seed, 0.0);
        let frozen = found.frozen.unwrap();
        evidence += usize::from((frozen.log_z - problem.log_z()).abs() < 1.96 * frozen.error);
        let right = found.modes().into_iter().find(|mode| mode.top[0] > 0.0).unwrap();
        weights += usize::from((right.weight - 0.7).abs() < 1.96 * right.error);
    }
    assert!((89..=99).contains(&evidence) && (85..=99).contains(&weights), "{evidence} {weights}");
}

/// The errors of weights are claimed from weights of refitted densities, so they are allowed to be twice as large.
#[test]
fn modes_have_their_weights_whatever_their_heights() {
    let problem = Gaussians::two(3);
    for seed in 1..=3 {
        let found = run(&problem, &quick(), seed, 0.0);
        let modes = found.modes();
        assert_eq!(modes.len(), 2, "{modes:?}");
        assert!(modes[0].top[0] > 0.0 && (modes[0].weight - 0.7).abs() < 0.03, "{modes:?}");
        // A niche weighed by its height would be: the narrow one is .7/.3 · 2.5³ = 36 times as high.
        let heights: f64 = found.niches.iter().map(|niche| niche.log_density.exp()).sum();
        assert!(found.niches[0].log_density.exp() / heights > 0.95);
        assert!((modes.iter().map(|mode| mode.weight).sum::<f64>() - 1.0).abs() < 1e-9);
        let z: f64 = modes.iter().map(|mode| mode.log_z.exp()).sum();
        assert!((z.ln() - problem.log_z()).abs() < 0.1);
    }
}

/// Stored and read again before and after every batch of every stage, it goes on as if nothing had happened.
#[test]
fn it_goes_on_bit_for_bit_from_what_was_stored_in_any_stage() {
    let problem = Gaussians::two(2);
    for looks in [0, 2] {
        let settings = Settings { looks, ..quick() };
        let whole = run(&problem, &settings, 3, 0.0);
        let mut population = Population::new(2, &settings, 3).unwrap();
        let mut stages = std::collections::BTreeSet::new();
        while let Some(points) = population.ask(&problem).map(<[f64]>::to_vec) {
            let line = population.progress();
            stages.insert(line.split([':', ',']).nth(1).unwrap().trim_matches(|c: char| !c.is_alphabetic()).to_owned());
            let text = serde_json::to_string(&population).unwrap();
            population = serde_json::from_str(&text).unwrap();
            assert!(population.fits(2) && !population.fits(3));
            assert_eq!(population.ask(&problem).unwrap(), points);
            let values: Vec<f64> = points.chunks_exact(2).map(|x| problem.log_likelihood(x)).collect();
            population.tell(&problem, &values).unwrap();
            population = serde_json::from_str(&serde_json::to_string(&population).unwrap()).unwrap();
        }
        assert!(
            ["level", "testing links", "climbing", "niches"].iter().all(|stage| stages.contains(*stage)),
            "{stages:?}"
        );
        let (a, b) =
            (serde_json::to_string(&whole).unwrap(), serde_json::to_string(population.found().unwrap()).unwrap());
        assert_eq!(a, b);
    }
}

/// The likelihood is positive in half a percent of the prior, and cut off at edges: chains may have to learn by themselves, from
/// points where it is positive.
#[test]
fn a_likelihood_that_is_mostly_zero_is_found_by_looks() {
    let problem = Gaussians::one(2);
    let corner = |x: &[f64]| {
        if x.iter().all(|x| (x - 5.0).abs() < 0.7) { problem.log_likelihood(x) } else { f64::NEG_INFINITY }
    };
    let settings = Settings { looks: 2, ..quick() };
    for seed in 1..=4 {
        let mut population = Population::new(2, &settings, seed).unwrap();
        let found = population.run(&problem, corner).unwrap();
        let starts = found.starts(4, seed);
        assert!(starts.len() == 4 && starts.iter().all(|x| corner(x).is_finite()), "{seed}: {:?}", found.doubts);
    }
}

#[test]
fn an_easy_posterior_takes_looks_only_and_two_modes_the_ladder() {
    let settings = Settings { looks: 2, particles: Some(400), ..Settings::default() };
    let easy = run(&Gaussians::one(3), &settings, 1, 0.0);
    assert!(easy.is_good && easy.niches.len() == 1 && easy.evaluations < 12_000, "{}", easy.evaluations);
    assert!(easy.doubts.is_empty(), "{:?}", easy.doubts);
    let hard = run(&Gaussians::two(3), &settings, 1, 0.0);
    assert!(hard.is_good && hard.niches.len() == 2 && hard.evaluations > 12_000, "{}", hard.evaluations);
}

#[test]
fn what_is_told_must_fit_what_was_asked() {
    let problem = Gaussians::one(2);
    let mut population = Population::new(2, &quick(), 1).unwrap();
    assert_eq!(population.tell(&problem, &[]), Err(TellError::NoBatch));
    let points = population.ask(&problem).unwrap().len() / 2;
    assert_eq!(population.tell(&problem, &[1.0]), Err(TellError::Count { points, values: 1 }));
    assert_eq!(population.batches(), 0);
}

#[test]
fn a_bad_likelihood_and_a_small_budget_end_with_words() {
    let problem = Gaussians::one(2);
    for bad in [f64::NEG_INFINITY, f64::NAN, f64::INFINITY] {
        let mut population = Population::new(2, &quick(), 1).unwrap();
        let found = population.run(&problem, |_| bad).unwrap();
        assert!(found.density.is_none() && found.points.is_empty() && !found.doubts.is_empty());
        assert_eq!(found.invalid, if bad == f64::NEG_INFINITY { 0 } else { found.evaluations });
    }
    // The one point with a positive likelihood is no level on which niches could be seen.
    let (mut population, mut calls) = (Population::new(2, &quick(), 1).unwrap(), 0);
    let once = |_: &[f64]| {
        calls += 1;
        if calls == 1500 { 0.0 } else { f64::NEG_INFINITY }
    };
    assert!(!population.run(&problem, once).unwrap().doubts.is_empty());
    for budget in [4000, 6000, 8000] {
        let found = run(&problem, &Settings { max_evaluations: Some(budget), ..quick() }, 1, 0.0);
        assert!(found.evaluations <= budget && !found.doubts.is_empty() && !found.is_good);
        assert_eq!(found.points.len(), 2 * found.log_weights.len());
    }
    // A likelihood that is the same everywhere, and one with a hole.
    assert!(run_with(|_| 0.0).is_good);
    assert!(run_with(|x| if x[0] > 0.0 { f64::NEG_INFINITY } else { 0.0 }).density.is_some());
}

fn run_with(likelihood: impl FnMut(&[f64]) -> f64) -> Found {
    let mut population = Population::new(2, &quick(), 1).unwrap();
    population.run(&Gaussians::one(2), likelihood).unwrap().clone()
}

#[test]
fn settings_are_checked() {
    for bad in [
        Settings { particles: Some(3), ..quick() },
        Settings { ladders: 0, ..quick() },
        Settings { check: 1, ..quick() },
        Settings { max_evaluations: Some(1999), ..quick() },
    ] {
        assert!(Population::new(2, &bad, 1).is_err());
    }
    assert!(Population::new(0, &quick(), 1).is_err());
    // The first draws of looks are fewer than those of a ladder.
    let small = |looks| Settings { looks, particles: None, max_evaluations: Some(3000), ..quick() };
    let refused = Population::new(2, &small(0), 1).unwrap_err().to_string();
    assert!(refused.contains("at least 4000, for the first draws from the prior, not 3000"), "{refused}");
    assert!(Population::new(2, &small(2), 1).is_ok());
}

/// A funnel in a box of ±10, which cuts off its mouth.
fn funnel(x: &[f64]) -> f64 {
    let rest: f64 = x[1..].iter().map(|y| -0.5 * y * y * (-x[0]).exp() - 0.5 * x[0]).sum();
    rest - x[0] * x[0] / 18.0
}

/// Two looks find one mode, and mostly a density that knows nothing of the neck and yet has a low k̂.
#[test]
fn a_density_that_misses_its_own_top_is_not_handed_over() {
    let problem = Gaussians::one(5);
    let truth = {
        // The other coordinates integrate to √(2π) e^(v/2) erf(10 e^(−v/2) / √2) each.
        let inner = |v: f64| {
            let inside = 1.0 - libm::erfc(10.0 * (-0.5 * v).exp() / 2f64.sqrt());
            (std::f64::consts::TAU.sqrt() * inside).powi(4) * (-v * v / 18.0).exp()
        };
        (0..20_000).map(|i| inner(-10.0 + 0.001 * (f64::from(i) + 0.5)) * 0.001).sum::<f64>().ln() - 5.0 * 20f64.ln()
    };
    let mut unsure = 0;
    for seed in 501..=508 {
        let mut population = Population::new(5, &Settings::default(), seed).unwrap();
        let found = population.run(&problem, funnel).unwrap();
        assert!(found.only_looks && found.starts(4, 1).len() == 4);
        match found.frozen {
            Some(frozen) => assert!((frozen.log_z - truth).abs() < 0.3, "{seed}: {} {truth}", frozen.log_z),
            None => unsure += 1,
        }
    }
    assert!(unsure > 0);
}

/// Where there are no looks to go by, 14 of 38 runs lost the narrow mode, and it has most of the mass. Of 40 other seeds none did: that
/// two of eight do would be a change.
#[test]
fn a_narrow_mode_beside_a_wide_one_is_seen_by_looks() {
    let modes = vec![(vec![-3.0; 5], 1.0, 0.3), (vec![3.0; 5], 0.3, 0.7)];
    let problem = Gaussians { half_width: 10.0, modes };
    let seen = (1..=8).filter(|seed| {
        // The budget ends after the looks.
        let settings = Settings { max_evaluations: Some(15_000), ..Settings::default() };
        run(&problem, &settings, *seed, 0.0).niches.len() == 2
    });
    assert!(seen.count() >= 7);
}

#[test]
fn a_ladder_is_as_large_as_the_budget_allows_and_is_not_begun_where_it_cannot_end() {
    let problem = Gaussians::two(3);
    let with = |budget| run(&problem, &Settings { max_evaluations: Some(budget), ..Settings::default() }, 1, 0.0);
    let small = with(20_000);
    assert!(small.only_looks && small.evaluations < 10_000, "{}", small.evaluations);
    assert!(small.niches.len() == 2 && small.density.is_none());
    let [Doubt::OnlyLooks { needed }, ..] = small.doubts[..] else { panic!("{:?}", small.doubts) };
    let enough = with(needed);
    assert!(!enough.only_looks && enough.is_good, "{needed} {:?}", enough.doubts);
    let large = with(60_000);
    assert!(!large.only_looks && (200..1000).contains(&large.particles), "{}", large.particles);
    assert!(large.is_good && large.niches.len() == 2, "{:?}", large.doubts);
}

#[test]
fn without_looks_there_is_a_ladder_whatever_the_budget() {
    let settings = Settings { looks: 0, max_evaluations: Some(12_000), ..Settings::default() };
    let found = run(&Gaussians::two(3), &settings, 1, 0.0);
    assert!(
        found.particles == 200 && !found.points.is_empty() && found.doubts[0].is_unfinished(),
        "{:?}",
        found.doubts
    );
}

/// A narrow mode beside a wide one calls for more draws from the prior.
#[test]
fn draws_that_could_not_be_afforded_are_told_with_the_budget_that_is_enough() {
    let modes = vec![(vec![-3.0; 2], 1.0, 0.3), (vec![3.0; 2], 1.0, 0.3), (vec![6.0; 2], 0.1, 0.4)];
    let problem = Gaussians { half_width: 10.0, modes };
    let with = |budget| run(&problem, &Settings { max_evaluations: Some(budget), ..Settings::default() }, 1, 0.0);
    let few = with(42_000);
    let needed = few.doubts.iter().find_map(|doubt| match doubt {
        Doubt::FewDraws { needed } => Some(*needed),
        _ => None,
    });
    assert!(!few.only_looks && needed.is_some(), "{:?}", few.doubts);
    let enough = with(needed.unwrap());
    assert!(!enough.doubts.iter().any(Doubt::is_unfinished), "{:?}", enough.doubts);
}

#[test]
fn a_search_that_the_budget_ends_is_unfinished_and_one_that_came_to_a_density_is_not() {
    let problem = Gaussians::two(2);
    let with = |budget| run(&problem, &Settings { max_evaluations: Some(budget), ladders: 1, ..quick() }, 1, 0.0);
    let all = with(30_000);
    assert!(all.is_good && !all.doubts.iter().any(Doubt::is_unfinished), "{:?}", all.doubts);
    // Before the test of the density, and in the ladder.
    let (late, early) = (with(all.evaluations - 1), with(all.evaluations / 2));
    assert!(late.doubts[0] == Doubt::Stopped { searched: true } && late.density.is_some() && !late.is_good);
    assert!(early.doubts[0] == Doubt::Stopped { searched: false } && early.density.is_none());
}

/// In a funnel looks find one mode, and a density that does not know it all.
#[test]
fn what_was_learned_stays_where_the_budget_ends_the_next_ladder() {
    let problem = Gaussians::one(5);
    let settings = Settings { particles: Some(200), check: 500, ladder_when_unsure: true, ..Settings::default() };
    let mut unbelieved = 0;
    for seed in 1..=3 {
        let mut population = Population::new(5, &settings, seed).unwrap();
        let (mut after_rounds, mut rounds) = (None, false);
        while let Some(points) = population.ask(&problem).map(<[f64]>::to_vec) {
            let line = population.progress();
            if rounds && line.starts_with("ladder 1") {
                after_rounds = Some(population.evaluations());
                break;
            }
            rounds |= line.starts_with("round") && !line.starts_with("round 0");
            let values: Vec<f64> = points.chunks_exact(5).map(funnel).collect();
            population.tell(&problem, &values).unwrap();
        }
        let Some(budget) = after_rounds else { continue };
        let mut population =
            Population::new(5, &Settings { max_evaluations: Some(budget), ..settings.clone() }, seed).unwrap();
        let found = population.run(&problem, funnel).unwrap();
        assert!(found.doubts[0] == Doubt::Stopped { searched: false }, "{:?}", found.doubts);
        // A density that is not believed is not handed over: chains start from points, and learn.
        assert!(found.rounds.is_some() && found.fit(100, 1).is_some() == found.is_good, "seed {seed}");
        assert_eq!(found.starts(4, 1).len(), 4, "seed {seed}");
        unbelieved += u32::from(!found.is_good);
    }
    assert!(unbelieved > 0, "no run came from rounds that it did not believe to a full ladder");
}

#[test]
fn what_is_not_known_yet_is_not_shown() {
    let problem = Gaussians::two(2);
    let mut population = Population::new(2, &quick(), 1).unwrap();
    let mut shown = vec![population.progress()];
    while let Some(points) = population.ask(&problem) {
        let values: Vec<f64> = points.chunks_exact(2).map(|x| problem.log_likelihood(x)).collect();
        population.tell_first(&problem, &values).unwrap();
        shown.push(population.progress());
    }
    assert!(shown.iter().all(|line| !line.contains("NaN")), "{shown:?}");
    assert!(shown.iter().any(|line| line.contains("efficiency ")), "{shown:?}");
}
