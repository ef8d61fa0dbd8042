//! Broken versions of the default sampler are caught; unbroken, each of its moves leaves the target as it is.

use crate::banana;
use crate::common::replicates::*;
use crate::common::{default_sampler, learned};
use kameleon::moves::*;
use kameleon::proposal::Kameleon;
use kameleon::warmup::Fit;
use kameleon::*;
use std::sync::Arc;

/// How a broken version is broken.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// No ratio of densities for jumps.
    NoRatio,
    /// The wide component of Q has another weight in the ratio than in the draw.
    WrongWeight,
    /// Q in the ratio is that of another z.
    WrongPoints,
    /// No ratio of densities for subspace jumps.
    NoSubspaceJumpRatio,
    /// Their Q in the ratio is that of another subspace and another z.
    WrongSubspace,
    /// No ratio of densities for subspace kernel steps.
    NoSubspaceStepRatio,
    /// No ratio of densities for kernel steps.
    NoStepRatio,
    /// Differential evolution makes longer steps in one half of the space than in the other.
    UnevenDifferences,
    /// The weights of the moves go on changing with the place.
    NeverFrozen,
}

#[derive(Clone)]
struct Mutant {
    proposal: Kameleon,
    other: Kameleon,
    fault: Fault,
}

/// Makes these moves with these probabilities, and no other.
fn reweigh(proposal: &mut Kameleon, weights: &[(&dyn Move, f64)]) {
    let mut fit = Fit { weights: PerMove::default(), ..Fit::clone(proposal.fit()) };
    weights.iter().for_each(|(of, weight)| fit.weights[MoveId::of(*of)] = *weight);
    proposal.learn(Arc::new(fit));
}

/// ln Q(x) of the proposal, with the weight of the wide component changed.
fn log_q(proposal: &Kameleon, x: &[f64], delta: Option<f64>) -> f64 {
    let history = proposal.fit().model.history.as_ref().unwrap();
    let (mut u, mut scratch) = (vec![0.0; x.len()], vec![simd::Block::ZERO; x.len()]);
    history.frame.coordinates(x, &mut u);
    let (near, wide) = history.density.as_ref().unwrap().log_parts(&u, &mut scratch);
    let delta = delta.unwrap_or(history.shape.delta);
    ((1.0 - delta) * near.exp() + delta * wide.exp()).ln()
}

impl Mutant {
    fn log_wrong_subspace(&self, x: &[f64]) -> f64 {
        let mut at = self.other.allocate(x.len());
        self.other.locate(x, &mut at);
        at.subspace().and_then(Neighbourhood::log_jump_density).unwrap()
    }
}

impl Proposal for Mutant {
    type Local = Local;

    fn allocate(&self, dim: usize) -> Local {
        self.proposal.allocate(dim)
    }

    fn locate(&self, x: &[f64], at: &mut Local) {
        self.proposal.locate(x, at);
    }

    fn draw(&self, x: &[f64], at: &mut Local, rng: &mut Rng, y: &mut [f64]) -> usize {
        let component = self.proposal.draw(x, at, rng, y);
        let uneven = self.fault == Fault::UnevenDifferences && Pick::of(component).id == MoveId::of(&Difference);
        if uneven && x[0] > 0.0 {
            y.iter_mut().zip(x).for_each(|(y, x)| *y += *y - x);
        }
        component
    }

    fn log_ratio(&self, x: &[f64], at_x: &Local, y: &[f64], at_y: &mut Local, component: usize) -> f64 {
        let right = self.proposal.log_ratio(x, at_x, y, at_y, component);
        let made = |of: &dyn Move| Pick::of(component).id == MoveId::of(of);
        match self.fault {
            Fault::NoStepRatio if made(&KernelStep) => return 0.0,
            Fault::NoSubspaceJumpRatio if made(&SubspaceJump) => return 0.0,
            Fault::NoSubspaceStepRatio if made(&SubspaceStep) => return 0.0,
            Fault::WrongSubspace if made(&SubspaceJump) => {
                return self.log_wrong_subspace(x) - self.log_wrong_subspace(y);
            }
            _ if !made(&Jump) => return right,
            _ => {}
        }
        let delta = self.proposal.fit().model.history.as_ref().unwrap().shape.delta;
        let wrong = if delta < 0.5 { 0.9 } else { 0.05 };
        match self.fault {
            Fault::NoRatio => 0.0,
            Fault::WrongWeight => log_q(&self.proposal, x, Some(wrong)) - log_q(&self.proposal, y, Some(wrong)),
            Fault::WrongPoints => log_q(&self.other, x, None) - log_q(&self.other, y, None),
            _ => right,
        }
    }

    fn adapt(&mut self, x: &[f64], at: &mut Local, step: &Step, rng: &mut Rng) {
        self.proposal.adapt(x, at, step, rng);
        if self.fault == Fault::NeverFrozen {
            let (walks, jumps) = if x[0] > 0.0 { (0.4, 0.5) } else { (0.8, 0.1) };
            reweigh(&mut self.proposal, &[(&Walk, walks), (&KernelStep, 0.1), (&Jump, jumps)]);
        }
    }

    fn scale(&self) -> f64 {
        self.proposal.scale()
    }
}

fn mutant_p(fault: Fault) -> f64 {
    let proposal = learned(default_sampler(4, 3000, 100), &mut banana(), 3000);
    let other = learned(default_sampler(4, 2000, 60), &mut banana(), 2000);
    exact_p(&Mutant { proposal, other, fault }, &banana())
}

#[test]
fn the_mutant_that_is_none_is_not_caught() {
    let p = mutant_p(Fault::None);
    assert!(p > ALARM, "p = {p}");
}

#[test]
fn a_jump_without_its_ratio_is_caught() {
    let p = mutant_p(Fault::NoRatio);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn a_wrong_weight_in_the_ratio_is_caught() {
    let p = mutant_p(Fault::WrongWeight);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn a_density_of_the_wrong_points_is_caught() {
    let p = mutant_p(Fault::WrongPoints);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn a_subspace_jump_without_its_ratio_is_caught() {
    let p = mutant_p(Fault::NoSubspaceJumpRatio);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn a_density_in_the_wrong_subspace_is_caught() {
    let p = mutant_p(Fault::WrongSubspace);
    assert!(p < ALARM, "p = {p}");
}

/// With nine moves in ten of one kind: in its usual share an error in it might not show.
fn mostly_p(of: &dyn Move, fault: Fault) -> f64 {
    let mut proposal = learned(default_sampler(4, 3000, 100), &mut banana(), 3000);
    reweigh(&mut proposal, &[(&Walk, 0.1), (of, 0.9)]);
    exact_p(&Mutant { other: proposal.clone(), proposal, fault }, &banana())
}

/// Mostly such moves leave the banana, and with the fault they are caught.
fn is_caught(of: &dyn Move, fault: Fault) {
    let p = mostly_p(of, Fault::None);
    assert!(p > ALARM, "p = {p}");
    let p = mostly_p(of, fault);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn kernel_steps_leave_the_banana_and_without_their_ratio_are_caught() {
    is_caught(&KernelStep, Fault::NoStepRatio);
}

#[test]
fn differences_leave_the_banana_and_of_uneven_length_are_caught() {
    is_caught(&Difference, Fault::UnevenDifferences);
}

#[test]
fn subspace_steps_leave_the_banana_and_without_their_ratio_are_caught() {
    is_caught(&SubspaceStep, Fault::NoSubspaceStepRatio);
}

#[test]
fn learning_that_never_ends_is_caught() {
    let p = mutant_p(Fault::NeverFrozen);
    assert!(p < ALARM, "p = {p}");
}
