//! The table of a classification problem: numeric inputs and a label of two values, read from CSV.

use crate::GpError;
use csv::{ReaderBuilder, StringRecord, Trim};
use std::io::Read;

/// All labels but the positive one, where there are more than two.
const REST: &str = "the rest";
/// Usual spellings of a missing value.
const MISSING: [&str; 6] = ["", "?", "NA", "N/A", "NaN", "nan"];

/// Inputs, column after column, with their names.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    names: Vec<String>,
    rows: usize,
    values: Vec<f64>,
}

impl Inputs {
    /// From values given column after column.
    pub fn new(names: Vec<String>, values: Vec<f64>) -> Result<Self, GpError> {
        if names.is_empty() || values.is_empty() {
            return Err(GpError("the table has no rows or no input columns".into()));
        }
        if !values.len().is_multiple_of(names.len()) {
            return Err(GpError(format!("{} values do not fill {} columns", values.len(), names.len())));
        }
        let rows = values.len() / names.len();
        if let Some(i) = values.iter().position(|x| !x.is_finite()) {
            return Err(not_a_number(i % rows, &names[i / rows], &values[i].to_string()));
        }
        Ok(Self { names, rows, values })
    }

    /// Reads the columns `names`, in that order, from a table with a header; other columns are ignored.
    pub fn read(source: impl Read, names: &[String]) -> Result<Self, GpError> {
        let table = Table::read(source)?;
        let columns: Vec<usize> = names.iter().map(|name| table.find(name)).collect::<Result<_, _>>()?;
        Self::new(names.to_vec(), table.numbers(&columns)?)
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn dim(&self) -> usize {
        self.names.len()
    }

    /// Column `d`.
    pub fn column(&self, d: usize) -> &[f64] {
        &self.values[d * self.rows..][..self.rows]
    }

    /// All values, column after column.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The same columns with other values.
    pub(crate) fn with_values(&self, values: Vec<f64>) -> Self {
        Self { values, ..self.clone() }
    }
}

/// Inputs and labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    inputs: Inputs,
    y: Vec<f64>,
    classes: [String; 2],
}

impl Dataset {
    /// From inputs and labels ±1.
    pub fn new(inputs: Inputs, y: Vec<f64>) -> Result<Self, GpError> {
        Self::with_classes(inputs, y, ["-1".into(), "+1".into()], "y")
    }

    /// Reads a table with a header: numeric columns, and the label column `label`, which has two values.
    ///
    /// `positive` is the value that counts as +1; by default the larger number or the later word. Where it is given, the label may
    /// have more values, and all others count as −1. [`Dataset::classes`] returns the choice.
    pub fn read(source: impl Read, label: &str, positive: Option<&str>) -> Result<Self, GpError> {
        let table = Table::read(source)?;
        let label_column = table.find(label)?;
        let columns: Vec<usize> = (0..table.header.len()).filter(|&c| c != label_column).collect();
        let names = columns.iter().map(|&c| table.header[c].clone()).collect();
        let inputs = Inputs::new(names, table.numbers(&columns)?)?;
        let labels = table.cells(label_column)?;
        let classes = classes(&labels, label, positive)?;
        let y = labels.iter().map(|l| if *l == classes[1] { 1.0 } else { -1.0 }).collect();
        Self::with_classes(inputs, y, classes, label)
    }

    pub(crate) fn with_classes(
        inputs: Inputs,
        y: Vec<f64>,
        classes: [String; 2],
        label: &str,
    ) -> Result<Self, GpError> {
        if y.len() != inputs.rows {
            return Err(GpError(format!("{} labels for {} rows", y.len(), inputs.rows)));
        }
        if let Some(row) = y.iter().position(|y| y.abs() != 1.0) {
            return Err(GpError(format!("label {} is {}, not +1 or -1", row + 1, y[row])));
        }
        if y.iter().all(|&l| l == y[0]) {
            return Err(not_two(label, &[&classes[usize::from(y[0] > 0.0)]]));
        }
        for d in 0..inputs.dim() {
            let column = inputs.column(d);
            if column.iter().all(|&x| x == column[0]) {
                let (name, value) = (&inputs.names[d], column[0]);
                return Err(GpError(format!("column `{name}` is constant: every row has {value}; leave it out")));
            }
        }
        Ok(Self { inputs, y, classes })
    }

    /// The inputs.
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The labels, ±1.
    pub fn y(&self) -> &[f64] {
        &self.y
    }

    /// The values of the label column that count as −1 and +1.
    pub fn classes(&self) -> &[String; 2] {
        &self.classes
    }
}

/// A table as text.
struct Table {
    header: Vec<String>,
    records: Vec<StringRecord>,
}

impl Table {
    fn read(source: impl Read) -> Result<Self, GpError> {
        let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(source);
        let header: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
        if let Some((_, name)) = header.iter().enumerate().find(|(i, name)| header[..*i].contains(name)) {
            return Err(GpError(format!("two columns are named `{name}`")));
        }
        Ok(Self { header, records: reader.into_records().collect::<Result<_, _>>()? })
    }

    fn find(&self, column: &str) -> Result<usize, GpError> {
        let all = || self.header.join(", ");
        let hint = match self.header.as_slice() {
            [one] if one.contains([';', '\t']) => {
                ". Columns are separated by commas: this file seems to use semicolons or tabs, so convert it"
            }
            _ => "",
        };
        let missing = || GpError(format!("there is no column `{column}`; the table has {}{hint}", all()));
        self.header.iter().position(|name| name == column).ok_or_else(missing)
    }

    /// The cells of one column, none of them missing.
    fn cells(&self, column: usize) -> Result<Vec<&str>, GpError> {
        let cells: Vec<&str> = self.records.iter().map(|record| &record[column]).collect();
        match cells.iter().position(|cell| MISSING.contains(cell)) {
            Some(i) => Err(GpError(format!("row {}, column `{}`: the value is missing", i + 1, self.header[column]))),
            None => Ok(cells),
        }
    }

    /// The values of some columns, column after column.
    fn numbers(&self, columns: &[usize]) -> Result<Vec<f64>, GpError> {
        let mut values = Vec::with_capacity(self.records.len() * columns.len());
        for &column in columns {
            for (i, cell) in self.cells(column)?.into_iter().enumerate() {
                let number = cell.parse().ok().filter(|x: &f64| x.is_finite());
                values.push(number.ok_or_else(|| not_a_number(i, &self.header[column], cell))?);
            }
        }
        Ok(values)
    }
}

fn not_a_number(row: usize, column: &str, value: &str) -> GpError {
    GpError(format!("row {}, column `{column}`: `{value}` is not a finite number", row + 1))
}

/// `values` are the first few that the label has.
fn not_two(column: &str, values: &[&str]) -> GpError {
    let (count, all) = (values.len(), values.join(", "));
    let hint = match values {
        [_, _, third, ..] => {
            format!(
                "; to separate one of them from the rest, make it positive (--positive {third}), once for each class"
            )
        }
        _ => String::new(),
    };
    GpError(format!("label column `{column}` must have two values, not {count}: {all}{hint}"))
}

/// The label values for −1 and +1.
fn classes(labels: &[&str], column: &str, positive: Option<&str>) -> Result<[String; 2], GpError> {
    let mut values: Vec<&str> = Vec::new();
    for label in labels {
        if !values.contains(label) {
            values.push(label);
        }
        if values.len() > 10 {
            break;
        }
    }
    if let (Some(positive), 3..) = (positive, values.len()) {
        return match labels.contains(&positive) {
            true => Ok([REST.into(), positive.into()]),
            false => Err(GpError(format!("label column `{column}` has {}, not `{positive}`", values.join(", ")))),
        };
    }
    let &[first, second] = values.as_slice() else { return Err(not_two(column, &values)) };
    let second_is_larger = match (first.parse::<f64>(), second.parse::<f64>()) {
        (Ok(first), Ok(second)) => second > first,
        _ => second > first,
    };
    let (mut low, mut high) = if second_is_larger { (first, second) } else { (second, first) };
    match positive {
        Some(positive) if positive == low => std::mem::swap(&mut low, &mut high),
        Some(positive) if positive != high => {
            return Err(GpError(format!("label column `{column}` has {low} and {high}, not `{positive}`")));
        }
        _ => {}
    }
    Ok([low.into(), high.into()])
}
