//! What a person should know of the chains of a run, in words.

use crate::statistics::Statistics;
use crate::words;

/// A warning about points that could not be used, if there were any, over all chains.
pub fn invalid_points<'a>(chains: impl Iterator<Item = &'a Statistics> + Clone, names: &[String]) -> Option<String> {
    let invalid: u64 = chains.clone().map(|s| s.warmup.invalid + s.sampling.invalid).sum();
    let evaluations: u64 = chains.clone().map(|s| s.evaluations).sum();
    let (chain, first) = chains.enumerate().find_map(|(k, s)| Some((k, s.first_invalid.as_ref()?)))?;
    let (t, point) = (first.t, words::point(&first.point, names));
    Some(format!(
        "{invalid} of {evaluations} proposed points had no usable log density and were rejected; the first in chain \
         {chain}, iteration {t}, at {point}: {}",
        first.why
    ))
}

/// What chains advise, each sentence once, with the chains that it is about.
pub fn advice(chains: impl Iterator<Item = (usize, Vec<String>)>) -> Vec<String> {
    let mut advice: Vec<(String, Vec<String>)> = Vec::new();
    for (k, text) in chains.flat_map(|(k, texts)| texts.into_iter().map(move |text| (k, text))) {
        match advice.iter_mut().find(|(known, _)| *known == text) {
            Some((_, chains)) => chains.push(k.to_string()),
            None => advice.push((text, vec![k.to_string()])),
        }
    }
    let which = |chains: &[String]| format!("chain{} {}", if chains.len() > 1 { "s" } else { "" }, chains.join(", "));
    advice.into_iter().map(|(text, chains)| format!("{}: {text}", which(&chains))).collect()
}
