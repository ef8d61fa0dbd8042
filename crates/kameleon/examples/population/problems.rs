//! Problems with a proper prior and known evidence: most are those that nested samplers are tested on.

use kameleon::Rng;
use kameleon::linalg::orthonormal_rows;
use kameleon::population::Prior;
use kameleon::random::{Purpose, stream};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::f64::consts::{PI, TAU};

pub const NAMES: [&str; 23] = [
    "modes4-5",
    "modes4-10",
    "modes8-5",
    "modes8-2",
    "funnel5",
    "funnel10",
    "banana8",
    "shells5",
    "shells10",
    "eggbox",
    "loggamma10",
    "rosen5",
    "gauss20",
    "gauss50",
    "gauss5",
    "gauss10",
    "banana2",
    "strong2",
    "student5",
    "narrow5",
    "narrow5-4",
    "modes4-7",
    "modes4-8",
];

pub struct Mode {
    pub centre: Vec<f64>,
    pub sd: f64,
    pub weight: f64,
}

pub struct Problem {
    kind: Kind,
    /// Of a box: its lower and upper ends. Of a normal prior: means and standard deviations.
    low: Vec<f64>,
    high: Vec<f64>,
    is_normal: bool,
    /// Whether a population sees the logit of the place in the box, as it does in runs.
    pub is_logit: bool,
    pub log_z: f64,
    pub modes: Vec<Mode>,
}

enum Kind {
    Mixture,
    Funnel,
    Banana(f64),
    Student,
    Shells,
    Eggbox,
    LogGamma,
    Rosenbrock,
    /// Rows of an orthonormal matrix, and the standard deviations along them.
    Gaussian(Vec<f64>, Vec<f64>),
}

fn normal(rng: &mut Rng) -> f64 {
    rng.sample(StandardNormal)
}

/// ln of the standard normal density in one dimension.
fn log_normal(z: f64, sd: f64) -> f64 {
    -0.5 * (z / sd).powi(2) - sd.ln() - 0.5 * TAU.ln()
}

fn log_add(a: f64, b: f64) -> f64 {
    a.max(b) + (-(a - b).abs()).exp().ln_1p()
}

impl Problem {
    pub fn named(name: &str, seed: u64) -> Self {
        match name {
            "modes4-5" => Self::four_modes(5),
            "modes4-7" => Self::four_modes(7),
            "modes4-8" => Self::four_modes(8),
            "modes4-10" => Self::four_modes(10),
            "narrow5" => Self::narrow(5, 3.0),
            "narrow5-4" => Self::narrow(5, 4.0),
            "modes8-5" => Self::eight_modes(5, seed),
            "modes8-2" => Self::eight_modes(2, seed),
            "funnel5" => Self::funnel(5),
            "funnel10" => Self::funnel(10),
            "banana8" => Self::banana(8, 0.1),
            "banana2" => Self::banana(2, 0.1),
            "strong2" => Self::banana(2, 0.5),
            "student5" => Self::student(5),
            "shells5" => Self::shells(5),
            "shells10" => Self::shells(10),
            "eggbox" => Self::eggbox(),
            "loggamma10" => Self::log_gamma(10),
            "rosen5" => Self::rosenbrock(5),
            "gauss5" => Self::gaussian(5),
            "gauss10" => Self::gaussian(10),
            "gauss20" => Self::gaussian(20),
            "gauss50" => Self::gaussian(50),
            other => panic!("no problem {other}; there are {NAMES:?}"),
        }
    }

    fn boxed(kind: Kind, low: Vec<f64>, high: Vec<f64>, log_likelihood_mass: f64) -> Self {
        let volume: f64 = low.iter().zip(&high).map(|(l, h)| (h - l).ln()).sum();
        Self {
            kind,
            low,
            high,
            is_normal: false,
            is_logit: false,
            log_z: log_likelihood_mass - volume,
            modes: Vec::new(),
        }
    }

    /// Weights .1 to .4, standard deviations 1.5 to .5, centres 10 to 20 apart, in a box of ±100.
    fn four_modes(d: usize) -> Self {
        let mut rng = stream(5, d as u64, Purpose::Start);
        loop {
            let centres: Vec<Vec<f64>> = (0..4)
                .map(|_| {
                    let x: Vec<f64> = (0..d).map(|_| normal(&mut rng)).collect();
                    let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
                    let radius = rng.random_range(7.0..12.0);
                    x.into_iter().map(|x| x * radius / length).collect()
                })
                .collect();
            let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            let pairs = (0..4).flat_map(|i| (0..i).map(move |j| (i, j)));
            if pairs.map(|(i, j)| apart(&centres[i], &centres[j])).all(|d| d > 10.0 && d < 20.0) {
                let of = |((centre, weight), sd)| Mode { centre, weight, sd };
                let modes = centres.into_iter().zip([0.1, 0.2, 0.3, 0.4]).zip([1.5, 1.0, 0.7, 0.5]).map(of).collect();
                return Self { modes, ..Self::boxed(Kind::Mixture, vec![-100.0; d], vec![100.0; d], 0.0) };
            }
        }
    }

    /// A narrow heavy mode beside a wide one, at ±`apart` in each coordinate of a box of ±10.
    fn narrow(d: usize, apart: f64) -> Self {
        let of = |centre: f64, sd, weight| Mode { centre: vec![centre; d], sd, weight };
        let modes = vec![of(-apart, 1.0, 0.3), of(apart, 0.3, 0.7)];
        Self { modes, ..Self::boxed(Kind::Mixture, vec![-10.0; d], vec![10.0; d], 0.0) }
    }

    /// Eight modes anywhere in ±50, with standard deviations e^U(−1, 1): other ones for every seed.
    fn eight_modes(d: usize, seed: u64) -> Self {
        let mut rng = stream(1000 + seed, d as u64, Purpose::Start);
        let mut modes: Vec<Mode> = (0..8)
            .map(|_| Mode {
                centre: (0..d).map(|_| rng.random_range(-50.0..50.0)).collect(),
                sd: rng.random_range(-1.0f64..1.0).exp(),
                // Gamma(3), for Dirichlet weights.
                weight: -(0..3).map(|_| rng.random::<f64>().ln()).sum::<f64>(),
            })
            .collect();
        let total: f64 = modes.iter().map(|mode| mode.weight).sum();
        modes.iter_mut().for_each(|mode| mode.weight /= total);
        Self { modes, ..Self::boxed(Kind::Mixture, vec![-60.0; d], vec![60.0; d], 0.0) }
    }

    fn funnel(d: usize) -> Self {
        let (mut low, mut high) = (vec![-30.0; d], vec![30.0; d]);
        (low[0], high[0]) = (-10.0, 10.0);
        let inside = |v: f64| libm::erf(30.0 / (0.5 * v).exp() / 2f64.sqrt()).powi(d as i32 - 1);
        let mass: f64 = (0..20_000)
            .map(|i| -10.0 + 1e-3 * (f64::from(i) + 0.5))
            .map(|v| 1e-3 * log_normal(v, 3.0).exp() * inside(v))
            .sum();
        Self::boxed(Kind::Funnel, low, high, mass.ln())
    }

    fn banana(d: usize, b: f64) -> Self {
        let (mut low, mut high) = (vec![-10.0; d], vec![10.0; d]);
        (low[0], high[0], low[1], high[1]) = (-60.0, 60.0, -400.0 * b, 3600.0 * b);
        Self::boxed(Kind::Banana(b), low, high, 0.0)
    }

    /// Independent t with two degrees of freedom in a box of ±100: heavy tails, and a distribution function in closed form.
    fn student(d: usize) -> Self {
        let mass = d as f64 * (100.0 / 10_002f64.sqrt()).ln();
        Self::boxed(Kind::Student, vec![-100.0; d], vec![100.0; d], mass)
    }

    fn shells(d: usize) -> Self {
        let power = d as f64 - 1.0;
        let at = |r: f64| (power * r.ln() + log_normal(r - 2.0, 0.1)).exp();
        let radial: f64 = (0..24_000).map(|i| 0.8 + 1e-4 * (f64::from(i) + 0.5)).map(|r| 1e-4 * at(r)).sum();
        let area = 2f64.ln() + 0.5 * d as f64 * PI.ln() - libm::lgamma(0.5 * d as f64);
        let mode =
            |x: f64| Mode { centre: (0..d).map(|i| if i == 0 { x } else { 0.0 }).collect(), sd: 1.0, weight: 0.5 };
        let mass = 2f64.ln() + area + radial.ln();
        Self { modes: vec![mode(-3.5), mode(3.5)], ..Self::boxed(Kind::Shells, vec![-6.0; d], vec![6.0; d], mass) }
    }

    fn eggbox() -> Self {
        let mut problem = Self::boxed(Kind::Eggbox, vec![0.0; 2], vec![10.0 * PI; 2], 0.0);
        let n = 3000;
        let at = |i: usize| (i as f64 + 0.5) / n as f64 * 10.0 * PI;
        let sum: f64 = (0..n * n).map(|k| (problem.log_likelihood(&[at(k / n), at(k % n)]) - 243.0).exp()).sum();
        problem.log_z = 243.0 + (sum / (n * n) as f64).ln();
        problem
    }

    fn log_gamma(d: usize) -> Self {
        let third = |k: usize| if k == 0 { 1.0 / 3.0 } else { 2.0 / 3.0 };
        let centre =
            |k: usize| (0..d).map(|i| [third(k / 2), third(k % 2)].get(i).copied().unwrap_or(2.0 / 3.0)).collect();
        let modes = (0..4).map(|k| Mode { centre: centre(k), sd: 1.0, weight: 0.25 }).collect();
        Self { modes, ..Self::boxed(Kind::LogGamma, vec![0.0; d], vec![1.0; d], 0.0) }
    }

    /// Its evidence is an integral along a chain of coordinates.
    fn rosenbrock(d: usize) -> Self {
        let (n, h) = (2001, 0.005);
        let grid: Vec<f64> = (0..n).map(|i| -5.0 + h * i as f64).collect();
        let (mut message, mut log) = (vec![1.0; n], 0.0);
        for _ in 1..d {
            let next = |x: &f64| {
                let inner: f64 = grid.iter().zip(&message).map(|(y, m)| (-100.0 * (y - x * x).powi(2)).exp() * m).sum();
                (-(1.0 - x).powi(2)).exp() * inner * h
            };
            let values: Vec<f64> = grid.iter().map(next).collect();
            let largest = values.iter().copied().fold(0.0, f64::max);
            log += largest.ln();
            message = values.into_iter().map(|v| v / largest).collect();
        }
        let mass = (message.iter().sum::<f64>() * h).ln() + log;
        Self::boxed(Kind::Rosenbrock, vec![-5.0; d], vec![5.0; d], mass)
    }

    /// Variances from .1 to 10 in turned directions, under N(0, 100).
    fn gaussian(d: usize) -> Self {
        let mut rng = stream(7, d as u64, Purpose::Start);
        let rows: Vec<f64> = (0..d * d).map(|_| normal(&mut rng)).collect();
        let variance: Vec<f64> = (0..d).map(|i| 10f64.powf(-1.0 + 2.0 * i as f64 / (d - 1) as f64)).collect();
        let log_z = variance.iter().map(|v| log_normal(0.0, (v + 100.0).sqrt())).sum();
        let kind = Kind::Gaussian(orthonormal_rows(&rows, d), variance.into_iter().map(f64::sqrt).collect());
        Self {
            kind,
            low: vec![0.0; d],
            high: vec![10.0; d],
            is_normal: true,
            is_logit: false,
            log_z,
            modes: Vec::new(),
        }
    }

    pub fn nearest_mode(&self, x: &[f64]) -> usize {
        let distance = |mode: &Mode| x.iter().zip(&mode.centre).map(|(x, m)| ((x - m) / mode.sd).powi(2)).sum::<f64>();
        (0..self.modes.len()).min_by(|a, b| distance(&self.modes[*a]).total_cmp(&distance(&self.modes[*b]))).unwrap()
    }

    pub fn log_likelihood(&self, x: &[f64]) -> f64 {
        let d = x.len();
        match &self.kind {
            Kind::Mixture => {
                let of = |mode: &Mode| {
                    x.iter().zip(&mode.centre).map(|(x, m)| log_normal(x - m, mode.sd)).sum::<f64>() + mode.weight.ln()
                };
                self.modes.iter().map(of).reduce(log_add).unwrap()
            }
            Kind::Funnel => {
                let sd = (0.5 * x[0]).exp();
                log_normal(x[0], 3.0) + x[1..].iter().map(|x| log_normal(*x, sd)).sum::<f64>()
            }
            Kind::Banana(b) => {
                let bent = x[1] - b * (x[0] * x[0] - 100.0);
                log_normal(x[0], 10.0) + log_normal(bent, 1.0) + x[2..].iter().map(|x| log_normal(*x, 1.0)).sum::<f64>()
            }
            Kind::Student => x.iter().map(|x| -1.5 * (2.0 + x * x).ln()).sum(),
            Kind::Shells => {
                let rest: f64 = x[1..].iter().map(|x| x * x).sum();
                let shell = |c: f64| log_normal(((x[0] - c).powi(2) + rest).sqrt() - 2.0, 0.1);
                log_add(shell(-3.5), shell(3.5))
            }
            Kind::Eggbox => (2.0 + (0.5 * x[0]).cos() * (0.5 * x[1]).cos()).powi(5),
            Kind::LogGamma => {
                let sd = 1.0 / 30.0;
                let gamma = |z: f64| z / sd - (z / sd).min(700.0).exp() - sd.ln();
                let both = |of: &dyn Fn(f64) -> f64, x: f64| log_add(of(x - 1.0 / 3.0), of(x - 2.0 / 3.0)) - 2f64.ln();
                let rest = |i: usize| {
                    let z = x[i] - 2.0 / 3.0;
                    if i < (d + 2) / 2 { gamma(z) } else { log_normal(z, sd) }
                };
                both(&gamma, x[0]) + both(&|z| log_normal(z, sd), x[1]) + (2..d).map(rest).sum::<f64>()
            }
            Kind::Rosenbrock => {
                -x.windows(2).map(|x| (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2)).sum::<f64>()
            }
            Kind::Gaussian(rows, sds) => {
                let along = |row: &[f64]| row.iter().zip(x).map(|(r, x)| r * x).sum::<f64>();
                rows.chunks_exact(d).zip(sds).map(|(row, sd)| log_normal(along(row), *sd)).sum()
            }
        }
    }

    /// An exact draw of the posterior, where that is easy.
    pub fn exact(&self, rng: &mut Rng) -> Option<Vec<f64>> {
        let d = self.dim();
        let mut x: Vec<f64> = (0..d).map(|_| normal(rng)).collect();
        match &self.kind {
            Kind::Mixture => {
                let mut left = rng.random::<f64>();
                let mode = self.modes.iter().find(|mode| {
                    left -= mode.weight;
                    left < 0.0
                })?;
                x.iter_mut().zip(&mode.centre).for_each(|(x, m)| *x = m + mode.sd * *x);
            }
            Kind::Funnel => loop {
                let v = 3.0 * normal(rng);
                x = (0..d).map(|i| if i == 0 { v } else { (0.5 * v).exp() * normal(rng) }).collect();
                if self.log_density(&x).is_finite() {
                    break;
                }
            },
            Kind::Banana(b) => {
                x[0] *= 10.0;
                x[1] += b * (x[0] * x[0] - 100.0);
            }
            Kind::Student => {
                // The level of ±100 on the distribution function ½ + x/(2√(2 + x²)), and its inverse.
                let most = 100.0 / 10_002f64.sqrt();
                x.iter_mut().for_each(|x| {
                    let v = rng.random_range(-most..most);
                    *x = v * (2.0 / (1.0 - v * v)).sqrt();
                });
            }
            Kind::Shells => {
                let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
                // By rejection from a radius with the density of the shell alone.
                let radius = loop {
                    let r = 2.0 + 0.1 * normal(rng);
                    if r > 0.0 && rng.random::<f64>() < (r / 2.6).powi(d as i32 - 1) {
                        break r;
                    }
                };
                x.iter_mut().for_each(|x| *x *= radius / length);
                x[0] += if rng.random() { 3.5 } else { -3.5 };
            }
            Kind::LogGamma => {
                let sd = 1.0 / 30.0;
                for (i, x) in x.iter_mut().enumerate() {
                    let centre = if i < 2 && rng.random() { 1.0 / 3.0 } else { 2.0 / 3.0 };
                    let gamma = i == 0 || (i >= 2 && i < (d + 2) / 2);
                    *x = centre + sd * if gamma { (-rng.random::<f64>().ln()).ln() } else { *x };
                }
            }
            Kind::Gaussian(rows, sds) => {
                let posterior = |sd: f64| (1.0 / (1.0 / (sd * sd) + 0.01)).sqrt();
                let z: Vec<f64> = x.iter().zip(sds).map(|(z, sd)| z * posterior(*sd)).collect();
                x = (0..d).map(|i| (0..d).map(|k| rows[k * d + i] * z[k]).sum()).collect();
            }
            Kind::Eggbox | Kind::Rosenbrock => return None,
        }
        Some(x)
    }
}

impl Problem {
    /// The ends of the box that a logit is taken in; none without a logit.
    fn ends(&self) -> Option<impl Iterator<Item = (&f64, &f64)>> {
        (self.is_logit && !self.is_normal).then(|| self.low.iter().zip(&self.high))
    }

    /// The point of the problem at a point of the population.
    pub fn own(&self, u: &[f64]) -> Vec<f64> {
        let mut x = u.to_vec();
        self.to_gaussian_scale(&mut x);
        x
    }
}

impl Prior for Problem {
    fn dim(&self) -> usize {
        self.low.len()
    }

    fn draw(&self, rng: &mut Rng, x: &mut [f64]) {
        for (x, (low, high)) in x.iter_mut().zip(self.low.iter().zip(&self.high)) {
            *x = if self.is_normal { low + high * normal(rng) } else { rng.random_range(*low..*high) };
            if self.is_logit && !self.is_normal {
                *x = ((*x - low) / (high - *x)).ln();
            }
        }
    }

    fn to_gaussian_scale(&self, u: &mut [f64]) -> f64 {
        let Some(ends) = self.ends() else { return 0.0 };
        let change = |(u, (low, high)): (&mut f64, (&f64, &f64))| {
            let share = 1.0 / (1.0 + (-*u).exp());
            *u = low + (high - low) * share;
            ((high - low) * share * (1.0 - share)).ln()
        };
        u.iter_mut().zip(ends).map(change).sum()
    }

    fn log_density(&self, u: &[f64]) -> f64 {
        let mut x = u.to_vec();
        let log_jacobian = self.to_gaussian_scale(&mut x);
        let of = |(x, (low, high)): (&f64, (&f64, &f64))| match self.is_normal {
            true => log_normal(x - low, *high),
            false if x < low || x > high => f64::NEG_INFINITY,
            false => -(high - low).ln(),
        };
        x.iter().zip(self.low.iter().zip(&self.high)).map(of).sum::<f64>() + log_jacobian
    }
}
