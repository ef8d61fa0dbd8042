//! Class probabilities against direct integration over the latent values.

use kameleon::random::{self, Purpose};
use kameleon_gp::{
    Approximation, Dataset, GpClassification, Inputs, Latents, Likelihood, Settings, Standardise, glass,
};

const X: [f64; 3] = [-0.7, 0.4, 1.1];
const Y: [f64; 3] = [-1.0, 1.0, 1.0];

fn small() -> Dataset {
    Dataset::new(Inputs::new(vec!["x".into()], X.to_vec()).unwrap(), Y.to_vec()).unwrap()
}

fn settings(approximation: Approximation, likelihood: Likelihood) -> Settings {
    Settings { approximation, likelihood, standardise: Standardise::None, amplitude: true, ..Settings::default() }
}

fn likelihood(kind: Likelihood, z: f64) -> f64 {
    match kind {
        Likelihood::Logistic => 1.0 / (1.0 + (-z).exp()),
        Likelihood::Probit => 0.5 * spec_math::Erf::erfc(&(-z * std::f64::consts::FRAC_1_SQRT_2)),
    }
}

/// p(y₁ … y_n) by a fine product rule over u, f = L u: the rule is exact to far more digits than are compared.
fn marginal(kind: Likelihood, x: &[f64], y: &[f64], theta: [f64; 2]) -> f64 {
    let n = x.len();
    let k = |i: usize, j: usize| {
        let jitter = if i == j { 1e-8 } else { 0.0 };
        theta[1].exp() * (-0.5 * (x[i] - x[j]).powi(2) * (-theta[0]).exp()).exp() + jitter
    };
    let mut l = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let rest = k(i, j) - (0..j).map(|m| l[i][m] * l[j][m]).sum::<f64>();
            l[i][j] = if i == j { rest.sqrt() } else { rest / l[j][j] };
        }
    }
    fn integrate(kind: Likelihood, l: &[Vec<f64>], y: &[f64], u: &mut Vec<f64>) -> f64 {
        let i = u.len();
        if i == y.len() {
            return 1.0;
        }
        let step = 0.3;
        (-24..=24)
            .map(|t| {
                u.push(f64::from(t) * step);
                let f: f64 = l[i].iter().zip(u.iter()).map(|(l, u)| l * u).sum();
                let weight = step * (-0.5 * u[i] * u[i]).exp() / std::f64::consts::TAU.sqrt();
                let value = weight * likelihood(kind, y[i] * f) * integrate(kind, l, y, u);
                u.pop();
                value
            })
            .sum()
    }
    integrate(kind, &l, y, &mut Vec::new())
}

/// p(y* = +1|y) as a ratio of marginals.
fn exact(kind: Likelihood, new: f64, theta: [f64; 2]) -> f64 {
    let with_new = marginal(kind, &[X.as_slice(), &[new]].concat(), &[Y.as_slice(), &[1.0]].concat(), theta);
    with_new / marginal(kind, &X, &Y, theta)
}

#[test]
fn predictions_agree_with_direct_integration() {
    let thetas = [[0.3, 1.0], [-0.5, 0.2]];
    let new = [-1.5, 0.0, 0.4, 2.5];
    let inputs = Inputs::new(vec!["x".into()], new.to_vec()).unwrap();
    for kind in [Likelihood::Logistic, Likelihood::Probit] {
        let truth = new.map(|x| thetas.iter().map(|&theta| exact(kind, x, theta)).sum::<f64>() / 2.0);
        for (approximation, tolerance) in [(Approximation::Laplace, 0.03), (Approximation::Ep, 0.005)] {
            let mut target = GpClassification::new(&small(), settings(approximation, kind)).unwrap();
            let near = target.predict(thetas.as_flattened(), &inputs, Latents::Approximate).unwrap();
            target.set_n_imp(20_000).unwrap();
            let mut rng = random::stream(1, 0, Purpose::Noise);
            let weighted = target.predict(thetas.as_flattened(), &inputs, Latents::Weighted(&mut rng)).unwrap();
            assert_eq!((near.draws, near.rejected), (2, 0));
            for (i, truth) in truth.iter().enumerate() {
                let (near, weighted) = (near.probabilities[i], weighted.probabilities[i]);
                assert!((near - truth).abs() < tolerance, "{kind:?} {approximation:?} {i}: {near} {truth}");
                // Standard errors are about 0.001 at most.
                assert!((weighted - truth).abs() < 0.004, "{kind:?} {approximation:?} {i}: {weighted} {truth}");
            }
        }
    }
}

#[test]
fn known_rows_of_glass_are_mostly_recognised() {
    let data = glass();
    let mut target = GpClassification::new(&data, Settings { n_imp: 20, ..Settings::default() }).unwrap();
    let theta = [2.3, 2.75, -0.9, 2.5, 2.9, 1.55, 2.0, 2.4, 3.1];
    let near = target.predict(&theta, data.inputs(), Latents::Approximate).unwrap().probabilities;
    let right = near.iter().zip(data.y()).filter(|(p, y)| (**p > 0.5) == (**y > 0.0)).count();
    assert!(right > 200, "{right} of 214");
    let mut rng = random::stream(2, 0, Purpose::Noise);
    let weighted = target.predict(&theta, data.inputs(), Latents::Weighted(&mut rng)).unwrap().probabilities;
    assert!(near.iter().zip(&weighted).all(|(a, b)| (a - b).abs() < 0.15));
}

#[test]
fn draws_that_cannot_be_evaluated_are_left_out_and_counted() {
    let mut target = GpClassification::new(&small(), settings(Approximation::Laplace, Likelihood::Logistic)).unwrap();
    let inputs = Inputs::new(vec!["x".into()], vec![0.0]).unwrap();
    let prediction = target.predict(&[0.0, 0.0, -1e4, 0.0], &inputs, Latents::Approximate).unwrap();
    assert_eq!((prediction.draws, prediction.rejected), (1, 1));
    let complaint = |thetas: &[f64], inputs: &Inputs, target: &mut GpClassification| {
        target.predict(thetas, inputs, Latents::Approximate).unwrap_err().to_string()
    };
    assert_eq!(complaint(&[-1e4, 0.0], &inputs, &mut target), "none of the 1 values of θ can be evaluated");
    assert_eq!(complaint(&[0.0; 3], &inputs, &mut target), "3 numbers cannot be split into draws of 2 coordinates");
    let other = Inputs::new(vec!["z".into()], vec![0.0]).unwrap();
    assert_eq!(complaint(&[0.0; 2], &other, &mut target), "the new rows have columns z, not x");
}
