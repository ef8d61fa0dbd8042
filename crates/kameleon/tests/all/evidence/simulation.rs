//! Chains of jumps and steps on small targets whose constant is known, to estimate it from.

use kameleon::Rng;
use kameleon::diagnose::{ChainRatios, Evidence, evidence};
use kameleon::random::{Purpose, stream};
use rand::RngExt;
use rand_distr::{ChiSquared, Distribution, StandardNormal};

pub const DIM: usize = 3;
/// ln Z of every target here.
pub const LOG_Z: f64 = -7.3;

pub type Point = [f64; DIM];

/// A mixture of Student t distributions, twisted like a banana: x₂ is moved by `twist` (x₁² − 4).
#[derive(Clone)]
pub struct Density {
    pub parts: Vec<Part>,
    pub twist: f64,
}

#[derive(Clone)]
pub struct Part {
    pub weight: f64,
    pub centre: Point,
    pub scale: Point,
    pub freedom: f64,
    /// The part of the log density that does not depend on x.
    pub constant: f64,
}

/// Much like a normal.
pub const NORMAL: f64 = 1e6;

pub fn part(weight: f64, first: f64, scale: Point, freedom: f64) -> Part {
    let (nu, d) = (freedom, DIM as f64);
    let of_t = libm::lgamma(0.5 * (nu + d)) - libm::lgamma(0.5 * nu) - 0.5 * d * (nu * std::f64::consts::PI).ln();
    let constant = weight.ln() + of_t - scale.iter().map(|s| s.ln()).sum::<f64>();
    Part { weight, centre: [first, 0.0, 0.0], scale, freedom, constant }
}

impl Density {
    pub fn new(parts: &[Part]) -> Self {
        Self { parts: parts.to_vec(), twist: 0.0 }
    }

    pub fn one(scale: f64, freedom: f64) -> Self {
        Self::new(&[part(1.0, 0.0, [scale; DIM], freedom)])
    }

    pub fn log(&self, x: &Point) -> f64 {
        let x = [x[0], x[1] - self.twist * (x[0] * x[0] - 4.0), x[2]];
        let logs: Vec<f64> = self.parts.iter().map(|part| part.log(&x)).collect();
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        largest + logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln()
    }

    pub fn draw(&self, rng: &mut Rng) -> Point {
        let mut level: f64 = rng.random();
        let chosen = self.parts.iter().find(|part| {
            level -= part.weight;
            level < 0.0
        });
        let part = chosen.unwrap_or(&self.parts[0]);
        let stretch = (part.freedom / ChiSquared::new(part.freedom).unwrap().sample(rng)).sqrt();
        let mut x = part.centre;
        for i in 0..DIM {
            x[i] += part.scale[i] * stretch * normal(rng);
        }
        x[1] += self.twist * (x[0] * x[0] - 4.0);
        x
    }
}

impl Part {
    pub fn log(&self, x: &Point) -> f64 {
        let square: f64 = (0..DIM).map(|i| ((x[i] - self.centre[i]) / self.scale[i]).powi(2)).sum();
        self.constant - 0.5 * (self.freedom + DIM as f64) * (square / self.freedom).ln_1p()
    }
}

pub fn normal(rng: &mut Rng) -> f64 {
    StandardNormal.sample(rng)
}

/// A target, a density to jump from, and how it is sampled.
#[derive(Clone)]
pub struct Case {
    pub target: Density,
    pub jump: Density,
    /// The share of jumps among the moves.
    pub jumps: f64,
    /// The standard deviation of the noise in the log density.
    pub noise: f64,
    pub draws: usize,
}

impl Case {
    pub fn new(target: Density, jump: Density) -> Self {
        Self { target, jump, jumps: 0.7, noise: 0.0, draws: 1000 }
    }

    pub fn noisy(self) -> Self {
        Self { noise: 1.0, draws: 2000, ..self }
    }
}

/// What a chain leaves.
#[derive(Default)]
pub struct Left {
    pub proposals: Vec<f64>,
    pub made_after: Vec<usize>,
    pub draws: Vec<f64>,
    /// The points of the proposals and of the draws.
    pub proposed: Vec<f64>,
    pub drawn: Vec<f64>,
    /// The log ratio at each draw with noise made anew.
    pub fresh: Vec<f64>,
}

impl Left {
    pub fn ratios(&self) -> ChainRatios<'_> {
        ChainRatios {
            proposals: &self.proposals,
            made_after: &self.made_after,
            draws: &self.draws,
            ..Default::default()
        }
    }
}

/// A pseudo-marginal chain of jumps and steps, from a start that has the law of the target.
pub fn chain(case: &Case, rng: &mut Rng) -> Left {
    let (target, jump, sd) = (&case.target, &case.jump, case.noise);
    let mut left = Left::default();
    let mut x = target.draw(rng);
    // In the chain's stationary law the noise has the mean sd²/2, before it is accepted −sd²/2.
    let mut here = target.log(&x) + LOG_Z + sd * normal(rng) + sd * sd / 2.0;
    for t in 0..case.draws {
        let jumps = rng.random::<f64>() < case.jumps;
        let y = if jumps { jump.draw(rng) } else { x.map(|x| x + normal(rng)) };
        let there = target.log(&y) + LOG_Z + sd * normal(rng) - sd * sd / 2.0;
        let mut log_ratio = there - here;
        if jumps {
            log_ratio += jump.log(&x) - jump.log(&y);
            left.proposals.push(there - jump.log(&y));
            left.made_after.push(t);
            left.proposed.extend(y);
        }
        if rng.random::<f64>().ln() < log_ratio {
            (x, here) = (y, there);
        }
        left.draws.push(here - jump.log(&x));
        left.fresh.push(target.log(&x) + LOG_Z + sd * normal(rng) - sd * sd / 2.0 - jump.log(&x));
        left.drawn.extend(x);
    }
    left
}

pub fn chains(case: &Case, seed: u64) -> Vec<Left> {
    (0..4).map(|i| chain(case, &mut stream(seed, i, Purpose::Move))).collect()
}

pub fn estimate(chains: &[Left]) -> Evidence {
    evidence(&[&chains.iter().map(Left::ratios).collect::<Vec<_>>()])
}

pub fn gaussian() -> Case {
    Case::new(Density::one(1.0, NORMAL), Density::one(1.1, 5.0))
}

pub fn two_modes() -> Case {
    let modes = |scale, nu| Density::new(&[part(0.3, -4.0, [scale; DIM], nu), part(0.7, 4.0, [scale; DIM], nu)]);
    Case::new(modes(1.0, NORMAL), modes(1.2, 5.0))
}

pub fn banana() -> Case {
    let twist = 0.15;
    let target = Density { twist, ..Density::new(&[part(1.0, 0.0, [2.0, 1.0, 1.0], NORMAL)]) };
    let mut jump = Density { twist, ..Density::new(&[part(0.9, 0.0, [2.1, 1.2, 1.1], 5.0)]) };
    jump.parts.push(part(0.1, 0.0, [4.0, 2.0, 2.0], 3.0));
    Case::new(target, jump)
}

pub fn student_t() -> Case {
    Case::new(Density::one(1.0, 5.0), Density::one(1.1, 4.0))
}
