//! A log density written as an expression of named parameters.
//!
//! It is compiled once to instructions for a small stack machine; an evaluation neither parses nor allocates. Its functions
//! are those of the crate `libm`, so an expression has the same values on every machine.

mod code;
mod function;
mod parse;

use crate::error::{ModelError, check_names};
use crate::number::{self, Dual};
use code::Code;
use kameleon::{EvalError, Evaluation, Noise, Target};

/// A log density such as `-(x1^2)/200 - (x2 - 0.1*(x1^2 - 100))^2/2`.
///
/// It may have `+ - * / ^` (also `**`) with the usual precedence: `-x^2` is −(x²), `a^b^c` is a^(bᶜ); numbers such as
/// `1.5e-3`; the constants `pi`, `tau`, `e` and `inf`; and the functions of [`Expression::functions`]. A parameter
/// whose name is not a plain word is written in braces: `{log rate}`. A parameter takes precedence over a
/// constant of the same name.
#[derive(Clone, Debug)]
pub struct Expression {
    names: Vec<String>,
    code: Code,
    stack: Vec<f64>,
    /// The point and the stack with slopes, once a gradient was asked for.
    point: Vec<Dual>,
    slopes: Vec<Dual>,
}

impl Expression {
    /// Parses the expression. The coordinates of a point are the parameters in the order of `names`.
    pub fn new(text: &str, names: &[String]) -> Result<Self, ModelError> {
        check_names(names)?;
        let code = parse::parse(text, names)?;
        let stack = vec![0.0; code.depth()];
        Ok(Self { names: names.to_vec(), code, stack, point: Vec::new(), slopes: Vec::new() })
    }

    /// The value at `x`.
    ///
    /// # Panics
    /// If `x` has fewer coordinates than there are parameters.
    pub fn value(&mut self, x: &[f64]) -> f64 {
        self.code.run(x, &mut self.stack)
    }

    /// The value at `x`, and its gradient: exact, by forward mode.
    ///
    /// # Panics
    /// If `x` or `gradient` has fewer coordinates than there are parameters.
    pub fn value_and_gradient(&mut self, x: &[f64], gradient: &mut [f64]) -> f64 {
        self.slopes.resize(self.code.depth(), Dual::default());
        number::gradient(x, &mut self.point, gradient, |x| self.code.run(x, &mut self.slopes))
    }

    fn check(&self, x: &[f64]) -> Result<(), EvalError> {
        let (found, wanted) = (x.len(), self.names.len());
        match found == wanted {
            true => Ok(()),
            false => Err(EvalError::fatal(format!("a point must have {wanted} coordinates, not {found}"))),
        }
    }

    /// The names of all functions that an expression may use.
    pub fn functions() -> Vec<&'static str> {
        function::names()
    }
}

impl Target for Expression {
    fn dim(&self) -> Option<usize> {
        Some(self.names.len())
    }

    fn names(&self, _dim: usize) -> Vec<String> {
        self.names.clone()
    }

    fn log_density(&mut self, x: &[f64], _noise: Noise<'_>) -> Evaluation {
        self.check(x)?;
        Ok(self.value(x))
    }

    fn has_gradient(&self) -> bool {
        true
    }

    fn gradient(&mut self, x: &[f64], _noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        self.check(x)?;
        Ok(self.value_and_gradient(x, gradient))
    }
}
