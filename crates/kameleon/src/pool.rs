//! Chains that learn together: who belongs to a group, and when it is refreshed.
//!
//! A chain of a group stops when its next refresh is due and waits. When all have come, what follows from the inputs of all,
//! in the order of the chains, is given to each. So the draws depend on neither threads nor the order of arrival. A chain
//! that waits is saved before any of the group learns, hence of chains saved at different moments either all wait, or some
//! know what the others wait for: a group can be resumed from such states, bit for bit.

use crate::any_chain::AnyChain;
use crate::learner::{Learner, RefreshInput, SharedFit};

/// The largest number of chains that learn together: up to this many modes can have a chain each that is started there.
pub const LARGEST_GROUP: usize = 8;

/// Cuts chains 0, 1, … into groups of nearly equal size, none larger than [`LARGEST_GROUP`]; tells the group of each.
pub fn chain_groups(chains: usize) -> Vec<usize> {
    let groups = chains.div_ceil(LARGEST_GROUP).max(1);
    (0..chains).map(|chain| chain * groups / chains).collect()
}

/// Refreshes the chains of one group that wait, if it is time: true if any was refreshed.
pub fn refresh(group: &mut [&mut dyn AnyChain]) -> bool {
    let Some((before, fit)) = next(group) else { return false };
    let mut refreshed = false;
    for chain in group {
        if chain.learner().is_some_and(|learner| learner.waits() && learner.refreshes() == before) {
            chain.learn(&fit);
            refreshed |= chain.learner().is_some_and(|learner| learner.refreshes() > before);
        }
    }
    refreshed
}

/// What the chain furthest behind waits for, and the number of refreshes it has had: another may know it already, or all
/// wait for it.
fn next(group: &[&mut dyn AnyChain]) -> Option<(u64, SharedFit)> {
    let all = || group.iter().filter_map(|chain| chain.learner());
    let behind = all().filter(|learner| learner.waits()).min_by_key(|learner| learner.refreshes())?;
    let before = behind.refreshes();
    if let Some(ahead) = all().find(|learner| learner.refreshes() == before + 1) {
        return Some((before, ahead.shared_fit()));
    }
    let input = |learner: &dyn Learner| learner.input().filter(|_| learner.refreshes() == before);
    let inputs = all().map(input).collect::<Option<Vec<RefreshInput>>>()?;
    Some((before, behind.combine(inputs)?))
}
