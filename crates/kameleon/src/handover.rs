//! From what a population found to chains: their plan, their starts, and what they know from the beginning.

use crate::any_chain::AnyChain;
use crate::learner::SharedFit;
use crate::plan::{Plan, Warmup};
use crate::population::{Found, SETTLING};
use crate::registry::SettingsError;
use crate::sampler::StartError;
use std::sync::Arc;

/// Chains that start from what a population found.
///
/// With a frozen density they know it from the beginning, and only learn the scales of their local moves, in a warm-up of
/// [`SETTLING`] iterations, whatever the plan says. Without one, or with a sampler that cannot use it, they start from the
/// population's points and learn as usual.
pub struct Handover {
    /// The plan of the chains. Where the population was their warm-up, they may spend what it left.
    pub plan: Plan,
    /// Where each chain starts.
    pub starts: Vec<Vec<f64>>,
    fit: Option<SharedFit>,
    /// The coordinates that are circles.
    circles: Vec<usize>,
}

impl Handover {
    /// From what was found to the chains of a plan; an error if no point of positive density was found.
    pub fn new(found: &Found, plan: &Plan) -> Result<Self, SettingsError> {
        let starts = found.starts(plan.chains, plan.seed);
        let doubts = found.doubts.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        let invalid = match found.invalid {
            0 => String::new(),
            count => format!("; at {count} of them the likelihood was NaN or +∞, or could not be evaluated"),
        };
        let what = format!(
            "no point where prior and likelihood are both positive was found in {} evaluations of a population{invalid}: {doubts}. Start \
             the chains at a point where the likelihood is positive, take narrower priors, or let the likelihood fall off \
             gradually where it is zero now",
            found.evaluations
        );
        SettingsError::demand("priors", !starts.is_empty(), &what)?;
        let fit = plan.sampler.history_points().and_then(|n| found.fit(n, plan.seed));
        let fit = fit.map(|fit| -> SharedFit { Arc::new(fit) });
        let mut plan = plan.clone();
        if plan.warmup == Warmup::Population {
            plan.max_evaluations = plan.max_evaluations.map(|most| most.saturating_sub(found.evaluations));
            plan.warmup = Warmup::Chains;
        }
        if fit.is_some() {
            plan.warmup = Warmup::Iterations(SETTLING);
        }
        Ok(Self { plan, starts, fit, circles: found.circles.coordinates() })
    }

    /// Whether the chains know the population's density from the beginning. Then none of them waits for others.
    pub fn is_frozen(&self) -> bool {
        self.fit.is_some()
    }

    /// A chain at its start, for a target that takes this number of standard normals.
    pub fn chain(&self, index: usize, normals: usize) -> Result<Box<dyn AnyChain>, StartError> {
        let mut chain = self.plan.chain_at(index, &self.starts[index], normals)?;
        chain.set_circles(&self.circles);
        if let Some(fit) = &self.fit {
            chain.learn(fit);
        }
        Ok(chain)
    }
}
