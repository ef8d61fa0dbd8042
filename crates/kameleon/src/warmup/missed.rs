//! Regions that were met and that the jump density hardly reaches get components of their own.
//!
//! A point where the target is many times the jump density, be it a proposal or a state of a chain, lies at the end of an arm or in
//! a mode that the fit has passed over: it has too little mass to matter for a fit, and enough for a chain to get there and
//! stay. Once jumps lead there, they settle how much it weighs.

use crate::Rng;
use crate::diagnose::log_sum_exp;
use crate::linalg::{cholesky, dot, solve_lower, times_transpose};
use crate::mixture::{Component, Mixture, Sample, Start, fit};
use crate::moves::{JumpDensity, Parts};

/// A region is missed where the target is more than this many times the jump density, …
const MISSED: f64 = 4.0;
/// … and its components get a share of the mixture that is this many times the mass that was missed, within bounds, in each of
/// two passes.
const SHARE: f64 = 3.0;
const LEAST_SHARE: f64 = 0.01;
const MOST_SHARE: f64 = 0.05;
const PASSES: usize = 2;
/// One component for this many effective points, …
const POINTS_EACH: f64 = 6.0;
/// … at most.
const MOST_COMPONENTS: f64 = 8.0;
/// The squared scale of their components over that of a fit, and their most degrees of freedom.
const WIDER: f64 = 4.0;
const MOST_FREEDOM: f64 = 5.0;
/// Their scale matrix is drawn towards that of the nearest component of the density as by this many points for each dimension.
const PRIOR_POINTS: f64 = 2.0;
const ITERATIONS: usize = 12;
/// Up to this dimension covariances are free in all directions.
const FREE_UP_TO: usize = 12;

/// Points with the log density of the target there, less ln Z, and the mass that each stands for.
#[derive(Default)]
pub struct Met<'a> {
    pub points: Vec<&'a [f64]>,
    pub log_density: Vec<f64>,
    pub mass: Vec<f64>,
}

/// The jump density with components for what it misses.
pub fn with_missed_regions(mut density: JumpDensity, met: &Met<'_>, rng: &mut Rng) -> JumpDensity {
    for _ in 0..PASSES {
        match missed(&density, met).and_then(|(sample, mass)| widened(&density, &sample, mass, rng)) {
            Some(wider) => density = wider,
            None => break,
        }
    }
    density
}

/// What is missed, in the coordinates of the mixture, and its mass; none if it is nothing.
fn missed(density: &JumpDensity, met: &Met<'_>) -> Option<(Sample, f64)> {
    let Parts { frame, few, mixture, .. } = density.parts();
    let mut u = vec![0.0; frame.dim()];
    let mut room = [0.0; JumpDensity::MOST_DIRECTIONS];
    let mut sample = Sample::new(mixture.dim());
    let mut missed = 0.0;
    let log_jump = density.log_densities(met.points.iter().copied());
    for (((x, log_density), mass), log_jump) in met.points.iter().zip(&met.log_density).zip(&met.mass).zip(log_jump) {
        let ratio = libm::exp(log_density - log_jump);
        if ratio > MISSED && *mass > 0.0 {
            frame.coordinates(x, &mut u);
            let s = few.as_ref().map_or(u.as_slice(), |few| few.coordinates(&u, &mut room));
            missed += mass;
            let weight = mass * ratio.min(1e6).sqrt();
            // A chain that stayed is one point, which weighs more.
            match sample.weights.last_mut() {
                Some(last) if sample.points.ends_with(s) => *last += weight,
                _ => sample.push(s, weight, false),
            }
        }
    }
    let (sum, squares) = sample.weights.iter().fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
    let effective = sum * sum / squares;
    sample.weights.iter_mut().for_each(|w| *w *= effective / sum);
    (sample.len() >= 3 && effective.is_finite()).then(|| (sample, missed / met.mass.iter().sum::<f64>()))
}

/// The jump density with more components, fitted to what it misses.
fn widened(density: &JumpDensity, sample: &Sample, mass: f64, rng: &mut Rng) -> Option<JumpDensity> {
    let Parts { frame, few, mixture, wide } = density.parts().clone();
    let k = sample.dim;
    let share = (SHARE * mass).clamp(LEAST_SHARE, MOST_SHARE);
    let count = (sample.size() / POINTS_EACH).clamp(1.0, MOST_COMPONENTS) as usize;
    let own = if k <= FREE_UP_TO { k } else { 1 };
    let found = fit(sample, Start::Clusters(count, rng), own, ITERATIONS)?;
    let wider = libm::pow(WIDER, (4.0 / k as f64).min(1.0));
    let kept = mixture.components().iter().map(|c| Component { weight: (1.0 - share) * c.weight, ..c.clone() });
    let spread = found.components().iter().map(|c| {
        let factor = spread_factor(c, c.weight * sample.size(), wider, &mixture);
        let freedom = c.freedom.min(MOST_FREEDOM);
        Component { weight: share * c.weight, centre: c.centre.clone(), factor, freedom }
    });
    let mixture = Mixture::new(kept.chain(spread).collect())?;
    Some(Parts { frame, few, mixture, wide }.into())
        .filter(|density: &JumpDensity| density.fits(density.parts().frame.dim()))
}

/// The factor of a component's scale matrix, made wider, and drawn towards that of the nearest component that is known: a few points
/// do not tell how wide a region is, and a chain that stayed where it was tells nothing of it.
fn spread_factor(component: &Component, points: f64, wider: f64, known: &Mixture) -> Vec<f64> {
    let d = component.centre.len();
    let distance = |other: &Component| {
        let mut e: Vec<f64> = component.centre.iter().zip(&other.centre).map(|(a, b)| a - b).collect();
        solve_lower(&other.factor, &mut e);
        dot(&e, &e)
    };
    let nearest = known.components().iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let prior = PRIOR_POINTS * d as f64;
    let own = points / (points + prior);
    let mut scale = vec![0.0; d * d];
    times_transpose(&component.factor, d, &mut scale);
    scale.iter_mut().for_each(|s| *s *= own * wider);
    if let Some(nearest) = nearest {
        let mut other = vec![0.0; d * d];
        times_transpose(&nearest.factor, d, &mut other);
        scale.iter_mut().zip(&other).for_each(|(s, o)| *s += (1.0 - own) * o);
    }
    if cholesky(&mut scale, d) { scale } else { component.factor.clone() }
}

/// ln of the mean of weights whose logarithms are given.
pub fn log_mean(log_weights: &[f64]) -> f64 {
    log_sum_exp(log_weights.iter().copied()) - libm::log(log_weights.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moves::Frame;
    use crate::random::{Purpose, stream};
    use rand::RngExt;
    use rand_distr::StandardNormal;

    const DIM: usize = 2;

    /// One t around zero.
    fn around_zero() -> JumpDensity {
        let component =
            Component { weight: 1.0, centre: vec![0.0; DIM], factor: vec![1.0, 0.0, 0.0, 1.0], freedom: 10.0 };
        let mixture = Mixture::new(vec![component]).unwrap();
        Parts { frame: Frame::raw(vec![0.0; DIM]), few: None, mixture, wide: 0.05 }.into()
    }

    /// Draws from N(0, I), and a tenth of them around a mode at 30; all with the density of that mixture.
    fn two_modes(n: usize) -> Vec<(Vec<f64>, f64)> {
        let mut rng = stream(2, 0, Purpose::Learn);
        let point = |i: usize| {
            let mut x: Vec<f64> = (0..DIM).map(|_| rng.sample(StandardNormal)).collect();
            x[0] += if i.is_multiple_of(10) { 30.0 } else { 0.0 };
            let of = |centre: f64| (-0.5 * ((x[0] - centre).powi(2) + x[1] * x[1])).exp() / std::f64::consts::TAU;
            let log_density = (0.9 * of(0.0) + 0.1 * of(30.0)).ln();
            (x, log_density)
        };
        (0..n).map(point).collect()
    }

    fn met(points: &[(Vec<f64>, f64)]) -> Met<'_> {
        Met {
            points: points.iter().map(|(x, _)| x.as_slice()).collect(),
            log_density: points.iter().map(|(_, log)| *log).collect(),
            mass: vec![1.0 / points.len() as f64; points.len()],
        }
    }

    #[test]
    fn a_mode_that_was_met_gets_a_component() {
        let (points, before) = (two_modes(500), around_zero());
        let after = with_missed_regions(before.clone(), &met(&points), &mut stream(1, 0, Purpose::Learn));
        let mut room = [0.0; DIM];
        let mut there = |density: &JumpDensity| density.log_density(&[30.0, 0.0], &mut room);
        assert!(there(&before) < -12.0 && there(&after) > -8.0, "{} {}", there(&before), there(&after));
        // What it knew already it keeps, but for the share of the new components.
        assert!(
            before.log_density(&[0.5, 0.5], &mut [0.0; DIM]) - after.log_density(&[0.5, 0.5], &mut [0.0; DIM]) < 0.2
        );
        assert!(after.fits(DIM));
    }

    #[test]
    fn where_a_chain_stayed_the_component_is_as_wide_as_its_neighbour() {
        let mut points = two_modes(200);
        points.retain(|(x, _)| x[0] < 10.0);
        // Three chains that each stayed for long, all at the same place but for rounding.
        for chain in 0..3 {
            let stayed = (vec![30.0 + 1e-13 * f64::from(chain), 0.0], -2.0);
            points.extend(std::iter::repeat_n(stayed, 50));
        }
        let after = with_missed_regions(around_zero(), &met(&points), &mut stream(1, 0, Purpose::Learn));
        let Parts { mixture, .. } = after.parts();
        let new = mixture.components().iter().skip(1);
        assert!(new.len() > 0 && new.clone().all(|c| c.factor[0] > 0.5 && c.factor[3] > 0.5), "{mixture:?}");
        // Its density is that of its draws: the mean of 1/Q over those in a square is the area of the square.
        let (mut rng, mut x, mut room) = (stream(5, 0, Purpose::Move), [0.0; DIM], [0.0; DIM]);
        let (n, mut area) = (100_000, 0.0);
        for _ in 0..n {
            after.draw(&mut rng, &mut x);
            if (x[0] - 30.0).abs() < 1.0 && x[1].abs() < 1.0 {
                area += libm::exp(-after.log_density(&x, &mut room)) / f64::from(n);
            }
        }
        assert!((area - 4.0).abs() < 0.4, "{area}");
    }

    #[test]
    fn where_nothing_is_missed_the_density_stays_as_it_is() {
        let mut points = two_modes(500);
        points.retain(|(x, _)| x[0] < 10.0);
        for points in [&points[..], &points[..1], &[]] {
            let after = with_missed_regions(around_zero(), &met(points), &mut stream(1, 0, Purpose::Learn));
            assert_eq!(after.parts().mixture.components().len(), 1);
        }
        // Points without density miss nothing.
        points.iter_mut().for_each(|(_, log)| *log = f64::NEG_INFINITY);
        let after = with_missed_regions(around_zero(), &met(&points), &mut stream(1, 0, Purpose::Learn));
        assert_eq!(after.parts().mixture.components().len(), 1);
    }
}
