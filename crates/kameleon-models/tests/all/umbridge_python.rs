//! The UM-Bridge client against the protocol's own Python server, with the example model.

use crate::common::{banana, evaluate, names, rejected};
use crate::python_server::{free_port, python, serve};
use kameleon::{Control, Plan, Sampler, Warmup, sample};
use kameleon_models::{UmBridge, UmBridgeSettings};
use std::time::Duration;

#[test]
fn a_real_python_model_is_sampled_and_outlives_its_server() {
    let Some(python) = python() else { return };
    let port = free_port();
    let server = serve(&python, port);
    let mut settings = UmBridgeSettings::new(format!("http://127.0.0.1:{port}"));
    settings.model = Some("banana".into());
    (settings.retries, settings.pause, settings.timeout) = (60, Duration::from_millis(50), Duration::from_secs(10));
    let mut target = UmBridge::connect(settings.clone(), &names(2)).unwrap();
    for x in [[0.0, 0.0], [1.5, -2.0], [-12.25, 1e-7]] {
        let (found, wanted) = (evaluate(&mut target, &x).unwrap(), banana(&x));
        assert!((found - wanted).abs() < 1e-13 * wanted.abs(), "{x:?}: {found}, wanted {wanted}");
    }
    assert_eq!(evaluate(&mut target, &[2000.0, 0.0]).unwrap(), f64::NEG_INFINITY);
    assert!(rejected(&mut target, &[-2000.0, 0.0]).contains("status 500"));

    let pmala = Plan {
        sampler: Sampler::pmala(),
        chains: 2,
        warmup: Warmup::Iterations(520),
        draws: Some(20),
        ..Plan::default()
    };
    let run = sample(target.clone(), &[vec![1.0, 2.0]], &pmala, Control::default()).unwrap();
    assert_eq!(run.chains[0].draws.len(), 20, "its gradient is right, and is used");

    let mut straight = settings.clone();
    straight.config.insert("b".into(), 0.into());
    let mut straight = UmBridge::connect(straight, &names(2)).unwrap();
    assert_eq!(evaluate(&mut straight, &[10.0, 3.0]).unwrap(), -0.5 - 4.5);

    settings.model = Some("other".into());
    let found = UmBridge::connect(settings, &names(2)).unwrap_err().to_string();
    assert!(found.contains("it has no model `other`; it has banana"), "{found}");

    let plan = Plan {
        sampler: Sampler::sm(),
        chains: 2,
        warmup: Warmup::Iterations(100),
        draws: Some(100),
        ..Plan::default()
    };
    let run = sample(target.clone(), &[vec![0.0, 0.0]], &plan, Control::default()).unwrap();
    assert!(run.warnings().is_empty(), "{:?}", run.warnings());

    drop(server);
    let _second = serve(&python, port);
    let found = evaluate(&mut target, &[1.5, -2.0]).unwrap();
    assert!((found - banana(&[1.5, -2.0])).abs() < 1e-12, "the same target goes on with the new server");
}
