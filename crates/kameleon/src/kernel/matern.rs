//! The Matérn family in the paper's scaling: s = r/ρ, without the √(2ϑ) of common usage.
//!
//! k(s) = 2^(1−ϑ)/Γ(ϑ) · s^ϑ K_ϑ(s), whose gradient weight is k of order ϑ − 1, divided by 2ρ²(ϑ − 1). The orders 3/2 and
//! 5/2 have closed forms; any other order takes its weights from a table of that rougher kernel.

use super::{Block, Profile};
use crate::registry::{Range, USUAL_SIZE};
use crate::{settings, simd};
use libm::{exp, lgamma, log};
use multiversion::multiversion;
use puruspe::Inu_Knu;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, OnceLock};

settings! {
    /// The settings of [`Matern`].
    #[derive(Copy)]
    pub struct MaternSettings {
        /// The order ϑ, above 1 so that the kernel has a gradient.
        order: f64 = 1.5, Range::above(1.0, 50.0);
        /// The scale ρ; a common parametrisation with length ℓ has ρ = ℓ/√(2ϑ).
        rho: f64 = 1.0, USUAL_SIZE;
    }
}

/// The Matérn kernel of order ϑ and scale ρ.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Matern {
    order: f64,
    rho: f64,
    #[serde(skip)]
    table: OnceLock<Arc<Table>>,
}

impl PartialEq for Matern {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order && self.rho == other.rho
    }
}

impl Matern {
    /// The kernel of order ϑ and scale ρ.
    pub fn new(order: f64, rho: f64) -> Self {
        Self { order, rho, table: OnceLock::new() }
    }

    /// Its settings.
    pub fn settings(&self) -> MaternSettings {
        MaternSettings { order: self.order, rho: self.rho }
    }

    /// ϑ
    pub fn order(&self) -> f64 {
        self.order
    }

    /// ρ
    pub fn rho(&self) -> f64 {
        self.rho
    }
}

impl Profile for Matern {
    fn value(&self, r2: f64) -> f64 {
        unit_matern(self.order, r2.sqrt() / self.rho)
    }

    fn weight(&self, r2: f64) -> f64 {
        unit_matern(self.order - 1.0, r2.sqrt() / self.rho) / (2.0 * self.rho * self.rho * (self.order - 1.0))
    }

    fn weights(&self, r2: &mut Block) {
        let scale = 1.0 / (2.0 * self.rho * self.rho * (self.order - 1.0));
        if self.order == 1.5 {
            weights_three_halves(r2, self.rho, scale);
        } else if self.order == 2.5 {
            weights_five_halves(r2, self.rho, scale);
        } else {
            let table = self.table.get_or_init(|| Arc::new(Table::new(self.order - 1.0)));
            for r2 in r2.iter_mut() {
                *r2 = scale * table.at(r2.sqrt() / self.rho);
            }
        }
    }

    fn bandwidth(&self) -> Option<f64> {
        Some(self.rho * (2.0 * self.order).sqrt())
    }

    fn set_bandwidth(&mut self, sigma: f64) {
        self.rho = sigma / (2.0 * self.order).sqrt();
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn weights_three_halves(r2: &mut Block, rho: f64, scale: f64) {
    let inverse = 1.0 / rho;
    for r2 in r2.iter_mut() {
        *r2 = scale * simd::exp(-r2.sqrt() * inverse);
    }
}

#[multiversion(targets("x86_64+avx2+fma"))]
fn weights_five_halves(r2: &mut Block, rho: f64, scale: f64) {
    let inverse = 1.0 / rho;
    for r2 in r2.iter_mut() {
        let s = r2.sqrt() * inverse;
        *r2 = scale * (1.0 + s) * simd::exp(-s);
    }
}

/// 2^(1−ϑ)/Γ(ϑ) · s^ϑ K_ϑ(s), one at s = 0.
fn unit_matern(order: f64, s: f64) -> f64 {
    if order == 0.5 {
        exp(-s)
    } else if order == 1.5 {
        (1.0 + s) * exp(-s)
    } else if order == 2.5 {
        (1.0 + s + s * s / 3.0) * exp(-s)
    } else if s < 1e-12 {
        1.0
    } else if s > 700.0 {
        0.0
    } else {
        let log_scale = (1.0 - order) * std::f64::consts::LN_2 - lgamma(order) + order * log(s);
        exp(log_scale) * Inu_Knu(order, s).1
    }
}

/// The unit kernel on an even grid in ln s, where it is smooth, joined by cubics that match value and slope.
#[derive(Debug)]
struct Table {
    /// (value, slope × step) at each knot.
    knots: Vec<(f64, f64)>,
}

impl Table {
    const KNOTS: usize = 8192;
    const FIRST: f64 = -23.0;
    const STEP: f64 = (6.6 - Self::FIRST) / (Self::KNOTS - 1) as f64;

    fn new(order: f64) -> Self {
        let value = |t: f64| unit_matern(order, exp(t));
        let knots = (0..Self::KNOTS)
            .map(|k| {
                let t = Self::FIRST + k as f64 * Self::STEP;
                let h = 1e-3;
                let slope =
                    (8.0 * (value(t + h) - value(t - h)) - (value(t + 2.0 * h) - value(t - 2.0 * h))) / (12.0 * h);
                (value(t), slope * Self::STEP)
            })
            .collect();
        Self { knots }
    }

    fn at(&self, s: f64) -> f64 {
        let position = (log(s) - Self::FIRST) / Self::STEP;
        if position < 0.0 {
            return self.knots[0].0;
        }
        let k = position as usize;
        if k + 1 >= Self::KNOTS {
            return 0.0;
        }
        let u = position - k as f64;
        let ((v0, d0), (v1, d1)) = (self.knots[k], self.knots[k + 1]);
        let rise = v1 - v0;
        v0 + u * (d0 + u * ((3.0 * rise - 2.0 * d0 - d1) + u * (d0 + d1 - 2.0 * rise)))
    }
}
