//! Scaling of the columns before distances are computed.

use crate::{GpError, Inputs};
use serde::{Deserialize, Serialize};

/// How the columns are scaled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standardise {
    /// Mean 0 and variance 1 in each column (divisor n).
    #[default]
    Zscore,
    /// Mean 0 and covariance I (divisor n − 1): x ← A⁻¹(x − mean), AAᵀ the covariance. Column d is then the scaled residual
    /// of its regression on the columns before it.
    Whiten,
    /// Unchanged.
    None,
}

/// A scaling learned from the training rows, to be applied to new rows as well.
#[derive(Clone, Debug, PartialEq)]
pub struct Transform {
    mean: Vec<f64>,
    /// A, lower triangular, row after row: diagonal unless whitening.
    factor: Vec<f64>,
}

impl Transform {
    /// Learns the scaling of `inputs`.
    pub fn fit(kind: Standardise, inputs: &Inputs) -> Result<Self, GpError> {
        let (n, dim) = (inputs.rows() as f64, inputs.dim());
        let mut mean = vec![0.0; dim];
        let mut factor = vec![0.0; dim * dim];
        if kind != Standardise::None {
            for (d, mean) in mean.iter_mut().enumerate() {
                *mean = inputs.column(d).iter().sum::<f64>() / n;
            }
        }
        let products = |i: usize, j: usize| {
            let pairs = inputs.column(i).iter().zip(inputs.column(j));
            pairs.map(|(x, z)| (x - mean[i]) * (z - mean[j])).sum::<f64>()
        };
        for i in 0..dim {
            match kind {
                Standardise::None => factor[i * dim + i] = 1.0,
                Standardise::Zscore => factor[i * dim + i] = (products(i, i) / n).sqrt(),
                Standardise::Whiten => {
                    for j in 0..=i {
                        factor[i * dim + j] = products(i, j) / (n - 1.0);
                    }
                }
            }
        }
        if kind == Standardise::Whiten {
            let collinear = |d: usize| {
                let column = &inputs.names()[d];
                GpError(format!(
                    "column `{column}` is a linear combination of those before it: whitening is impossible; leave it out"
                ))
            };
            cholesky(&mut factor, dim).map_err(collinear)?;
        }
        Ok(Self { mean, factor })
    }

    /// Scales `inputs`, which must have the columns from which the scaling was learned.
    pub fn apply(&self, inputs: &Inputs) -> Inputs {
        let (n, dim) = (inputs.rows(), inputs.dim());
        assert_eq!(dim, self.mean.len(), "other columns than those the scaling was learned from");
        let mut values = inputs.values().to_vec();
        for row in 0..n {
            for i in 0..dim {
                let known: f64 = (0..i).map(|j| self.factor[i * dim + j] * values[j * n + row]).sum();
                values[i * n + row] = (values[i * n + row] - self.mean[i] - known) / self.factor[i * dim + i];
            }
        }
        inputs.with_values(values)
    }
}

/// Computes the lower factor in place, by rows; the error is the index of a column that depends on those before it.
fn cholesky(a: &mut [f64], dim: usize) -> Result<(), usize> {
    for i in 0..dim {
        let variance = a[i * dim + i];
        for j in 0..=i {
            let dot: f64 = (0..j).map(|k| a[i * dim + k] * a[j * dim + k]).sum();
            let rest = a[i * dim + j] - dot;
            if i != j {
                a[i * dim + j] = rest / a[j * dim + j];
            } else if rest > 1e-10 * variance {
                a[i * dim + i] = rest.sqrt();
            } else {
                return Err(i);
            }
        }
    }
    Ok(())
}
