//! Kernel steps inside the ladder (kernel adaptive SMC: Schuster, Strathmann, Paige and Sejdinovic 2017).
//!
//! A step from u is N(u, ℓ²(γ²I + S(u)/s̄)), where S = M H Mᵀ is the covariance of kernel gradients over the states of the other
//! lineage, which follows the shape of the level near u. All of it in white coordinates; ℓ is learned by acceptance.

use super::guide::Guide;
use crate::Rng;
use crate::bandwidth::median_heuristic;
use crate::gradient_covariance::{Scratch, gradient_covariance};
use crate::kernel::Kernel;
use crate::moves::Frame;
use crate::normal_step::NormalStep;
use crate::points::Points;
use serde::{Deserialize, Serialize};

/// γ: every direction has this share, squared, of a typical step.
const GAMMA: f64 = 0.2;
/// The typical S is the median over this many states.
const TYPICAL_OF: usize = 300;

/// What is learned of the kernel: the rest follows from the states.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct KernelShape {
    /// The bandwidth of a Gaussian kernel, by the median heuristic.
    sigma: f64,
    /// s̄, the median over states of the mean eigenvalue of S.
    typical: f64,
}

impl KernelShape {
    /// From states in white coordinates of the frame; none if they are too much alike.
    pub(super) fn new(points: &[f64], frame: &Frame) -> Option<Self> {
        let z = white(points, frame);
        let sigma = median_heuristic(&z)?;
        let (d, kernel) = (z.dim(), Kernel::gaussian(sigma));
        let (mut scratch, mut u, mut s) = (Scratch::new(d), vec![0.0; d], vec![0.0; d * d]);
        let count = TYPICAL_OF.min(z.len());
        let mut means: Vec<f64> = (0..count)
            .map(|a| {
                z.get(a * z.len() / count, &mut u);
                gradient_covariance(&kernel, &z, &u, &mut scratch, &mut s);
                s.iter().step_by(d + 1).sum::<f64>() / d as f64
            })
            .collect();
        means.sort_by(f64::total_cmp);
        let typical = means[count / 2];
        (typical > 0.0 && typical.is_finite()).then_some(Self { sigma, typical })
    }

    /// Whether what was read from elsewhere can be used.
    pub(super) fn is_valid(&self) -> bool {
        [self.sigma, self.typical].iter().all(|x| x.is_finite() && *x > 0.0)
    }
}

/// The states of a lineage in white coordinates.
fn white(points: &[f64], frame: &Frame) -> Points {
    let mut rows = vec![0.0; points.len()];
    let d = frame.dim();
    rows.chunks_exact_mut(d).zip(points.chunks_exact(d)).for_each(|(u, x)| frame.coordinates(x, u));
    Points::from_rows(&rows, d)
}

/// Draws kernel steps, with room for what they need.
pub(super) struct KernelSteps<'a> {
    frame: &'a Frame,
    shape: KernelShape,
    kernel: Kernel,
    z: Points,
    scratch: Scratch,
    covariance: Vec<f64>,
    here: NormalStep,
    there: NormalStep,
    u: Vec<f64>,
    v: Vec<f64>,
}

impl<'a> KernelSteps<'a> {
    /// By what a lineage learned; none if it learned no kernel.
    pub(super) fn new(guide: &'a Guide) -> Option<Self> {
        let (shape, d) = (guide.kernel?, guide.frame.dim());
        Some(Self {
            frame: &guide.frame,
            shape,
            kernel: Kernel::gaussian(shape.sigma),
            z: white(&guide.points, &guide.frame),
            scratch: Scratch::new(d),
            covariance: vec![0.0; d * d],
            here: NormalStep::new(d),
            there: NormalStep::new(d),
            u: vec![0.0; d],
            v: vec![0.0; d],
        })
    }

    /// A step of this length from x, and ln of the ratio of proposal densities, back over forth.
    pub(super) fn draw(&mut self, x: &[f64], length: f64, rng: &mut Rng) -> (Vec<f64>, f64) {
        let Self { frame, shape, kernel, z, scratch, covariance, here, there, u, v } = self;
        let mut find = |at: &[f64], step: &mut NormalStep| {
            gradient_covariance(kernel, z, at, scratch, covariance);
            step.factorise(1.0 / shape.typical, covariance, GAMMA * GAMMA);
        };
        frame.coordinates(x, u);
        find(u, here);
        here.draw(length, rng, v);
        v.iter_mut().zip(u.iter()).for_each(|(v, u)| *v += u);
        find(v, there);
        let log_ratio = here.log_ratio(u, v, there, length);
        let mut y = v.clone();
        frame.point(&mut y);
        (y, log_ratio)
    }
}
