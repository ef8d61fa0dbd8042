//! The figures of a run, and whether to believe them.

use crate::output::check::doubt;
use crate::output::jumps::{AT_LIMIT, RAN_AWAY};
use crate::output::{JumpSummary, Posterior};
use kameleon::diagnose::{LARGEST_R_HAT, ParameterSummary, Stein, Summary, Verdict, least_ess, summarise, unrolled};
use kameleon::proposal::FUNNEL;
use kameleon::words::share;

/// Where a jump proposal is worth less than this share of an independent draw, …
const EFFICIENT: f64 = 0.6;
/// … standard errors can be relied on from this effective size on.
const LEAST_ESS: f64 = 1200.0;

/// The words by which a warning of draws that pile up at a bound is known.
pub(crate) const CROWDED: &str = "as near to the bound";

impl Posterior {
    /// A table of all parameters, and whether to believe it.
    pub fn summary(&self) -> Summary {
        let mut summary = self.figures();
        let ran_away = self.remarks.iter().find(|remark| remark.contains(RAN_AWAY));
        // The errors of chains that disagree say nothing.
        let stein = self.stein.as_ref().filter(|_| summary.verdict.agree);
        summary.verdict.tails_checked = stein.is_some_and(Stein::tells_of_all);
        match stein.and_then(|stein| doubt(stein, &self.names)) {
            Some(message) => summary.verdict.doubt(message),
            None => {
                let reached = self.until.filter(|rule| rule.is_met(&summary.parameters));
                summary.verdict.goal = reached.map(|rule| rule.to_string());
            }
        }
        let unseen = self.unseen_by_chains();
        if !unseen.is_empty() || ran_away.is_some() {
            // A goal is about how precise draws are, not about what they have missed.
            summary.verdict.goal = None;
        }
        if summary.verdict.agree {
            if let Some(message) = self.density_disagrees() {
                summary.verdict.goal = None;
                summary.verdict.doubt(message);
            }
            let uncertain = self.uncertain(&summary.parameters);
            uncertain.into_iter().chain(unseen).for_each(|message| summary.verdict.doubt(message));
        } else if summary.parameters.iter().all(|p| p.r_hat <= LARGEST_R_HAT) {
            // Whoever runs longer for want of draws should not be told afterwards that they were still too few.
            summary.verdict.messages.extend(self.uncertain(&summary.parameters));
        }
        match ran_away {
            // What else could be said follows from it.
            Some(away) => {
                summary.verdict.messages.clear();
                summary.verdict.doubt(away.clone());
            }
            None => self.remark(&mut summary.verdict),
        }
        self.remark_on_circles(&mut summary);
        summary
    }

    /// The table, and what R-hat and effective sizes say of it.
    fn figures(&self) -> Summary {
        let chains: Vec<&[f64]> = self.chains.iter().map(|chain| chain.draws.points.as_slice()).collect();
        let chains = unrolled(&chains, self.dim(), &self.periods);
        let chains: Vec<&[f64]> = chains.iter().map(|draws| &**draws).collect();
        let mut summary = summarise(&self.names, &chains, self.dim());
        let shown = summary.parameters.iter_mut().enumerate();
        for ((i, shown), all) in shown.zip(self.all.iter().flat_map(|all| &all.parameters)) {
            // Of all draws of a circle only those in memory are unrolled.
            if self.periods.get(i).is_some_and(Option::is_some) {
                continue;
            }
            shown.mcse_mean *= all.sd / shown.sd;
            (shown.mean, shown.sd) = (all.mean, all.sd);
            [shown.q5, shown.q50, shown.q95] = all.quantiles;
        }
        summary
    }

    /// What is known against draws of chains that agree, however many they are.
    fn unseen_by_chains(&self) -> Vec<String> {
        let warned = |words: &str| self.warnings.iter().any(|warning| warning.contains(words));
        let funnel = warned(FUNNEL)
            .then(|| format!("Chains that agree may still have missed its narrow end: {FUNNEL}, as a warning says."));
        let crowded = warned(CROWDED)
            .then(|| "A part of the mass is nearer to a bound than the draws can tell, as a warning says.".to_owned());
        // Of exact targets Stein's identity tells more.
        let learning = self.jumps.as_ref().filter(|_| self.noisy).and_then(|jumps| jumps.evidence.learned_too_little());
        let learning = learning.map(|what| {
            format!(
                "Chains that agree may have missed a part of the tails: {what}. Run with a longer warm-up, or a larger max-evaluations."
            )
        });
        let unfinished = self.population.as_ref().is_some_and(|population| population.unfinished).then(|| {
            "Chains that agree know only the modes that were found, and the search for them was not finished, as a warning says. Where the \
             budget ended it, a larger max-evaluations lets it go on."
                .to_owned()
        });
        let contradiction = self.jumps.as_ref().and_then(|jumps| jumps.contradiction(&self.names));
        [funnel, crowded, learning, unfinished, contradiction].into_iter().flatten().collect()
    }

    /// Whether chains whose parameters agree do not agree about the log density. That of a noisy target is its estimates, which stick.
    fn density_disagrees(&self) -> Option<String> {
        let columns: Vec<&[f64]> = self.chains.iter().map(|chain| chain.draws.log_density.as_slice()).collect();
        let found = (!self.noisy).then(|| summarise(&[], &columns, 1).parameters)?;
        let ParameterSummary { sd, r_hat, ess_bulk, .. } = *found.first()?;
        // A flat density has no spread.
        (sd > 0.0 && (r_hat > LARGEST_R_HAT || ess_bulk < least_ess(columns.len()))).then(|| {
            format!(
                "Each parameter by itself is fine, but the chains do not agree about the log density at their draws (R-hat {r_hat:.3}, ESS \
                 {}): some are for long where it is much higher than elsewhere, such as in a narrow mode within a wide one, or in thin \
                 tails. Run longer.",
                ess_bulk.floor()
            )
        })
    }

    /// Why standard errors cannot be relied on where jump proposals are not efficient: chains then stay for long in tails, and those that have
    /// not been there yet do not know it.
    fn uncertain(&self, parameters: &[ParameterSummary]) -> Option<String> {
        let efficiency = self.jumps.as_ref()?.evidence.efficiency;
        let least = parameters.iter().flat_map(|p| [p.ess_bulk, p.ess_tail]).fold(f64::INFINITY, f64::min);
        (efficiency < EFFICIENT && least < LEAST_ESS).then(|| {
            format!(
                "Chains that agree may have missed a part of the tails: a jump proposal is worth {} of an independent draw, and standard errors \
                 are then uncertain up to an ESS of {LEAST_ESS}; it is down to {}. Run about {:.1} times longer, or with a longer warm-up.",
                share(efficiency),
                least.floor(),
                (LEAST_ESS / least * 10.0).ceil() / 10.0
            )
        })
    }

    /// Adds the remarks. A warm-up that came to its limit may be why draws are not good; of good ones that are jumped well it says nothing.
    fn remark(&self, verdict: &mut Verdict) {
        let (limits, others): (Vec<_>, Vec<_>) = self.remarks.iter().cloned().partition(|text| text.contains(AT_LIMIT));
        match verdict.converged {
            false => verdict.messages.extend(limits),
            true if self.jumps.as_ref().is_some_and(JumpSummary::are_good) => {}
            true => verdict.remarks.extend(limits),
        }
        verdict.remarks.extend(others);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::ChainDraws;
    use kameleon::diagnose::{Estimate, SteinFigure};
    use kameleon::record::Draws;

    /// Four chains of two thousand draws that are as good as independent: a permuted grid.
    fn even() -> Posterior {
        let chain = |index: usize| {
            let points: Vec<f64> = (0..2000).map(|k| (((k + index) * 1237) % 2003) as f64).collect();
            let draws = Draws { log_density: vec![0.0; points.len()], points, ..Draws::default() };
            ChainDraws { index, draws, ..ChainDraws::default() }
        };
        Posterior { names: vec!["a".into()], chains: (0..4).map(chain).collect(), ..Posterior::default() }
    }

    #[test]
    fn draws_that_do_not_fit_their_log_densities_are_not_called_converged() {
        let fine = SteinFigure { z: 1.0, explained: 1.0, estimate: 0.0, error: 1.0 };
        let with = |mean: SteinFigure| {
            let mut posterior = even();
            let mut jumps = JumpSummary::none("", false);
            jumps.evidence.reliable = true;
            posterior.jumps = Some(jumps);
            let stein = Stein { residual: 0.01, means: vec![mean], squares: vec![fine], evaluations: 0 };
            posterior.heed(Some(stein));
            (posterior.summary().verdict, posterior.jumps.unwrap().evidence)
        };
        let (believed, evidence) = with(fine);
        assert!(believed.converged && believed.headline().contains("draws fit the log densities") && evidence.reliable);
        let (doubted, evidence) = with(SteinFigure { z: 6.0, ..fine });
        assert!(doubted.agree && !doubted.converged && doubted.messages[0].contains("Stein"), "{doubted}");
        assert!(!evidence.reliable && evidence.why.contains("do not fit the log densities"), "{}", evidence.why);
    }

    #[test]
    fn a_check_that_says_nothing_does_not_look_like_one_that_passed() {
        let silent = even().summary().verdict;
        assert!(silent.converged && silent.headline().contains("would not have been seen"), "{silent}");
        let vague = SteinFigure { z: 1.0, explained: 0.1, estimate: 0.0, error: 1.0 };
        let mut posterior = even();
        posterior.heed(Some(Stein { residual: 0.01, means: vec![vague], squares: vec![vague], evaluations: 0 }));
        assert!(!posterior.summary().verdict.tails_checked);
    }

    #[test]
    fn a_noisy_run_whose_warmup_learned_too_little_is_not_called_converged() {
        let with = |noisy: bool, late: f64| {
            let mut jumps = JumpSummary::none("", false);
            jumps.evidence.efficiency = 0.2;
            jumps
                .evidence
                .judge_learning([Estimate { log_z: 0.0, error: 0.1, pareto_k: 0.2, efficiency: late }].into_iter());
            Posterior { noisy, jumps: Some(jumps), ..even() }.summary().verdict
        };
        assert!(with(true, 0.19).converged && with(false, 0.02).converged);
        let short = with(true, 0.02);
        assert!(!short.converged && short.messages[0].contains("0.020 in its last rounds and 0.20"), "{short}");
    }

    #[test]
    fn a_small_effective_size_is_enough_only_where_jumps_are_efficient() {
        let with = |efficiency: f64, length: usize| {
            let mut jumps = JumpSummary::none("", false);
            jumps.evidence.efficiency = efficiency;
            let mut posterior = Posterior { jumps: Some(jumps), ..even() };
            for chain in &mut posterior.chains {
                chain.draws.points.truncate(length);
                chain.draws.log_density.truncate(length);
            }
            posterior.summary().verdict
        };
        assert!(with(0.8, 250).converged && with(0.3, 2000).converged && with(f64::NAN, 250).converged);
        // Also where there are too few for anybody.
        let shorter = with(0.3, 60);
        assert!(!shorter.agree && shorter.messages.last().unwrap().contains("up to an ESS of 1200"), "{shorter}");
        let short = with(0.3, 250);
        assert!(
            short.agree && !short.converged && short.messages[0].contains("worth 0.30 of an independent draw"),
            "{short}"
        );
    }

    #[test]
    fn chains_that_do_not_agree_about_the_log_density_are_not_called_converged() {
        // One chain is for a while where the density is far higher.
        let with = |noisy: bool, stays: bool| {
            let mut posterior = Posterior { noisy, ..even() };
            for (k, chain) in posterior.chains.iter_mut().enumerate() {
                let log = chain.draws.points.iter().enumerate().map(|(t, x)| {
                    let there = stays && k == 0 && (500..900).contains(&t);
                    if there { 9.0 } else { -x }
                });
                chain.draws.log_density = log.collect();
            }
            posterior.summary().verdict
        };
        assert!(with(false, false).converged && with(true, true).converged);
        let stuck = with(false, true);
        assert!(
            stuck.agree && !stuck.converged && stuck.messages[0].contains("do not agree about the log density"),
            "{stuck}"
        );
    }

    #[test]
    fn draws_whose_means_are_far_from_those_of_the_weighted_proposals_are_not_called_converged() {
        let with = |z: f64, pareto_k: f64| {
            let mut jumps = JumpSummary::none("", true);
            jumps.distances = vec![-z];
            (jumps.evidence.pareto_k, jumps.evidence.proposals) = (pareto_k, 1000);
            Posterior { jumps: Some(jumps), ..even() }.summary().verdict
        };
        // Up to eight standard errors they are a warning.
        assert!(with(7.5, 0.2).converged && with(81.0, 0.9).converged);
        let far = with(81.0, 0.2);
        assert!(!far.converged && far.messages[0].contains("a over the draws is 81.0 standard errors away"), "{far}");
    }

    #[test]
    fn a_goal_counts_only_where_it_was_reached_and_nothing_was_missed() {
        let goal = |rule: &str, warning: &str| {
            let until = Some(rule.parse().unwrap());
            Posterior { until, warnings: vec![warning.into()], ..even() }.summary().verdict.goal
        };
        assert_eq!(goal("ess=500", "").as_deref(), Some("ess=500"));
        assert_eq!(goal("ess=1e9", ""), None);
        assert_eq!(goal("ess=500", FUNNEL), None);
    }
}
