//! Where a fit starts: clusters by k-means from centres drawn far apart.

use super::sample::Sample;
use crate::Rng;
use rand::RngExt;

/// Rounds of k-means.
const ROUNDS: usize = 5;

/// The cluster of each point, of `count` clusters (k-means++, Arthur and Vassilvitskii 2007).
pub fn clusters(sample: &Sample, count: usize, rng: &mut Rng) -> Vec<usize> {
    let (d, n) = (sample.dim, sample.len());
    let point = |i: usize| &sample.points[i * d..(i + 1) * d];
    let mut centres = point(pick(&sample.weights, rng)).to_vec();
    let mut nearest = vec![f64::INFINITY; n];
    while centres.len() < count * d {
        let last = &centres[centres.len() - d..];
        nearest.iter_mut().enumerate().for_each(|(i, near)| *near = near.min(distance(point(i), last)));
        let worth: Vec<f64> = nearest.iter().zip(&sample.weights).map(|(near, w)| near * w).collect();
        centres.extend_from_slice(point(pick(&worth, rng)));
    }
    let mut cluster = vec![0; n];
    for _ in 0..ROUNDS {
        let mut sums = vec![0.0; count * d];
        let mut sizes = vec![0.0; count];
        for (i, (x, w)) in sample.iter().enumerate() {
            let mut best = (f64::INFINITY, 0);
            for (k, centre) in centres.chunks_exact(d).enumerate() {
                let near = distance(x, centre);
                if near < best.0 {
                    best = (near, k);
                }
            }
            cluster[i] = best.1;
            sizes[best.1] += w;
            sums[best.1 * d..(best.1 + 1) * d].iter_mut().zip(x).for_each(|(sum, x)| *sum += w * x);
        }
        for ((centre, sum), size) in centres.chunks_exact_mut(d).zip(sums.chunks_exact(d)).zip(sizes) {
            if size > 0.0 {
                centre.iter_mut().zip(sum).for_each(|(c, sum)| *c = sum / size);
            }
        }
    }
    cluster
}

/// An index, each as likely as it weighs.
fn pick(weights: &[f64], rng: &mut Rng) -> usize {
    let total: f64 = weights.iter().sum();
    let mut left = total * rng.random::<f64>();
    let found = weights.iter().position(|w| {
        left -= w;
        left < 0.0
    });
    found.unwrap_or_else(|| rng.random_range(0..weights.len()))
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
