//! What chains learned together, sent as bytes that all of them share, and kept by workers: it is the same for every chain of a group,
//! and takes longer to read than the chain itself.

use super::garbled;
use crate::error::RunError;
use kameleon::any_chain::SavedFit;
use kameleon::learner::{Learner, SharedFit};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many fits are kept. Chains of a group have at most three at a time.
const KEPT: usize = 4;

/// Bytes that are sent as they are, and shared until then.
#[derive(Clone, PartialEq)]
pub(super) struct Bytes(Arc<[u8]>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Read;
        impl Visitor<'_> for Read {
            type Value = Bytes;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("bytes")
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.into()))
            }
        }
        deserializer.deserialize_bytes(Read)
    }
}

/// A few fits with their bytes, the latest last.
pub(super) struct Fits(Mutex<Kept>);

type Kept = Vec<(SharedFit, Bytes)>;

/// Keeps a fit in the place of the oldest.
fn keep(kept: &mut Kept, fit: SharedFit, bytes: Bytes) {
    if kept.len() == KEPT {
        kept.remove(0);
    }
    kept.push((fit, bytes));
}

/// What this process was sent as a worker.
static RECEIVED: Fits = Fits::new();

impl Fits {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The bytes of what a chain needs of its fit until it waits, which is left out of the chain; none if that cannot be sent by itself.
    pub(super) fn take_out(&self, learner: &mut dyn Learner) -> Option<Bytes> {
        let known = self.lock().iter().find(|(fit, _)| learner.has_fit(fit)).map(|(_, bytes)| bytes.clone());
        let bytes = match known {
            Some(bytes) => bytes,
            None => {
                let whole = learner.shared_fit();
                // The chains learn together here, and only here.
                learner.leave_out_learning();
                let bytes = Bytes(postcard::to_stdvec(&SavedFit::of(&learner.shared_fit())?).ok()?.into());
                keep(&mut self.lock(), whole, bytes.clone());
                bytes
            }
        };
        learner.leave_out_fit();
        Some(bytes)
    }
}

/// Puts back, on a worker, the fit that these bytes are of.
pub(super) fn put_back(bytes: Bytes, learner: Option<&mut dyn Learner>) -> Result<(), RunError> {
    // Other threads of this process wait for the one that reads it first.
    let mut received = RECEIVED.lock();
    let known = received.iter().find(|(_, kept)| *kept == bytes).map(|(fit, _)| fit.clone());
    let fit = match known {
        Some(fit) => fit,
        None => {
            let fit = postcard::from_bytes::<SavedFit>(&bytes.0).map_err(garbled)?.into_shared();
            keep(&mut received, fit.clone(), bytes);
            fit
        }
    };
    drop(received);
    let is_back = learner.is_some_and(|learner| learner.put_back_fit(&fit));
    is_back.then_some(()).ok_or_else(|| RunError::Task("what was learned is not that of the chain".into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kameleon::any_chain::SavedChain;
    use kameleon::{Plan, Sampler, Warmup};

    /// Chains that have learned together.
    fn chains(sampler: Sampler) -> Vec<SavedChain> {
        let plan = Plan { sampler, chains: 3, warmup: Warmup::Iterations(900), draws: Some(10), ..Plan::default() };
        let mut ensemble = kameleon::ensemble::start(&[vec![0.5, 0.0]], &plan, 0).unwrap();
        for _ in 0..700 {
            let values = ensemble.ask().iter().map(|asked| Ok(-asked.x[0].powi(2) - asked.x[1].powi(2))).collect();
            ensemble.tell(values).unwrap();
        }
        ensemble.save().unwrap().into_chains().unwrap().into_iter().map(|(chain, _)| chain).collect()
    }

    fn bytes(chain: &SavedChain) -> Vec<u8> {
        postcard::to_stdvec(chain).unwrap()
    }

    #[test]
    fn chains_that_share_a_fit_are_sent_with_the_same_bytes_of_it_and_get_it_back() {
        for name in ["kameleon", "DE-MC(Z)"] {
            let (fits, sampler) = (Fits::new(), Sampler::chosen(&name.parse().unwrap()).unwrap());
            let mut sent: Vec<Bytes> = Vec::new();
            for mut chain in chains(sampler) {
                let whole = chain.learner().unwrap().shared_fit();
                let mut light = chain.clone();
                light.learner_mut().unwrap().leave_out_learning();
                let fit = fits.take_out(chain.learner_mut().unwrap()).unwrap();
                let (without, with) = (bytes(&chain).len(), bytes(&light).len());
                assert!(
                    without + fit.0.len() < with + 2000 && fit.0.len() > 2000,
                    "{without} + {} of {with}",
                    fit.0.len()
                );
                // On a worker, …
                let mut there = chain.clone();
                put_back(fit.clone(), there.learner_mut()).unwrap();
                assert!(bytes(&there) == bytes(&light), "{name}");
                // … and here, where the chains learn.
                assert!(chain.learner_mut().unwrap().put_back_fit(&whole));
                assert!(chain.learner().unwrap().has_fit(&whole));
                sent.push(fit);
            }
            assert!(sent.iter().all(|fit| Arc::ptr_eq(&fit.0, &sent[0].0)), "{name}");
        }
    }

    #[test]
    fn a_fit_of_another_kind_of_chain_is_refused() {
        let (fits, rival) = (Fits::new(), Sampler::chosen(&"DE-MC(Z)".parse().unwrap()).unwrap());
        let fit = fits.take_out(chains(Sampler::default())[0].learner_mut().unwrap()).unwrap();
        assert!(put_back(fit.clone(), chains(rival)[0].learner_mut()).is_err());
        assert!(put_back(fit, None).is_err());
        assert!(put_back(Bytes([7, 7, 7].as_slice().into()), chains(Sampler::default())[0].learner_mut()).is_err());
    }
}
