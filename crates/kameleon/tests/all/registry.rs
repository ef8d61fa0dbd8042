//! The registry: what can be chosen by name, and what is said of a wrong choice.

use kameleon::kernel::KERNELS;
use kameleon::registry::{Choice, Entry, Setting, SettingsError, Values, find};
use kameleon::sampler::{SAMPLERS, Sampler};
use kameleon::target::TARGETS;
use serde_json::json;

/// Every entry as its name, its table, and whether it can be made from such values.
fn entries() -> Vec<(&'static str, Vec<Setting>, Made)> {
    fn of<T>(table: &'static [Entry<T>]) -> impl Iterator<Item = (&'static str, Vec<Setting>, Made)> {
        table.iter().map(|entry| {
            (entry.name, (entry.settings)(), Box::new(|given: &Values| entry.build(given).map(drop)) as Made)
        })
    }
    of(SAMPLERS).chain(of(KERNELS)).chain(of(TARGETS)).collect()
}

type Made = Box<dyn Fn(&Values) -> Result<(), SettingsError>>;

#[test]
fn every_entry_can_be_made_from_the_defaults_that_its_table_tells() {
    for (name, table, make) in entries() {
        assert_eq!(make(&Values::new()), Ok(()), "{name}");
        let told = table.iter().filter(|setting| !setting.default.is_null());
        let told: Values = told.map(|setting| (setting.key.clone(), setting.default.clone())).collect();
        assert_eq!(make(&told), Ok(()), "{name}");
        assert!(table.iter().all(|setting| !setting.about.is_empty()), "{name}");
    }
}

#[test]
fn a_value_of_the_wrong_type_is_told_by_its_key() {
    for (name, table, make) in entries() {
        for setting in table {
            let wrong = Values::from_iter([(setting.key.clone(), json!([["nonsense"]]))]);
            let error = make(&wrong).unwrap_err();
            assert!(error.setting.starts_with(&setting.key), "{name}: {error}");
        }
        let error = make(&Values::from_iter([("nonsense".into(), json!(1))])).unwrap_err();
        assert!(error.what.contains("has no"), "{name}: {error}");
    }
}

#[test]
fn a_value_outside_its_range_is_told_with_the_range() {
    let gamma = Choice::from_value(json!({ "name": "KAMH", "gamma": -1 })).unwrap();
    let error = Sampler::chosen(&gamma).unwrap_err();
    assert_eq!(error.to_string(), "gamma: must be positive and finite, not -1");
    let order = Choice::from_value(json!({ "name": "KAMH-LS", "kernel": "matern:order=1" })).unwrap();
    let error = Sampler::chosen(&order).unwrap_err();
    assert_eq!(error.to_string(), "kernel.order: must be above 1 and at most 50, not 1");
}

#[test]
fn names_and_keys_most_like_what_was_meant_come_first() {
    let error = find("sampler", "KAMHLX", SAMPLERS.iter()).err().unwrap();
    assert!(error.what.starts_with("there is no sampler \"KAMHLX\"; choose one of KAMH-LS, KAMH"), "{error}");
    let error = find("target", "bananna", TARGETS.iter()).err().unwrap();
    assert!(error.what.contains("choose one of banana, "), "{error}");
    let entry = find("target", "Two Modes", TARGETS.iter()).unwrap();
    let error = entry.build(&Values::from_iter([("wieght".into(), json!(1))])).err().unwrap();
    assert_eq!(error.to_string(), "wieght: two-modes has no such setting; it has weight, dim, noise, distance");
}

#[test]
fn text_and_table_say_the_same() {
    let text: Choice = "gaussian: variances=[1, 25], dim=2,noise = 0.5".parse().unwrap();
    let table =
        Choice::from_value(json!({ "name": "gaussian", "variances": [1, 25], "dim": 2, "noise": 0.5 })).unwrap();
    assert_eq!(text, table);
    assert_eq!(text.to_string().parse(), Ok(text));
    assert!("banana:b".parse::<Choice>().unwrap_err().what.contains("should be key=value"));
    let nested: Choice = "KAMH:kernel=matern:order=1.5,n=7".parse().unwrap();
    assert_eq!(nested.settings["kernel"], "matern:order=1.5");
}

#[test]
fn a_setting_of_other_samplers_is_told_with_their_names() {
    let error = Sampler::chosen(&"SM:kernel=linear".parse().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "kernel: SM has no such setting; it has nu; KAMH-LS, KAMH, PCA-Kameleon have one");
    let error = Sampler::chosen(&"SM:colour=3".parse().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "colour: SM has no such setting; it has nu");
}
