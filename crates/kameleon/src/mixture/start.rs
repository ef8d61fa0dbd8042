//! Where a fit starts: clusters by k-means from centres drawn far apart.

use super::sample::Sample;
use super::{LANES, Lane};
use crate::Rng;
use multiversion::multiversion;
use rand::RngExt;

/// Rounds of k-means.
const ROUNDS: usize = 5;

/// The cluster of each point, of `count` clusters (k-means++, Arthur and Vassilvitskii 2007).
pub fn clusters(sample: &Sample, count: usize, rng: &mut Rng) -> Vec<usize> {
    let (d, n) = (sample.dim, sample.len());
    let point = |i: usize| &sample.points[i * d..(i + 1) * d];
    let mut centres = point(pick(&sample.weights, rng)).to_vec();
    let columns = sample.columns();
    let (mut nearest, mut worth) = (vec![f64::INFINITY; n], vec![0.0; n]);
    while centres.len() < count * d {
        add_centre(&columns, &centres[centres.len() - d..], &mut nearest, &mut worth);
        worth.iter_mut().zip(&nearest).zip(&sample.weights).for_each(|((worth, near), w)| *worth = near * w);
        centres.extend_from_slice(point(pick(&worth, rng)));
    }
    let mut cluster = vec![0; n];
    for _ in 0..ROUNDS {
        let mut sums = vec![0.0; count * d];
        let mut sizes = vec![0.0; count];
        let lanes = in_lanes(&centres, d);
        for (i, (x, w)) in sample.iter().enumerate() {
            let k = nearest_centre(&lanes, x);
            cluster[i] = k;
            sizes[k] += w;
            sums[k * d..(k + 1) * d].iter_mut().zip(x).for_each(|(sum, x)| *sum += w * x);
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

/// The centres in groups of lanes, one coordinate after another; lanes without a centre are infinitely far.
fn in_lanes(centres: &[f64], d: usize) -> Vec<Lane> {
    let mut lanes = vec![Lane([f64::INFINITY; LANES]); (centres.len() / d).div_ceil(LANES) * d];
    for (k, centre) in centres.chunks_exact(d).enumerate() {
        for (i, c) in centre.iter().enumerate() {
            lanes[k / LANES * d + i].0[k % LANES] = *c;
        }
    }
    lanes
}

/// Which centre is nearest to x; the first of those that are equally near.
#[multiversion(targets("x86_64+avx2+fma"))]
fn nearest_centre(lanes: &[Lane], x: &[f64]) -> usize {
    let mut best = [f64::INFINITY; LANES];
    let mut group_of_best = [0.0; LANES];
    for (g, group) in lanes.chunks_exact(x.len()).enumerate() {
        let mut near = [0.0; LANES];
        for (centres, x) in group.iter().zip(x) {
            for l in 0..LANES {
                let e = x - centres.0[l];
                near[l] += e * e;
            }
        }
        for l in 0..LANES {
            let nearer = near[l] < best[l];
            best[l] = if nearer { near[l] } else { best[l] };
            group_of_best[l] = if nearer { g as f64 } else { group_of_best[l] };
        }
    }
    let least = best.iter().fold(f64::INFINITY, |least, near| if *near < least { *near } else { least });
    let mut first = usize::MAX;
    for l in 0..LANES {
        if best[l] == least {
            first = first.min(group_of_best[l] as usize * LANES + l);
        }
    }
    first
}

/// Lowers the distance of each point to its nearest centre where a new centre is nearer; `columns` are the points, one coordinate
/// after another.
#[multiversion(targets("x86_64+avx2+fma"))]
fn add_centre(columns: &[f64], centre: &[f64], nearest: &mut [f64], near: &mut [f64]) {
    near.fill(0.0);
    for (column, c) in columns.chunks_exact(nearest.len()).zip(centre) {
        for (near, x) in near.iter_mut().zip(column) {
            *near += (x - c) * (x - c);
        }
    }
    for (nearest, near) in nearest.iter_mut().zip(&*near) {
        *nearest = if *near < *nearest { *near } else { *nearest };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
    }

    #[test]
    fn the_nearest_centre_is_the_first_of_the_nearest() {
        let mut rng = stream(4, 0, Purpose::Move);
        for (count, d) in [(1, 1), (5, 2), (8, 3), (19, 2), (64, 8)] {
            // On a coarse grid, so that several centres are equally near.
            let mut coordinates =
                |n: usize| (0..n * d).map(|_| f64::from(rng.random_range(-3..3))).collect::<Vec<f64>>();
            let (centres, points) = (coordinates(count), coordinates(50));
            let lanes = in_lanes(&centres, d);
            for x in points.chunks_exact(d) {
                let near: Vec<f64> = centres.chunks_exact(d).map(|centre| distance(x, centre)).collect();
                let least = near.iter().copied().fold(f64::INFINITY, f64::min);
                assert_eq!(nearest_centre(&lanes, x), near.iter().position(|n| *n == least).unwrap());
            }
        }
    }
}
