use super::*;
use crate::Kernel;
use crate::diagnose::mmd2_biased;
use crate::random::{Purpose, stream};
use crate::target::{Banana, Known};
use rand::RngExt;
use rand_distr::StandardNormal;

fn normals(seed: u64, count: usize) -> Vec<f64> {
    let mut rng = stream(seed, 0, Purpose::Start);
    (0..count).map(|_| rng.sample(StandardNormal)).collect()
}

fn bananas(seed: u64, count: usize) -> Vec<f64> {
    let target = Banana::new(8, 0.1, 100.0).unwrap();
    let mut rng = stream(seed, 0, Purpose::Start);
    let mut draws = vec![0.0; 8 * count];
    draws.chunks_mut(8).for_each(|x| target.sample(&mut rng, x));
    draws
}

/// The discrepancy to all draws by its definition, in the kernel of thinning.
fn exact(draws: &[f64], dim: usize, kept: &[usize], bandwidth: f64) -> f64 {
    let count = draws.len() / dim;
    let mut standardised = draws.to_vec();
    for i in 0..dim {
        let column: Vec<f64> = draws.iter().skip(i).step_by(dim).copied().collect();
        let (mean, variance) = crate::diagnose::draws::moments(&column);
        let sd = (variance * (count - 1) as f64 / count as f64).sqrt();
        standardised.iter_mut().skip(i).step_by(dim).for_each(|x| *x = (*x - mean) / sd);
    }
    let some: Vec<f64> = kept.iter().flat_map(|k| &standardised[k * dim..(k + 1) * dim]).copied().collect();
    mmd2_biased(&standardised, &some, dim, &Kernel::gaussian(bandwidth)).sqrt()
}

#[test]
fn the_discrepancy_is_at_most_a_quarter_of_that_of_standard_thinning() {
    for seed in 1..4 {
        for draws in [normals(seed, 8 * 16_384), bananas(seed, 16_384)] {
            let thinned = thin(&draws, 8, None, 256, seed).unwrap();
            assert!(thinned.mmd < 0.25 * thinned.mmd_standard, "{} {}", thinned.mmd, thinned.mmd_standard);
        }
    }
}

#[test]
fn the_discrepancies_told_are_those_of_the_definition() {
    let draws = bananas(5, 3000);
    let thinned = thin(&draws, 8, None, 100, 1).unwrap();
    let standard: Vec<usize> = (0..100).map(|k| 30 * k + 15).collect();
    for (told, kept) in [(thinned.mmd, &thinned.kept), (thinned.mmd_standard, &standard)] {
        let exact = exact(&draws, 8, kept, thinned.bandwidth);
        assert!((told / exact - 1.0).abs() < 0.1, "{told} {exact}");
    }
}

#[test]
fn a_seed_makes_one_choice_and_another_seed_another() {
    let draws = normals(1, 3 * 5000);
    let kept = |seed| thin(&draws, 3, None, 64, seed).unwrap();
    assert_eq!(kept(1), kept(1));
    assert_ne!(kept(1).kept, kept(2).kept);
}

#[test]
fn any_number_of_draws_is_thinned_to_any_number_and_none_is_kept_twice() {
    for draws in [1, 2, 3, 7, 100, 127, 129, 1000, 4097] {
        let points = normals(draws as u64, 2 * draws);
        for to in [1, 2, 3, 5, draws / 3, draws / 2, draws - 1, draws].into_iter().filter(|to| (1..=draws).contains(to))
        {
            let kept = thin(&points, 2, None, to, 1).unwrap().kept;
            assert_eq!(kept.len(), to, "{to} of {draws}");
            assert!(kept.is_sorted_by(|a, b| a < b) && kept.iter().all(|k| *k < draws), "{to} of {draws}: {kept:?}");
        }
    }
}

/// Mean and variance of the kept draws.
fn moments(draws: &[f64], kept: &[usize]) -> (f64, f64) {
    crate::diagnose::draws::moments(&kept.iter().map(|k| draws[*k]).collect::<Vec<_>>())
}

#[test]
fn weighted_draws_of_a_wrong_density_give_the_moments_of_the_right_one() {
    // Draws from N(1, 1.5²), weighted to N(0, 1).
    let draws: Vec<f64> = normals(3, 20_000).iter().map(|x| 1.0 + 1.5 * x).collect();
    let log_weights: Vec<f64> = draws.iter().map(|x| 0.5 * (((x - 1.0) / 1.5).powi(2) - x * x) + 300.0).collect();
    let (mean, variance) = moments(&draws, &thin(&draws, 1, Some(&log_weights), 100, 1).unwrap().kept);
    assert!(mean.abs() < 0.05 && (variance - 1.0).abs() < 0.1, "{mean} {variance}");
    // What a thinning that forgets the weights gives.
    let (mean, variance) = moments(&draws, &thin(&draws, 1, None, 100, 1).unwrap().kept);
    assert!((mean - 1.0).abs() < 0.1 && (variance - 2.25).abs() < 0.3, "{mean} {variance}");
}

#[test]
fn weights_count_where_the_kept_are_compared_with_all_draws_too() {
    let draws: Vec<f64> = normals(4, 2 * 8192).iter().map(|x| 1.2 * x + 0.5).collect();
    let log_weight = |x: &[f64]| x.iter().map(|x| 0.5 * (((x - 0.5) / 1.2).powi(2) - x * x)).sum::<f64>();
    let log_weights: Vec<f64> = draws.chunks(2).map(log_weight).collect();
    let thinned = thin(&draws, 2, Some(&log_weights), 64, 1).unwrap();
    assert!(thinned.mmd < 0.3 * thinned.mmd_standard, "{} {}", thinned.mmd, thinned.mmd_standard);
}

#[test]
fn a_draw_with_most_of_the_weight_is_kept_as_often_as_it_weighs_and_one_without_weight_never() {
    let draws = normals(6, 1000);
    let mut log_weights = vec![0.0; 1000];
    log_weights[17] = 1000_f64.ln();
    log_weights[500..].fill(f64::NEG_INFINITY);
    let kept = thin(&draws, 1, Some(&log_weights), 60, 1).unwrap().kept;
    // 1000 of 1499, two thirds of 60.
    let often = kept.iter().filter(|k| **k == 17).count();
    assert!((36..=44).contains(&often) && kept.iter().all(|k| *k < 500), "{often}: {kept:?}");
}

#[test]
fn a_chain_that_stays_at_its_points_is_thinned_like_its_weights() {
    // Each point is repeated as a chain repeats it, up to 19 times.
    let points = bananas(2, 2000);
    let stays = |k: usize| 1 + (k * 7919) % 19;
    let (mut draws, mut log_weights) = (Vec::new(), Vec::new());
    for (k, x) in points.chunks(8).enumerate() {
        (0..stays(k)).for_each(|_| draws.extend_from_slice(x));
        log_weights.push((stays(k) as f64).ln());
    }
    let repeated = thin(&draws, 8, None, 128, 1).unwrap();
    let weighted = thin(&points, 8, Some(&log_weights), 128, 1).unwrap();
    assert!(repeated.mmd < 0.25 * repeated.mmd_standard, "{} {}", repeated.mmd, repeated.mmd_standard);
    assert!((repeated.mmd / weighted.mmd - 1.0).abs() < 0.2, "{} {}", repeated.mmd, weighted.mmd);
}

#[test]
fn constants_tiny_and_huge_parameters_and_copies_of_one_point_do_no_harm() {
    let normal = normals(9, 3 * 2000);
    let scaled: Vec<f64> = normal.chunks(3).flat_map(|x| [1e-200 * x[0], 0.1, 1e200 * x[1]]).collect();
    let plain: Vec<f64> = normal.chunks(3).flat_map(|x| [x[0], x[1]]).collect();
    let thinned = thin(&scaled, 3, None, 50, 1).unwrap();
    let expected = thin(&plain, 2, None, 50, 1).unwrap();
    assert!(
        (thinned.bandwidth / expected.bandwidth - 1.0).abs() < 1e-9,
        "{} {}",
        thinned.bandwidth,
        expected.bandwidth
    );
    assert!(thinned.mmd < 0.25 * thinned.mmd_standard);
    let same = thin(&[0.1; 600], 3, None, 50, 1).unwrap();
    assert!(same.kept.len() == 50 && same.mmd < 1e-6 && same.mmd_standard < 1e-6);
}

#[test]
fn draws_that_are_far_from_zero_are_told_apart() {
    let near = normals(11, 2 * 4096);
    let far: Vec<f64> = near.iter().map(|x| x + 1e13).collect();
    let [near, far] = [near, far].map(|draws| thin(&draws, 2, None, 64, 1).unwrap());
    assert!((far.mmd_standard / near.mmd_standard - 1.0).abs() < 0.05, "{far:?} {near:?}");
    assert!(far.mmd < 0.3 * far.mmd_standard, "{far:?}");
}

#[test]
fn what_cannot_be_thinned_is_refused_in_words() {
    let told = |draws: &[f64], weights: Option<&[f64]>, to| thin(draws, 1, weights, to, 1).unwrap_err().to_string();
    let draws = [1.0, 2.0, 3.0];
    assert_eq!(told(&draws, None, 0), "at least one draw must be kept");
    assert_eq!(told(&draws, None, 4), "4 draws cannot be kept: there are only 3");
    assert_eq!(told(&[], None, 4), "4 draws cannot be kept: there are only 0");
    assert_eq!(told(&[1.0, f64::NAN], None, 1), "draw 1 has a value that is not finite");
    assert_eq!(told(&draws, Some(&[0.0]), 1), "there are 1 weights for 3 draws");
    assert_eq!(told(&draws, Some(&[0.0, 0.0, f64::NAN]), 1), "the log weight of draw 2 is not a number or infinite");
    assert_eq!(told(&draws, Some(&[f64::NEG_INFINITY; 3]), 1), "every draw has weight zero");
}

#[test]
fn there_are_as_many_candidates_as_promised_for_any_number_to_keep() {
    for to in [1, 3, 255, 256, 257, 300, 1000, 1500] {
        let candidates = to << halvings(100_000, to);
        assert!(candidates >= CANDIDATES.max(CANDIDATES_EACH * to), "{to}: {candidates}");
    }
    // Where there are too few draws for that, they are halved as often as possible.
    assert_eq!([511, 512, 1100].map(|draws| halvings(draws, 256)), [0, 1, 2]);
}

#[test]
fn one_draw_that_is_immensely_far_out_does_not_blur_the_others() {
    let mut draws = normals(10, 2 * 8192);
    let without = thin(&draws, 2, None, 64, 1).unwrap();
    draws[..2].fill(1e13);
    let with = thin(&draws, 2, None, 64, 1).unwrap();
    assert!((with.mmd_standard / without.mmd_standard - 1.0).abs() < 0.2, "{with:?} {without:?}");
    assert!(with.mmd < 0.3 * with.mmd_standard, "{with:?}");
}

#[test]
fn the_mean_feature_is_that_of_the_definition_also_far_out_and_with_next_to_no_weight() {
    let dim = 3;
    let mut draws = normals(8, dim * 2000);
    let mut log_weights = vec![0.0; 2000];
    // Some far out, one of them many times, and some so far that only their weights let them pass.
    draws[..dim * 10].iter_mut().for_each(|x| *x *= 100.0);
    let one = draws[..dim].to_vec();
    draws[dim * 10..dim * 40].chunks_mut(dim).for_each(|x| x.copy_from_slice(&one));
    draws[dim * 1990..].iter_mut().for_each(|x| *x *= 1e100);
    log_weights[1990..].fill(-500.0);
    let weights = normalised(Some(&log_weights), 2000).unwrap();
    let scaled = Scaled::new(&draws, dim, &weights);
    let slots: Vec<usize> = (0..100).chain(1950..2000).collect();
    let all = scaled.merged();
    for (slot, mean) in slots.iter().zip(Candidates::new(&scaled, &slots).means(&all)) {
        let kernel = |x: &[f64]| x.iter().zip(scaled.row(*slot)).map(|(x, c)| -(x - c).powi(2)).sum::<f64>().exp();
        let exact: f64 = all.rows.chunks(dim).zip(&all.weights).map(|(x, w)| w * kernel(x)).sum();
        // Single precision has 6e-8.
        assert!((mean - exact).abs() < 3e-7, "{slot}: {mean} {exact}");
    }
}

#[test]
fn the_characteristic_function_of_all_draws_is_the_mean_of_those_of_two_parts() {
    let draws = normals(9, 2 * 1000);
    let scaled = Scaled::new(&draws, 2, &normalised(None, 1000).unwrap());
    let all = scaled.merged();
    let frequencies = Frequencies::draw(2, &mut stream(1, 0, Purpose::Start));
    let part = |rows: std::ops::Range<usize>| {
        let weights = vec![1.0 / rows.len() as f64; rows.len()];
        frequencies.means(&scale::Weighted { rows: all.rows[2 * rows.start..2 * rows.end].to_vec(), weights })
    };
    let [whole, first, second] = [part(0..1000), part(0..300), part(300..1000)];
    let [whole, first, second] = [&whole, &first, &second].map(|parts| parts.as_flattened().as_flattened());
    for ((w, a), b) in whole.iter().zip(first).zip(second) {
        assert!((w - 0.3 * a - 0.7 * b).abs() < 1e-6, "{w} {a} {b}");
    }
}
