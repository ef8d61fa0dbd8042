//! Chains that learn together: what each brings to a refresh, and how a group is taught.
//!
//! A chain of a group stops when its refresh is due and waits. When all have come, a fit is learned from the lessons of
//! all, in the order of the chains, and given to each. So the draws depend on neither threads nor the order of arrival. A
//! chain that waits is saved before any of the group learns, hence of chains saved at different moments either all wait,
//! or some have the fit that the others wait for: a group can be resumed from such states, bit for bit.

use super::Staged;
use super::fit::Fit;
use super::learn::learn;
use super::moves::PerKind;
use crate::any_chain::AnyChain;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The largest number of chains that learn together.
pub const LARGEST_GROUP: usize = 4;

/// How far a kind of move got since the last refresh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// How often it was made.
    pub made: u64,
    /// How often it was accepted.
    pub accepted: u64,
    /// The sum of the squared distances it moved the chain by, in the metric.
    pub squares: f64,
}

/// What a chain brings to a refresh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    /// The later half of its past, one state after another.
    pub states: Vec<f64>,
    /// How many moves it accepted in that time.
    pub accepted: u64,
    /// ln s² of its steps.
    pub log_scale: f64,
    /// What its moves were worth.
    pub tallies: PerKind<Tally>,
    /// From its own stream; that of the group's first chain gives the random numbers of the refresh.
    pub seed: u64,
}

/// Cuts chains 0, 1, … into groups of nearly equal size, none larger than [`LARGEST_GROUP`]; tells the group of each.
pub fn groups(chains: usize) -> Vec<usize> {
    let groups = chains.div_ceil(LARGEST_GROUP).max(1);
    (0..chains).map(|chain| chain * groups / chains).collect()
}

/// Teaches the chains of one group that wait, if it is time: true if any was taught.
pub fn teach(group: &mut [&mut dyn AnyChain]) -> bool {
    let Some(fit) = next_fit(group) else { return false };
    for chain in group {
        if chain.staged().is_some_and(|staged| staged.waits() && staged.fit().number + 1 == fit.number) {
            chain.learn(&fit);
        }
    }
    true
}

/// The fit that the chain furthest behind waits for: one that another has already, or a new one once all wait for it.
fn next_fit(group: &[&mut dyn AnyChain]) -> Option<Arc<Fit>> {
    let all = || group.iter().filter_map(|chain| chain.staged());
    let behind = all().filter(|staged| staged.waits()).min_by_key(|staged| staged.fit().number)?;
    let old = behind.fit();
    if let Some(ahead) = all().find(|staged| staged.fit().number == old.number + 1) {
        return Some(ahead.fit().clone());
    }
    let lesson = |staged: &Staged| staged.lesson().filter(|_| staged.fit().number == old.number);
    let lessons = all().map(lesson).collect::<Option<Vec<Lesson>>>()?;
    Some(Arc::new(learn(old, &lessons, behind.settings(), behind.schedule(), behind.due()?)))
}
