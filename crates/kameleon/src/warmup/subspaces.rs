//! Which subspaces may be worth moving in, and the states of a window in their coordinates.

use super::window::Window;
use crate::linalg::{dot, eigen, mirror};
use crate::moves::{Frame, Subspace};

/// How many directions are tried.
const SIZES: [usize; 2] = [2, 4];
/// Third moments are taken over pairs of this many states.
const PAIRED: usize = 2000;
/// A direction is slow if states this share of the window apart are still alike in it.
const LAG: f64 = 0.02;

/// Candidates by what the states of a window do in the white frame: the directions where the target is widest in its own
/// units, where the chain is slowest, and where it is least like a Gaussian by its third and its fourth moments.
pub fn candidates(window: &Window<'_>, metric: &Frame) -> Vec<Subspace> {
    let d = metric.dim();
    let white = white(metric, window);
    let gaussian = (d + 2) as f64;
    let orders = [
        leading(widths(metric), d, |width| width),
        leading(lagged(&white, d), d, |slowness| slowness),
        leading(third_moments(&white, d), d, |moment| moment),
        leading(fourth_moments(&white, d), d, |moment| (moment - gaussian).abs()),
    ];
    let sizes = SIZES.into_iter().filter(|k| *k < d);
    sizes
        .flat_map(|k| orders.iter().map(move |rows| (k, rows)))
        .filter_map(|(k, rows)| Subspace::new(metric.clone(), &rows[..k * d]))
        .collect()
}

/// The states of a window in the coordinates of a subspace, chain by chain.
pub fn project(subspace: &Subspace, window: &Window<'_>) -> Vec<Vec<f64>> {
    let mut u = vec![0.0; window.dim()];
    mapped(window, subspace.dim(), |x, s| subspace.coordinates(x, &mut u, s))
}

/// The states of a window in the white frame, chain by chain.
fn white(metric: &Frame, window: &Window<'_>) -> Vec<Vec<f64>> {
    mapped(window, metric.dim(), |x, u| metric.coordinates(x, u))
}

/// The states of a window after a change of coordinates to `k` of them.
fn mapped(window: &Window<'_>, k: usize, mut coordinates: impl FnMut(&[f64], &mut [f64])) -> Vec<Vec<f64>> {
    let mut of_chain = |chain: &&[f64]| {
        let points = chain.chunks_exact(window.dim());
        let mut states = vec![0.0; points.len() * k];
        points.zip(states.chunks_exact_mut(k)).for_each(|(x, s)| coordinates(x, s));
        states
    };
    window.chains().iter().map(&mut of_chain).collect()
}

/// The unit eigenvectors of the symmetric `a`, one after another, largest worth of the eigenvalue first.
fn leading(mut a: Vec<f64>, d: usize, worth: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut vectors = vec![0.0; d * d];
    eigen(&mut a, &mut vectors, d);
    let mut order: Vec<usize> = (0..d).collect();
    order.sort_by(|i, j| worth(a[j * d + j]).total_cmp(&worth(a[i * d + i])));
    order.into_iter().flat_map(|i| vectors[i * d..(i + 1) * d].iter().copied()).collect()
}

/// AᵀA: the squared width in the target's units, as a form in the white frame.
fn widths(metric: &Frame) -> Vec<f64> {
    let d = metric.dim();
    let column = |i: usize| (0..d).map(move |r| metric.factor[r * d + i]);
    (0..d * d).map(|k| column(k / d).zip(column(k % d)).map(|(a, b)| a * b).sum()).collect()
}

/// The symmetric part of E[u_t u_{t+τ}ᵀ].
fn lagged(chains: &[Vec<f64>], d: usize) -> Vec<f64> {
    let mut c = vec![0.0; d * d];
    for chain in chains {
        let lag = ((chain.len() / d) as f64 * LAG).ceil() as usize * d;
        for (now, later) in chain.chunks_exact(d).zip(chain[lag.min(chain.len())..].chunks_exact(d)) {
            for i in 0..d {
                for j in 0..=i {
                    c[i * d + j] += now[i] * later[j] + now[j] * later[i];
                }
            }
        }
    }
    mirror(&mut c, d);
    c
}

/// Σ_kl E[u u_k u_l] E[u_k u_l u]ᵀ, zero for a Gaussian: with (u·v)² = Σ_kl u_k u_l v_k v_l it is a mean over pairs.
fn third_moments(chains: &[Vec<f64>], d: usize) -> Vec<f64> {
    let states: Vec<&[f64]> = chains.iter().flat_map(|chain| chain.chunks_exact(d)).collect();
    let step = states.len().div_ceil(PAIRED).max(1);
    let states: Vec<&[f64]> = states.into_iter().step_by(step).collect();
    let mut k = vec![0.0; d * d];
    let mut sum = vec![0.0; d];
    for (a, u) in states.iter().enumerate() {
        sum.fill(0.0);
        for v in &states[..a] {
            let product = dot(u, v);
            sum.iter_mut().zip(*v).for_each(|(sum, v)| *sum += product * product * v);
        }
        for i in 0..d {
            for j in 0..=i {
                k[i * d + j] += u[i] * sum[j] + u[j] * sum[i];
            }
        }
    }
    mirror(&mut k, d);
    k
}

/// E[|u|²uuᵀ]: (d + 2)I for a Gaussian.
fn fourth_moments(chains: &[Vec<f64>], d: usize) -> Vec<f64> {
    let mut m = vec![0.0; d * d];
    let mut n = 0.0;
    for u in chains.iter().flat_map(|chain| chain.chunks_exact(d)) {
        let squared = dot(u, u);
        n += 1.0;
        for i in 0..d {
            for j in 0..=i {
                m[i * d + j] += squared * u[i] * u[j];
            }
        }
    }
    m.iter_mut().for_each(|m| *m /= n);
    mirror(&mut m, d);
    m
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};
    use rand::RngExt;
    use rand_distr::StandardNormal;

    const DIM: usize = 12;

    /// Far from the widest: a bent pair of directions in mixed coordinates of very different units.
    fn metric() -> Frame {
        let mut rng = stream(3, 0, Purpose::Move);
        let mut factor = vec![0.0; DIM * DIM];
        for i in 0..DIM {
            let unit = libm::pow(10.0, 3.0 - 0.5 * i as f64);
            (0..i).for_each(|j| factor[i * DIM + j] = unit * rng.random_range(-0.3..0.3));
            factor[i * DIM + i] = unit;
        }
        Frame { origin: (0..DIM).map(|i| i as f64).collect(), factor }
    }

    /// Independent states of the target that is white in the frame but for its last two coordinates: a parabola.
    fn bent(n: usize) -> Vec<f64> {
        let mut rng = stream(8, 0, Purpose::Move);
        let metric = metric();
        let mut states = Vec::new();
        for _ in 0..n {
            let mut u: Vec<f64> = (0..DIM).map(|_| rng.sample(StandardNormal)).collect();
            u[DIM - 1] = 0.9 * (u[DIM - 2] * u[DIM - 2] - 1.0) / 2f64.sqrt() + 0.19f64.sqrt() * u[DIM - 1];
            metric.point(&mut u);
            states.extend(u);
        }
        states
    }

    /// The share of the directions that lies in the plane of the last two white coordinates.
    fn in_the_plane(subspace: &Subspace) -> f64 {
        let row = |row: &[f64]| row[DIM - 2].powi(2) + row[DIM - 1].powi(2);
        subspace.rows().chunks_exact(DIM).map(row).sum::<f64>() / 2.0
    }

    #[test]
    fn a_bent_plane_is_among_the_candidates_whatever_the_units() {
        let states = bent(4000);
        let window = Window::new(vec![&states[..2000 * DIM], &states[2000 * DIM..]], DIM);
        let candidates = candidates(&window, &metric());
        assert_eq!(candidates.len(), 8);
        let shares: Vec<f64> = candidates.iter().map(in_the_plane).collect();
        let planes = || candidates.iter().zip(&shares).filter(|(candidate, _)| candidate.dim() == 2);
        // The widest is another; the third moments see it.
        assert!(planes().any(|(_, share)| *share > 0.95), "{shares:?}");
        assert!(planes().any(|(_, share)| *share < 0.5), "{shares:?}");
    }

    #[test]
    fn a_move_along_the_directions_changes_their_coordinates_and_nothing_else() {
        let states = bent(500);
        let window = Window::new(vec![&states], DIM);
        let moved = Frame { origin: vec![0.0; DIM], ..metric() };
        for subspace in candidates(&window, &metric()).iter().map(|subspace| subspace.in_frame(&moved).unwrap()) {
            let k = subspace.dim();
            let step: Vec<f64> = (0..k).map(|i| 0.5 + i as f64).collect();
            let (mut y, mut u) = (vec![0.0; DIM], vec![0.0; DIM]);
            let (mut before, mut after) = (vec![0.0; k], vec![0.0; k]);
            subspace.direction(&step, &mut y);
            subspace.coordinates(&states[..DIM], &mut u, &mut before);
            let white = u.clone();
            y.iter_mut().zip(&states).for_each(|(y, x)| *y += x);
            subspace.coordinates(&y, &mut u, &mut after);
            for ((before, after), step) in before.iter().zip(&after).zip(&step) {
                assert!((after - before - step).abs() < 1e-8);
            }
            let squared: f64 = u.iter().zip(&white).map(|(a, b)| (a - b) * (a - b)).sum();
            assert!((squared - dot(&step, &step)).abs() < 1e-8, "nothing at right angles to the directions");
        }
    }
}
