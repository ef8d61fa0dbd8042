//! Whether a chain on a noisy target is stuck: it stays at a point for much longer than its acceptance rate explains.
//!
//! Were rejections independent with probability 1 − a, the longest wait in a chain with m moves would be near
//! ln m / −ln(1 − a), rarely more than twice that. Acceptance differs from place to place, so that an exact chain may wait
//! a few times longer (Glass: 4 times). An estimate that is high by chance holds a chain for much longer: the alarm is at ten times, or at a
//! twentieth of the run, since noise that holds the chain everywhere spoils the comparison with its own acceptance.

use crate::settings::{Kind, RunSettings};
use kameleon::registry::same_name;
use kameleon::statistics::{Statistics, expected_wait};
use kameleon_models::NoiseInput;

/// The largest sd(log p̂) at which independent noise is reasonable: what costs least lies between 1.0 and 1.7 (Doucet, Pitt,
/// Deligiannidis and Kohn 2015), and the figure comes from a few estimates.
pub const LARGEST_SD: f64 = 1.5;

/// How many times longer than expected a wait may be.
const FACTOR: f64 = 10.0;
/// The share of the run that a wait may take, if it is long.
const SHARE: f64 = 0.05;
const LONG: u64 = 100;

/// What helps against noise.
pub fn advice(settings: &RunSettings) -> &'static str {
    match settings.model.kind() {
        Ok(Kind::Gp) => "Use a larger n-imp, the approximation ep, or correlation = 0.99 (--correlation).",
        Ok(Kind::Posterior(choice)) if same_name(&choice.name, "cbpp") => {
            "Use a larger n-imp, as in --target cbpp:n-imp=8."
        }
        Ok(Kind::Posterior(_)) => "Use more particles, as in --target sv:particles=400.",
        _ => match settings.model.noise_input() {
            NoiseInput::Normals(_) => {
                "Average more samples in the estimate, or set correlation = 0.99 (--correlation)."
            }
            _ => {
                "Average more samples in the estimate, or let the model take standard normals (noisy = { normals = COUNT }) and \
                 set correlation = 0.99 (--correlation)."
            }
        },
    }
}

/// A warning about the chain that is stuck for longest, if one is.
pub fn warning<'a>(chains: impl Iterator<Item = (usize, &'a Statistics)>, advice: &str) -> Option<String> {
    let waits = chains.map(|(chain, statistics)| {
        let counts = statistics.sampling;
        (chain, statistics.longest_rejection_run, counts.accepted, counts.total())
    });
    let stuck = waits.filter(|&(_, longest, accepted, total)| is_stuck(longest, accepted, total));
    let (chain, longest, _, total) = stuck.max_by_key(|&(_, longest, ..)| longest)?;
    Some(format!(
        "chain {chain} is stuck: it stayed at one point for {longest} of its {total} iterations, on an estimate that is high \
         by chance. {advice}"
    ))
}

/// A warning about independent noise that is so large that chains will get stuck.
pub fn too_noisy(sd: f64, settings: &RunSettings) -> Option<String> {
    (sd > LARGEST_SD && settings.run.correlation == 0.0).then(|| {
        format!(
            "sd(log p̂) = {sd:.2} at the last points of the chains is above {LARGEST_SD}: chains get stuck on estimates that are \
             high by chance. {}",
            advice(settings)
        )
    })
}

fn is_stuck(longest: u64, accepted: u64, total: u64) -> bool {
    let wait = longest as f64;
    wait > FACTOR * expected_wait(longest, accepted, total) || (longest > LONG && wait > SHARE * total as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_long_against_the_acceptance_of_the_rest_or_against_the_run() {
        assert!(!is_stuck(120, 2340, 10_000));
        assert!(is_stuck(400, 2340, 10_000));
        assert!(is_stuck(9900, 23, 10_000));
        assert!(is_stuck(600, 50, 10_000));
        assert!(is_stuck(1000, 0, 1000));
        assert!(!is_stuck(40, 40, 200));
    }
}
