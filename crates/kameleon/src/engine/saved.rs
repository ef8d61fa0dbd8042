//! An ensemble as plain values. A fit that several chains share is stored once.

use crate::any_chain::SavedChain;
use crate::chain::ChainError;
use crate::learner::SharedFit;
use crate::record::Recorded;
use serde::{Deserialize, Serialize};

/// An ensemble as plain values: write it with any serde format, resume it bit for bit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedEnsemble {
    /// Every chain with its draws, in order.
    chains: Vec<(SavedChain, Recorded)>,
    /// For each chain, the earlier one that has the same fit: then its own is left out.
    fit_of: Vec<Option<usize>>,
    /// Whether points were asked for and not yet told.
    pub asked: bool,
    /// The one point that all chains were given, if they were: those that cannot begin where they are begin elsewhere near it.
    pub start: Option<Vec<f64>>,
}

impl SavedEnsemble {
    pub(super) fn new(mut chains: Vec<(SavedChain, Recorded)>, asked: bool, start: Option<Vec<f64>>) -> Self {
        let mut fits: Vec<(usize, SharedFit)> = Vec::new();
        let mut fit_of = Vec::with_capacity(chains.len());
        for (index, (chain, _)) in chains.iter_mut().enumerate() {
            let Some(learner) = chain.learner_mut() else {
                fit_of.push(None);
                continue;
            };
            let known = fits.iter().find(|(_, fit)| learner.has_fit(fit)).map(|(first, _)| *first);
            match known {
                Some(_) => learner.leave_out_fit(),
                None => fits.push((index, learner.shared_fit())),
            }
            fit_of.push(known);
        }
        Self { chains, fit_of, asked, start }
    }

    /// The number of chains.
    pub fn len(&self) -> usize {
        self.chains.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.chains.is_empty()
    }

    /// Every chain with its draws, in order, with its fit put back. What does not fit together is refused.
    pub fn into_chains(self) -> Result<Vec<(SavedChain, Recorded)>, ChainError> {
        let Self { mut chains, fit_of, .. } = self;
        let why = "the chains of an ensemble do not fit together";
        let refused = |chain| ChainError::State { chain, why };
        if fit_of.len() != chains.len() {
            return Err(refused(0));
        }
        for (index, first) in fit_of.into_iter().enumerate() {
            let Some(first) = first else { continue };
            let fit = chains[..index].get(first).and_then(|(chain, _)| Some(chain.learner()?.shared_fit()));
            let learner = chains[index].0.learner_mut();
            if !learner.zip(fit).is_some_and(|(learner, fit)| learner.put_back_fit(&fit)) {
                return Err(refused(index));
            }
        }
        Ok(chains)
    }
}
