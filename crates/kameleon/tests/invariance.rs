//! Every frozen proposal leaves the target as it is (Gandy & Scott 2020).
//!
//! A replicate starts at an exact draw of the target and makes ten steps. Where it ends has the same law, whatever the
//! proposal: replicates are independent, so the p-values are exact. 16,000 replicates, an alarm at p < 1e-6, three
//! statistics each: less than 3e-4 false alarms over the whole file, and the seeds are fixed. Broken samplers must ring.

mod common;

use common::replicates::*;
use common::*;
use kameleon::proposal::*;
use kameleon::target::{Banana, Flower, Known, Noisy};
use kameleon::*;
use rand::RngExt;
use rand_distr::StandardNormal;

fn banana() -> Banana {
    Banana::new(4, 0.1, 25.0).unwrap()
}

fn flower() -> Flower {
    Flower::new(3, 5.0, 2.0, 3.0, 0.5).unwrap()
}

macro_rules! invariance {
    ($($test:ident: $proposal:expr, $target:expr;)*) => {
        $(#[test] fn $test() { holds($proposal, $target); })*
    };
}

invariance! {
    sm_leaves_the_banana: RandomWalk::new(&RandomWalkSettings::default(), 4).unwrap(), banana();
    sm_leaves_the_flower: RandomWalk::new(&RandomWalkSettings::default(), 3).unwrap(), flower();
    am_leaves_the_banana: adaptive(4, 3000), banana();
    am_leaves_the_flower: adaptive(3, 3000), flower();
    am_pca_leaves_the_banana: principal(4, 3000), banana();
    am_pca_leaves_the_flower: principal(3, 3000), flower();
    kameleon_leaves_the_banana: kameleon(4, 3000, 100), banana();
    kameleon_leaves_the_flower: kameleon(3, 3000, 100), flower();
    de_mc_z_leaves_the_banana: differential_evolution(4, 3000), banana();
    de_mc_z_leaves_the_flower: differential_evolution(3, 3000), flower();
    drifting_kameleon_leaves_the_banana: drifting(4, 3000, 100), banana();
    drifting_kameleon_leaves_the_flower: drifting(3, 3000, 100), flower();
    mala_leaves_the_banana: mala(4, 3000, false), banana();
    mala_leaves_the_flower: mala(3, 3000, false), flower();
    pmala_leaves_the_banana: mala(4, 3000, true), banana();
    pmala_leaves_the_flower: mala(3, 3000, true), flower();
    kmc_leaves_the_banana: kmc(4, 3000, false), banana();
    kmc_leaves_the_flower: kmc(3, 3000, false), flower();
    kmc_finite_leaves_the_banana: kmc(4, 3000, true), banana();
    kmc_finite_leaves_the_flower: kmc(3, 3000, true), flower();
    kameleon_pca_leaves_the_banana: kameleon_pca(4, 3000), banana();
    kameleon_pca_leaves_the_flower: kameleon_pca(3, 3000), flower();
}

#[test]
fn kameleon_with_every_kernel_leaves_the_banana() {
    use kameleon::kernel::*;
    let kernels = [
        Kernel::Linear(Linear),
        Kernel::polynomial(2),
        Kernel::matern(1.5, 1.0),
        Kernel::matern(2.5, 1.0),
        Kernel::matern(1.7, 1.0),
        Kernel::RationalQuadratic(RationalQuadratic { alpha: 1.0, length: 1.0 }),
        Kernel::InverseMultiquadric(InverseMultiquadric { length: 1.0 }),
        Kernel::Sum(vec![Kernel::gaussian(1.0), Kernel::Scaled(0.01, Box::new(Kernel::Linear(Linear)))]),
    ];
    for kernel in kernels {
        let settings = KamhSettings { kernel, ..kameleon_settings(50) };
        let proposal = Kamh::new(&settings, 4, Length::new(3000, 0)).unwrap();
        let p = exact_p(&learned(proposal, &mut banana(), 3000), &banana());
        assert!(p > ALARM, "{:?}: p = {p}", settings.kernel);
    }
}

/// N(0, 1) on the line.
#[derive(Clone)]
struct Line;

impl Target for Line {
    fn dim(&self) -> Option<usize> {
        Some(1)
    }

    fn log_density(&mut self, x: &[f64], _noise: Noise<'_>) -> Evaluation {
        Ok(-0.5 * x[0] * x[0])
    }
}

impl Known for Line {
    fn sample(&self, rng: &mut Rng, x: &mut [f64]) {
        x[0] = rng.sample(StandardNormal);
    }

    fn mean(&self) -> Vec<f64> {
        vec![0.0]
    }

    fn total_variance(&self) -> f64 {
        1.0
    }

    fn level(&self, x: &[f64]) -> f64 {
        use spec_math::NormDist;
        2.0 * x[0].abs().norm_cdf() - 1.0
    }
}

#[test]
fn kameleon_pca_with_next_to_no_exploration_leaves_the_line() {
    let z = (0..40).map(|i| vec![f64::from(i) * 0.1 - 2.0]).collect();
    let kameleon = KamhSettings { gamma: 1e-8, nu2: 0.5, z: Some(z), ..KamhSettings::default() };
    let settings = KamhPcaSettings { components: Some(3), kamh: kameleon };
    let proposal = KamhPca::new(&settings, 1, Length::new(0, 0)).unwrap();
    let p = exact_p(&proposal, &Line);
    assert!(p > ALARM, "p = {p}");
}

/// A wrong ratio from what is known at x and y, the two points, and the right ratio.
type WrongRatio<L> = fn(&L, &L, &[f64], &[f64], f64) -> f64;

/// A proposal with a wrong ratio of densities.
#[derive(Clone)]
struct Mutant<P: Proposal> {
    proposal: P,
    ratio: WrongRatio<P::Local>,
}

impl<P: Proposal> Proposal for Mutant<P> {
    type Local = P::Local;

    fn allocate(&self, dim: usize) -> P::Local {
        self.proposal.allocate(dim)
    }

    fn needs_gradient(&self) -> bool {
        self.proposal.needs_gradient()
    }

    fn take_gradient(&self, gradient: &[f64], at: &mut P::Local) {
        self.proposal.take_gradient(gradient, at);
    }

    fn locate(&self, x: &[f64], at: &mut P::Local) {
        self.proposal.locate(x, at);
    }

    fn draw(&self, x: &[f64], at: &mut P::Local, rng: &mut Rng, y: &mut [f64]) -> usize {
        self.proposal.draw(x, at, rng, y)
    }

    fn log_ratio(&self, x: &[f64], at_x: &P::Local, y: &[f64], at_y: &mut P::Local, component: usize) -> f64 {
        let right = self.proposal.log_ratio(x, at_x, y, at_y, component);
        (self.ratio)(at_x, at_y, x, y, right)
    }

    fn adapt(&mut self, _x: &[f64], _at: &mut P::Local, _step: &Step, _rng: &mut Rng) {}

    fn scale(&self) -> f64 {
        self.proposal.scale()
    }
}

fn log_factor(at: &KamhLocal, d: usize) -> f64 {
    linalg::log_diagonal(at.factor(), d)
}

/// ln q(y|x), up to a constant.
fn log_density(at: &KamhLocal, x: &[f64], y: &[f64]) -> f64 {
    let mut difference: Vec<f64> = x.iter().zip(y).map(|(x, y)| y - x).collect();
    linalg::solve_lower(at.factor(), &mut difference);
    -log_factor(at, x.len()) - 0.5 * linalg::dot(&difference, &difference)
}

/// The same with drift: ln N(y; x + b, R(x)) for this b.
fn log_density_with(at: &KamhLocal, b: &[f64], x: &[f64], y: &[f64]) -> f64 {
    let mean: Vec<f64> = x.iter().zip(b).map(|(x, b)| x + b).collect();
    log_density(at, &mean, y)
}

/// ½R(x)g for a gradient of a banana; shortened as the proposal of [`drifting`] does.
fn drift_of(at: &KamhLocal, gradient: &[f64]) -> Vec<f64> {
    let mut b = gradient.to_vec();
    linalg::multiply_lower_transpose(at.factor(), &mut b);
    let length = 0.5 * linalg::dot(&b, &b).sqrt();
    let longest = 0.5 * (b.len() as f64).sqrt();
    b.iter_mut().for_each(|b| *b *= 0.5 * (longest / length).min(1.0));
    linalg::multiply_lower(at.factor(), &mut b);
    b
}

fn drifting_mutant_p(ratio: WrongRatio<KamhLocal>) -> f64 {
    let proposal = learned(drifting(4, 3000, 100), &mut banana(), 3000);
    exact_p(&Mutant { proposal, ratio }, &banana())
}

#[test]
fn the_ratio_with_drift_is_that_of_its_two_densities() {
    let p = drifting_mutant_p(|at_x, at_y, x, y, right| {
        let [b_x, b_y] = [at_x, at_y].map(|at| drift_of(at, at.drift().unwrap().1));
        let ratio = log_density_with(at_y, &b_y, y, x) - log_density_with(at_x, &b_x, x, y);
        assert!((ratio - right).abs() < 1e-9 * (1.0 + right.abs()), "{ratio} {right}");
        ratio
    });
    assert!(p > ALARM, "p = {p}");
}

#[test]
fn a_drift_left_out_of_the_reverse_density_is_caught() {
    let p = drifting_mutant_p(|at_x, at_y, x, y, _| {
        log_density(at_y, y, x) - log_density_with(at_x, at_x.drift().unwrap().0, x, y)
    });
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn a_drift_left_out_of_both_densities_is_caught() {
    let p = drifting_mutant_p(|at_x, at_y, x, y, _| log_density(at_y, y, x) - log_density(at_x, x, y));
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn the_gradient_of_the_other_point_in_the_reverse_density_is_caught() {
    let p = drifting_mutant_p(|at_x, at_y, x, y, _| {
        let (shift, gradient) = at_x.drift().unwrap();
        let other = drift_of(at_y, gradient);
        log_density_with(at_y, &other, y, x) - log_density_with(at_x, shift, x, y)
    });
    assert!(p < ALARM, "p = {p}");
}

/// A noisy banana whose gradient is an estimate too: e makes both.
#[derive(Clone)]
struct NoisyGradient(Banana);

impl Target for NoisyGradient {
    fn dim(&self) -> Option<usize> {
        self.0.dim()
    }

    fn normals(&self) -> usize {
        1
    }

    fn log_density(&mut self, x: &[f64], noise: Noise<'_>) -> Evaluation {
        Ok(self.0.log_density(x, Noise { rng: noise.rng, normals: &[] })? + NOISE * noise.normals[0])
    }

    fn has_gradient(&self) -> bool {
        true
    }

    fn gradient(&mut self, x: &[f64], noise: Noise<'_>, gradient: &mut [f64]) -> Evaluation {
        let e = noise.normals[0];
        let value = self.0.gradient(x, Noise { rng: noise.rng, normals: &[] }, gradient)? + NOISE * e;
        gradient.iter_mut().for_each(|g| *g *= 1.0 + 0.7 * e);
        Ok(value)
    }
}

#[test]
fn a_noisy_gradient_that_is_kept_with_its_point_leaves_the_banana() {
    let proposal = learned(drifting(4, 3000, 100), &mut banana(), 3000);
    for correlation in [0.0, 0.9] {
        let (mut noisy, mut rng) = (NoisyGradient(banana()), random::stream(13, 0, random::Purpose::Noise));
        let p = smallest_p(&banana(), |index, start| {
            let mut chain = Chain::new(proposal.clone(), start, frozen(index + 1, 6, 1, correlation)).unwrap();
            chain.normals_mut()[0] = NOISE + rng.sample::<f64, _>(StandardNormal);
            for _ in 0..STEPS {
                chain.step(&mut noisy).unwrap();
            }
            chain.position().to_vec()
        });
        assert!(p > ALARM, "p = {p}");
    }
}

#[test]
fn a_missing_ratio_of_mala_is_caught() {
    let proposal = learned(mala(4, 3000, true), &mut banana(), 3000);
    let p = exact_p(&Mutant { proposal, ratio: |_, _, _, _, _| 0.0 }, &banana());
    assert!(p < ALARM, "p = {p}");
}

/// KMC with something wrong.
#[derive(Clone)]
struct KmcMutant {
    kmc: Kmc,
    /// Whether each path begins with the same momentum.
    same_momentum: bool,
    /// The factor of the change of the kinetic energy in the ratio.
    kinetic: f64,
    /// Whether the fitted density takes the place of the target.
    surrogate: bool,
}

impl KmcMutant {
    fn of(kmc: &Kmc) -> Self {
        Self { kmc: kmc.clone(), same_momentum: false, kinetic: 1.0, surrogate: false }
    }
}

impl Proposal for KmcMutant {
    type Local = <Kmc as Proposal>::Local;

    fn allocate(&self, dim: usize) -> Self::Local {
        self.kmc.allocate(dim)
    }

    fn draw(&self, x: &[f64], at: &mut Self::Local, rng: &mut Rng, y: &mut [f64]) -> usize {
        if self.same_momentum {
            return self.kmc.draw(x, at, &mut random::stream(1, 0, random::Purpose::Move), y);
        }
        self.kmc.draw(x, at, rng, y)
    }

    fn log_ratio(&self, x: &[f64], at_x: &Self::Local, y: &[f64], at_y: &mut Self::Local, component: usize) -> f64 {
        let mut ratio = self.kinetic * self.kmc.log_ratio(x, at_x, y, at_y, component);
        if self.surrogate {
            let (fitted, target) = (|x| self.kmc.log_surrogate(x).unwrap(), |x| exact(&mut banana(), x));
            ratio += fitted(y) - fitted(x) - target(y) + target(x);
        }
        ratio
    }

    fn adapt(&mut self, _x: &[f64], _at: &mut Self::Local, _step: &Step, _rng: &mut Rng) {}

    fn scale(&self) -> f64 {
        self.kmc.scale()
    }
}

#[test]
fn wrong_hamiltonian_paths_are_caught() {
    for finite in [false, true] {
        let kmc = learned(kmc(4, 3000, finite), &mut banana(), 3000);
        let right = KmcMutant::of(&kmc);
        assert!(exact_p(&right, &banana()) > ALARM, "the mutant that is none");
        for (what, mutant) in [
            ("the kinetic energy left out of the ratio", KmcMutant { kinetic: 0.0, ..right.clone() }),
            ("the kinetic energy with the wrong sign", KmcMutant { kinetic: -1.0, ..right.clone() }),
            ("the fitted density in place of the target", KmcMutant { surrogate: true, ..right.clone() }),
            ("a momentum that is not drawn anew", KmcMutant { same_momentum: true, ..right.clone() }),
        ] {
            let p = exact_p(&mutant, &banana());
            assert!(p < ALARM, "{what}, finite {finite}: p = {p}");
        }
    }
}

fn mutant_p(ratio: WrongRatio<KamhLocal>) -> f64 {
    let proposal = learned(kameleon(4, 3000, 100), &mut banana(), 3000);
    exact_p(&Mutant { proposal, ratio }, &banana())
}

#[test]
fn the_mutant_that_is_none_is_not_caught() {
    assert!(mutant_p(|_, _, _, _, right| right) > ALARM);
}

#[test]
fn a_missing_ratio_is_caught() {
    let p = mutant_p(|_, _, _, _, _| 0.0);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn a_missing_ratio_of_the_mixture_is_caught() {
    let proposal = learned(kameleon_pca(4, 3000), &mut banana(), 3000);
    let p = exact_p(&Mutant { proposal, ratio: |_, _, _, _, _| 0.0 }, &banana());
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn a_missing_ratio_of_the_snooker_update_is_caught() {
    let settings = DifferentialEvolutionSettings { snooker: 0.9, ..Default::default() };
    let proposal = DifferentialEvolution::new(&settings, 4, Length::new(3000, 0)).unwrap();
    let proposal = learned(proposal, &mut banana(), 3000);
    assert!(exact_p(&Mutant { proposal: proposal.clone(), ratio: |_, _, _, _, right| right }, &banana()) > ALARM);
    let p = exact_p(&Mutant { proposal, ratio: |_, _, _, _, _| 0.0 }, &banana());
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn half_the_log_determinant_is_caught() {
    let p = mutant_p(|at_x, at_y, x, _, right| right + 0.5 * (log_factor(at_y, x.len()) - log_factor(at_x, x.len())));
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn the_forward_density_alone_is_caught() {
    let p = mutant_p(|at_x, _, x, y, _| -log_density(at_x, x, y) - log_factor(at_x, x.len()));
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn the_factor_of_the_wrong_place_is_caught() {
    // A proposal that keeps a stale covariance: both directions with that of the current point.
    let p = mutant_p(|at_x, _, x, y, _| log_density(at_x, y, x) - log_density(at_x, x, y));
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn a_current_state_that_is_estimated_again_is_caught() {
    let proposal = learned(kameleon(4, 3000, 100), &mut banana(), 3000);
    let mut noisy = Noisy::new(banana(), NOISE).unwrap();
    let p = smallest_p(&banana(), |index, start| {
        let mut x = start.to_vec();
        for step in 0..STEPS {
            // A new chain at every step pays for its start anew, and so forgets the estimate it had.
            let settings = frozen(index * STEPS + step, 7, 1, 0.0);
            let mut chain = Chain::new(proposal.clone(), &x, settings).unwrap();
            chain.step(&mut noisy).unwrap();
            x.copy_from_slice(chain.position());
        }
        x
    });
    assert!(p < ALARM, "p = {p}");
}
