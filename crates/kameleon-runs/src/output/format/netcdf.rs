//! The run as netCDF-4, laid out as ArviZ's InferenceData: one group for the draws, one for what happened at each.

mod attributes;

use crate::atomic_file::{self, FileError};
use crate::output::{Posterior, labels};
use attributes::{describe, mark_periodic};
use kameleon::Outcome;
use kameleon::record::Draws;
use rust_hdf5::types::H5Type;
use rust_hdf5::{H5Dataset, H5File, H5Group, Hdf5Error};
use std::path::Path;

type Result<T> = std::result::Result<T, Hdf5Error>;

/// Writes the run so that `arviz.from_netcdf(path)` opens it; the `warmup` too, if it was recorded, as the groups
/// `warmup_posterior` and `warmup_sample_stats`.
///
/// The file is rectangular: chains without draws are left out, and chains of different lengths are trimmed to the
/// shortest, keeping the last draws of each.
pub(super) fn write(posterior: &Posterior, path: &Path, warmup: bool) -> std::result::Result<(), FileError> {
    posterior.check()?;
    let draws = Rectangle::new(posterior, |chain| &posterior.chains[chain].draws);
    if draws.chains.is_empty() {
        let what = "there is nothing to write, since no chain has a draw yet: the run is still in its warm-up";
        return Err(FileError::new(path, what));
    }
    let early = Rectangle::new(posterior, |chain| &posterior.chains[chain].warmup);
    atomic_file::replace(path, |beside| {
        let write = || {
            let file = H5File::options().track_order(true).create(beside)?;
            describe(&file.root_group(), posterior)?;
            draws.write(&file, "", posterior)?;
            if warmup && !early.chains.is_empty() {
                early.write(&file, "warmup_", posterior)?;
            }
            file.close()
        };
        write().map_err(|why| FileError::new(path, format_args!("the netCDF file cannot be written: {why}")))
    })
}

/// The kept iterations of some chains, equally many of each.
struct Rectangle<'a> {
    chains: Vec<(i64, &'a Draws)>,
    length: usize,
}

impl<'a> Rectangle<'a> {
    fn new(posterior: &Posterior, kept: impl Fn(usize) -> &'a Draws) -> Self {
        let chains = posterior.chains.iter().enumerate().map(|(k, chain)| (chain.index as i64, kept(k)));
        let chains: Vec<_> = chains.filter(|(_, kept)| !kept.is_empty()).collect();
        let length = chains.iter().map(|(_, kept)| kept.len()).min().unwrap_or(0);
        Self { chains, length }
    }

    /// The last iterations of each chain, `width` numbers of each iteration from the place `from` on.
    fn columns<T: Copy + 'a>(
        &self,
        of: impl Fn(&'a Draws) -> &'a [T],
        dim: usize,
        from: usize,
        width: usize,
    ) -> Vec<T> {
        let mut values = Vec::with_capacity(self.chains.len() * self.length * width);
        for (_, kept) in &self.chains {
            let skipped = kept.len() - self.length;
            for row in of(kept).chunks(dim).skip(skipped) {
                values.extend_from_slice(&row[from..from + width]);
            }
        }
        values
    }

    fn write(&self, file: &H5File, prefix: &str, posterior: &Posterior) -> Result<()> {
        let group = Group::new(file, &format!("{prefix}posterior"), self, posterior)?;
        let names: Vec<String> = posterior.variables.iter().map(|variable| variable.name.clone()).collect();
        let labels = labels::safe(&names, &["chain", "draw"]);
        let mut from = 0;
        for (variable, label) in posterior.variables.iter().zip(&labels) {
            let values = self.columns(|kept| &kept.points, posterior.dim(), from, variable.size());
            let written = group.variable(label, &variable.shape, &values)?;
            if *label != variable.name {
                written
                    .new_attr::<rust_hdf5::types::VarLenUnicode>()
                    .create("long_name")?
                    .write_string(&variable.name)?;
            }
            mark_periodic(&written, posterior.periods.get(from..from + variable.size()).unwrap_or_default())?;
            from += variable.size();
        }
        let statistics = Group::new(file, &format!("{prefix}sample_stats"), self, posterior)?;
        self.write_statistics(&statistics)?;
        self.write_jumps(&statistics, posterior.dim())?;
        self.write_origin(&statistics, posterior)?;
        match posterior.mode_labels().filter(|_| prefix.is_empty()) {
            Some(modes) => self.write_modes(&statistics, posterior, &modes),
            None => Ok(()),
        }
    }

    /// The log density, and where they were recorded the acceptance probability and the outcome.
    fn write_statistics(&self, group: &Group) -> Result<()> {
        group.variable("lp", &[], &self.columns(|kept| &kept.log_density, 1, 0, 1))?;
        if self.chains.iter().all(|(_, kept)| !kept.acceptance.is_empty()) {
            group.variable("acceptance_rate", &[], &self.columns(|kept| &kept.acceptance, 1, 0, 1))?;
        }
        if self.chains.iter().all(|(_, kept)| !kept.outcome.is_empty()) {
            let outcomes = self.columns(|kept| &kept.outcome, 1, 0, 1);
            let codes: Vec<i8> = outcomes.into_iter().map(|outcome: Outcome| outcome.code() as i8).collect();
            let outcome = group.variable("outcome", &[], &codes)?;
            let flags = Outcome::ALL.map(|outcome| outcome.code() as i8);
            outcome.new_attr::<i8>().shape([flags.len()]).create("flag_values")?.write_array(&flags)?;
            let meanings = outcome.new_attr::<rust_hdf5::types::VarLenUnicode>().create("flag_meanings")?;
            meanings.write_string(&Outcome::ALL.map(Outcome::name).join(" ").replace('-', "_"))?;
        }
        Ok(())
    }
}

/// The mode of each draw, counted from 1.
impl Rectangle<'_> {
    fn write_modes(&self, group: &Group, posterior: &Posterior, modes: &[Vec<i64>]) -> Result<()> {
        let with_draws = posterior.chains.iter().zip(modes).filter(|(chain, _)| !chain.draws.is_empty());
        let last = |labels: &Vec<i64>| labels[labels.len() - self.length..].to_vec();
        let values: Vec<i64> = with_draws.flat_map(|(_, labels)| last(labels)).collect();
        group.variable("mode", &[], &values).map(drop)
    }
}

/// Where the draws were taken from, if not from the chain itself.
impl Rectangle<'_> {
    fn write_origin(&self, group: &Group, posterior: &Posterior) -> Result<()> {
        let origin = || posterior.chains.iter().flat_map(|chain| &chain.origin);
        if origin().count() != self.chains.len() * self.length || origin().count() == 0 {
            return Ok(());
        }
        let (chains, draws): (Vec<i64>, Vec<i64>) = origin().map(|(chain, draw)| (*chain as i64, *draw as i64)).unzip();
        group.variable("source_chain", &[], &chains)?;
        group.variable("source_draw", &[], &draws).map(drop)
    }
}

/// Of steps that were jumps, the proposal and its log weight; not a number for the others.
impl Rectangle<'_> {
    fn write_jumps(&self, group: &Group, dim: usize) -> Result<()> {
        let rows = self.chains.len() * self.length;
        let (mut log_weights, mut points) = (vec![f64::NAN; rows], vec![f64::NAN; rows * dim]);
        let mut any = false;
        for (c, (_, kept)) in self.chains.iter().enumerate() {
            let (skipped, jumps) = (kept.len() - self.length, &kept.jumps);
            let proposals = jumps.draw.iter().zip(jumps.points.chunks(dim)).zip(&jumps.log_weight);
            for ((draw, x), log_weight) in proposals.filter(|((draw, _), _)| **draw >= skipped) {
                let row = c * self.length + draw - skipped;
                (log_weights[row], any) = (*log_weight, true);
                points[row * dim..(row + 1) * dim].copy_from_slice(x);
            }
        }
        if any {
            group.variable("jump_log_weight", &[], &log_weights)?;
            group.variable("jump_proposal", &[dim], &points)?;
        }
        Ok(())
    }
}

/// A group of variables over chains and draws.
struct Group {
    group: H5Group,
    chain: H5Dataset,
    draw: H5Dataset,
}

impl Group {
    fn new(file: &H5File, name: &str, rows: &Rectangle, posterior: &Posterior) -> Result<Self> {
        let group = file.create_group(name)?;
        describe(&group, posterior)?;
        let indices: Vec<i64> = rows.chains.iter().map(|(index, _)| *index).collect();
        let draws: Vec<i64> = (0..rows.length as i64).collect();
        let (chain, draw) = (dimension(&group, "chain", &indices)?, dimension(&group, "draw", &draws)?);
        Ok(Self { group, chain, draw })
    }

    /// A variable with `shape` numbers for each draw of each chain, and a dimension of its own for each axis.
    fn variable<T: H5Type>(&self, name: &str, shape: &[usize], values: &[T]) -> Result<H5Dataset> {
        let mut lengths = vec![self.chain.shape()[0], self.draw.shape()[0]];
        lengths.extend(shape);
        let axes = shape.iter().enumerate().map(|(axis, length)| {
            dimension(&self.group, &format!("{name}_dim_{axis}"), &(0..*length as i64).collect::<Vec<_>>())
        });
        let axes = axes.collect::<Result<Vec<_>>>()?;
        let variable = self.group.new_dataset::<T>().shape(&lengths).create(name)?;
        variable.write_raw(values)?;
        for (axis, scale) in [&self.chain, &self.draw].into_iter().chain(&axes).enumerate() {
            variable.attach_scale(axis, scale)?;
        }
        Ok(variable)
    }
}

/// A dimension with its coordinates.
fn dimension(group: &H5Group, name: &str, coordinates: &[i64]) -> Result<H5Dataset> {
    let scale = group.new_dataset::<i64>().shape([coordinates.len()]).create(name)?;
    scale.write_raw(coordinates)?;
    scale.set_scale(Some(name))?;
    Ok(scale)
}
