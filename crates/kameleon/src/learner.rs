//! A proposal that can learn together with others of its kind: what each brings to a refresh, and what all take from it.

use std::any::Any;
use std::sync::Arc;

/// What a chain brings to a refresh; only proposals of its own kind know its type.
pub type RefreshInput = Box<dyn Any + Send + Sync>;

/// What a group has learned, shared by its chains; only proposals of their kind know its type.
pub type SharedFit = Arc<dyn Any + Send + Sync>;

/// A proposal that can learn together with others of its kind.
pub trait Learner {
    /// From now on it waits at every refresh.
    fn join(&mut self);

    /// Whether it waits for its group.
    fn waits(&self) -> bool;

    /// The number of refreshes it has had.
    fn refreshes(&self) -> u64;

    /// What it brings to the refresh that it waits at.
    fn input(&self) -> Option<RefreshInput>;

    /// What the whole group learns at the refresh that it waits at, from the inputs in the order of the chains; none if one
    /// of them is of another kind of proposal.
    fn combine(&self, inputs: Vec<RefreshInput>) -> Option<SharedFit>;

    /// What it learned at its last refresh.
    fn shared_fit(&self) -> SharedFit;

    /// Takes over what was learned at the refresh that it waits at; what another kind of proposal learned changes nothing.
    fn take(&mut self, fit: &SharedFit);
}

/// The inputs as the type that their proposals know; none if one is of another.
pub(crate) fn downcast<T: 'static>(inputs: Vec<RefreshInput>) -> Option<Vec<T>> {
    inputs.into_iter().map(|input| input.downcast::<T>().ok().map(|input| *input)).collect()
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
