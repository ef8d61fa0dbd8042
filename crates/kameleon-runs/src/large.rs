//! Runs that are too large for memory: some of their draws, evenly spaced, and figures of all of them, read from the files.
//!
//! The first pass keeps one draw out of a fixed number, as if the run had been thinned, and adds up the moments of all. What is
//! kept tells within narrow limits where the quantiles are; the second pass counts the draws below these limits and collects
//! those between them, so that the quantiles are exact.

use crate::error::RunError;
use crate::output::{AllDraws, Figures, least_and_most};
use crate::read::{read_draws, settings_of};
use crate::settings::RunSettings;
use crate::store::{Checkpoint, Files, read_journal};
use kameleon::diagnose::quantile;
use kameleon::record::Recorded;
use kameleon_models::Bound;
use std::cell::Cell;
use std::path::Path;

/// Draws that take this many bytes in memory are read as a whole by default.
pub const MOST_BYTES: u64 = 64 << 20;
/// After how many draws the reader is told how far it is.
const TOLD_EVERY: u64 = 1 << 18;
/// The levels of the quantiles.
const LEVELS: [f64; 3] = [0.05, 0.5, 0.95];
/// How far around a level values are collected: a share of all draws, and this many standard errors of the share of those in memory
/// that lie below.
const MARGIN: f64 = 0.002;
const STANDARD_ERRORS: f64 = 5.0;

/// The word on files for other programs, which of a large run are not written unasked.
pub fn unwritten(folder: &Path) -> String {
    let path = folder.display();
    format!(
        "the run is large, so no files for other programs were written; `kameleon export {path} --netcdf` does it, in memory"
    )
}

/// How the journals of a run are read: all draws, or evenly spaced ones, with a word on how far it is.
pub struct Reading<'a> {
    every: u64,
    /// How many draws will be read, in two passes, and how many have been.
    total: u64,
    done: Cell<u64>,
    watch: &'a dyn Fn(f64),
}

impl<'a> Reading<'a> {
    /// Everything.
    pub fn whole() -> Self {
        Self { every: 1, total: 0, done: Cell::new(0), watch: &|_| {} }
    }

    /// All of a run that takes at most this many bytes in memory, and as much of a larger one. `watch` is told the share that has
    /// been read.
    pub fn limited(folder: &Path, most: u64, watch: &'a dyn Fn(f64)) -> Result<Self, RunError> {
        let (files, settings) = (Files::of(folder)?, settings_of(folder)?);
        let sum = |of: &dyn Fn(usize) -> u64| settings.run.indices().into_iter().map(of).sum::<u64>();
        let bytes = sum(&|index| std::fs::metadata(files.journal(index)).map_or(0, |data| data.len()));
        let draws = sum(&|index| draws_of(&files, index, &settings).unwrap_or(0));
        // Journals do not repeat the coordinates of a point, and memory does.
        let bytes = bytes + draws * 8 * settings.parameters.0.len() as u64;
        Ok(Self { every: bytes.div_ceil(most.max(1)).max(1), total: 2 * draws, done: Cell::new(0), watch })
    }

    /// Whether some draws are left out.
    pub fn leaves_out(&self) -> bool {
        self.every > 1
    }

    fn tell(&self, draws: u64) {
        self.done.set(self.done.get() + draws);
        (self.watch)((self.done.get() as f64 / self.total.max(1) as f64).min(1.0));
    }
}

/// The number of draws of a chain when it was last checkpointed; none if that cannot be read.
fn draws_of(files: &Files, index: usize, settings: &RunSettings) -> Option<u64> {
    let chain = Checkpoint::read(&files.checkpoint(index)).ok()?.chain.resume().ok()?;
    let (warmup, sampling) = (chain.statistics().warmup.total(), chain.statistics().sampling.total());
    Some((sampling + if settings.output.keep_warmup { warmup } else { 0 }) / settings.run.thin.max(1))
}

/// Gathers the figures of all draws, chain by chain.
pub struct Gathering {
    bounds: Vec<Bound>,
    /// The number of draws of each chain.
    draws: Vec<u64>,
    count: f64,
    first: Vec<f64>,
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl Gathering {
    /// Of parameters with these bounds.
    pub fn new(bounds: Vec<Bound>) -> Self {
        let dim = bounds.len();
        Self { bounds, draws: Vec::new(), count: 0.0, first: Vec::new(), sums: vec![0.0; dim], squares: vec![0.0; dim] }
    }

    /// The number of parameters.
    pub fn dim(&self) -> usize {
        self.bounds.len()
    }

    /// Reads a chain: the draws that are kept, on the unbounded scale; the moments of all of them are added up.
    pub fn read(
        &mut self,
        files: &Files,
        index: usize,
        reading: &Reading<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Recorded, RunError> {
        let (mut seen, mut since) = ([0_u64; 2], 0);
        let mut kept = Recorded::default();
        read_draws(files, index, self.bounds.len(), notes, |draw| {
            let stage = &mut seen[usize::from(draw.warm)];
            *stage += 1;
            if stage.is_multiple_of(reading.every) {
                kept.push(draw);
            }
            if reading.leaves_out() && !draw.warm {
                self.add(draw.x);
            }
            since += 1;
            if since == TOLD_EVERY {
                reading.tell(std::mem::take(&mut since));
            }
        })?;
        self.draws.push(seen[0]);
        Ok(kept)
    }

    /// Sums of distances from the first draw, which lies among the others.
    fn add(&mut self, x: &[f64]) {
        if self.count == 0.0 {
            self.first = x.iter().zip(&self.bounds).map(|(u, bound)| bound.value(*u)).collect();
        }
        self.count += 1.0;
        for (i, (u, bound)) in x.iter().zip(&self.bounds).enumerate() {
            let distance = bound.value(*u) - self.first[i];
            self.sums[i] += distance;
            self.squares[i] += distance * distance;
        }
    }

    /// The figures of all draws; `kept` are those in memory, in own units, of each chain.
    pub fn figures(self, files: &Files, kept: &[(usize, &[f64])], reading: &Reading<'_>) -> Result<AllDraws, RunError> {
        let mut limits = self.limits(kept);
        for (index, _) in kept {
            let mut since = 0;
            read_journal(&files.journal(*index), |draw| {
                if !draw.warm {
                    for ((u, bound), limits) in draw.x.iter().zip(&self.bounds).zip(&mut limits) {
                        let value = bound.value(*u);
                        limits.iter_mut().for_each(|limit| limit.add(value));
                    }
                }
                since += 1;
                if since == TOLD_EVERY {
                    reading.tell(std::mem::take(&mut since));
                }
            })?;
        }
        let parameter = |(i, limits): (usize, [Limit; 3])| {
            let shift = self.sums[i] / self.count;
            Figures {
                mean: self.first.get(i).map_or(f64::NAN, |first| first + shift),
                sd: ((self.squares[i] - shift * self.sums[i]).max(0.0) / (self.count - 1.0)).sqrt(),
                quantiles: limits.map(|limit| limit.quantile(self.count)),
            }
        };
        let parameters = limits.into_iter().enumerate().map(parameter).collect();
        Ok(AllDraws { of_chain: least_and_most(self.draws), every: reading.every, parameters })
    }

    /// Between which values each quantile of each parameter lies.
    fn limits(&self, kept: &[(usize, &[f64])]) -> Vec<[Limit; 3]> {
        let dim = self.bounds.len();
        let of = |i: usize| {
            let mut column: Vec<f64> =
                kept.iter().flat_map(|(_, points)| points.iter().skip(i).step_by(dim).copied()).collect();
            column.sort_unstable_by(f64::total_cmp);
            let margin = MARGIN + STANDARD_ERRORS * 0.5 / (column.len() as f64).sqrt();
            LEVELS.map(|level| Limit {
                level,
                low: quantile(&column, (level - margin).max(0.0)),
                high: quantile(&column, (level + margin).min(1.0)),
                guess: quantile(&column, level),
                below: 0,
                between: Vec::new(),
            })
        };
        (0..dim).map(of).collect()
    }
}

/// The limits of a quantile, and what lies below and between them.
struct Limit {
    level: f64,
    low: f64,
    high: f64,
    guess: f64,
    below: u64,
    between: Vec<f64>,
}

impl Limit {
    fn add(&mut self, value: f64) {
        // Counted without a branch, which nobody could predict.
        self.below += u64::from(value < self.low);
        if (self.low..=self.high).contains(&value) {
            self.between.push(value);
        }
    }

    /// The quantile of `count` values, as [`quantile`] has it; that of the draws in memory should it lie outside the limits.
    fn quantile(mut self, count: f64) -> f64 {
        let position = count * self.level + (1.0 - self.level);
        let k = position.floor();
        let at = k - 1.0 - self.below as f64;
        if at < 0.0 || at + 1.0 >= self.between.len() as f64 {
            return self.guess;
        }
        self.between.sort_unstable_by(f64::total_cmp);
        let (gamma, at) = (position - k, at as usize);
        (1.0 - gamma) * self.between[at] + gamma * self.between[at + 1]
    }
}
