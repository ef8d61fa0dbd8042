//! Gaussian-process classification as a model, with n_imp chosen before the run.

use crate::error::RunError;
use crate::settings::{GpSettings, ModelSettings, Samples};
use kameleon_gp::{Approximation, Covariance, Dataset, GpClassification, Likelihood, Parametrisation, Settings};

/// A classification problem, ready to be sampled.
#[derive(Clone)]
pub struct GpModel {
    /// p(θ|y)
    pub target: GpClassification,
    /// How a pilot chose n_imp, unless the user did.
    pub pilot: Option<String>,
    /// "214 rows, 9 columns; …"
    about: String,
    /// The classes, −1 first.
    pub classes: [String; 2],
}

impl GpModel {
    /// The problem that the settings describe, with n_imp chosen.
    pub(crate) fn open(settings: &ModelSettings, seed: u64) -> Result<Self, RunError> {
        let gp = settings.classification()?;
        let wrong = |error: kameleon_gp::GpError| RunError::Gp(format!("{}: {error}", settings.name()));
        let data = gp.dataset()?;
        let target = GpClassification::new(&data, gp.model_settings()?).map_err(wrong)?;
        let mut model = Self { target, pilot: gp.pilot, about: describe(&data), classes: data.classes().clone() };
        if gp.n_imp == Samples::Auto {
            let pilot = model.target.choose_n_imp(seed).map_err(wrong)?;
            model.target.set_n_imp(pilot.chosen.n_imp).map_err(wrong)?;
            model.pilot = Some(pilot.sentence());
        }
        Ok(model)
    }

    /// Puts the choice of n_imp into the settings.
    pub(crate) fn settle(&self, settings: &mut GpSettings) {
        settings.n_imp = Samples::Count(self.target.settings().n_imp);
        settings.pilot = self.pilot.clone();
    }

    /// The data, the model and the choice of n_imp: lines for the head of a report.
    pub fn introduction(&self) -> String {
        let choice = match &self.pilot {
            Some(sentence) => format!("chosen by a pilot run: {sentence}"),
            None => format!("n_imp = {}, as set by the user", self.target.settings().n_imp),
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
