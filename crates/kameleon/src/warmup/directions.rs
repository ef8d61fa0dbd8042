//! Directions in which a few coordinates may hold all that is not Gaussian.

use crate::linalg::{dot, eigen, invert_lower, mirror, packed_row};
use crate::mixture::{Mixture, Part, Sample};
use crate::moves::{Frame, JumpDensity};
use multiversion::multiversion;

/// Third moments are taken over pairs of this many points.
const PAIRED: usize = 1000;

/// Candidates by what white points do, each with its leading directions first; `guide` is a mixture in all directions. They are
/// where the target is widest in its own units, where it is least like a Gaussian by its third and by its fourth moments,
/// and where the components of the guide differ most from the whole.
pub fn directions(white: &Sample, guide: &Mixture, frame: &Frame) -> [Vec<f64>; 4] {
    let d = white.dim;
    let gaussian = (d + 2) as f64;
    [
        leading(widths(frame), d, |width| width),
        leading(third_moments(white), d, |moment| moment),
        leading(fourth_moments(white), d, |moment| (moment - gaussian).abs()),
        leading(parts(guide), d, |difference| difference),
    ]
}

/// The leading unit eigenvectors of the symmetric `a`, one after another, largest worth of the eigenvalue first.
fn leading(mut a: Vec<f64>, d: usize, worth: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut vectors = vec![0.0; d * d];
    eigen(&mut a, &mut vectors, d);
    let mut order: Vec<usize> = (0..d).collect();
    order.sort_by(|i, j| worth(a[j * d + j]).total_cmp(&worth(a[i * d + i])));
    order.truncate(JumpDensity::MOST_DIRECTIONS);
    order.into_iter().flat_map(|i| vectors[i * d..(i + 1) * d].iter().copied()).collect()
}

/// AᵀA: the squared width in the target's units, as a form in the white frame.
fn widths(frame: &Frame) -> Vec<f64> {
    let d = frame.dim();
    let column = |i: usize| (0..d).map(move |r| frame.factor[r * d + i]);
    (0..d * d).map(|k| column(k / d).zip(column(k % d)).map(|(a, b)| a * b).sum()).collect()
}

/// Σ_kl E[u u_k u_l] E[u_k u_l u]ᵀ, zero for a Gaussian: with (u·v)² = Σ_kl u_k u_l v_k v_l it is a mean over pairs.
fn third_moments(white: &Sample) -> Vec<f64> {
    let d = white.dim;
    let white = white.part(Part::All, PAIRED);
    let columns = white.columns();
    let mut k = vec![0.0; d * d];
    let (mut products, mut sum) = (vec![0.0; white.len()], vec![0.0; d]);
    for (a, (u, w)) in white.iter().enumerate() {
        sum_over_pairs((u, w), &white.weights[..a], (&columns, &white.points), &mut products, &mut sum);
        for i in 0..d {
            for j in 0..=i {
                k[i * d + j] += u[i] * sum[j] + u[j] * sum[i];
            }
        }
    }
    mirror(&mut k, d);
    k
}

/// Σ w_u w_v (u·v)² v over the points v whose weights are given: the first in `points`, which `columns` has one coordinate after
/// another.
#[multiversion(targets("x86_64+avx2+fma"))]
fn sum_over_pairs(
    (u, w): (&[f64], f64),
    weights: &[f64],
    (columns, points): (&[f64], &[f64]),
    products: &mut [f64],
    sum: &mut [f64],
) {
    let n = products.len();
    let products = &mut products[..weights.len()];
    products.fill(0.0);
    for (column, u) in columns.chunks_exact(n).zip(u) {
        for (product, v) in products.iter_mut().zip(column) {
            *product += u * v;
        }
    }
    sum.fill(0.0);
    for ((product, weight), v) in products.iter().zip(weights).zip(points.chunks_exact(u.len())) {
        let times = w * weight * product * product;
        for (sum, v) in sum.iter_mut().zip(v) {
            *sum += times * v;
        }
    }
}

/// E[|u|²uuᵀ]: (d + 2)I for a Gaussian.
fn fourth_moments(white: &Sample) -> Vec<f64> {
    let d = white.dim;
    let total = white.size();
    let mut m = vec![0.0; d * d];
    for (u, w) in white.iter() {
        let squared = w / total * dot(u, u);
        for i in 0..d {
            for j in 0..=i {
                m[i * d + j] += squared * u[i] * u[j];
            }
        }
    }
    mirror(&mut m, d);
    m
}

/// Σ w_k [(I − C_k⁻¹)² + C_k⁻¹m_km_kᵀC_k⁻¹] over the components: zero where each is like the whole.
fn parts(guide: &Mixture) -> Vec<f64> {
    let d = guide.dim();
    let mut sum = vec![0.0; d * d];
    let mut inverse = vec![0.0; packed_row(d)];
    for component in guide.components() {
        invert_lower(&component.factor, &mut inverse, d);
        // I − C⁻¹ with C⁻¹ = PᵀP, and C⁻¹m.
        let mut rest = vec![0.0; d * d];
        for r in 0..d {
            let row = &inverse[packed_row(r)..packed_row(r + 1)];
            for (i, a) in row.iter().enumerate() {
                row.iter().enumerate().for_each(|(j, b)| rest[i * d + j] -= a * b);
            }
        }
        let centre = &component.centre;
        let pull: Vec<f64> = rest.chunks_exact(d).map(|row| -dot(row, centre)).collect();
        rest.iter_mut().step_by(d + 1).for_each(|r| *r += 1.0);
        for i in 0..d {
            for j in 0..=i {
                let square = dot(&rest[i * d..(i + 1) * d], &rest[j * d..(j + 1) * d]);
                sum[i * d + j] += component.weight * (square + pull[i] * pull[j]);
            }
        }
    }
    mirror(&mut sum, d);
    sum
}

#[cfg(test)]
mod tests {
    use super::super::correlation::shrunk_frame;
    use super::*;
    use crate::mixture::{Start, fit};
    use crate::random::{Purpose, stream};
    use rand::RngExt;
    use rand_distr::StandardNormal;

    const DIM: usize = 12;

    /// Far from the widest: a bent pair of directions in mixed coordinates of very different units.
    fn units() -> Frame {
        let mut rng = stream(3, 0, Purpose::Move);
        let mut factor = vec![0.0; DIM * DIM];
        for i in 0..DIM {
            let unit = libm::pow(10.0, 3.0 - 0.5 * i as f64);
            (0..i).for_each(|j| factor[i * DIM + j] = unit * rng.random_range(-0.3..0.3));
            factor[i * DIM + i] = unit;
        }
        Frame { origin: (0..DIM).map(|i| i as f64).collect(), factor }
    }

    /// Independent states of the target that is white in the frame but for its last two coordinates: a parabola, or four
    /// groups.
    fn states(n: usize, bent: bool) -> Sample {
        let mut rng = stream(8, 0, Purpose::Move);
        let units = units();
        let mut sample = Sample::new(DIM);
        for i in 0..n {
            let mut u: Vec<f64> = (0..DIM).map(|_| rng.sample(StandardNormal)).collect();
            if bent {
                u[DIM - 1] = 0.9 * (u[DIM - 2] * u[DIM - 2] - 1.0) / 2f64.sqrt() + 0.19f64.sqrt() * u[DIM - 1];
            } else {
                let group = rng.random_range(0..4);
                u[DIM - 1] = 0.3 * u[DIM - 1] + if group % 2 == 0 { 0.95 } else { -0.95 };
                u[DIM - 2] = 0.3 * u[DIM - 2] + if group < 2 { 0.95 } else { -0.95 };
            }
            units.point(&mut u);
            sample.push(&u, 1.0, i % 16 < 8);
        }
        sample
    }

    /// For each way to find directions, the share of its first two that lies in the plane of the last two white coordinates.
    fn in_the_plane(sample: &Sample) -> [f64; 4] {
        let frame = shrunk_frame(sample).unwrap();
        let white = sample.mapped(DIM, |x, u| frame.coordinates(x, u));
        let mut rng = stream(5, 0, Purpose::Learn);
        let guide = fit(&white, Start::Clusters(16, &mut rng), 2, 15).unwrap();
        let found = directions(&white, &guide, &frame);
        let share = |rows: &[f64]| {
            let row = |row: &[f64]| row[DIM - 2].powi(2) + row[DIM - 1].powi(2);
            rows[..2 * DIM].chunks_exact(DIM).map(row).sum::<f64>() / 2.0
        };
        assert!(found.iter().all(|rows| crate::linalg::are_orthonormal(rows, DIM)));
        found.map(|rows| share(&rows))
    }

    #[test]
    fn a_bent_plane_is_found_whatever_the_units() {
        // The widest directions are others, and fourth moments do not tell the second one apart.
        let [wide, third, fourth, parts] = in_the_plane(&states(4000, true));
        assert!(wide < 0.5 && third > 0.95 && fourth > 0.5 && parts > 0.95, "{wide} {third} {fourth} {parts}");
    }

    #[test]
    fn a_plane_of_groups_is_found_where_third_moments_are_zero() {
        let [_, _, fourth, parts] = in_the_plane(&states(4000, false));
        assert!(fourth > 0.95 && parts > 0.95, "{fourth} {parts}");
    }

    #[test]
    fn third_moments_are_those_of_the_definition() {
        let d = 3;
        let mut rng = stream(2, 0, Purpose::Move);
        let mut white = Sample::new(d);
        for _ in 0..40 {
            let u: Vec<f64> = (0..d).map(|_| rng.sample(StandardNormal)).collect();
            white.push(&u, rng.random_range(0.5..2.0), false);
        }
        let found = third_moments(&white);
        // The sum over pairs of different points, each in both orders.
        let mut expected = vec![0.0; d * d];
        for (a, (u, w)) in white.iter().enumerate() {
            for (b, (v, weight)) in white.iter().enumerate() {
                let times = if a == b { 0.0 } else { w * weight * dot(u, v).powi(2) };
                (0..d * d).for_each(|k| expected[k] += times * u[k / d] * v[k % d]);
            }
        }
        assert!(
            found.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-9 * (1.0 + b.abs())),
            "{found:?} {expected:?}"
        );
    }
}
