//! Chains that learn together, all of a run: when they learn, and what they wait for.
//!
//! A chain of a group stops where its next refresh is due and waits for a fit. Fit k follows from what all chains bring for
//! it, in the order of the chains, so the draws depend on neither threads nor the order of arrival.
//!
//! - Few chains bring their input for fit k where they wait for fit k: they learn at once, and the slowest holds up the others.
//! - Many run ahead: at exchange k a chain takes fit k − 1 and brings its input for fit k, which it takes at exchange k + 1. It
//!   waits only for chains that are a whole round behind.
//!
//! A chain is saved with what it brings before any other can learn from it. Hence of chains saved at different moments none is
//! ahead of another by more than one fit, and either some know what others wait for, or it follows from what all bring: a
//! group can be resumed from such states, bit for bit.

use crate::any_chain::AnyChain;
use crate::learner::{FitRule, Learner, RefreshInput, SharedFit};

/// Where the chains of a group leave what they bring, and find what follows from it.
pub(crate) struct Board {
    /// What every chain brings for the next fit.
    inputs: Vec<Option<RefreshInput>>,
    /// The last fit with its number, once a chain has come.
    last: Option<(u64, SharedFit)>,
    fit_rule: Option<FitRule>,
}

impl Board {
    /// For a group with this number of chains.
    pub(crate) fn new(chains: usize) -> Self {
        Self { inputs: vec![None; chains], last: None, fit_rule: None }
    }

    /// A chain of the group leaves what it brings, and what it knows if that is more.
    pub(crate) fn bring(&mut self, member: usize, learner: &dyn Learner) {
        let number = learner.refreshes();
        if self.last.as_ref().is_none_or(|(last, _)| number > *last) {
            self.publish(number, learner.shared_fit());
        }
        if self.last.as_ref().is_some_and(|(last, _)| number == *last) {
            self.inputs[member] = learner.input();
        }
        self.fit_rule.get_or_insert_with(|| learner.fit_rule());
    }

    /// The fit that a chain waits for, if it is known.
    pub(crate) fn fit_for(&self, learner: &dyn Learner) -> Option<SharedFit> {
        let (number, fit) = self.last.as_ref()?;
        (learner.waits() && learner.wants() == *number).then(|| fit.clone())
    }

    /// Whether a chain can have what it waits for.
    pub(crate) fn has_fit_for(&self, chain: &dyn AnyChain) -> bool {
        chain.learner().is_some_and(|learner| self.fit_for(learner).is_some())
    }

    /// The last fit.
    pub(crate) fn fit(&self) -> Option<SharedFit> {
        self.last.as_ref().map(|(_, fit)| fit.clone())
    }

    /// What is to be worked out next, once all have brought what it takes.
    pub(crate) fn next_fit(&self) -> Option<NextFit> {
        let inputs = self.inputs.iter().cloned().collect::<Option<Vec<_>>>()?;
        let (last, old) = self.last.clone()?;
        Some(NextFit { number: last + 1, old, inputs, fit_rule: self.fit_rule.clone()? })
    }

    /// Chains that wait for it can have it from now on; what was brought is used up.
    pub(crate) fn publish(&mut self, number: u64, fit: SharedFit) {
        self.last = Some((number, fit));
        self.clear();
    }

    /// Nothing follows from what was brought.
    pub(crate) fn clear(&mut self) {
        self.inputs.fill(None);
    }
}

/// All that the next fit follows from.
pub(crate) struct NextFit {
    /// Its number.
    pub(crate) number: u64,
    old: SharedFit,
    inputs: Vec<RefreshInput>,
    fit_rule: FitRule,
}

impl NextFit {
    /// The next fit; none if the chains are of different kinds.
    pub(crate) fn work_out(&self) -> Option<SharedFit> {
        (self.fit_rule)(&self.old, &self.inputs)
    }
}

/// Refreshes the chains of one group that wait, if it is time: true if any was refreshed.
pub fn refresh(group: &mut [&mut dyn AnyChain]) -> bool {
    let mut board = Board::new(group.len());
    let learners = group.iter().enumerate().filter_map(|(member, chain)| Some((member, chain.learner()?)));
    learners.for_each(|(member, learner)| board.bring(member, learner));
    if !give(&board, group) {
        let Some(next) = board.next_fit() else { return false };
        let Some(fit) = next.work_out() else { return false };
        board.publish(next.number, fit);
        return give(&board, group);
    }
    true
}

/// Gives to chains what they wait for; true if any got it.
fn give(board: &Board, group: &mut [&mut dyn AnyChain]) -> bool {
    let mut given = false;
    for chain in group {
        if let Some(fit) = chain.learner().and_then(|learner| board.fit_for(learner)) {
            chain.learn(&fit);
            given = true;
        }
    }
    given
}
