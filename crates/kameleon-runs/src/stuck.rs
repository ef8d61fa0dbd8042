//! Whether a chain on a noisy target is stuck: it stays at a point for much longer than its acceptance rate explains.
//!
//! Were rejections independent with probability 1 − a, the longest wait in a chain with m moves would be near
//! ln m / −ln(1 − a), rarely more than twice that. Acceptance differs from place to place, so that an exact chain may wait
//! a few times longer (Glass: 4 times). An estimate that is high by chance holds a chain for much longer: the alarm is at ten times. It is also
//! at a hundredth of all draws, since noise that holds the chain everywhere spoils the comparison with its own acceptance: a fifth of the draws
//! beyond a 5 % quantile may then be of one point, and no standard error sees that.

use crate::output::ChainDraws;
use crate::settings::{Kind, RunSettings};
use kameleon::record::Draws;
use kameleon::registry::same_name;
use kameleon::statistics::expected_wait;
use kameleon_models::NoiseInput;

/// The largest sd(log p̂) at which independent noise is reasonable: what costs least lies between 1.0 and 1.7 (Doucet, Pitt,
/// Deligiannidis and Kohn 2015), and the figure comes from a few estimates.
pub const LARGEST_SD: f64 = 1.5;

/// How many times longer than expected a wait may be.
const FACTOR: f64 = 10.0;
/// The share of all draws that may be of one point, …
const SHARE: f64 = 0.01;
/// … if the chain was there for more iterations than this.
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

/// A warning about the chain that is stuck for longest, if one is; every `thin`th draw was kept.
pub fn warning(chains: &[ChainDraws], thin: u64, advice: &str) -> Option<String> {
    long_wait(chains).or_else(|| heavy_point(chains, thin)).map(|what| format!("{what} {advice}"))
}

/// A wait that is long against the acceptance of its chain.
fn long_wait(chains: &[ChainDraws]) -> Option<String> {
    let waits = chains.iter().map(|chain| {
        let (counts, longest) = (chain.statistics.sampling, chain.statistics.longest_rejection_run);
        (chain.index, longest, counts.accepted, counts.total())
    });
    let stuck = waits.filter(|&(_, longest, accepted, total)| is_long(longest, accepted, total));
    let (chain, longest, _, total) = stuck.max_by_key(|&(_, longest, ..)| longest)?;
    Some(format!(
        "chain {chain} is stuck: it stayed at one point for {longest} of its {total} iterations, on an estimate that is high \
         by chance."
    ))
}

/// A point that makes up much of all draws. Copies of a point need not follow one another.
fn heavy_point(chains: &[ChainDraws], thin: u64) -> Option<String> {
    let heaviest = |Draws { points, log_density, .. }: &Draws| {
        let firsts = points.iter().step_by((points.len() / log_density.len().max(1)).max(1));
        let mut keys: Vec<_> = firsts.zip(log_density).map(|(x, log)| (x.to_bits(), log.to_bits())).collect();
        keys.sort_unstable();
        keys.chunk_by(PartialEq::eq).map(<[_]>::len).max().unwrap_or(0)
    };
    let (count, chain) = chains.iter().map(|chain| (heaviest(&chain.draws), chain.index)).max()?;
    let share = count as f64 / chains.iter().map(|chain| chain.draws.len()).sum::<usize>() as f64;
    (count as u64 * thin > LONG && share > SHARE).then(|| {
        format!(
            "chain {chain} is stuck: {:.1} % of the draws of all chains are one point of it, on an estimate that is high by chance, so 5 % and \
             95 % quantiles may rest on a few points. Run longer, or reduce the noise.",
            100.0 * share
        )
    })
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

fn is_long(wait: u64, accepted: u64, total: u64) -> bool {
    wait as f64 > FACTOR * expected_wait(wait, accepted, total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_long_against_the_acceptance_of_the_rest() {
        assert!(!is_long(120, 2340, 10_000));
        assert!(is_long(400, 2340, 10_000));
        assert!(is_long(9900, 23, 10_000));
        assert!(!is_long(40, 40, 200));
    }

    #[test]
    fn a_point_is_heavy_against_the_draws_of_all_chains() {
        let chain = |index: usize, copies: usize| {
            let points: Vec<f64> =
                (0..4000).map(|t| if t % 7 == 0 && t / 7 < copies { -1.0 } else { t as f64 }).collect();
            let draws = Draws { log_density: vec![0.0; points.len()], points, ..Draws::default() };
            ChainDraws { index, draws, ..ChainDraws::default() }
        };
        let run = |copies: usize, thin: u64| heavy_point(&[chain(0, 1), chain(1, copies)], thin);
        let told = run(120, 1).unwrap();
        assert!(told.starts_with("chain 1 is stuck: 1.5 % of the draws"), "{told}");
        assert_eq!(run(75, 1), None);
        assert_eq!(run(95, 1), None);
        assert!(run(95, 2).is_some());
    }
}
