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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glass;

    fn row(inputs: &Inputs, i: usize) -> Vec<f64> {
        (0..inputs.dim()).map(|d| inputs.column(d)[i - 1]).collect()
    }

    fn assert_close(ours: &[f64], reference: &[f64]) {
        for (x, z) in ours.iter().zip(reference) {
            assert!((x - z).abs() < 1e-10, "{ours:?} {reference:?}");
        }
    }

    #[test]
    fn glass_is_scaled_as_numpy_scales_it() {
        let data = glass();
        let zscore = Transform::fit(Standardise::Zscore, data.inputs()).unwrap().apply(data.inputs());
        assert_close(
            &row(&zscore, 1)[..4],
            &[0.8728676458474353, 0.284953261492159, 1.254638568091158, -0.692441923548391],
        );
        let whiten = Transform::fit(Standardise::Whiten, data.inputs()).unwrap().apply(data.inputs());
        assert_close(
            &row(&whiten, 1)[4..],
            &[
                0.4211886002519559,
                0.09321592396991833,
                -0.024454712686405217,
                -0.26111834816103474,
                -0.8077517368941712,
            ],
        );
        assert_close(
            &row(&whiten, 214)[5..],
            &[-0.655586768779645, -2.172192743564605, 1.1759040263336653, -0.16220199502104618],
        );
    }

    #[test]
    fn whitening_names_a_column_that_depends_on_others() {
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let inputs = Inputs::new(names, vec![1.0, 2.0, 4.0, 0.0, 1.0, 5.0, 1.0, 3.0, 9.0]).unwrap();
        let wrong = Transform::fit(Standardise::Whiten, &inputs).unwrap_err().to_string();
        assert!(wrong.starts_with("column `c` is a linear combination"), "{wrong}");
    }
}
