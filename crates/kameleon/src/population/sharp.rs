//! The sharp part: components where the posterior is highest, ahead of its draws.
//!
//! A funnel has a neck: the deeper, the higher and the smaller. Draws of a density that ends before it come no further than a little
//! way in, and what they weigh there is too little for a fit to follow. The power 1 + b of the posterior leans to the neck: fitted to
//! draws that are weighted for it, components stand where draws just came to, and lead the next round further. They say where to look,
//! never what is there. In the frozen density they keep the weights of draws in the neck small.

use crate::Rng;
use crate::diagnose::{effective_number, log_sum_exp};
use crate::linalg::solve_lower;
use crate::mixture::{Component, Mixture, Sample, Start, fit};
use crate::moves::{Frame, JumpDensity, Parts};
use crate::warmup::shrunk_frame;
use rand::RngExt;

/// How much there is of it, and how sharp it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares {
    /// The share of draws from it.
    pub draws: f64,
    /// b is as large as leaves this share of the effective draws.
    effective: f64,
}

/// While the density is learned.
pub(super) const LEARNING: Shares = Shares { draws: 0.2, effective: 0.01 };
/// When it is frozen.
pub(super) const FROZEN: Shares = Shares { draws: 0.1, effective: 0.05 };
/// At least this many effective draws are left for each dimension.
const EFFECTIVE_EACH: f64 = 2.0;
/// The log density of a Gaussian has the variance d/2. There is a sharp part where it is more than this many times that.
const NECK: f64 = 8.0;
/// The largest b.
const MOST_POWER: f64 = 4.0;
const HALVINGS: usize = 50;
/// The effective draws for each dimension that make one component, and the most components.
const DRAWS_EACH: f64 = 2.0;
const MOST_COMPONENTS: f64 = 8.0;
/// Their most degrees of freedom.
const MOST_FREEDOM: f64 = 5.0;
const ITERATIONS: usize = 12;
/// The share of draws that tell how far correlations are to be believed.
const HELD_OUT: f64 = 0.4;
/// Draws of less than this share of the whole weight are left out.
const NEGLIGIBLE: f64 = 1e-6;

/// Components at the highest of these draws, which have these weights and log densities on the log scale; none where the posterior has
/// no neck.
pub(super) fn sharp_part(
    points: &[&[f64]],
    log_weights: &[f64],
    log_density: &[f64],
    shares: Shares,
    rng: &mut Rng,
) -> Option<Mixture> {
    let dim = points.first()?.len();
    let logs = clipped(log_weights)?;
    if variance(&logs, log_density) < NECK * 0.5 * dim as f64 {
        return None;
    }
    let least = (shares.effective * effective_number(&logs)).max(EFFECTIVE_EACH * dim as f64);
    let logs = sharpened(&logs, log_density, least);
    let (total, effective) = (log_sum_exp(logs.iter().copied()), effective_number(&logs));
    let mut sample = Sample::new(dim);
    for (x, log) in points.iter().zip(&logs) {
        let weight = libm::exp(log - total);
        if weight > NEGLIGIBLE {
            sample.push(x, effective * weight, rng.random::<f64>() < HELD_OUT);
        }
    }
    let frame = shrunk_frame(&sample)?;
    let white = sample.mapped(dim, |x, u| frame.coordinates(x, u));
    let count = (effective / (DRAWS_EACH * dim as f64)).clamp(1.0, MOST_COMPONENTS) as usize;
    let found = fit(&white, Start::Clusters(count, rng), dim, ITERATIONS)?;
    Mixture::new(found.components().iter().map(|component| outside(component, &frame)).collect())
}

/// ln of weights over their mean, none larger than that of √n mean ones; none if all are zero.
fn clipped(log_weights: &[f64]) -> Option<Vec<f64>> {
    let (total, log_n) = (log_sum_exp(log_weights.iter().copied()), libm::log(log_weights.len() as f64));
    let over_mean = |log: &f64| (log - total + log_n).min(0.5 * log_n);
    total.is_finite().then(|| log_weights.iter().map(over_mean).collect())
}

/// The variance of the log density under weights.
fn variance(logs: &[f64], log_density: &[f64]) -> f64 {
    let total = log_sum_exp(logs.iter().copied());
    let weighted =
        || logs.iter().zip(log_density).filter(|(log, _)| log.is_finite()).map(|(log, l)| (libm::exp(log - total), l));
    let mean: f64 = weighted().map(|(w, l)| w * l).sum();
    weighted().map(|(w, l)| w * (l - mean) * (l - mean)).sum()
}

/// Weights for the power 1 + b of the posterior, with the largest b that leaves this many effective draws.
fn sharpened(logs: &[f64], log_density: &[f64], least: f64) -> Vec<f64> {
    let of = |(log, l): (&f64, &f64), b: f64| if log.is_finite() { log + b * l } else { f64::NEG_INFINITY };
    let with = |b: f64| -> Vec<f64> { logs.iter().zip(log_density).map(|both| of(both, b)).collect() };
    let (mut low, mut high) = (0.0, MOST_POWER);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if effective_number(&with(middle)) >= least {
            low = middle;
        } else {
            high = middle;
        }
    }
    with(low)
}

/// A density with a share for such components; as it is where it is in few directions.
pub(super) fn with_sharp_part(jump: JumpDensity, sharp: &Mixture, share: f64) -> JumpDensity {
    let Parts { frame, few, mixture, wide } = jump.parts();
    if few.is_some() {
        return jump;
    }
    let kept = mixture.components().iter().map(|c| Component { weight: (1.0 - share) * c.weight, ..c.clone() });
    let all = kept.chain(sharp.components().iter().map(|c| Component { weight: share * c.weight, ..inside(c, frame) }));
    let Some(mixture) = Mixture::new(all.collect()) else { return jump };
    let wider = JumpDensity::from(Parts { frame: frame.clone(), few: None, mixture, wide: *wide });
    if wider.fits(frame.dim()) { wider } else { jump }
}

/// A component in the coordinates of a frame.
fn inside(component: &Component, frame: &Frame) -> Component {
    let d = frame.dim();
    let mut centre = vec![0.0; d];
    frame.coordinates(&component.centre, &mut centre);
    let factor = by_columns(&component.factor, d, |column| solve_lower(&frame.factor, column));
    Component { centre, factor, ..component.clone() }
}

/// A lower triangular matrix, of which each column is changed as a vector.
fn by_columns(matrix: &[f64], d: usize, change: impl Fn(&mut [f64])) -> Vec<f64> {
    let (mut changed, mut column) = (vec![0.0; d * d], vec![0.0; d]);
    for j in 0..d {
        (0..d).for_each(|i| column[i] = matrix[i * d + j]);
        change(&mut column);
        (j..d).for_each(|i| changed[i * d + j] = column[i]);
    }
    changed
}

/// A component in the coordinates of the frame as one outside it.
fn outside(component: &Component, frame: &Frame) -> Component {
    let Component { weight, mut centre, factor, freedom } = component.clone();
    frame.point(&mut centre);
    let factor = by_columns(&factor, frame.dim(), |column| frame.direction(column));
    Component { weight: weight.sqrt(), centre, factor, freedom: freedom.min(MOST_FREEDOM) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use rand_distr::StandardNormal;

    const DIM: usize = 5;

    /// Draws of a funnel that end at the height -1, or of a Gaussian, with their log densities.
    fn draws(n: usize, is_funnel: bool) -> (Vec<Vec<f64>>, Vec<f64>) {
        let mut rng = stream(6, 0, Purpose::Learn);
        let mut draw = || loop {
            let v = 3.0 * rng.sample::<f64, _>(StandardNormal);
            let sd = if is_funnel { libm::exp(0.5 * v) } else { 1.0 };
            let x: Vec<f64> =
                (0..DIM).map(|i| if i == 0 { v } else { sd * rng.sample::<f64, _>(StandardNormal) }).collect();
            let rest: f64 = x[1..].iter().map(|x| x * x / (sd * sd)).sum();
            let log_density = -0.5 * (v * v / 9.0 + rest) - (DIM - 1) as f64 * libm::log(sd);
            if !is_funnel || v > -1.0 {
                return (x, log_density);
            }
        };
        (0..n).map(|_| draw()).unzip()
    }

    fn sharp(is_funnel: bool, log_weight: f64) -> Option<Mixture> {
        let (points, log_density) = draws(2000, is_funnel);
        let points: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
        sharp_part(&points, &[log_weight; 2000], &log_density, LEARNING, &mut stream(1, 0, Purpose::Learn))
    }

    #[test]
    fn it_leads_further_into_a_neck_than_draws_came() {
        let sharp = sharp(true, -7.0).unwrap();
        let (mut rng, mut x) = (stream(2, 0, Purpose::Learn), [0.0; DIM]);
        let mut inside = 0;
        for _ in 0..1000 {
            sharp.draw(&mut rng, &mut x);
            // Beyond the end of the draws, and as near to the middle as the neck is narrow.
            let squared: f64 = x[1..].iter().map(|x| x * x).sum();
            inside += usize::from(x[0] < -1.0 && squared < 2.0 * DIM as f64 * libm::exp(x[0]));
        }
        assert!(inside > 100, "{inside}");
    }

    #[test]
    fn a_density_keeps_what_it_knows_and_gets_its_share() {
        let sharp = sharp(true, 0.0).unwrap();
        let mut unit = vec![0.0; DIM * DIM];
        unit.iter_mut().step_by(DIM + 1).for_each(|l| *l = 1.0);
        let component = Component { weight: 1.0, centre: vec![0.0; DIM], factor: unit, freedom: 5.0 };
        let mut frame = Frame::raw(vec![1.0; DIM]);
        frame.factor.iter_mut().enumerate().for_each(|(k, l)| *l += 0.1 * f64::from(u8::from(k % DIM < k / DIM)));
        let mixture = Mixture::new(vec![component]).unwrap();
        let before = JumpDensity::from(Parts { frame, few: None, mixture, wide: 0.05 });
        let after = with_sharp_part(before.clone(), &sharp, 0.25);
        let x = [-1.0, 0.1, -0.2, 0.3, 0.0];
        let at = |density: &JumpDensity| libm::exp(density.log_density(&x, &mut [0.0; DIM]));
        // The wide part stays as it is; here it is nearly nothing beside the sharp one.
        let expected = 0.75 * at(&before) + 0.25 * 0.95 * libm::exp(sharp.log_density(&x));
        assert!((at(&after) / expected - 1.0).abs() < 1e-3, "{} {expected}", at(&after));
    }

    #[test]
    fn without_a_neck_or_without_weights_there_is_none() {
        assert!(sharp(false, 0.0).is_none());
        assert!(sharp(true, f64::NEG_INFINITY).is_none());
        assert!(sharp_part(&[], &[], &[], LEARNING, &mut stream(1, 0, Purpose::Learn)).is_none());
    }

    #[test]
    fn sharper_weights_leave_as_many_draws_as_asked_for() {
        let (_, log_density) = draws(2000, true);
        let logs = sharpened(&[0.0; 2000], &log_density, 50.0);
        assert!((effective_number(&logs) - 50.0).abs() < 0.5);
        // No more than all, and those without weight stay so.
        let logs = sharpened(&[f64::NEG_INFINITY, 0.0, 0.0], &[5.0, 1.0, 2.0], 10.0);
        assert!(logs[0] == f64::NEG_INFINITY && (logs[1] - logs[2]).abs() < 1e-9, "{logs:?}");
    }
}
