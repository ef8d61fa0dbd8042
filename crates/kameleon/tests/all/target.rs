//! The built-in targets: exact draws, moments and levels agree, and impossible settings are told.

use kameleon::any_target::AnyTarget;
use kameleon::diagnose::{kolmogorov_smirnov_uniform, mean_norm};
use kameleon::registry::Values;
use kameleon::target::{Banana, Flower, Funnel, Gaussian, StudentT, TARGETS, TwoModes};
use kameleon::{Target, random};

/// Every target of the table, as it is and in other shapes.
fn known() -> Vec<AnyTarget<'static>> {
    let shaped = [
        "banana:b=0.03,dim=2",
        "flower:dim=2,r0=5,amplitude=1,omega=1,sigma=0.3",
        "ring:dim=2",
        "student-t:freedom=5",
        "two-modes:dim=5,weight=0.3",
        "mixed-banana:dim=4,b=0.05",
        "gaussian:dim=3,condition=100,correlation=0.5",
    ];
    // The variance of the variance of a wide funnel and of a heavy tail is out of proportion.
    let usual = TARGETS.iter().filter(|entry| !["funnel", "student-t"].contains(&entry.name));
    let mut targets: Vec<_> = usual.map(|entry| entry.build(&Values::new()).unwrap()).collect();
    targets.extend(shaped.map(|text| AnyTarget::named(&text.parse().unwrap(), [].iter()).unwrap()));
    targets.push(AnyTarget::new(Funnel::new(3, 1.0).unwrap()));
    targets.push(AnyTarget::new(Gaussian::new(&[1.0, -2.0], &[4.0, 1.0, 1.0, 9.0]).unwrap()));
    targets
}

#[test]
fn exact_draws_have_uniform_levels_and_the_stated_moments() {
    // 40,000 draws, five standard errors, p > 1e-6: false alarms below 1e-4 over all targets. The flower's
    // regions are exact but for a truncation near 1e-4, far below what 40,000 draws can see.
    for (i, target) in known().iter().enumerate() {
        let (d, target) = (target.dim().unwrap(), target.known().unwrap());
        let mut rng = random::stream(7, i as u64, random::Purpose::Move);
        let count = 40_000;
        let mut draws = vec![0.0; count * d];
        let mut levels = Vec::new();
        for x in draws.chunks_mut(d) {
            target.sample(&mut rng, x);
            levels.push(target.level(x));
        }
        let p = kolmogorov_smirnov_uniform(&mut levels);
        assert!(p > 1e-6, "target {i}: level p = {p}");
        let mean = target.mean();
        let total =
            draws.chunks(d).flat_map(|x| x.iter().zip(&mean).map(|(x, m)| (x - m).powi(2))).sum::<f64>() / count as f64;
        let relative = total / target.total_variance();
        assert!((relative - 1.0).abs() < 0.1, "target {i}: total variance off by {relative}");
        let error = mean_norm(&draws, &mean);
        let tolerance = 5.0 * (target.total_variance() / count as f64).sqrt();
        assert!(error < tolerance, "target {i}: mean off by {error}");
    }
}

#[test]
fn impossible_settings_are_named() {
    let wrong = Banana::new(1, 0.1, 100.0).unwrap_err().to_string();
    assert_eq!(wrong, "dim: must be from 2 to 1000000, not 1");
    assert!(Banana::new(2, f64::NAN, 100.0).is_err());
    assert!(Banana::new(2, 0.1, -1.0).is_err());
    assert!(Flower::new(2, 10.0, 6.0, 6.0, 0.0).is_err());
    assert!(Funnel::new(2, 0.0).is_err() && StudentT::new(2, 2.0).is_err() && TwoModes::new(2, 1.0, 1.0).is_err());
    assert!(Gaussian::new(&[0.0, 0.0], &[1.0, 2.0, 2.0, 1.0]).unwrap_err().what.contains("positive definite"));
    assert!(Gaussian::new(&[0.0, 0.0], &[1.0, 2.0, 3.0, 1.0]).unwrap_err().what.contains("symmetric"));
}
