use super::*;
use crate::diagnose::kolmogorov_smirnov_uniform;
use crate::random::{Purpose, stream};
use rand::seq::SliceRandom;

#[test]
fn each_point_is_chosen_by_its_weight_and_in_any_place() {
    // They sum to 5, as many as there are draws.
    let weights = [0.1, 2.3, 0.0, 1.4, 1.2];
    let (mut rng, mut chosen) = (stream(1, 0, Purpose::Move), Vec::new());
    let (mut shares, rounds) = ([[0.0; 5]; 5], 40_000);
    for _ in 0..rounds {
        // Where the chain was is one of them by its weight; it comes first. The others were tried in any order.
        let at = 5.0 * rng.random::<f64>();
        let base = (0..5).find(|k| at < weights[..=*k].iter().sum()).unwrap_or(4);
        let mut order = [0, 1, 2, 3, 4];
        order.swap(0, base);
        order[1..].shuffle(&mut rng);
        let log_weights = order.map(|k| if weights[k] > 0.0 { weights[k].ln() } else { f64::MIN });
        choose(&log_weights, 5, &mut chosen, &mut rng);
        assert_eq!((chosen.len(), chosen[0]), (5, 0));
        for (k, log_weight) in log_weights.iter().enumerate() {
            let count = chosen.iter().filter(|chosen| **chosen == k).count() as f64;
            assert!((count - log_weight.exp()).abs() < 1.0, "{chosen:?}");
        }
        shares.iter_mut().zip(&chosen).for_each(|(share, k)| share[order[*k]] += 1.0 / f64::from(rounds));
    }
    // Six standard errors.
    for (share, weight) in shares.iter().flat_map(|share| share.iter().zip(weights)) {
        assert!((share - weight / 5.0).abs() < 0.015, "{shares:?}");
    }
}

#[test]
fn copies_of_where_the_chain_was_come_first_and_those_of_where_it_goes_on_last() {
    let mut circle = [0, 0, 0, 1, 2, 2, 3, 3, 3, 4, 4, 5, 0, 0];
    alternate(&mut circle);
    assert_eq!(circle, [0, 0, 0, 0, 0, 5, 1, 4, 2, 4, 2, 3, 3, 3]);
}

/// How a broken version is broken.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// Where the chain was is no candidate.
    WithoutBase,
    /// Points are weighed by π.
    WithoutRatio,
    /// The chain goes on from the last point tried.
    LastTried,
    /// The chain goes on from the heaviest point.
    Heaviest,
    /// Draws are chosen around a point that was tried.
    AroundAnother,
    /// The spots of the points do not begin where the chain is.
    AnySpot,
    /// They begin in one half of Q only.
    HalfOfSpots,
}

fn place(x: f64) -> Place {
    Place { x: vec![x], u: Vec::new(), log_density: 0.0, gradient: Vec::new(), noise_at: 0 }
}

/// π(x) = 2x on (0, 1), Q is uniform: the law of where a chain is after three blocks that began at an exact draw.
fn p_value(fault: Fault) -> f64 {
    let mut rng = stream(2, 0, Purpose::Move);
    let log_pi = |x: f64| (2.0 * x).ln();
    let ends = (0..20_000).map(|_| {
        let mut here = place(rng.random::<f64>().sqrt());
        let (mut block, mut draws) = (Block::default(), Delay::default());
        for _ in 0..13 {
            if block.component().is_none() {
                let at = match fault {
                    Fault::AnySpot => rng.random(),
                    Fault::HalfOfSpots => 0.5 * here.x[0],
                    _ => here.x[0],
                };
                block.begin(&here, 0, at, 4);
            }
            let y = place(block.next_spot().unwrap());
            let ratio = log_pi(y.x[0]) - log_pi(here.x[0]);
            block.add(&y, if fault == Fault::WithoutRatio { 2.0 * ratio } else { ratio });
            if block.filled == 5 {
                match fault {
                    Fault::WithoutBase => block.log_weights[0] = f64::MIN,
                    Fault::LastTried => block.log_weights[..4].fill(f64::MIN),
                    Fault::Heaviest => {
                        let heaviest = block.log_weights.iter().fold(f64::MIN, |a, b| a.max(*b));
                        block.log_weights.iter_mut().filter(|w| **w < heaviest).for_each(|w| *w = f64::MIN);
                    }
                    Fault::AroundAnother => {
                        block.log_weights.swap(0, 1);
                        block.candidates.swap(0, 1);
                    }
                    Fault::None | Fault::WithoutRatio | Fault::AnySpot | Fault::HalfOfSpots => {}
                }
            }
            draws.show(&here);
            block.close(&mut here, &mut draws, &mut rng);
        }
        let x = draws.shown(&here).x[0];
        x * x
    });
    kolmogorov_smirnov_uniform(&mut ends.collect::<Vec<f64>>())
}

#[test]
fn a_block_leaves_the_target_and_broken_ones_are_caught() {
    let p = p_value(Fault::None);
    assert!(p > 1e-6, "p = {p}");
    let faults = [Fault::WithoutBase, Fault::WithoutRatio, Fault::LastTried, Fault::Heaviest, Fault::AroundAnother];
    for fault in faults.into_iter().chain([Fault::AnySpot, Fault::HalfOfSpots]) {
        let p = p_value(fault);
        assert!(p < 1e-6, "p = {p}");
    }
}

#[test]
fn the_spots_of_a_block_are_evenly_spaced_and_each_comes_once() {
    for size in [1, 2, 4, 7, 48] {
        let mut block = Block::default();
        block.begin(&place(0.0), 0, 0.3, size);
        let spacing = 1.0 / (size + 1) as f64;
        let mut spots = vec![0.3_f64];
        for _ in 0..size {
            spots.push(block.next_spot().unwrap());
            block.add(&place(0.0), 0.0);
        }
        spots.sort_by(f64::total_cmp);
        assert!(spots.windows(2).all(|pair| (pair[1] - pair[0] - spacing).abs() < 1e-12), "{spots:?}");
    }
    assert_eq!(Block::default().next_spot(), None);
}
