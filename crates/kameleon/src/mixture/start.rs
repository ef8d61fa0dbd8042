//! Where a fit starts: clusters by k-means from centres drawn far apart.

use super::block::Blocks;
use super::sample::Sample;
use crate::Rng;
use crate::simd::{Row, STRIP, STRIPS};
use multiversion::multiversion;
use rand::RngExt;

/// Rounds of k-means.
const ROUNDS: usize = 5;

/// The cluster of each point, of `count` clusters (k-means++, Arthur and Vassilvitskii 2007).
pub fn clusters(sample: &Sample, blocks: &Blocks, count: usize, rng: &mut Rng) -> Vec<usize> {
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
        for block in blocks.iter() {
            let nearest = nearest_centres(&centres, block.coordinates);
            cluster[block.first..].iter_mut().zip(nearest.0).for_each(|(cluster, k)| *cluster = k as usize);
        }
        let mut sums = vec![0.0; count * d];
        let mut sizes = vec![0.0; count];
        for ((x, w), k) in sample.iter().zip(&cluster) {
            sizes[*k] += w;
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

/// Which centre is nearest to each point of a block; the first of those that are equally near.
#[multiversion(targets("x86_64+avx2+fma"))]
fn nearest_centres(centres: &[f64], coordinates: &[Row]) -> Row {
    let mut found = Row::ZERO;
    for s in 0..STRIPS {
        let mut best = [f64::INFINITY; STRIP];
        let mut which = [0.0; STRIP];
        for (k, centre) in centres.chunks_exact(coordinates.len()).enumerate() {
            let mut near = [0.0; STRIP];
            for (row, c) in coordinates.iter().zip(centre) {
                let x = row.strip(s);
                for l in 0..STRIP {
                    near[l] += (x[l] - c) * (x[l] - c);
                }
            }
            for l in 0..STRIP {
                let nearer = near[l] < best[l];
                best[l] = if nearer { near[l] } else { best[l] };
                which[l] = if nearer { k as f64 } else { which[l] };
            }
        }
        *found.strip_mut(s) = which;
    }
    found
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
            for block in Blocks::new(&points, d).iter() {
                let found = nearest_centres(&centres, block.coordinates);
                for (x, found) in points.chunks_exact(d).skip(block.first).take(block.count).zip(found.0) {
                    let near: Vec<f64> = centres.chunks_exact(d).map(|centre| distance(x, centre)).collect();
                    let least = near.iter().copied().fold(f64::INFINITY, f64::min);
                    assert_eq!(found as usize, near.iter().position(|n| *n == least).unwrap());
                }
            }
        }
    }
}
