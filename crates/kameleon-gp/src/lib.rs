//! Binary Gaussian-process classification with an unbiased estimate of the marginal likelihood.
//!
//! [`GpClassification`] is a [`kameleon::Target`]: p(θ|y) for the length scales θ of a Gaussian process whose sign decides
//! between two classes. Laplace's approximation or EP gives a normal q(f|y,θ); importance samples from it estimate
//! p(y|θ) without bias, which is all that an exact chain needs.
//!
//! ```
//! use kameleon::Target;
//! use kameleon_gp::{GpClassification, Latents, Settings, glass};
//!
//! let data = glass(); // or Dataset::read(file, "label", None)
//! let mut target = GpClassification::new(&data, Settings { n_imp: 4, ..Settings::default() })?;
//! assert_eq!(target.names(9)[2], "log_l2[Mg]");
//!
//! let theta = [2.3, 2.75, -0.9, 2.5, 2.9, 1.55, 2.0, 2.4, 3.1];
//! let u = vec![0.1; target.normals()]; // standard normals, in a chain
//! let estimate = target.log_estimate(&theta, &u)?;
//! assert!((estimate - target.log_marginal(&theta)?).abs() < 1.0);
//!
//! println!("{}", target.pilot(&[theta.to_vec()], 1)?); // the best number of samples; or target.choose_n_imp(1)
//! let p = target.predict(&theta, data.inputs(), Latents::Approximate)?.probabilities;
//! assert!(p[0] > 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
mod statistics;

pub use covariance::Covariance;
pub use data::{Dataset, Inputs};
pub use error::GpError;
pub use glass::{GLASS, GlassSettings, glass};
pub use likelihood::Likelihood;
pub use pilot::{Candidate, Pilot};
pub use posterior::GpClassification;
pub use predict::{Latents, Prediction};
pub use settings::{Approximation, Parametrisation, Settings};
pub use standardise::{Standardise, Transform};
pub use statistics::Statistics;
