//! Everything that can be chosen by name, as one value for other programs.

use kameleon::kernel::KERNELS;
use kameleon::registry::Entry;
use kameleon::sampler::SAMPLERS;
use kameleon::target::TARGETS;
use kameleon_gp::GLASS;
use kameleon_models::posteriors::{EXACT, Exact, NOISY};
use kameleon_models::prior::entries;
use serde_json::{Value, json};

/// Every entry with its settings: `kameleon list --json`, and what the classes of the Python package are made from.
pub fn registry() -> Value {
    fn all<T>(entries: &[Entry<T>]) -> Vec<Value> {
        entries.iter().map(Entry::to_json).collect()
    }
    let with_priors = |Exact { entry, parameters }: &Exact| {
        let mut value = entry.to_json();
        value["parameters"] = parameters.iter().map(|(name, prior)| json!({ "name": name, "prior": prior })).collect();
        value
    };
    let posteriors = [EXACT.iter().map(with_priors).collect(), all(NOISY), all(&[GLASS])].concat();
    let priors: Vec<Value> = entries()
        .map(|(name, parameters, about)| json!({ "name": name, "about": about, "parameters": parameters }))
        .collect();
    json!({ "priors": priors, "samplers": all(SAMPLERS), "kernels": all(KERNELS), "targets": all(TARGETS), "posteriors": posteriors })
}
