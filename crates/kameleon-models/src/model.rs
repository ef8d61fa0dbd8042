//! Any of the models as one type, for programs that learn only at run time which one it is.

#[cfg(unix)]
use crate::Program;
use crate::{Expression, NoiseInput, SharedLibrary, UmBridge};
use kameleon::{Evaluation, Noise, Target};

/// A log density from outside Rust.
#[derive(Clone, Debug)]
pub enum Model {
    /// An expression of the parameters.
    Expression(Expression),
    /// A program over standard input and output.
    #[cfg(unix)]
    Program(Program),
    /// A function in a shared library.
    Library(SharedLibrary),
    /// A model on a UM-Bridge server.
    UmBridge(UmBridge),
}

impl Model {
    /// Whether it is noisy, and where its randomness comes from.
    pub fn noise(&self) -> NoiseInput {
        match self {
            Self::Expression(_) => NoiseInput::Exact,
            #[cfg(unix)]
            Self::Program(model) => model.noise(),
            Self::Library(model) => model.noise(),
            Self::UmBridge(model) => model.noise(),
        }
    }

    fn target(&self) -> &dyn Target {
        match self {
            Self::Expression(model) => model,
            #[cfg(unix)]
            Self::Program(model) => model,
            Self::Library(model) => model,
            Self::UmBridge(model) => model,
        }
    }
}

impl Target for Model {
    fn dim(&self) -> Option<usize> {
        self.target().dim()
    }

    fn names(&self, dim: usize) -> Vec<String> {
        self.target().names(dim)
    }

    fn normals(&self) -> usize {
        self.target().normals()
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        match self {
            Self::Expression(model) => model.log_density(x, noise),
            #[cfg(unix)]
            Self::Program(model) => model.log_density(x, noise),
            Self::Library(model) => model.log_density(x, noise),
            Self::UmBridge(model) => model.log_density(x, noise),
        }
    }
}
