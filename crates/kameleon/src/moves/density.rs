//! The density that jumps are drawn from: a Student-t mixture in all white coordinates, or in a few directions times one t for
//! the rest, with a wide t around everything.
//!
//! Q(x) = [(1 − δ) M(Eu) t_ν(u − EᵀEu; 0, sI) + δ t₃(u; 0, 1.5 I)] / |A| with u = A⁻¹(x − m), where E has orthonormal rows.
//! Its tails are heavier than most targets': with lighter ones a chain may sit in a tail for long.

use super::Frame;
use crate::Rng;
use crate::linalg::{are_orthonormal, dot, multiply_lower, orthonormal_rows, solve_lower};
use crate::mixture::{Mixture, log_t_constant};
use crate::random::chi_squared;
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// The degrees of freedom and the squared scale of the wide part.
const WIDE: Student = Student { freedom: 3.0, scale: 1.5 };

/// Q, ready to be drawn from and evaluated.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JumpDensity {
    /// The white coordinates.
    pub frame: Frame,
    /// The few directions of the mixture and what the rest is drawn from; none if the mixture is in all directions.
    pub few: Option<FewDirections>,
    /// The mixture M.
    pub mixture: Mixture,
    /// δ, the share of the wide part.
    pub wide: f64,
}

/// A few directions, and the distribution of the rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FewDirections {
    /// E, row by row, in white coordinates.
    pub rows: Vec<f64>,
    /// The t of the rest.
    pub rest: Student,
}

/// A Student-t distribution around zero, the same in all directions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Student {
    /// ν
    pub freedom: f64,
    /// The squared scale.
    pub scale: f64,
}

impl Student {
    /// ln of its density in d dimensions at a squared distance.
    pub fn log_density(self, d: f64, squared: f64) -> f64 {
        let Self { freedom: nu, scale } = self;
        log_t_constant(d, nu) - 0.5 * d * libm::log(scale) - 0.5 * (nu + d) * libm::log1p(squared / (scale * nu))
    }

    /// Turns standard normals into a draw.
    fn stretch(self, z: &mut [f64], rng: &mut Rng) {
        let stretch = (self.scale * self.freedom / chi_squared(self.freedom, rng)).sqrt();
        z.iter_mut().for_each(|z| *z *= stretch);
    }

    fn is_valid(self) -> bool {
        self.freedom >= 2.0 && self.freedom.is_finite() && self.scale > 0.0 && self.scale.is_finite()
    }
}

impl JumpDensity {
    /// The most directions that are few.
    pub const MOST_DIRECTIONS: usize = 4;

    /// ln Q(x); `u` is room for the white coordinates.
    pub fn log_density(&self, x: &[f64], u: &mut [f64]) -> f64 {
        self.frame.coordinates(x, u);
        let (d, squared) = (u.len() as f64, dot(u, u));
        let near = match &self.few {
            None => self.mixture.log_density(u),
            Some(few) => {
                let mut room = [0.0; Self::MOST_DIRECTIONS];
                let s = few.coordinates(u, &mut room);
                let rest = (squared - dot(s, s)).max(0.0);
                self.mixture.log_density(s) + few.rest.log_density(d - s.len() as f64, rest)
            }
        };
        let wide = WIDE.log_density(d, squared);
        log_mix(near, wide, self.wide) - self.frame.log_volume()
    }

    /// Draws x from Q.
    pub fn draw(&self, rng: &mut Rng, x: &mut [f64]) {
        if rng.random::<f64>() < self.wide {
            normals(rng, x);
            WIDE.stretch(x, rng);
        } else if let Some(few) = &self.few {
            normals(rng, x);
            few.rest.stretch(x, rng);
            let mut room = [0.0; Self::MOST_DIRECTIONS];
            let s = &mut room[..self.mixture.dim()];
            self.mixture.draw(rng, s);
            for (row, s) in few.rows.chunks_exact(x.len()).zip(s) {
                let change = *s - dot(row, x);
                x.iter_mut().zip(row).for_each(|(x, e)| *x += change * e);
            }
        } else {
            self.mixture.draw(rng, x);
        }
        self.frame.point(x);
    }

    /// Whether what was read from elsewhere is a density in `dim` dimensions.
    pub fn fits(&self, dim: usize) -> bool {
        let directions = self.mixture.dim();
        let few = |few: &FewDirections| {
            few.rows.len() == directions * dim
                && directions <= Self::MOST_DIRECTIONS.min(dim - 1)
                && are_orthonormal(&few.rows, dim)
                && few.rest.is_valid()
        };
        self.frame.fits(dim) && self.few.as_ref().map_or(directions == dim, few) && self.wide > 0.0 && self.wide < 1.0
    }
}

impl FewDirections {
    /// Writes s = Eu.
    pub fn coordinates<'a>(&self, u: &[f64], room: &'a mut [f64; JumpDensity::MOST_DIRECTIONS]) -> &'a [f64] {
        let s = &mut room[..self.rows.len() / u.len()];
        s.iter_mut().zip(self.rows.chunks_exact(u.len())).for_each(|(s, row)| *s = dot(row, u));
        s
    }

    /// The same directions in another white frame; fewer if they can hardly be told apart there.
    pub fn rows_in(&self, from: &Frame, to: &Frame) -> Vec<f64> {
        let mut rows = self.rows.clone();
        for row in rows.chunks_exact_mut(to.dim()) {
            multiply_lower(&from.factor, row);
            solve_lower(&to.factor, row);
        }
        orthonormal_rows(&rows, to.dim())
    }
}

fn normals(rng: &mut Rng, z: &mut [f64]) {
    z.iter_mut().for_each(|z| *z = rng.sample(StandardNormal));
}

/// ln((1 − δ)e^near + δe^wide)
fn log_mix(near: f64, wide: f64, delta: f64) -> f64 {
    let (near, wide) = (near + libm::log1p(-delta), wide + libm::log(delta));
    let (high, low) = if near > wide { (near, wide) } else { (wide, near) };
    high + libm::log1p(libm::exp(low - high))
}

#[cfg(test)]
mod tests;
