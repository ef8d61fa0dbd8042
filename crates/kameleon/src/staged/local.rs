//! What is known at a point: the Kameleon's covariance there, and the density of jumping there.

use super::few::{Few, LocalFew};
use super::fit::Past;
use super::jump::{Jump, JumpScratch};
use super::pupil::Nu2;
use crate::Rng;
use crate::linalg::{cholesky, dot, log_diagonal, multiply_lower, solve_lower, times_transpose};
use crate::spread::{Scratch, weighted_moments};
use rand::RngExt;
use rand_distr::StandardNormal;

/// What is known at a point: no more than was needed by the moves that led there and away from it.
#[derive(Clone, Debug)]
pub struct Local {
    /// Its coordinates in the frame, once either of the following is known.
    u: Vec<f64>,
    /// C, the local covariance, no larger than it may be, and L with LLᵀ = R = ν²(C/c̄ + floor).
    spread: Vec<f64>,
    factor: Vec<f64>,
    log_factor: f64,
    has_steps: bool,
    /// ln Q, in the coordinates of the frame.
    log_jump: f64,
    has_jumps: bool,
    /// The same in the few directions, if the chain makes moves in such.
    few: Option<Box<LocalFew>>,
    difference: Vec<f64>,
    scratch: Scratch,
    jump_scratch: JumpScratch,
}

impl Local {
    pub(super) fn new(dim: usize) -> Self {
        Self {
            u: vec![0.0; dim],
            spread: vec![0.0; dim * dim],
            factor: vec![0.0; dim * dim],
            log_factor: 0.0,
            has_steps: false,
            log_jump: 0.0,
            has_jumps: false,
            few: None,
            difference: vec![0.0; dim],
            scratch: Scratch::new(dim),
            jump_scratch: Jump::scratch(dim),
        }
    }

    /// The factor of the Kameleon's covariance, row by row, if it is known.
    pub fn factor(&self) -> Option<&[f64]> {
        self.has_steps.then_some(&self.factor)
    }

    /// ln Q of the jump, in the coordinates of the frame, if it is known.
    pub fn log_jump_density(&self) -> Option<f64> {
        self.has_jumps.then_some(self.log_jump)
    }

    /// What is known in the few directions, if the chain makes moves in such.
    pub fn few(&self) -> Option<&Local> {
        self.few.as_ref().map(|few| &few.local)
    }

    pub(super) fn forget(&mut self) {
        self.has_steps = false;
        self.has_jumps = false;
        if let Some(few) = &mut self.few {
            few.local.forget();
        }
    }

    /// Works out what is not known yet.
    pub(super) fn complete(&mut self, x: &[f64], past: Option<&Past>, nu2: Nu2) {
        let Some(past) = past else { return };
        self.find_steps(x, past, nu2.all);
        self.find_jumps(x, past);
        match &past.few {
            Some(few) => {
                self.find_few_steps(x, few, nu2.few);
                self.find_few_jumps(x, few);
            }
            None => self.few = None,
        }
    }

    /// Works out R's factor, if it is not known.
    pub(super) fn find_steps(&mut self, x: &[f64], past: &Past, nu2: f64) {
        if !self.has_steps {
            past.frame.coordinates(x, &mut self.u);
            weighted_moments(past.sigma, &past.z, &self.u, &mut self.scratch, &mut self.spread);
            let d = self.u.len();
            let mean = (0..d).map(|i| self.spread[i * d + i]).sum::<f64>() / d as f64;
            let within = (past.largest / mean).min(1.0);
            self.spread.iter_mut().for_each(|c| *c *= within);
            self.factorise(past, nu2);
            self.has_steps = true;
        }
    }

    /// Works out ln Q, if it is not known.
    pub(super) fn find_jumps(&mut self, x: &[f64], past: &Past) {
        if let (Some(jump), false) = (&past.jump, self.has_jumps) {
            past.frame.coordinates(x, &mut self.u);
            self.log_jump = jump.log_density(&self.u, &mut self.jump_scratch);
            self.has_jumps = true;
        }
    }

    /// [`Local::find_steps`] in the few directions.
    pub(super) fn find_few_steps(&mut self, x: &[f64], few: &Few, nu2: f64) -> &LocalFew {
        let (local, room) = self.room_for(few);
        local.find_steps(x, few, nu2, room);
        local
    }

    /// [`Local::find_jumps`] in the few directions.
    pub(super) fn find_few_jumps(&mut self, x: &[f64], few: &Few) -> &LocalFew {
        let (local, room) = self.room_for(few);
        local.find_jumps(x, few, room);
        local
    }

    /// Room for what is known in the few directions, made anew where there are others than before, and for d numbers.
    pub(super) fn room_for(&mut self, few: &Few) -> (&mut LocalFew, &mut [f64]) {
        let local = self.few.take().filter(|local| local.dim() == few.dim());
        let local = local.unwrap_or_else(|| Box::new(LocalFew::new(few.dim())));
        (self.few.insert(local), &mut self.difference)
    }

    /// The factors, where they are known, for other ν².
    pub(super) fn rescale(&mut self, past: Option<&Past>, nu2: Nu2) {
        let Some(past) = past else { return };
        if self.has_steps {
            self.factorise(past, nu2.all);
        }
        if let (Some(local), Some(few)) = (&mut self.few, &past.few) {
            local.rescale(few, nu2.few);
        }
    }

    /// R's factor from S: O(d³).
    pub(super) fn factorise(&mut self, past: &Past, nu2: f64) {
        let d = self.u.len();
        for (r, s) in self.factor.iter_mut().zip(&self.spread) {
            *r = nu2 * past.unit * s;
        }
        let floor = nu2 * past.floor;
        (0..d).for_each(|i| self.factor[i * d + i] += floor);
        if !cholesky(&mut self.factor, d) {
            // A function of the point only, the same in both directions, so the chain stays exact.
            self.factor.fill(0.0);
            (0..d).for_each(|i| self.factor[i * d + i] = floor.sqrt());
        }
        self.log_factor = log_diagonal(&self.factor, d);
    }

    /// A step of the Kameleon, as a difference of points.
    pub(super) fn draw_step(&self, past: &Past, shrink: f64, rng: &mut Rng, y: &mut [f64]) {
        y.iter_mut().for_each(|y| *y = shrink * rng.sample::<f64, _>(StandardNormal));
        multiply_lower(&self.factor, y);
        past.frame.direction(y);
    }

    /// The covariance of such a step, if it is known: with R = LLᵀ in the frame A, (AL)(AL)ᵀ.
    pub(super) fn step_covariance(&self, past: &Past) -> Option<Vec<f64>> {
        let (d, factor) = (self.u.len(), self.factor()?);
        let mut product = vec![0.0; d * d];
        let mut column = vec![0.0; d];
        for j in 0..d {
            (0..d).for_each(|i| column[i] = factor[i * d + j]);
            past.frame.direction(&mut column);
            (0..d).for_each(|i| product[i * d + j] = column[i]);
        }
        let mut covariance = vec![0.0; d * d];
        times_transpose(&product, d, &mut covariance);
        Some(covariance)
    }

    /// ln Q(x) − ln Q(y) for a jump from here to `there`.
    pub(super) fn log_jump_ratio(&self, there: &Local) -> f64 {
        debug_assert!(self.has_jumps && there.has_jumps);
        self.log_jump - there.log_jump
    }

    /// [`Local::log_jump_ratio`] of a jump in few directions.
    pub(super) fn log_few_jump_ratio(&self, there: &Local) -> f64 {
        let (Some(here), Some(there)) = (self.few(), there.few()) else { return f64::NAN };
        here.log_jump_ratio(there)
    }

    /// [`Local::log_step_ratio`] of a step in few directions.
    pub(super) fn log_few_step_ratio(&self, there: &mut Local, shrink: f64) -> f64 {
        let (Some(here), Some(there)) = (&self.few, &mut there.few) else { return f64::NAN };
        here.local.log_step_ratio(&mut there.local, shrink)
    }

    /// ln N(x; y, R(y)) − ln N(y; x, R(x)) for a step from here to `there`.
    pub(super) fn log_step_ratio(&self, there: &mut Local, shrink: f64) -> f64 {
        debug_assert!(self.has_steps && there.has_steps);
        let mut difference = std::mem::take(&mut there.difference);
        let mut log_density = |at: &Local, from: &[f64], to: &[f64]| {
            difference.iter_mut().zip(from).zip(to).for_each(|((d, from), to)| *d = to - from);
            solve_lower(&at.factor, &mut difference);
            -at.log_factor - 0.5 * dot(&difference, &difference) / (shrink * shrink)
        };
        let back = log_density(there, &there.u, &self.u);
        let forth = log_density(self, &self.u, &there.u);
        there.difference = difference;
        back - forth
    }
}

impl Past {
    /// An independent point from the density estimate.
    pub(super) fn draw_jump(&self, rng: &mut Rng, y: &mut [f64]) {
        if let Some(jump) = &self.jump {
            jump.draw(rng, y);
            self.frame.point(y);
        }
    }

    /// A step along the difference of two points of z, as a difference of points.
    pub(super) fn draw_difference(&self, length: f64, rng: &mut Rng, y: &mut [f64]) {
        /// The size of the noise that makes every point reachable, in units of the step.
        const NOISE: f64 = 1e-3;
        let n = self.z.len();
        let a = rng.random_range(0..n);
        let b = (a + rng.random_range(1..n)) % n;
        let (block_a, block_b) = (self.z.block(a), self.z.block(b));
        let (lane_a, lane_b) = (a % crate::simd::BLOCK, b % crate::simd::BLOCK);
        for (i, y) in y.iter_mut().enumerate() {
            let noise = NOISE * rng.sample::<f64, _>(StandardNormal);
            *y = length * (block_a[i][lane_a] - block_b[i][lane_b] + noise);
        }
        self.frame.direction(y);
    }
}

#[cfg(test)]
mod tests {
    use crate::any_chain::AnyChain;
    use crate::linalg::times_transpose;
    use crate::random::{Purpose, stream};
    use crate::staged::{Kameleon, KameleonSettings, Kind};
    use crate::target::Banana;
    use crate::{Chain, ChainSettings, Length};

    const DIM: usize = 3;

    fn after_warm_up() -> Chain<Kameleon> {
        let length = Length { warmup: 4_000, sampling: 0 };
        let proposal = Kameleon::new(&KameleonSettings { n: 200, ..KameleonSettings::default() }, DIM, length).unwrap();
        let settings = ChainSettings { index: 0, seed: 3, warmup: length.warmup, normals: 0, correlation: 0.0 };
        let mut chain = Chain::new(proposal, &[0.5; DIM], settings).unwrap();
        let mut target = Banana::new(DIM, 0.1, 100.0).unwrap();
        for _ in 0..length.warmup {
            chain.step(&mut target).unwrap();
        }
        chain
    }

    #[test]
    fn far_from_the_past_steps_do_not_grow_with_the_distance() {
        let chain = after_warm_up();
        let trace = |c: &[f64]| (0..DIM).map(|i| c[i * DIM + i]).sum::<f64>();
        let mut sigma = vec![0.0; DIM * DIM];
        times_transpose(&chain.proposal().fit().metric.factor, DIM, &mut sigma);
        // d times the largest mean eigenvalue, 4, bounds the largest eigenvalue in the frame; the floor is little.
        let most = 4.1 * DIM as f64 * chain.proposal().pupil.nu2().all * trace(&sigma);
        for far in [1e2, 1e4, 1e8] {
            let shown = trace(&chain.covariance_at(&[far; DIM]).unwrap());
            assert!(shown < most, "{shown} at {far}, which should be below {most}");
        }
    }

    #[test]
    fn the_covariance_shown_is_that_of_the_kameleon_steps() {
        let chain = after_warm_up();
        let fit = chain.proposal().fit().clone();
        assert!(fit.weight(Kind::KernelStep) > 0.0);
        let shown = chain.covariance_at(chain.position()).unwrap();
        let mut rng = stream(5, 0, Purpose::Move);
        let (n, mut y) = (40_000.0, [0.0; DIM]);
        let mut sums = [(0.0, 0.0); DIM * DIM];
        for _ in 0..n as usize {
            chain.local().draw_step(fit.past.as_ref().unwrap(), 1.0, &mut rng, &mut y);
            for (k, (sum, squares)) in sums.iter_mut().enumerate() {
                let product = y[k / DIM] * y[k % DIM];
                *sum += product;
                *squares += product * product;
            }
        }
        // 6 entries within 5.5 standard errors: false alarms below 1e-6.
        for (k, (sum, squares)) in sums.iter().enumerate() {
            let (mean, second) = (sum / n, squares / n);
            let error = ((second - mean * mean) / n).sqrt();
            assert!((shown[k] - mean).abs() < 5.5 * error, "entry {k}: {} shown, {mean}", shown[k]);
        }
    }
}
