//! A proposal that can learn together with others of its kind: what each brings to a refresh, and what all take from it.

use std::any::Any;
use std::sync::Arc;

/// What a chain brings to a refresh; only proposals of its own kind know its type.
pub type RefreshInput = Arc<dyn Any + Send + Sync>;

/// What a group has learned, shared by its chains; only proposals of their kind know its type.
pub type SharedFit = Arc<dyn Any + Send + Sync>;

/// What follows from a fit and the inputs of all chains of a group, in their order; none if one of them is of another kind of
/// proposal.
pub type FitRule = Arc<dyn Fn(&SharedFit, &[RefreshInput]) -> Option<SharedFit> + Send + Sync>;

/// A proposal that can learn together with others of its kind.
pub trait Learner {
    /// From now on it waits at every refresh.
    fn join(&mut self);

    /// Whether it waits for its group.
    fn waits(&self) -> bool;

    /// The number of the fit that it has: 0 before anything is learned.
    fn refreshes(&self) -> u64;

    /// The number of the fit that it waits for.
    fn wants(&self) -> u64 {
        self.refreshes() + 1
    }

    /// Whether it goes on with the fit before, so that it brings its input when it is done waiting; else it brings it while
    /// it waits.
    fn runs_ahead(&self) -> bool {
        false
    }

    /// What it brings for the fit that follows the one that it has; none if it has not come so far.
    fn input(&self) -> Option<RefreshInput>;

    /// An input as text, and back, for chains in other processes; none if it is of another kind of proposal, or does not fit.
    fn pack(&self, input: &RefreshInput) -> Option<String>;

    /// See [`Learner::pack`].
    fn unpack(&self, text: &str) -> Option<RefreshInput>;

    /// How its group learns.
    fn fit_rule(&self) -> FitRule;

    /// What it learned at its last refresh.
    fn shared_fit(&self) -> SharedFit;

    /// Whether this is the fit that it has: then both can be stored with one copy of it.
    fn has_fit(&self, fit: &SharedFit) -> bool;

    /// Leaves out of its fit what it does not need until it waits, since only the group learns from it. A chain that goes to another
    /// process need not carry it.
    fn leave_out_learning(&mut self) {}

    /// Leaves out its fit, to be stored or sent without it. It is of no use until [`Learner::put_back_fit`].
    fn leave_out_fit(&mut self);

    /// Takes back the fit that was left out, wholly or in part; false if this is another.
    #[must_use]
    fn put_back_fit(&mut self, fit: &SharedFit) -> bool;

    /// Takes over the fit that it waits for; what another kind of proposal learned changes nothing.
    fn take(&mut self, fit: &SharedFit);
}

/// The inputs as the type that their proposals know; none if one is of another.
pub(crate) fn downcast<T: Send + Sync + 'static>(inputs: &[RefreshInput]) -> Option<Vec<Arc<T>>> {
    inputs.iter().map(|input| input.clone().downcast::<T>().ok()).collect()
}

/// Shared data that may be missing, in a stored chain: by value.
pub(crate) mod maybe_by_value {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::sync::Arc;

    pub fn serialize<T: Serialize, S: Serializer>(shared: &Option<Arc<T>>, serializer: S) -> Result<S::Ok, S::Error> {
        shared.as_deref().serialize(serializer)
    }

    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Arc<T>>, D::Error> {
        Ok(Option::<T>::deserialize(deserializer)?.map(Arc::new))
    }
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
