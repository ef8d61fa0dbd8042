//! The draws of a run that thinning kept, to stand for all of them with equal weights.

use crate::atomic_file::{self, FileError};
use crate::output::{ChainDraws, JumpSummary, Posterior, numbers};
use kameleon::SettingsError;
use kameleon::diagnose::{ThinError, on_circles, thin};
use kameleon::record::Draws;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;

/// What was kept, and how well it stands for all draws.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// How many draws there were.
    pub of: usize,
    /// Whether they were weighted draws.
    pub weighted: bool,
    /// The seed of the choice.
    pub seed: u64,
    /// The maximum mean discrepancy between the kept draws and all.
    pub mmd: f64,
    /// The same for standard thinning to the same number.
    pub mmd_standard: f64,
    /// σ of the Gaussian kernel, in standard deviations of the parameters.
    pub bandwidth: f64,
    /// The chain of each kept draw, …
    pub chain: Vec<usize>,
    /// … and which of its draws it is, from 0.
    pub draw: Vec<usize>,
    /// The points in the parameters' own units, one after another.
    pub points: Vec<f64>,
    /// The log density of each; not a number for weighted draws, which have a weight instead.
    #[serde(deserialize_with = "numbers")]
    pub log_density: Vec<f64>,
}

/// Draws of all chains, one after another, with where each comes from.
#[derive(Default)]
struct Pool {
    chain: Vec<usize>,
    draw: Vec<usize>,
    points: Vec<f64>,
    log_density: Vec<f64>,
    log_weights: Option<Vec<f64>>,
}

impl Posterior {
    /// Keeps `to` draws that stand for all draws of all chains, or for the `weighted` jump proposals. A periodic parameter counts by the
    /// cosine and the sine of its angle, so that the two ends of its interval are one place.
    pub fn thin(&self, to: usize, seed: u64, weighted: bool) -> Result<Kept, SettingsError> {
        let pool = if weighted { self.jump_proposals()? } else { self.all_draws() };
        let (places, coordinates) = on_circles(&pool.points, self.dim(), &self.periods);
        let found = thin(&places, coordinates, pool.log_weights.as_deref(), to, seed);
        let found = found.map_err(|why| match why {
            ThinError::NoneAsked | ThinError::TooFew { .. } => SettingsError::new("to", why.to_string()),
            _ => SettingsError::new("draws", why.to_string()),
        })?;
        let point = |k: &usize| &pool.points[k * self.dim()..(k + 1) * self.dim()];
        Ok(Kept {
            of: pool.draw.len(),
            weighted,
            seed,
            mmd: found.mmd,
            mmd_standard: found.mmd_standard,
            bandwidth: found.bandwidth,
            chain: found.kept.iter().map(|k| pool.chain[*k]).collect(),
            draw: found.kept.iter().map(|k| pool.draw[*k]).collect(),
            points: found.kept.iter().flat_map(point).copied().collect(),
            log_density: found.kept.iter().map(|k| pool.log_density[*k]).collect(),
        })
    }

    fn all_draws(&self) -> Pool {
        let mut pool = Pool::default();
        for ChainDraws { index, draws, .. } in &self.chains {
            pool.chain.resize(pool.chain.len() + draws.len(), *index);
            pool.draw.extend(0..draws.len());
            pool.points.extend_from_slice(&draws.points);
            pool.log_density.extend_from_slice(&draws.log_density);
        }
        pool
    }

    fn jump_proposals(&self) -> Result<Pool, SettingsError> {
        let (mut pool, mut log_weights) = (Pool::default(), Vec::new());
        for ChainDraws { index, draws, .. } in &self.chains {
            pool.chain.resize(pool.chain.len() + draws.jumps.draw.len(), *index);
            pool.draw.extend_from_slice(&draws.jumps.draw);
            pool.points.extend_from_slice(&draws.jumps.points);
            log_weights.extend_from_slice(&draws.jumps.log_weight);
        }
        if log_weights.is_empty() {
            let why = self.jumps.as_ref().map_or("its sampler makes no jumps", |jumps| &jumps.evidence.why);
            return Err(SettingsError::new("weighted", format!("the run has no weighted draws: {why}")));
        }
        pool.log_density = vec![f64::NAN; log_weights.len()];
        pool.log_weights = Some(log_weights);
        Ok(pool)
    }
}

impl Kept {
    /// How many were kept.
    pub fn len(&self) -> usize {
        self.draw.len()
    }

    /// Whether none was kept.
    pub fn is_empty(&self) -> bool {
        self.draw.is_empty()
    }

    /// The kept draws as a run of one chain, each with where it comes from, to be written in any format.
    pub fn posterior(&self, of: &Posterior) -> Posterior {
        let origin = self.chain.iter().copied().zip(self.draw.iter().copied()).collect();
        let draws = Draws { points: self.points.clone(), log_density: self.log_density.clone(), ..Draws::default() };
        Posterior {
            target: of.target.clone(),
            sampler: of.sampler.clone(),
            names: of.names.clone(),
            variables: of.variables.clone(),
            chains: vec![ChainDraws { draws, origin, ..ChainDraws::default() }],
            seed: of.seed,
            warmup: of.warmup,
            thin: of.thin,
            noisy: of.noisy,
            settings: of.settings.clone(),
            jumps: Some(JumpSummary::none("thinned draws have equal weights", false)),
            ..Posterior::default()
        }
    }

    /// Writes it for the report.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        let text = serde_json::to_vec(self).map_err(|why| FileError::new(path, why))?;
        atomic_file::write(path, &text)
    }

    /// What was written for a run in `dim` dimensions; none if there is no such file.
    pub fn read(path: &Path, dim: usize) -> Result<Option<Self>, FileError> {
        let bytes = match std::fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            read => read.map_err(FileError::doing(path, "reading"))?,
        };
        let kept: Self = serde_json::from_slice(&bytes).map_err(|why| FileError::new(path, why))?;
        let n = kept.len();
        let fits = kept.chain.len() == n && kept.points.len() == n * dim && kept.log_density.len() == n;
        match fits {
            true => Ok(Some(kept)),
            false => Err(FileError::new(path, "the kept draws do not fit the parameters of the run; thin it again")),
        }
    }

    /// How well it stands for all draws, in words.
    pub fn words(&self) -> String {
        let what = if self.weighted { "weighted draws" } else { "draws" };
        let Self { of, mmd, mmd_standard, .. } = self;
        format!("{} of {of} {what}, MMD to all of them {mmd:.4} (by standard thinning {mmd_standard:.4})", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// 2000 draws of an angle, turned, and of another parameter.
    fn run(turn: f64, periodic: bool) -> Posterior {
        let point = |k: u32| {
            let (angle, x) = (2.4 * f64::from(k), f64::from(k * k % 1009) / 1009.0);
            [(angle + x + turn).rem_euclid(TAU), x]
        };
        let points: Vec<f64> = (0..2000).flat_map(point).collect();
        let draws = Draws { points, log_density: vec![0.0; 2000], ..Draws::default() };
        Posterior {
            names: vec!["phi".into(), "x".into()],
            periods: vec![periodic.then_some((0.0, TAU)), None],
            chains: vec![ChainDraws { draws, ..ChainDraws::default() }],
            ..Posterior::default()
        }
    }

    #[test]
    fn what_is_kept_does_not_depend_on_where_a_circle_is_cut() {
        let kept = |turn, periodic| run(turn, periodic).thin(50, 1, false).unwrap().draw;
        assert_eq!(kept(0.0, true), kept(2.0, true));
        assert_ne!(kept(0.0, false), kept(2.0, false));
    }
}
