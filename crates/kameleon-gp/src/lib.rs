//! Binary Gaussian-process classification whose marginal likelihood is known through an unbiased estimate.

mod covariance;
mod data;
mod ep;
mod error;
mod estimate;
mod glass;
mod laplace;
mod latent;
mod likelihood;
mod linalg;
mod model;
mod parameters;
mod pilot;
mod posterior;
mod predict;
mod quadrature;
mod settings;
mod standardise;

pub use covariance::Covariance;
pub use data::{Dataset, Inputs};
pub use error::GpError;
pub use glass::glass;
pub use likelihood::Likelihood;
pub use pilot::{Candidate, Pilot};
pub use posterior::{GpClassification, Statistics};
pub use predict::{Latents, Prediction};
pub use settings::{Approximation, Parametrisation, Settings};
pub use standardise::{Standardise, Transform};
