//! p(y|f) = 1/(1 + exp(−y f)), in loops that compile to vector instructions.

use super::Tilted;
use crate::quadrature::Quadrature;
use kameleon::simd;
use multiversion::multiversion;

/// The number of factors, each at most 2, that are multiplied before a logarithm is taken.
const BLOCK: usize = 512;
const LANES: usize = 8;

/// log p = min(z, 0) − log(1 + e^−|z|) at z = y f. The factors 1 + e^−|z| are multiplied, so that a whole
/// block costs one logarithm.
#[derive(Clone, Copy)]
struct Gather {
    linear: [f64; LANES],
    product: [f64; LANES],
}

impl Gather {
    const NONE: Self = Self { linear: [0.0; LANES], product: [1.0; LANES] };

    #[inline(always)]
    fn add(&mut self, lane: usize, z: f64) {
        self.linear[lane] += z.min(0.0);
        self.product[lane] *= 1.0 + simd::exp(-z.abs());
    }

    #[inline(always)]
    fn sum(self) -> f64 {
        self.linear.iter().sum::<f64>() - self.product.iter().product::<f64>().ln()
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
pub(super) fn log_likelihood(y: &[f64], f: &[f64]) -> f64 {
    let mut total = 0.0;
    for (y, f) in y.chunks(BLOCK).zip(f.chunks(BLOCK)) {
        let mut gather = Gather::NONE;
        let (ys, fs) = (y.chunks_exact(LANES), f.chunks_exact(LANES));
        let rest = ys.remainder().iter().zip(fs.remainder());
        rest.enumerate().for_each(|(lane, (y, f))| gather.add(lane, y * f));
        for (y, f) in ys.zip(fs) {
            (0..LANES).for_each(|lane| gather.add(lane, y[lane] * f[lane]));
        }
        total += gather.sum();
    }
    total
}

#[multiversion(targets("x86_64+avx2+fma"))]
pub(super) fn log_likelihood_pair(y: &[f64], m: &[f64], e: &[f64]) -> (f64, f64) {
    let (mut plus, mut minus) = (0.0, 0.0);
    for ((y, m), e) in y.chunks(BLOCK).zip(m.chunks(BLOCK)).zip(e.chunks(BLOCK)) {
        let (mut up, mut down) = (Gather::NONE, Gather::NONE);
        let (ys, ms, es) = (y.chunks_exact(LANES), m.chunks_exact(LANES), e.chunks_exact(LANES));
        let rest = ys.remainder().iter().zip(ms.remainder()).zip(es.remainder());
        for (lane, ((y, m), e)) in rest.enumerate() {
            up.add(lane, y * (m + e));
            down.add(lane, y * (m - e));
        }
        for ((y, m), e) in ys.zip(ms).zip(es) {
            (0..LANES).for_each(|lane| up.add(lane, y[lane] * (m[lane] + e[lane])));
            (0..LANES).for_each(|lane| down.add(lane, y[lane] * (m[lane] - e[lane])));
        }
        (plus, minus) = (plus + up.sum(), minus + down.sum());
    }
    (plus, minus)
}

#[multiversion(targets("x86_64+avx2+fma"))]
pub(super) fn derivatives(y: &[f64], f: &[f64], gradient: &mut [f64], w: &mut [f64]) {
    let outputs = gradient.iter_mut().zip(w);
    for ((y, f), (gradient, w)) in y.iter().zip(f).zip(outputs) {
        let z = y * f;
        let tail = simd::exp(-z.abs());
        let larger = 1.0 / (1.0 + tail);
        let smaller = tail * larger;
        *gradient = y * if z > 0.0 { smaller } else { larger };
        *w = smaller * larger;
    }
}

pub(super) fn tilted(y: f64, mean: f64, variance: f64, quadrature: &Quadrature) -> Tilted {
    let sd = variance.sqrt();
    if y * mean + variance + 9.0 * sd < -30.0 {
        // The mass lies where p(y|f) = exp(y f) to rounding, and that times a normal is a normal.
        return Tilted { log_z: y * mean + 0.5 * variance, mean: mean + y * variance, variance };
    }
    let (z, first, second) = moments(y, mean, sd, quadrature);
    let shift = first / z;
    let spread = (second / z - shift * shift).clamp(0.0, 1.0);
    Tilted { log_z: z.ln(), mean: mean + sd * shift, variance: variance * spread }
}

/// E p, E p t and E p t² for f = mean + sd t, t ~ N(0, 1).
#[multiversion(targets("x86_64+avx2+fma"))]
fn moments(y: f64, mean: f64, sd: f64, quadrature: &Quadrature) -> (f64, f64, f64) {
    let (mut zeroth, mut first, mut second) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    let term = |t: f64, weight: f64| {
        let z = y * sd.mul_add(t, mean);
        let tail = simd::exp(-z.abs());
        weight * if z > 0.0 { 1.0 } else { tail } / (1.0 + tail)
    };
    let mut add = |lane: usize, t: f64, weight: f64| {
        let p = term(t, weight);
        zeroth[lane] += p;
        first[lane] = p.mul_add(t, first[lane]);
        second[lane] = (p * t).mul_add(t, second[lane]);
    };
    let (nodes, weights) = (quadrature.nodes.chunks_exact(LANES), quadrature.weights.chunks_exact(LANES));
    let rest = nodes.remainder().iter().zip(weights.remainder());
    rest.enumerate().for_each(|(lane, (&t, &weight))| add(lane, t, weight));
    for (t, weight) in nodes.zip(weights) {
        (0..LANES).for_each(|lane| add(lane, t[lane], weight[lane]));
    }
    (zeroth.iter().sum(), first.iter().sum(), second.iter().sum())
}
