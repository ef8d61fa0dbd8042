//! What a run gets from those who start or resume it, besides its settings and its model.

use crate::remote::RemoteRunner;
use kameleon_models::JointPrior;

/// What a run uses that its settings do not name.
///
/// For a program whose prior is a function of its own: `prior` is a [`kameleon::population::Prior`] of all parameters in their own
/// units, with its log density (which integrates to one within the bounds of the settings) and draws (from the generator that it is
/// given, or a seed from there, so that runs can be reproduced). The target is then the likelihood alone, and chains sample prior
/// times likelihood. `model.external-prior` of the settings names it, so that `auto` and the name of the evidence know of it; a run
/// is resumed, and its tasks are run, with the same prior.
#[derive(Clone, Default)]
pub struct Outside<'a> {
    /// What advances chains and evaluates points, if not this machine's threads.
    pub runner: Option<&'a dyn RemoteRunner>,
    /// The prior of all parameters, where the settings have none.
    pub prior: Option<JointPrior>,
    /// Given if of a large run on disk the result may hold some draws only, with figures of all ([`crate::load_limited`]), and no
    /// files for other programs are written, so that memory stays within limits. It is told the share of the files that has been read.
    pub limited: Option<&'a (dyn Fn(f64) + Sync)>,
}

/// What may differ when a run is resumed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resume {
    /// The number of draws of each chain, to make the run longer.
    pub draws: Option<u64>,
    /// The number of threads.
    pub threads: Option<usize>,
    /// The most minutes from now on.
    pub max_minutes: Option<f64>,
    /// Whether the model may give other values than the chains have stored.
    pub trust: bool,
}
