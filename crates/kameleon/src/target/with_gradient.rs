//! A target made of one function that gives the log density and writes its gradient.

use super::{Evaluation, IntoEvaluation, Noise, Target};

/// A closure `|x: &[f64], gradient: &mut [f64]| -> f64` as a target with a gradient.
///
/// ```
/// use kameleon::{Control, Plan, Sampler, Warmup, sample, target::WithGradient};
///
/// let normal = WithGradient::new(2, |x: &[f64], gradient: &mut [f64]| {
///     gradient[0] = -x[0];
///     gradient[1] = -x[1] / 9.0;
///     -0.5 * (x[0] * x[0] + x[1] * x[1] / 9.0)
/// });
/// let plan = Plan { sampler: Sampler::pmala(), warmup: Warmup::Iterations(700), draws: Some(200), ..Plan::default() };
/// let run = sample(normal, &[vec![0.0, 0.0]], &plan, Control::default())?;
/// # assert_eq!(run.chains[0].draws.len(), 200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct WithGradient<F> {
    function: F,
    /// Room for a gradient that nobody asked for.
    unused: Vec<f64>,
}

impl<F, R> WithGradient<F>
where
    F: FnMut(&[f64], &mut [f64]) -> R,
    R: IntoEvaluation,
{
    /// In `dim` dimensions.
    pub fn new(dim: usize, function: F) -> Self {
        Self { function, unused: vec![0.0; dim] }
    }
}

impl<F, R> Target for WithGradient<F>
where
    F: FnMut(&[f64], &mut [f64]) -> R,
    R: IntoEvaluation,
{
    fn dim(&self) -> Option<usize> {
        Some(self.unused.len())
    }

    fn log_density(&mut self, x: &[f64], _noise: Noise<'_>) -> Evaluation {
        (self.function)(x, &mut self.unused).into_evaluation()
    }

    fn has_gradient(&self) -> bool {
        true
    }

    fn gradient(&mut self, x: &[f64], _noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        (self.function)(x, gradient).into_evaluation()
    }
}
