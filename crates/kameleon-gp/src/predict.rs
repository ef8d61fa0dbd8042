//! Class probabilities for new rows, averaged over posterior draws of θ.

use crate::estimate::log_mean_exp;
use crate::laplace::Accuracy;
use crate::linalg::dot;
use crate::quadrature::Quadrature;
use crate::{GpClassification, GpError, Inputs};
use kameleon::Rng;
use rand_distr::{Distribution, StandardNormal};

/// How the latent values of the training rows enter a prediction.
pub enum Latents<'a> {
    /// Through the normal approximation q(f|y,θ), converged: fast, with the approximation's own error (EP's is small).
    Approximate,
    /// Through n_imp draws from q, weighted by p(f|y,θ)/q(f): exact in the limit of many samples. The weights are
    /// normalised for each θ, which leaves a bias of order 1/n_imp.
    Weighted(&'a mut Rng),
}

/// Probabilities for new rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// p(y = +1|x) for each row.
    pub probabilities: Vec<f64>,
    /// The number of draws of θ in the average.
    pub draws: usize,
    /// The number of draws of θ that could not be evaluated and were left out.
    pub rejected: usize,
}

impl GpClassification {
    /// p(y = +1|x) for each row of `new`, averaged over the draws of θ in `thetas`, which are concatenated.
    ///
    /// For each θ the latent value at x is normal, and the likelihood is integrated over it (by quadrature if logistic).
    pub fn predict(&mut self, thetas: &[f64], new: &Inputs, mut latents: Latents<'_>) -> Result<Prediction, GpError> {
        let dim = self.model.dim();
        if !thetas.len().is_multiple_of(dim) {
            let count = thetas.len();
            return Err(GpError(format!("{count} numbers cannot be split into draws of {dim} coordinates")));
        }
        if new.names() != self.columns() {
            let (given, known) = (new.names().join(", "), self.columns().join(", "));
            return Err(GpError(format!("the new rows have columns {given}, not {known}")));
        }
        let rows = rows(&self.transform.apply(new));
        let mut sums = vec![0.0; rows.len()];
        let mut draws = 0;
        let mut predictor = Predictor::new(self.model.y.len());
        for theta in thetas.chunks_exact(dim) {
            if self.model.fit(theta, Accuracy::Converged).is_err() {
                continue;
            }
            draws += 1;
            match &mut latents {
                Latents::Approximate => predictor.approximate(self, &rows, &mut sums),
                Latents::Weighted(rng) => predictor.weighted(self, &rows, rng, &mut sums),
            }
        }
        let given = thetas.len() / dim;
        if draws == 0 {
            return Err(GpError::none_usable(given));
        }
        let probabilities = sums.iter().map(|sum| sum / draws as f64).collect();
        Ok(Prediction { probabilities, draws, rejected: given - draws })
    }
}

/// The standardised new rows, each contiguous.
fn rows(inputs: &Inputs) -> Vec<Vec<f64>> {
    (0..inputs.rows()).map(|i| (0..inputs.dim()).map(|d| inputs.column(d)[i]).collect()).collect()
}

/// Memory for predictions at one θ.
struct Predictor {
    quadrature: Quadrature,
    cross: Vec<f64>,
    whitened: Vec<f64>,
    normals: Vec<f64>,
    weights: Vec<f64>,
    /// For each draw e, We + W^½u₂: K⁻¹e without the part that comes from u₁.
    pulls: Vec<f64>,
}

impl Predictor {
    fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self {
            quadrature: Quadrature::new(),
            cross: zeros(),
            whitened: zeros(),
            normals: Vec::new(),
            weights: Vec::new(),
            pulls: Vec::new(),
        }
    }

    fn approximate(&mut self, target: &GpClassification, rows: &[Vec<f64>], sums: &mut [f64]) {
        let model = &target.model;
        let prior = model.hyper.amplitude2 + model.jitter;
        for (row, sum) in rows.iter().zip(sums) {
            model.covariance.cross(&model.hyper, row, &mut self.cross);
            let mean = dot(&self.cross, &model.latent.a);
            let variance = model.latent.variance(&mut self.cross, prior);
            *sum += target.settings().likelihood.probability(mean, variance, &self.quadrature);
        }
    }

    /// With f = m ± e, the latent value at x has mean cᵀK⁻¹f and variance k(x, x) − cᵀK⁻¹c, c its covariances. Since
    /// K⁻¹e = L⁻ᵀu₁ − We − W^½u₂ for a draw e, all that is needed of K is its factor.
    fn weighted(&mut self, target: &mut GpClassification, rows: &[Vec<f64>], rng: &mut Rng, sums: &mut [f64]) {
        self.sample(target, rng);
        let (model, n) = (&target.model, target.model.y.len());
        let prior = model.hyper.amplitude2 + model.jitter;
        let per_draw = if target.settings().antithetic { 2 } else { 1 };
        for (row, sum) in rows.iter().zip(sums) {
            model.covariance.cross(&model.hyper, row, &mut self.cross);
            self.whitened.copy_from_slice(&self.cross);
            model.k_factor.solve_lower(&mut self.whitened);
            let variance = (prior - dot(&self.whitened, &self.whitened)).max(0.0);
            let centre = dot(&self.cross, &model.latent.a);
            let draws = self.normals.chunks_exact(2 * n).zip(self.pulls.chunks_exact(n));
            for (weights, (u, pull)) in self.weights.chunks(per_draw).zip(draws) {
                let shift = dot(&self.whitened, &u[..n]) - dot(&self.cross, pull);
                for (weight, mean) in weights.iter().zip([centre + shift, centre - shift]) {
                    *sum += weight * target.settings().likelihood.probability(mean, variance, &self.quadrature);
                }
            }
        }
    }

    /// Draws from q at the θ of the last fit, and normalises the weights.
    fn sample(&mut self, target: &mut GpClassification, rng: &mut Rng) {
        let (model, estimator) = (&target.model, &mut target.estimator);
        let n = model.y.len();
        self.normals.resize(estimator.normals(), 0.0);
        self.normals.fill_with(|| StandardNormal.sample(rng));
        estimator.log_estimate(&model.y, &model.k_factor, &model.latent, &self.normals);
        let log_weights = &estimator.log_weights;
        let total = log_mean_exp(log_weights) + (log_weights.len() as f64).ln();
        self.weights.clear();
        self.weights.extend(log_weights.iter().map(|w| (w - total).exp()));
        self.pulls.clear();
        for (e, u) in estimator.draws.chunks_exact(n).zip(self.normals.chunks_exact(2 * n)) {
            let (w, root) = (&model.latent.w, &model.latent.sqrt_w);
            self.pulls.extend((0..n).map(|i| w[i] * e[i] + root[i] * u[n + i]));
        }
    }
}
