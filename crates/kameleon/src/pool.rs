//! Chains that learn together: what each brings to a lesson, and how a group is taught.
//!
//! A chain of a group stops when its next lesson is due and waits. When all have come, what follows from the lessons of all,
//! in the order of the chains, is given to each. So the draws depend on neither threads nor the order of arrival. A chain
//! that waits is saved before any of the group learns, hence of chains saved at different moments either all wait, or some
//! know what the others wait for: a group can be resumed from such states, bit for bit.

use crate::any_chain::AnyChain;
use crate::staged::{Fit, Lesson as KameleonLesson};
use std::sync::Arc;

/// The largest number of chains that learn together.
pub const LARGEST_GROUP: usize = 4;

/// A proposal that can learn together with others of its kind.
pub trait Learner {
    /// From now on it waits at every lesson.
    fn join(&mut self);

    /// Whether it waits for its group.
    fn waits(&self) -> bool;

    /// How many lessons it has had.
    fn lessons(&self) -> u64;

    /// What it brings to the lesson that it waits at.
    fn lesson(&self) -> Option<Lesson>;

    /// What the whole group knows after the lesson that it waits at.
    fn conclude(&self, lessons: Vec<Lesson>) -> Option<Knowledge>;

    /// What it knows since its last lesson.
    fn knowledge(&self) -> Knowledge;

    /// Takes over what was learned at the lesson that it waits at.
    fn take(&mut self, knowledge: &Knowledge);
}

/// What a chain brings to a lesson.
pub enum Lesson {
    /// Of the default sampler.
    Kameleon(KameleonLesson),
    /// States, one after another.
    States(Vec<f64>),
}

/// What a group has learned.
pub enum Knowledge {
    /// Of the default sampler.
    Fit(Arc<Fit>),
    /// States, one after another.
    Archive(Arc<Vec<f64>>),
}

/// Cuts chains 0, 1, … into groups of nearly equal size, none larger than [`LARGEST_GROUP`]; tells the group of each.
pub fn groups(chains: usize) -> Vec<usize> {
    let groups = chains.div_ceil(LARGEST_GROUP).max(1);
    (0..chains).map(|chain| chain * groups / chains).collect()
}

/// Teaches the chains of one group that wait, if it is time: true if any was taught.
pub fn teach(group: &mut [&mut dyn AnyChain]) -> bool {
    let Some((before, knowledge)) = next(group) else { return false };
    for chain in group {
        if chain.learner().is_some_and(|learner| learner.waits() && learner.lessons() == before) {
            chain.learn(&knowledge);
        }
    }
    true
}

/// What the chain furthest behind waits for, and the lessons it has had: another may know it already, or all wait for it.
fn next(group: &[&mut dyn AnyChain]) -> Option<(u64, Knowledge)> {
    let all = || group.iter().filter_map(|chain| chain.learner());
    let behind = all().filter(|learner| learner.waits()).min_by_key(|learner| learner.lessons())?;
    let before = behind.lessons();
    if let Some(ahead) = all().find(|learner| learner.lessons() == before + 1) {
        return Some((before, ahead.knowledge()));
    }
    let lesson = |learner: &dyn Learner| learner.lesson().filter(|_| learner.lessons() == before);
    let lessons = all().map(lesson).collect::<Option<Vec<Lesson>>>()?;
    Some((before, behind.conclude(lessons)?))
}

/// Shared data in a stored chain: by value.
pub(crate) mod by_value {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::sync::Arc;

    pub fn serialize<T: Serialize, S: Serializer>(shared: &Arc<T>, serializer: S) -> Result<S::Ok, S::Error> {
        shared.as_ref().serialize(serializer)
    }

    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<T>, D::Error> {
        T::deserialize(deserializer).map(Arc::new)
    }
}
