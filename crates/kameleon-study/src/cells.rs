//! The numbers of a comparison: one for each target, sampler, measure and length of chain.

use crate::interval::Interval;

/// One number.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The target's name.
    pub target: String,
    /// The sampler's name.
    pub sampler: String,
    /// What is measured.
    pub measure: String,
    /// After how many iterations past the burn-in.
    pub at: u64,
    /// The mean over chains.
    pub interval: Interval,
    /// How many chains.
    pub chains: usize,
}

/// All numbers of a study, in order.
#[derive(Clone, Debug, Default)]
pub struct Cells(pub Vec<Cell>);

impl Cells {
    /// The number after the most iterations.
    pub fn last(&self, target: &str, sampler: &str, measure: &str) -> Option<&Interval> {
        self.curve(target, sampler, measure).max_by_key(|cell| cell.at).map(|cell| &cell.interval)
    }

    /// The numbers after more and more iterations.
    pub fn curve(&self, target: &str, sampler: &str, measure: &str) -> impl Iterator<Item = &Cell> {
        self.0.iter().filter(move |c| c.target == target && c.sampler == sampler && c.measure == measure)
    }

    /// The names of the targets, in order.
    pub fn targets(&self) -> Vec<&str> {
        distinct(self.0.iter().map(|cell| cell.target.as_str()))
    }

    /// The names of the samplers, in order.
    pub fn samplers(&self) -> Vec<&str> {
        distinct(self.0.iter().map(|cell| cell.sampler.as_str()))
    }

    /// As a table, one line for each number.
    pub fn csv(&self) -> String {
        let mut table = Table::new(&["target", "sampler", "measure", "iterations", "mean", "low", "high", "chains"]);
        for cell in &self.0 {
            let Interval { mean, low, high } = cell.interval;
            let text = [cell.target.clone(), cell.sampler.clone(), cell.measure.clone(), cell.at.to_string()];
            table
                .row(text.into_iter().chain([mean, low, high].map(|x| x.to_string())).chain([cell.chains.to_string()]));
        }
        table.text()
    }
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    names.for_each(|name| {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    });
    distinct
}

/// A CSV file in the making.
pub struct Table(csv::Writer<Vec<u8>>);

impl Table {
    /// With these columns.
    pub fn new(columns: &[&str]) -> Self {
        let mut table = Self(csv::Writer::from_writer(Vec::new()));
        table.row(columns.iter().map(|column| (*column).to_owned()));
        table
    }

    /// Adds a line.
    pub fn row(&mut self, fields: impl IntoIterator<Item = String>) {
        let fields: Vec<String> = fields.into_iter().collect();
        self.0.write_record(&fields).expect("memory takes whatever is written, and rows are of one length");
    }

    /// Adds a line of numbers.
    pub fn numbers(&mut self, numbers: &[f64]) {
        self.row(numbers.iter().map(f64::to_string));
    }

    /// The file.
    pub fn text(self) -> String {
        String::from_utf8(self.0.into_inner().expect("memory")).expect("only text was written")
    }
}
