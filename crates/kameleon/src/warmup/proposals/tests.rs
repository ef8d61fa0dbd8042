use super::*;
use crate::Rng;
use crate::mixture::{Component, Mixture};
use crate::moves::{Frame, Parts};
use crate::random::{Purpose, stream};

const DIM: usize = 2;

/// A jump density around a centre.
fn density(centre: f64) -> JumpDensity {
    let component = |freedom| Component {
        weight: 0.5,
        centre: vec![centre, 0.1 * freedom],
        factor: vec![1.0, 0.0, 0.2, 0.5],
        freedom,
    };
    let mixture = Mixture::new(vec![component(3.0), component(7.0)]).unwrap();
    Parts { frame: Frame::raw(vec![0.5; DIM]), few: None, mixture, wide: 0.1 }.into()
}

fn target(x: &[f64]) -> f64 {
    -0.5 * (x[0] * x[0] + x[1] * x[1])
}

fn drawn(density: &JumpDensity, n: usize, rng: &mut Rng) -> Evaluated {
    let (mut drawn, mut x) = (Evaluated::default(), [0.0; DIM]);
    for _ in 0..n {
        density.draw(rng, &mut x);
        drawn.push(&x, if x[1] > 2.0 { f64::NAN } else { target(&x) });
    }
    drawn
}

/// Rounds of these sizes, from densities around 0, 1, 2, …
fn rounds(sizes: &[usize]) -> Vec<(JumpDensity, Evaluated)> {
    let mut rng = stream(7, 0, Purpose::Learn);
    let round = |(i, n): (usize, &usize)| {
        let density = density(0.2 * i as f64);
        let drawn = drawn(&density, *n, &mut rng);
        (density, drawn)
    };
    sizes.iter().enumerate().map(round).collect()
}

fn together(rounds: &[(JumpDensity, Evaluated)]) -> Proposals {
    let mut proposals = Proposals::default();
    rounds.iter().for_each(|(density, drawn)| proposals.add(density, drawn.clone(), MOST_ROUNDS));
    proposals
}

/// The weights are π over the mean density, each round's density counting as often as it was drawn from.
fn assert_weights(proposals: &Proposals, rounds: &[(JumpDensity, Evaluated)]) {
    let (points, weights) = proposals.weighted();
    let total: usize = rounds.iter().map(|(_, drawn)| drawn.len()).sum();
    assert_eq!((points.len(), weights.len(), proposals.len()), (total, total, total));
    let all = rounds.iter().flat_map(|(_, drawn)| drawn.points.chunks_exact(DIM).zip(&drawn.log_density));
    for (((x, log_density), point), weight) in all.zip(points).zip(weights) {
        assert_eq!(x, point);
        let of = |(density, drawn): &(JumpDensity, Evaluated)| {
            drawn.len() as f64 / total as f64 * density.log_density(x, &mut [0.0; DIM]).exp()
        };
        let expected = log_density - rounds.iter().map(of).sum::<f64>().ln();
        assert!(weight == expected || (weight - expected).abs() < 1e-10, "{weight} {expected}");
    }
}

#[test]
fn weights_are_those_of_the_deterministic_mixture() {
    let rounds = rounds(&[300, 100, 50, 400]);
    let proposals = together(&rounds);
    assert_weights(&proposals, &rounds);
    // Of the last rounds, each ratio is that to the density of its own round.
    for count in [0, 1, 3, 4, 5] {
        let last = &rounds[rounds.len().saturating_sub(count)..];
        let own = last.iter().flat_map(|(density, drawn)| {
            let points = drawn.points.chunks_exact(DIM).zip(&drawn.log_density);
            points.map(|(x, log_density)| log_density - density.log_density(x, &mut [0.0; DIM]))
        });
        assert_eq!(proposals.last_ratios(count), own.collect::<Vec<f64>>());
    }
    // They are importance weights: their mean is the constant of the target, here nearly all of 2π.
    let weights = proposals.weighted().1;
    let mean = log_sum_exp(weights.iter().copied()) - (weights.len() as f64).ln();
    assert!((mean - std::f64::consts::TAU.ln()).abs() < 0.15, "{mean}");
}

#[test]
fn where_the_target_has_no_density_the_weight_is_zero() {
    let mut drawn = Evaluated::default();
    [f64::NAN, f64::NEG_INFINITY, f64::INFINITY, 0.0].into_iter().for_each(|log| drawn.push(&[0.0; DIM], log));
    let mut proposals = Proposals::default();
    assert!(proposals.weighted().1.is_empty() && proposals.last_ratios(1).is_empty());
    proposals.add(&density(0.0), drawn, MOST_ROUNDS);
    assert!(proposals.weighted().1[..3].iter().all(|log| *log == f64::NEG_INFINITY));
    assert!(proposals.weighted().1[3].is_finite());
}

#[test]
fn the_oldest_rounds_are_dropped() {
    let many = rounds(&[40; MOST_ROUNDS + 5]);
    assert_weights(&together(&many), &many[5..]);
    let long = rounds(&[MOST / 2, MOST / 4, MOST / 4, 10, MOST / 2 + 1]);
    assert_weights(&together(&long), &long[2..]);
    // One round is kept however long it is.
    let longest = rounds(&[10, MOST + 1]);
    assert_weights(&together(&longest), &longest[1..]);
}

#[test]
fn stored_in_between_they_have_the_same_weights() {
    let all = rounds(&[40; MOST_ROUNDS + 5]);
    let whole = together(&all);
    for cut in [1, 3, MOST_ROUNDS, MOST_ROUNDS + 2, MOST_ROUNDS + 4] {
        let text = serde_json::to_string(&together(&all[..cut])).unwrap();
        let mut again: Proposals = serde_json::from_str(&text).unwrap();
        all[cut..].iter().for_each(|(density, drawn)| again.add(density, drawn.clone(), MOST_ROUNDS));
        assert_eq!(again.weighted(), whole.weighted());
        assert_eq!(again.last_ratios(3), whole.last_ratios(3));
    }
}

#[test]
fn stored_before_a_round_without_proposals_they_have_the_same_weights() {
    let all = rounds(&[40, 40]);
    let mut whole = together(&all);
    let text = serde_json::to_string(&whole).unwrap();
    let mut again: Proposals = serde_json::from_str(&text).unwrap();
    for proposals in [&mut whole, &mut again] {
        proposals.add(&density(0.0), Evaluated::default(), MOST_ROUNDS);
    }
    assert_eq!(again.weighted(), whole.weighted());
    assert_eq!(again.last_ratios(3), whole.last_ratios(3));
}
