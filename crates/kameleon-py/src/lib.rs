//! The extension module `kameleon._kameleon`: the Rust side of the Python package, and no more than that.
//!
//! What users see is written in Python (`python/kameleon`); here values are converted and chains are run.

mod array;
mod callable;
mod chain;
mod diagnose;
mod ensemble;
mod error;
mod executor_bridge;
mod gp;
mod json;
mod pointer;
mod posterior;
mod prior;
mod program;
mod python_prior;
mod reweight;
mod rows;
mod run;
mod sampler;
mod session;
mod target;
mod thin;
mod words;

use pyo3::prelude::*;

/// The Rust side of the Python package `kameleon`.
#[pymodule]
mod _kameleon {
    #[pymodule_export]
    use crate::chain::PyChain;
    #[pymodule_export]
    use crate::diagnose::{autocorrelation, diagnostic, mmd2, summarise};
    #[pymodule_export]
    use crate::ensemble::PyEnsemble;
    #[pymodule_export]
    use crate::executor_bridge::work;
    #[pymodule_export]
    use crate::gp::{Gp, glass_data};
    #[pymodule_export]
    use crate::posterior::{load, report, save, settings_of, summarise_posterior};
    #[pymodule_export]
    use crate::prior::{prior_draws, prior_log_density, prior_support};
    #[pymodule_export]
    use crate::program::run_program;
    #[pymodule_export]
    use crate::reweight::{expression, reweight};
    #[pymodule_export]
    use crate::run::{Ran, run};
    #[pymodule_export]
    use crate::sampler::{check_kernel, check_sampler, registry};
    #[pymodule_export]
    use crate::target::{PyTarget, observed};
    #[pymodule_export]
    use crate::thin::thin;

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
