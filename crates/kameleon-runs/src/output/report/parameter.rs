//! What the page shows of one parameter.

use super::thinned::{Frame, Packed, step};
use kameleon::diagnose::{ParameterSummary, autocorrelation, mcse_mean, quantile, rank_histogram};
use serde::Serialize;

/// Bars of a rank plot.
const RANK_BINS: usize = 20;
/// Places at which the running mean has an interval, and at which it is drawn.
const INTERVALS: usize = 10;
const RUNNING: usize = 200;
/// The most lags of the autocorrelation that are drawn.
const LAGS: usize = 200;
/// An autocorrelation below this is of no more interest.
const FORGOTTEN: f64 = 0.02;

/// One parameter of the page.
#[derive(Serialize)]
pub(super) struct Parameter {
    name: String,
    pub frame: Frame,
    mean: f64,
    mcse: f64,
    quantiles: [f64; 3],
    /// The shown draws of each chain.
    trace: Vec<Packed>,
    /// The last draws of each chain, none left out.
    path: Vec<Packed>,
    histogram: Histogram,
    ranks: Vec<Vec<u32>>,
    lags: Lags,
    running: Running,
}

/// How many draws fall into each of equal bins, chain by chain.
#[derive(Serialize)]
struct Histogram {
    from: f64,
    to: f64,
    counts: Vec<Vec<u32>>,
}

/// The autocorrelation of each chain at evenly spaced lags.
#[derive(Serialize)]
struct Lags {
    every: usize,
    chains: Vec<Packed>,
}

/// The mean of the draws so far: of each chain, and of all with its error.
#[derive(Serialize)]
struct Running {
    every: usize,
    chains: Vec<Packed>,
    at: Vec<usize>,
    mean: Vec<f64>,
    error: Vec<f64>,
}

/// How much of the draws is shown.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    pub every: usize,
    pub path: usize,
}

impl Parameter {
    /// Parameter with its draws, chain by chain.
    pub fn new(summary: &ParameterSummary, chains: &[Vec<f64>], shown: Shown) -> Self {
        let frame = Frame::new(summary.mean, summary.sd);
        let relative = |values: &[f64], every| values.iter().step_by(every).map(|v| frame.relative(*v)).collect();
        let columns: Vec<&[f64]> = chains.iter().map(Vec::as_slice).collect();
        Self {
            name: summary.name.clone(),
            mean: summary.mean,
            mcse: summary.mcse_mean,
            quantiles: [summary.q5, summary.q50, summary.q95],
            trace: columns.iter().map(|c| relative(c, shown.every)).collect(),
            path: columns.iter().map(|c| relative(&c[c.len() - shown.path.min(c.len())..], 1)).collect(),
            histogram: Histogram::new(&columns),
            ranks: rank_histogram(&columns, RANK_BINS).unwrap_or_default(),
            lags: Lags::new(&columns),
            running: Running::new(&columns, frame),
            frame,
        }
    }
}

impl Histogram {
    /// Bins by the rule of Freedman and Diaconis, within what a figure can show.
    fn new(chains: &[&[f64]]) -> Self {
        let mut sorted: Vec<f64> = chains.concat().into_iter().filter(|v| v.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let (from, to) = (sorted.first().copied().unwrap_or(0.0), sorted.last().copied().unwrap_or(0.0));
        let spread = quantile(&sorted, 0.75) - quantile(&sorted, 0.25);
        let bins = (to - from) / (2.0 * spread / (sorted.len() as f64).cbrt());
        let bins = if bins.is_finite() { (bins as usize).clamp(10, 80) } else { 1 };
        let bin = |v: f64| (((v - from) / (to - from) * bins as f64) as usize).min(bins - 1);
        let count = |chain: &&[f64]| {
            let mut counts = vec![0; bins];
            chain.iter().filter(|v| v.is_finite()).for_each(|v| counts[bin(*v)] += 1);
            counts
        };
        Self { from, to, counts: chains.iter().map(count).collect() }
    }
}

impl Lags {
    /// Up to where every chain has forgotten, and a little beyond.
    fn new(chains: &[&[f64]]) -> Self {
        let lags: Vec<Vec<f64>> = chains.iter().map(|chain| autocorrelation(chain)).collect();
        let length = lags.iter().map(Vec::len).min().unwrap_or(0);
        let forgotten =
            lags.iter().map(|of| of.iter().position(|r| r.is_nan() || *r <= FORGOTTEN).unwrap_or(length)).max();
        let most = (forgotten.unwrap_or(0) * 3 / 2).max(20).min(length);
        let every = step(most, LAGS);
        Self { every, chains: lags.iter().map(|of| of[..most].iter().step_by(every).copied().collect()).collect() }
    }
}

impl Running {
    fn new(chains: &[&[f64]], frame: Frame) -> Self {
        let length = chains.iter().map(|chain| chain.len()).min().unwrap_or(0);
        let every = step(length, RUNNING);
        let means = |chain: &&[f64]| -> Packed {
            let mut sum = 0.0;
            let running = chain[..length].iter().enumerate().map(|(k, v)| {
                sum += frame.relative(*v);
                sum / (k + 1) as f64
            });
            running.skip(every - 1).step_by(every).collect()
        };
        let places = if length >= 4 { INTERVALS } else { 0 };
        let at: Vec<usize> = (1..=places).map(|k| (length * k / INTERVALS).max(4)).collect();
        let so_far = |k: usize| -> Vec<&[f64]> { chains.iter().map(|chain| &chain[..k]).collect() };
        let mean = |k: &usize| so_far(*k).concat().iter().sum::<f64>() / (k * chains.len()) as f64;
        let error = |k: &usize| mcse_mean(&so_far(*k));
        Self {
            every,
            chains: chains.iter().map(means).collect(),
            mean: at.iter().map(mean).collect(),
            error: at.iter().map(error).collect(),
            at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kameleon::diagnose::summarise;

    fn parameter(chains: &[Vec<f64>]) -> Parameter {
        let columns: Vec<&[f64]> = chains.iter().map(Vec::as_slice).collect();
        let summary = summarise(&["a".into()], &columns, 1);
        Parameter::new(&summary.parameters[0], chains, Shown { every: 10, path: 5 })
    }

    #[test]
    fn figures_hold_every_draw_however_few_are_shown() {
        let chain = |k: usize| (0..1000).map(|i| ((i * 7 + k) as f64 * 0.37).sin()).collect::<Vec<_>>();
        let chains = [chain(0), chain(1)];
        let p = parameter(&chains);
        assert_eq!((p.trace[1].0.len(), p.path[0].0.len(), p.ranks.len()), (100, 5, 2));
        assert_eq!(p.histogram.counts.iter().flatten().sum::<u32>(), 2000);
        assert_eq!(p.ranks.iter().flatten().sum::<u32>(), 2000);
        assert_eq!(p.running.at.last(), Some(&1000));
        assert!((p.running.mean.last().unwrap() - p.mean).abs() < 1e-12);
        assert_eq!(*p.running.error.last().unwrap(), p.mcse);
        let last = p.running.chains[0].0.last().unwrap();
        let mean = chains[0].iter().sum::<f64>() / 1000.0;
        assert!((f64::from(*last) - p.frame.relative(mean)).abs() < 1e-6);
        assert_eq!(p.lags.chains[0].0[0], 1.0);
    }

    #[test]
    fn constants_few_draws_and_infinite_ones_do_no_harm() {
        for chains in
            [vec![vec![2.0; 50]], vec![vec![1.0, 2.0], vec![3.0]], vec![vec![f64::INFINITY, 1.0, 2.0, 3.0, 4.0]]]
        {
            let p = parameter(&chains);
            assert_eq!(p.trace.len(), chains.len());
            assert!(serde_json::to_string(&p).is_ok());
        }
    }
}
