//! The results of a comparison: one number for each target, sampler, measure and length of chain.

use crate::interval::Interval;
use crate::spec::Replicates;

/// One number.
pub struct Entry {
    pub target: String,
    pub sampler: String,
    pub measure: String,
    /// Iterations after the burn-in.
    pub at: u64,
    /// The mean over chains.
    pub interval: Interval,
    /// The number of chains.
    pub chains: usize,
}

/// All results of a study, in order.
#[derive(Default)]
pub struct Results(pub Vec<Entry>);

impl Results {
    /// Adds a number after this many iterations.
    pub fn add(&mut self, of: &Replicates, measure: &str, at: u64, interval: Interval) {
        self.0.push(Entry {
            target: of.target.clone(),
            sampler: of.sampler.clone(),
            measure: measure.into(),
            at,
            interval,
            chains: of.count * of.first.chains(),
        });
    }

    /// The number after the most iterations.
    pub fn last(&self, target: &str, sampler: &str, measure: &str) -> Option<&Interval> {
        self.curve(target, sampler, measure).max_by_key(|entry| entry.at).map(|entry| &entry.interval)
    }

    /// The numbers after more and more iterations.
    pub fn curve(&self, target: &str, sampler: &str, measure: &str) -> impl Iterator<Item = &Entry> {
        self.0.iter().filter(move |e| e.target == target && e.sampler == sampler && e.measure == measure)
    }

    /// The names of the targets, in order.
    pub fn targets(&self) -> Vec<&str> {
        distinct(self.0.iter().map(|entry| entry.target.as_str()))
    }

    /// The names of the samplers, in order.
    pub fn samplers(&self) -> Vec<&str> {
        distinct(self.0.iter().map(|entry| entry.sampler.as_str()))
    }

    /// As a table, one line for each number.
    pub fn csv(&self) -> String {
        let mut table = Table::new(&["target", "sampler", "measure", "iterations", "mean", "low", "high", "chains"]);
        for Entry { target, sampler, measure, at, interval: Interval { mean, low, high }, chains } in &self.0 {
            let names = [target, sampler, measure].map(String::clone);
            let numbers = [at.to_string(), mean.to_string(), low.to_string(), high.to_string(), chains.to_string()];
            table.row(names.into_iter().chain(numbers));
        }
        table.text()
    }
}

fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
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
