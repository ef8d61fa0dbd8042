//! Gaussian-process classification as a target of the program, with n_imp chosen before the run.

mod args;
mod report;

pub use args::GpArgs;
pub use report::GpReport;

use anyhow::{Context, Result};
use kameleon_gp::{Approximation, Covariance, Dataset, GpClassification, Likelihood, Parametrisation, Pilot, Settings};
use std::io::IsTerminal;

/// A classification problem, ready to be sampled.
#[derive(Clone)]
pub struct GpModel {
    /// p(θ|y)
    pub target: GpClassification,
    /// What chose n_imp, unless the user did.
    pilot: Option<Pilot>,
    name: String,
    about: String,
}

impl GpModel {
    /// The problem that the flags describe, with n_imp chosen; `target` is glass or gp.
    pub fn new(target: &str, args: &GpArgs, seed: u64, quiet: bool) -> Result<Self> {
        let (data, name) = args.dataset(target)?;
        let about = describe(&data);
        let target = GpClassification::new(&data, args.settings()?).with_context(|| name.clone())?;
        let mut model = Self { target, pilot: None, name, about };
        if args.is_automatic() {
            if !quiet && std::io::stderr().is_terminal() {
                eprintln!("choosing n_imp by a short pilot chain …");
            }
            let pilot = model.target.choose_n_imp(seed)?;
            model.target.set_n_imp(pilot.chosen.n_imp)?;
            model.pilot = Some(pilot);
        }
        Ok(model)
    }

    /// What is sampled, as a person would say it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether a pilot chose n_imp.
    fn is_piloted(&self) -> bool {
        self.pilot.is_some()
    }

    /// The data, the model and the choice of n_imp: lines for the head of a report.
    pub fn introduction(&self) -> String {
        let choice = match &self.pilot {
            Some(pilot) => format!("chosen by a pilot: {}", pilot.sentence()),
            None => format!("n_imp = {}, as asked for", self.target.settings().n_imp),
        };
        format!("{}\n{}\n{choice}\n", self.about, in_words(self.target.settings()))
    }
}

/// "Gaussian covariance, logistic likelihood, samples from Laplace's approximation, θ = log ℓ²"
fn in_words(settings: &Settings) -> String {
    let covariance = match settings.covariance {
        Covariance::Gaussian => "Gaussian",
        Covariance::Matern32 => "Matérn 3/2",
        Covariance::Matern52 => "Matérn 5/2",
    };
    let likelihood = match settings.likelihood {
        Likelihood::Logistic => "logistic",
        Likelihood::Probit => "probit",
    };
    let approximation = match settings.approximation {
        Approximation::Laplace => "Laplace's approximation",
        Approximation::Ep => "EP",
    };
    let meaning = match settings.parametrisation {
        Parametrisation::LogSquaredLengthScale => "θ = log ℓ²",
        Parametrisation::Published => "θ = log weight, as in the published runs",
    };
    format!("{covariance} covariance, {likelihood} likelihood, samples from {approximation}, {meaning}")
}

/// "214 rows, 9 columns; +1 is window (163 rows), −1 is other (51 rows)"
fn describe(data: &Dataset) -> String {
    let (rows, columns) = (data.y().len(), data.inputs().dim());
    let positive = data.y().iter().filter(|y| **y > 0.0).count();
    let [low, high] = data.classes();
    let negative = rows - positive;
    format!("{rows} rows, {columns} columns; +1 is {high} ({positive} rows), −1 is {low} ({negative} rows)")
}
