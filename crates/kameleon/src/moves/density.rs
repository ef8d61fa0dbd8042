//! The density that jumps are drawn from: a Student-t mixture in all white coordinates, or in a few directions times one t for
//! the rest, with a wide t around everything.
//!
//! Q(x) = [(1 − δ) M(Eu) t_ν(u − EᵀEu; 0, sI) + δ t₃(u; 0, 1.5 I)] / |A| with u = A⁻¹(x − m), where E has orthonormal rows.
//! Its tails are heavier than most targets': with lighter ones a chain may sit in a tail for long.

mod block;

use super::Frame;
use crate::Rng;
use crate::linalg::{are_orthonormal, dot, multiply_lower, orthonormal_rows, solve_lower};
use crate::mixture::{LANES, MOST_GROUPS, Mixture, log_t_constant};
use crate::random::chi_squared;
use crate::step::Drawn;
use rand::RngExt;
use rand_distr::StandardNormal;
use serde::{Deserialize, Serialize};

/// Parts of a density are numbered by a byte: the wide one and the components, and one number that stands for none.
const _: () = assert!(1 + LANES * MOST_GROUPS < Drawn::NO_PART as usize);

/// The degrees of freedom and the squared scale of the wide part.
const WIDE: Student = Student { freedom: 3.0, scale: 1.5 };

/// A density that is known in full: it can be drawn from and evaluated.
pub trait Density: Clone {
    /// d
    fn dim(&self) -> usize;

    /// ln of it at x; `u` is room for d numbers.
    fn log_density(&self, x: &[f64], u: &mut [f64]) -> f64;

    /// ln of it at each of some points.
    fn log_densities<'a>(&self, points: impl Iterator<Item = &'a [f64]>) -> Vec<f64> {
        let mut u = vec![0.0; self.dim()];
        points.map(|x| self.log_density(x, &mut u)).collect()
    }

    /// Draws x from it.
    fn draw(&self, rng: &mut Rng, x: &mut [f64]);

    /// Whether what was read from elsewhere is a density in `dim` dimensions.
    fn fits(&self, dim: usize) -> bool;
}

impl Density for JumpDensity {
    fn dim(&self) -> usize {
        self.parts.frame.dim()
    }

    fn log_density(&self, x: &[f64], u: &mut [f64]) -> f64 {
        JumpDensity::log_density(self, x, u)
    }

    fn log_densities<'a>(&self, points: impl Iterator<Item = &'a [f64]>) -> Vec<f64> {
        JumpDensity::log_densities(self, points)
    }

    fn draw(&self, rng: &mut Rng, x: &mut [f64]) {
        JumpDensity::draw(self, rng, x);
    }

    fn fits(&self, dim: usize) -> bool {
        JumpDensity::fits(self, dim)
    }
}

/// Q, ready to be drawn from and evaluated.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Parts", into = "Parts")]
pub struct JumpDensity {
    parts: Parts,
    /// ln of the constants of the t for the rest and of the wide part, with their shares, over |A|.
    log_near: f64,
    log_wide: f64,
}

/// What Q is made of, and how it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Parts {
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
    /// ln of its density in d dimensions, as a function of the squared distance.
    pub fn log_density(self, d: f64) -> impl Fn(f64) -> f64 {
        let constant = self.log_constant(d);
        move |squared| constant - self.log_fall(d, squared)
    }

    fn log_constant(self, d: f64) -> f64 {
        log_t_constant(d, self.freedom) - 0.5 * d * libm::log(self.scale)
    }

    /// How far it is below its top, on the log scale.
    fn log_fall(self, d: f64, squared: f64) -> f64 {
        0.5 * (self.freedom + d) * libm::log1p(squared / (self.scale * self.freedom))
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

    /// What it is made of.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// ln Q(x); `u` is room for the white coordinates.
    pub fn log_density(&self, x: &[f64], u: &mut [f64]) -> f64 {
        let Parts { frame, few, mixture, .. } = &self.parts;
        frame.coordinates(x, u);
        let squared = dot(u, u);
        match few {
            None => self.log_sum(mixture.log_density(u), squared, squared),
            Some(few) => {
                let mut room = [0.0; Self::MOST_DIRECTIONS];
                let s = few.coordinates(u, &mut room);
                self.log_sum(mixture.log_density(s), squared, dot(s, s))
            }
        }
    }

    /// ln Q from that of the mixture, and from the squared lengths of u and of Eu.
    fn log_sum(&self, log_mixture: f64, squared: f64, in_mixture: f64) -> f64 {
        let Parts { frame, few, mixture, .. } = &self.parts;
        let d = frame.dim() as f64;
        let near = few.as_ref().map_or(log_mixture, |few| {
            let rest = (squared - in_mixture).max(0.0);
            log_mixture - few.rest.log_fall(d - mixture.dim() as f64, rest)
        });
        log_add(self.log_near + near, self.log_wide - WIDE.log_fall(d, squared))
    }

    /// Tells the share of each component in the density of the mixture at x.
    pub fn shares(&self, x: &[f64], mut told: impl FnMut(usize, f64)) {
        let Parts { frame, few, mixture, .. } = &self.parts;
        let (mut u, mut room, mut shares) = (vec![0.0; x.len()], [0.0; Self::MOST_DIRECTIONS], Vec::new());
        frame.coordinates(x, &mut u);
        mixture.responsibilities(few.as_ref().map_or(&u, |few| few.coordinates(&u, &mut room)), &mut shares);
        shares.into_iter().enumerate().for_each(|(k, share)| told(k, share));
    }

    /// Draws x from Q.
    pub fn draw(&self, rng: &mut Rng, x: &mut [f64]) {
        self.draw_at(rng.random(), rng, x);
    }

    /// Draws x from the part of Q at a spot in (0, 1), where the wide one and then each component take their share's length, and tells
    /// the number of that part.
    pub fn draw_at(&self, spot: f64, rng: &mut Rng, x: &mut [f64]) -> u8 {
        let Parts { frame, few, mixture, wide } = &self.parts;
        let in_mixture = (spot - wide) / (1.0 - wide);
        let mut component = None;
        if spot < *wide {
            normals(rng, x);
            WIDE.stretch(x, rng);
        } else if let Some(few) = few {
            normals(rng, x);
            few.rest.stretch(x, rng);
            let mut room = [0.0; Self::MOST_DIRECTIONS];
            let s = &mut room[..mixture.dim()];
            component = Some(mixture.draw_at(in_mixture, rng, s));
            for (row, s) in few.rows.chunks_exact(x.len()).zip(s) {
                let change = *s - dot(row, x);
                x.iter_mut().zip(row).for_each(|(x, e)| *x += change * e);
            }
        } else {
            component = Some(mixture.draw_at(in_mixture, rng, x));
        }
        frame.point(x);
        component.map_or(0, |k| k as u8 + 1)
    }

    /// The share of each part of Q.
    pub fn shares_of_parts(&self) -> Vec<f64> {
        let Parts { mixture, wide, .. } = &self.parts;
        let components = mixture.components().iter().map(|component| (1.0 - wide) * component.weight);
        std::iter::once(*wide).chain(components).collect()
    }

    /// Draws a spot at which [`JumpDensity::draw_at`] may have drawn x; `u` is room for the white coordinates.
    pub fn spot(&self, x: &[f64], u: &mut [f64], rng: &mut Rng) -> f64 {
        let Parts { frame, few, mixture, wide } = &self.parts;
        let log_density = self.log_density(x, u);
        let log_wide = self.log_wide - WIDE.log_fall(frame.dim() as f64, dot(u, u));
        if rng.random::<f64>() < libm::exp(log_wide - log_density) {
            return wide * rng.random::<f64>();
        }
        let mut room = [0.0; Self::MOST_DIRECTIONS];
        let spot = mixture.spot(few.as_ref().map_or(u, |few| few.coordinates(u, &mut room)), rng);
        wide + (1.0 - wide) * spot
    }

    /// Whether what was read from elsewhere is a density in `dim` dimensions.
    pub fn fits(&self, dim: usize) -> bool {
        let Parts { frame, few, mixture, wide } = &self.parts;
        let directions = mixture.dim();
        let few_fit = |few: &FewDirections| {
            few.rows.len() == directions * dim
                && directions <= Self::MOST_DIRECTIONS.min(dim - 1)
                && are_orthonormal(&few.rows, dim)
                && few.rest.is_valid()
        };
        frame.fits(dim) && few.as_ref().map_or(directions == dim, few_fit) && *wide > 0.0 && *wide < 1.0
    }
}

impl From<Parts> for JumpDensity {
    fn from(parts: Parts) -> Self {
        let Frame { origin, factor } = &parts.frame;
        // What does not fit together when it is read from elsewhere is refused later.
        let whole = factor.len() == origin.len() * origin.len();
        let (d, log_volume) = (origin.len() as f64, if whole { parts.frame.log_volume() } else { f64::NAN });
        let others = d - parts.mixture.dim() as f64;
        let rest = parts.few.as_ref().map_or(0.0, |few| few.rest.log_constant(others));
        let log_near = libm::log1p(-parts.wide) + rest - log_volume;
        let log_wide = libm::log(parts.wide) + WIDE.log_constant(d) - log_volume;
        Self { parts, log_near, log_wide }
    }
}

impl From<JumpDensity> for Parts {
    fn from(density: JumpDensity) -> Self {
        density.parts
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

/// ln(e^a + e^b)
pub(crate) fn log_add(a: f64, b: f64) -> f64 {
    let (high, low) = if a > b { (a, b) } else { (b, a) };
    high + libm::log1p(libm::exp(low - high))
}

#[cfg(test)]
mod tests;
