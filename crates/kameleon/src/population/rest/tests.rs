use super::*;
use crate::population::settings::Settings;
use crate::population::testing::Gaussians;
use crate::random::{Purpose, stream};

const NARROW: [f64; 3] = [6.0, 6.0, 6.0];

/// Two wide modes and a narrow one.
fn three() -> Gaussians {
    let modes = vec![(vec![-6.0; 3], 1.0, 0.4), (vec![6.0, -6.0, 0.0], 1.0, 0.4), (NARROW.to_vec(), 0.1, 0.2)];
    Gaussians { half_width: 10.0, modes }
}

/// Values at draws from the prior, a given number of them far from the narrow mode, and at further points.
fn level(problem: &Gaussians, far: usize, further: &[[f64; 3]], rng: &mut Rng) -> Particles {
    let distance = |x: &[f64]| x.iter().zip(NARROW).map(|(x, m)| (x - m).powi(2)).sum::<f64>().sqrt();
    let mut points: Vec<f64> = Vec::new();
    while points.len() < 3 * far {
        let x = problem.draws(rng, 1);
        points.extend(Some(x).filter(|x| distance(x) > 4.0).into_iter().flatten());
    }
    points.extend(further.iter().flatten());
    problem.values(points, 0.0, rng)
}

/// Climbs to the tops of the two wide modes.
fn to_the_wide(problem: &Gaussians, rng: &mut Rng) -> Climb {
    let roots = problem.modes[..2].iter().map(|(centre, ..)| {
        let point: Vec<f64> = centre.iter().map(|m| m + 1.5).collect();
        Root { log_density: problem.log_likelihood(&point) + problem.log_z(), point, steps: vec![0.5; 3] }
    });
    let mut climb = Climb::new(&roots.collect::<Vec<_>>());
    problem.run(&mut climb, 0.0, rng);
    climb
}

fn settings() -> LadderSettings {
    Settings::default().ladder(3)
}

/// The point is no better than many that are near it: a wide mode explains these, and not this one.
#[test]
fn one_point_at_the_rim_of_a_basin_is_enough() {
    let problem = three();
    let mut rng = stream(11, 0, Purpose::Learn);
    let rim = [5.4, 5.4, 5.4];
    for (further, modes) in [(vec![rim], 3), (Vec::new(), 2)] {
        let levels = vec![level(&problem, 2000, &further, &mut rng)];
        let rest =
            Rest::new(to_the_wide(&problem, &mut rng), levels, LadderSettings { more: 0, ..settings() }, &problem);
        assert!(rest.explains && rest.roots(&problem).len() == further.len(), "{:?}", rest.roots(&problem));
        let mut climb = rest.climb(&problem);
        problem.run(&mut climb, 0.0, &mut rng);
        let niches = climb.niches();
        let near = |niche: &&Niche| niche.top.iter().zip(NARROW).all(|(x, m)| (x - m).abs() < 0.3);
        assert_eq!((niches.len(), niches.iter().filter(near).count()), (modes, further.len()), "{niches:?}");
    }
}

#[test]
fn more_draws_go_where_a_narrow_mode_has_little_room() {
    let problem = three();
    let mut rng = stream(12, 0, Purpose::Learn);
    let climb = to_the_wide(&problem, &mut rng);
    let levels = vec![level(&problem, 2000, &[], &mut rng)];
    let rest = Rest { more: 1000, explains: true, ..Rest::new(climb, levels, settings(), &problem) };
    let near = |points: &[f64]| {
        let known =
            |x: &[f64]| problem.modes[..2].iter().any(|(m, ..)| x.iter().zip(m).all(|(x, m)| (x - m).abs() < 4.0));
        points.chunks_exact(3).filter(|x| known(x)).count() as f64 / (points.len() / 3) as f64
    };
    let draws = rest.draws(&problem, &mut rng);
    // The number of them is random: six standard errors.
    assert!(draws.len() / 3 > 800 && draws.len() / 3 < 1200, "{}", draws.len() / 3);
    let usual = near(&problem.draws(&mut rng, 4000));
    assert!(near(&draws) > 2.0 * usual && near(&draws) < 0.95, "{} {usual}", near(&draws));
}

/// A shell is not explained by tops on it: more draws are those of the prior, and links between them are tested.
#[test]
fn where_niches_explain_little_links_are_tested() {
    let problem = three();
    let mut rng = stream(13, 0, Purpose::Learn);
    let shell = |points: Vec<f64>| {
        let mut told = Particles::proposed(points, &problem);
        for i in 0..told.len() {
            let radius = told.point(i).iter().map(|x| x * x).sum::<f64>().sqrt();
            told.log_likelihood[i] = -2.0 * (radius - 7.0).powi(2);
        }
        told
    };
    let mut climb = Climb::new(&[Root { point: vec![4.0; 3], log_density: -20.0, steps: vec![0.5; 3] }]);
    while let Some(points) = climb.propose(&problem, &mut rng) {
        climb.learn(shell(points), &problem, &mut rng);
    }
    let levels = vec![shell(problem.draws(&mut rng, 2000))];
    let mut rest = Rest { more: 3000, ..Rest::new(climb, levels, settings(), &problem) };
    assert!(!rest.explains);
    let draws = rest.propose(&problem, &mut rng).unwrap();
    assert_eq!(draws.len(), 9000);
    rest.learn(shell(draws), &problem, &mut rng);
    let links = rest.propose(&problem, &mut rng).unwrap();
    rest.learn(shell(links), &problem, &mut rng);
    assert!(rest.propose(&problem, &mut rng).is_none() && rest.fits(3));
    assert!(rest.links.as_ref().is_some_and(|links| !links.roots().is_empty()));
}

#[test]
fn chances_add_up() {
    let weights: Vec<f64> = (1..=1000).map(|i| 1.0 / f64::from(i)).collect();
    for number in [3.0, 200.0, 900.0] {
        let factor = factor_for(&weights, number);
        let sum: f64 = weights.iter().map(|w| (factor * w).min(1.0)).sum();
        assert!((sum / number - 1.0).abs() < 1e-6, "{number} {sum}");
    }
}

#[test]
fn after_a_long_ladder_there_are_fewer_draws() {
    let settings = settings();
    let more = |spent: usize| settings.after(spent).more;
    assert_eq!((more(30_000), more(80_000), more(200_000)), (settings.more, 30_000, 0));
}

#[test]
fn in_many_dimensions_several_wide_modes_call_for_more_draws_and_one_does_not() {
    for (dim, count, expected) in [(3, 4, false), (4, 4, true), (4, 1, false)] {
        let side = |k: usize, i: usize| if (k >> (i % 2)) & 1 == 0 { 6.0 } else { -6.0 };
        let centre = |k: usize| (0..dim).map(|i| side(k, i)).collect::<Vec<f64>>();
        let modes = (0..count).map(|k| (centre(k), 1.0, 1.0 / count as f64)).collect();
        let problem = Gaussians { half_width: 10.0, modes };
        let mut rng = stream(14, 0, Purpose::Learn);
        let root = |k: usize| Root { log_density: -20.0, point: centre(k), steps: vec![0.5; dim] };
        let mut climb = Climb::new(&(0..count).map(root).collect::<Vec<_>>());
        problem.run(&mut climb, 0.0, &mut rng);
        let levels = vec![problem.values(problem.draws(&mut rng, 12_000), 0.0, &mut rng)];
        let rest = Rest::new(climb, levels, Settings::default().ladder(dim), &problem);
        assert_eq!(rest.more > 0, expected, "{dim} {count}");
    }
}

/// Gaussians as a run with bounds sees them: by logits of the place in the box.
struct Logits(Gaussians);

impl Logits {
    fn values(&self, points: Vec<f64>) -> Particles {
        let mut told = Particles::proposed(points, self);
        for i in 0..told.len() {
            let mut x = told.point(i).to_vec();
            self.to_gaussian_scale(&mut x);
            told.log_likelihood[i] = self.0.log_likelihood(&x);
        }
        told
    }
}

impl Prior for Logits {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn draw(&self, rng: &mut Rng, u: &mut [f64]) {
        self.0.draw(rng, u);
        u.iter_mut().for_each(|u| *u = ((self.0.half_width + *u) / (self.0.half_width - *u)).ln());
    }

    fn log_density(&self, u: &[f64]) -> f64 {
        let mut x = u.to_vec();
        self.to_gaussian_scale(&mut x) + self.0.log_density(&x)
    }

    fn to_gaussian_scale(&self, u: &mut [f64]) -> f64 {
        let change = |u: &mut f64| {
            let share = 1.0 / (1.0 + (-*u).exp());
            *u = self.0.half_width * (2.0 * share - 1.0);
            (2.0 * self.0.half_width * share * (1.0 - share)).ln()
        };
        u.iter_mut().map(change).sum()
    }
}

#[test]
fn niches_explain_what_a_logit_bends() {
    let modes = vec![(vec![-3.0; 3], 1.0, 0.5), (vec![3.0; 3], 0.5, 0.5)];
    let problem = Logits(Gaussians { half_width: 10.0, modes });
    let mut rng = stream(15, 0, Purpose::Learn);
    let root = |u: f64| Root { log_density: -20.0, point: vec![u; 3], steps: vec![0.1; 3] };
    let mut climb = Climb::new(&[root(-0.7), root(0.7)]);
    while let Some(points) = climb.propose(&problem, &mut rng) {
        climb.learn(problem.values(points), &problem, &mut rng);
    }
    let levels = vec![problem.values(problem.draws(&mut rng, 2000))];
    let rest = Rest::new(climb, levels, settings(), &problem);
    let excess = rest.excess(&rest.levels[0], &problem);
    let largest = excess.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    assert!(rest.explains && largest < UNEXPLAINED, "{largest}");
    let top = &rest.explaining[0];
    assert!(top.top.iter().all(|x| (x.abs() - 3.0).abs() < 0.05), "{top:?}");
}
