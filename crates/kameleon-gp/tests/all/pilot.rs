//! The pilot that chooses the number of importance samples.

use kameleon_gp::{GpClassification, Settings, glass};

#[test]
fn the_pilot_finds_few_samples_enough_on_glass_and_repeats_itself() {
    let mut target = GpClassification::new(&glass(), Settings::default()).unwrap();
    let thetas = [vec![2.3, 2.75, -0.9, 2.5, 2.9, 1.55, 2.0, 2.4, 3.1], vec![1.0; 9], vec![f64::NAN; 9]];
    let pilot = target.pilot(&thetas, 4).unwrap();
    assert!((2..=16).contains(&pilot.chosen.n_imp), "{pilot}");
    assert_eq!(pilot.points, 2);
    assert!(pilot.candidates.windows(2).all(|w| w[0].sd > w[1].sd && w[0].megaflops < w[1].megaflops), "{pilot}");
    assert_eq!(target.pilot(&thetas, 4).unwrap(), pilot);
    let words = pilot.to_string();
    assert!(words.starts_with(&format!("n_imp = {}, with sd(log p̂) = 0.", pilot.chosen.n_imp)), "{words}");
    target.set_n_imp(pilot.chosen.n_imp).unwrap();
    let again = target.noise(&thetas[0], 5).unwrap();
    assert!((0.5..1.5).contains(&(again / pilot.chosen.sd)), "{again} {pilot}");
    let nowhere = target.pilot(&[vec![f64::NAN; 9]], 4).unwrap_err().to_string();
    assert_eq!(nowhere, "none of the 1 values of θ can be evaluated");
}

#[test]
fn a_chain_of_its_own_finds_where_to_measure_and_leaves_no_trace() {
    let target = GpClassification::new(&glass(), Settings::default()).unwrap();
    let pilot = target.choose_n_imp(1).unwrap();
    assert_eq!(pilot.points, 8);
    assert!((2..=16).contains(&pilot.chosen.n_imp), "{pilot}");
    assert_eq!(target.statistics().evaluations, 0);
}
