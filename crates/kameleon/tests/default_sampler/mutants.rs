//! Broken versions of the default sampler are caught; unbroken, each of its moves leaves the target as it is.

use crate::banana;
use crate::common::replicates::*;
use crate::common::{default_sampler, frozen, learned};
use kameleon::mixture::{Component, Mixture};
use kameleon::moves::*;
use kameleon::proposal::Kameleon;
use kameleon::record::{Jumps, JumpsFrom, weigh};
use kameleon::target::TwoModes;
use kameleon::warmup::Fit;
use kameleon::*;
use rand::RngExt;
use std::sync::Arc;

/// How a broken version is broken.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    /// No ratio of densities for jumps.
    NoRatio,
    /// The wide part of Q has another weight in the ratio than in the draw.
    WrongWeight,
    /// Q has a flat part more, which is no fault, …
    FlatPart,
    /// … and it is left out of the ratio.
    NoFlatPart,
    /// Q in the ratio is that of another fit.
    AnotherFit,
    /// Q in the ratio has the components of this fit with the weights of another.
    WeightsOfAnotherFit,
    /// Q is fitted again while draws are made, from where the chain is.
    NeverFrozen,
    /// No ratio of densities for kernel steps.
    NoStepRatio,
    /// Differential evolution makes longer steps in one half of the space than in the other.
    UnevenDifferences,
    /// The weights of the moves go on changing with the place.
    WeightsByPlace,
    /// The spots of a block begin in one half of the density only.
    NarrowSpots,
    /// The spot of where the chain is may be anywhere, as if any part of the density led there.
    AnySpot,
}

#[derive(Clone)]
struct Mutant {
    proposal: Kameleon,
    /// What is taken for the density of jumps in the ratio.
    wrong: Option<JumpDensity>,
    fault: Fault,
}

/// Makes these moves with these probabilities, and no other.
fn reweigh(proposal: &mut Kameleon, weights: &[(&dyn Move, f64)]) {
    let mut fit = Fit { weights: PerMove::default(), ..Fit::clone(proposal.fit()) };
    weights.iter().for_each(|(of, weight)| fit.weights[MoveId::of(*of)] = *weight);
    proposal.learn(Arc::new(fit));
}

fn density(proposal: &Kameleon) -> &JumpDensity {
    proposal.fit().model.density.as_ref().unwrap()
}

/// The same with another density of jumps.
fn with_density(proposal: &mut Kameleon, density: JumpDensity) {
    let mut fit = Fit::clone(proposal.fit());
    fit.model.density = Some(density);
    proposal.learn(Arc::new(fit));
}

/// The density with its components changed.
fn with_components(density: &JumpDensity, change: impl FnOnce(&mut Vec<Component>)) -> JumpDensity {
    let parts = density.parts().clone();
    let mut components = parts.mixture.components().to_vec();
    change(&mut components);
    Parts { mixture: Mixture::new(components).unwrap(), ..parts }.into()
}

/// With a flat part more: all components again, wider, with a third of the weight.
fn with_flat_part(density: &JumpDensity) -> JumpDensity {
    with_components(density, |components| {
        let wider = |c: &Component| Component {
            weight: c.weight,
            centre: c.centre.clone(),
            factor: c.factor.iter().map(|l| 2.0 * l).collect(),
            freedom: c.freedom.min(5.0),
        };
        let flat: Vec<Component> = components.iter().map(wider).collect();
        components.extend(flat);
    })
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
            y.iter_mut().zip(x).for_each(|(y, x)| *y += 2.0 * (*y - x));
        }
        component
    }

    fn log_ratio(&self, x: &[f64], at_x: &Local, y: &[f64], at_y: &mut Local, component: usize) -> f64 {
        let right = self.proposal.log_ratio(x, at_x, y, at_y, component);
        let made = |of: &dyn Move| Pick::of(component).id == MoveId::of(of);
        if self.fault == Fault::NoStepRatio && made(&KernelStep) {
            return 0.0;
        }
        if !made(&Jump) {
            return right;
        }
        let mut room = vec![0.0; x.len()];
        let mut ratio = |q: &JumpDensity| q.log_density(x, &mut room) - q.log_density(y, &mut room);
        match self.fault {
            Fault::NoRatio => 0.0,
            Fault::WrongWeight | Fault::NoFlatPart | Fault::AnotherFit | Fault::WeightsOfAnotherFit => {
                ratio(self.wrong.as_ref().unwrap())
            }
            _ => right,
        }
    }

    fn block(&self) -> usize {
        self.proposal.block()
    }

    fn set_block(&mut self, size: usize) {
        self.proposal.set_block(size);
    }

    fn spot(&self, component: usize, x: &[f64], at: &mut Local, rng: &mut Rng) -> Option<f64> {
        let right = self.proposal.spot(component, x, at, rng)?;
        Some(match self.fault {
            Fault::NarrowSpots => 0.5 * right,
            Fault::AnySpot => rng.random(),
            _ => right,
        })
    }

    fn draw_at(&self, spot: f64, rng: &mut Rng, y: &mut [f64]) -> u8 {
        self.proposal.draw_at(spot, rng, y)
    }

    fn log_jump_density(&self, at: &Local, component: usize) -> Option<f64> {
        self.proposal.log_jump_density(at, component)
    }

    fn adapt(&mut self, x: &[f64], at: &mut Local, step: &Step, rng: &mut Rng) {
        self.proposal.adapt(x, at, step, rng);
        if self.fault == Fault::NeverFrozen {
            // The component that is nearest to the chain moves there and gets more weight, as if fitted to its last state.
            let q = density(&self.proposal);
            let mut u = vec![0.0; x.len()];
            q.parts().frame.coordinates(x, &mut u);
            let mut room = [0.0; JumpDensity::MOST_DIRECTIONS];
            let s = q.parts().few.as_ref().map_or(u.as_slice(), |few| few.coordinates(&u, &mut room));
            let refitted = with_components(q, |components| {
                let distance = |c: &Component| c.centre.iter().zip(s).map(|(c, s)| (c - s) * (c - s)).sum::<f64>();
                let near = components.iter_mut().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
                near.weight += 1.0;
                near.centre.copy_from_slice(s);
            });
            with_density(&mut self.proposal, refitted);
            self.proposal.locate(x, at);
        }
        if self.fault == Fault::WeightsByPlace {
            let (walks, jumps) = if x[0] > 0.0 { (0.4, 0.5) } else { (0.8, 0.1) };
            reweigh(&mut self.proposal, &[(&Walk, walks), (&KernelStep, 0.1), (&Jump, jumps)]);
        }
    }

    fn scale(&self) -> f64 {
        self.proposal.scale()
    }
}

fn mutant_p(fault: Fault) -> f64 {
    let mut proposal = learned(default_sampler(4, 3000, 100), &mut banana(), 3000);
    let right = density(&proposal).clone();
    let other = || {
        let other = learned(default_sampler(4, 2000, 60), &mut banana(), 2000);
        density(&other).clone()
    };
    let wrong = match fault {
        Fault::WrongWeight => Some(Parts { wide: 0.9, ..right.parts().clone() }.into()),
        Fault::NoFlatPart => Some(right.clone()),
        Fault::AnotherFit => Some(other()),
        Fault::WeightsOfAnotherFit => Some(with_components(&right, |components| {
            let others = other();
            let weights = others.parts().mixture.components().iter().map(|component| component.weight).cycle();
            components.iter_mut().zip(weights).for_each(|(component, weight)| component.weight = weight);
        })),
        _ => None,
    };
    if [Fault::NoFlatPart, Fault::FlatPart].contains(&fault) {
        with_density(&mut proposal, with_flat_part(&right));
    }
    exact_p(&Mutant { proposal, wrong, fault }, &banana())
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
fn a_ratio_without_the_flat_part_is_caught() {
    let p = mutant_p(Fault::FlatPart);
    assert!(p > ALARM, "p = {p}");
    let p = mutant_p(Fault::NoFlatPart);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn the_density_of_another_fit_in_the_ratio_is_caught() {
    let p = mutant_p(Fault::AnotherFit);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn the_weights_of_another_fit_in_the_ratio_are_caught() {
    let p = mutant_p(Fault::WeightsOfAnotherFit);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn a_density_that_is_fitted_again_after_the_freeze_is_caught() {
    let p = mutant_p(Fault::NeverFrozen);
    assert!(p < ALARM, "p = {p}");
}

/// With nine moves in ten of one kind: in its usual share an error in it might not show.
fn mostly_p(of: &dyn Move, fault: Fault) -> f64 {
    let mut proposal = learned(default_sampler(4, 3000, 100), &mut banana(), 3000);
    reweigh(&mut proposal, &[(&Walk, 0.1), (of, 0.9)]);
    exact_p(&Mutant { proposal, wrong: None, fault }, &banana())
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
fn weights_of_moves_that_change_with_the_place_are_caught() {
    let p = mutant_p(Fault::WeightsByPlace);
    assert!(p < ALARM, "p = {p}");
}

#[test]
fn spots_of_jumps_that_begin_in_one_half_of_the_density_are_caught() {
    let p = mutant_p(Fault::NarrowSpots);
    assert!(p < ALARM, "p = {p}");
}

/// A density that has much too little at one of two modes, so that chains are often there and the points of their blocks are not.
fn skewed() -> (Kameleon, TwoModes) {
    let mut target = TwoModes::new(2, 6.0, 0.5).unwrap();
    let mut proposal = learned(default_sampler(2, 3000, 100), &mut target, 3000);
    let skewed = with_components(density(&proposal), |components| {
        components.iter_mut().filter(|c| c.centre[0] > 0.0).for_each(|c| c.weight *= 0.15);
    });
    with_density(&mut proposal, skewed);
    (proposal, target)
}

#[test]
fn spots_of_jumps_that_have_nothing_to_do_with_where_the_chain_is_are_caught() {
    let p = |fault| {
        let (mut proposal, target) = skewed();
        reweigh(&mut proposal, &[(&Walk, 0.03), (&Jump, 0.97)]);
        proposal.set_block(4);
        exact_p_after(30, &Mutant { proposal, wrong: None, fault }, &target)
    };
    let (right, wrong) = (p(Fault::None), p(Fault::AnySpot));
    assert!(right > ALARM && wrong < ALARM, "p = {right} and {wrong}");
}

// Six standard errors of independent points, which have larger ones than points at evenly spaced spots.
#[test]
fn weights_of_jumps_make_up_for_points_that_keep_away_from_the_chain() {
    let (mut proposal, mut target) = skewed();
    proposal.set_block(48);
    let mut chain = Chain::new(proposal, &[3.0, 0.0], frozen(0, 7, 0, 0.0)).unwrap();
    let mut jumps = Jumps::default();
    for _ in 0..200_000 {
        if let Some(drawn) = chain.step(&mut target).unwrap().jump {
            jumps.log_ratio.push(drawn.log_ratio);
            jumps.part.push(drawn.part);
        }
    }
    weigh(vec![(&mut jumps, JumpsFrom::of(&chain))]);
    let log_z = std::f64::consts::TAU.ln();
    let distance = |logs: &[f64]| {
        let mean = |power: f64| logs.iter().map(|log| (power * (log - log_z)).exp()).sum::<f64>() / logs.len() as f64;
        (mean(1.0) - 1.0) / ((mean(2.0) - mean(1.0).powi(2)) / logs.len() as f64).sqrt()
    };
    let (plain, weighed) = (distance(&jumps.log_ratio), distance(&jumps.log_weight));
    assert!(jumps.part.len() > 100_000 && plain < -6.0 && weighed.abs() < 6.0, "{plain} and {weighed} standard errors");
}
