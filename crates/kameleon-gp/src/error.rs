//! Errors in a table or in the settings, worded so that the user can correct them.

use thiserror::Error;

/// Why a classification problem could not be set up. Rows are counted from 1, without the header.
#[derive(Debug, Error)]
pub enum GpError {
    /// The file is not a table: it cannot be read, or its rows differ in length.
    #[error("cannot read the table: {0}")]
    Csv(#[from] csv::Error),
    /// A cell is empty or has a usual spelling of a missing value.
    #[error("row {row}, column `{column}`: the value is missing")]
    Missing {
        /// Which row.
        row: usize,
        /// Which column.
        column: String,
    },
    /// A cell is not a finite number.
    #[error("row {row}, column `{column}`: `{value}` is not a finite number")]
    NotANumber {
        /// Which row.
        row: usize,
        /// Which column.
        column: String,
        /// Its content.
        value: String,
    },
    /// A column is constant.
    #[error("column `{column}` is constant: every row has {value}; leave it out")]
    Constant {
        /// Which column.
        column: String,
        /// The value it has.
        value: f64,
    },
    /// A named column is not in the header.
    #[error("there is no column `{column}`; the table has {}", .available.join(", "))]
    NoColumn {
        /// The column that was asked for.
        column: String,
        /// The columns of the table.
        available: Vec<String>,
    },
    /// Two columns share a name.
    #[error("two columns are named `{column}`")]
    Twice {
        /// Which name.
        column: String,
    },
    /// The label does not take exactly two values.
    #[error("label column `{column}` must have two values, not {}: {}", .values.len(), .values.join(", "))]
    Classes {
        /// Which column.
        column: String,
        /// The values it has (the first few).
        values: Vec<String>,
    },
    /// The value that should count as +1 is not among the labels.
    #[error("label column `{column}` has {} and {}, not `{positive}`", .values[0], .values[1])]
    Positive {
        /// Which column.
        column: String,
        /// The values it has.
        values: [String; 2],
        /// The value that was asked for.
        positive: String,
    },
    /// The table has no rows or no input columns, or its parts differ in size.
    #[error("{0}")]
    Shape(String),
    /// The columns are linearly dependent, so that they cannot be whitened.
    #[error("column `{column}` is a linear combination of those before it: whitening is impossible; leave it out")]
    Collinear {
        /// The first column that depends on those before it.
        column: String,
    },
    /// A setting is invalid.
    #[error("setting {name}: {what}")]
    Setting {
        /// Which setting.
        name: &'static str,
        /// What is wrong, and what is allowed.
        what: String,
    },
    /// None of the given values of θ can be evaluated.
    #[error("none of the {given} values of θ can be evaluated")]
    NoDraws {
        /// The number of values.
        given: usize,
    },
    /// The reference point cannot be evaluated.
    #[error("the reference point cannot be evaluated: {0}")]
    Reference(String),
}
