//! The reference values on the Glass data, and normals to estimate with.

// Each test program uses its own part of this.
#![allow(dead_code)]

use kameleon::random::{self, Purpose};
use rand_distr::{Distribution, StandardNormal};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
pub struct Reference {
    pub cases: Vec<Case>,
    pub exact: Vec<Exact>,
}

/// One θ. Values are keyed by the jitter they were computed with.
#[derive(Deserialize)]
pub struct Case {
    pub name: String,
    pub standardise: kameleon_gp::Standardise,
    pub theta: Vec<f64>,
    pub k: Checksums,
    pub laplace: BTreeMap<String, f64>,
    pub ep: BTreeMap<String, f64>,
    pub truth: Truth,
    pub probit: Option<Probit>,
}

/// Entries (counted from 1) and sums of K without jitter.
#[derive(Deserialize)]
pub struct Checksums {
    #[serde(rename = "K_1_2")]
    pub k_1_2: f64,
    #[serde(rename = "K_1_214")]
    pub k_1_214: f64,
    #[serde(rename = "K_100_200")]
    pub k_100_200: f64,
    pub sum: f64,
    pub frob2: f64,
}

/// log p(y|θ) by long importance sampling.
#[derive(Deserialize)]
pub struct Truth {
    pub value: f64,
    pub se: f64,
}

#[derive(Deserialize)]
pub struct Probit {
    pub probit_ep: f64,
    pub probit_laplace: f64,
}

/// Three rows, for which log p(y|θ) is known by quadrature.
#[derive(Deserialize)]
pub struct Exact {
    pub rows_1based: Vec<usize>,
    pub theta: Vec<f64>,
    pub exact: f64,
    pub laplace: f64,
    pub ep: f64,
}

pub fn reference() -> Reference {
    serde_json::from_str(include_str!("../data/glass_reference.json")).unwrap()
}

pub fn normals(seed: u64, stream: u64, count: usize) -> Vec<f64> {
    let mut rng = random::stream(seed, stream, Purpose::Noise);
    (0..count).map(|_| StandardNormal.sample(&mut rng)).collect()
}

/// log of the mean of e^x and its standard error.
pub fn log_mean_exp(x: &[f64]) -> (f64, f64) {
    let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (mean, sd) = mean_sd(&x.iter().map(|x| (x - largest).exp()).collect::<Vec<_>>());
    (largest + mean.ln(), sd / mean / (x.len() as f64).sqrt())
}

pub fn mean_sd(x: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    (mean, (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt())
}
