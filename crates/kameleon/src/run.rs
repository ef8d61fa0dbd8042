//! Many chains in memory: run, resumed, and what came of them.

mod words;

pub use words::{advice, invalid_points};

use crate::any_chain::{AnyChain, SavedChain};
use crate::any_target::AnyTarget;
use crate::chain::ChainError;
use crate::diagnose::{ChainRatios, Evidence, evidence};
use crate::diagnose::{Summary, summarise};
use crate::engine::{Control, Ending, Engine, Finish, Job, Restart, ended_by};
use crate::handover::Handover;
use crate::nearby::{ATTEMPTS, nearby, reach};
use crate::plan::{Plan, Warmup};
use crate::population::{Evaluator, Found, OnThreads, Population, Posterior, Prior};
use crate::record::{Draws, JumpsFrom, Keep, weigh};
use crate::registry::SettingsError;
use crate::report::{Regions, Report};
use crate::sampler::StartError;
use crate::statistics::{Counts, Statistics};
use crate::target::{NO_GRADIENT, Target};
use std::time::Instant;

/// One chain of a run.
#[derive(Debug)]
pub struct ChainRun {
    /// Its draws.
    pub draws: Draws,
    /// What happened to it.
    pub statistics: Statistics,
    /// What it learned in its warm-up.
    pub report: Report,
    /// What a person should know of it.
    pub advice: Vec<String>,
    /// ln π − ln Q at each draw, with Q the density of its jumps; empty where it makes none.
    pub jump_ratios: Vec<f64>,
    /// The chain as it stopped, from which it can be resumed.
    pub state: SavedChain,
}

/// What came of a run.
#[derive(Debug)]
pub struct Run {
    /// The parameters' names.
    pub names: Vec<String>,
    /// The chains, in order.
    pub chains: Vec<ChainRun>,
    /// How it ended.
    pub ending: Ending,
    /// Why it ended so, in words.
    pub reason: String,
}

impl Run {
    /// The dimension.
    pub fn dim(&self) -> usize {
        self.names.len()
    }

    /// Evaluations of the target over all chains.
    pub fn evaluations(&self) -> u64 {
        self.chains.iter().map(|chain| chain.statistics.evaluations).sum()
    }

    /// A table of all parameters, and whether to believe it, as far as R-hat and effective sizes tell.
    pub fn summary(&self) -> Summary {
        summarise(&self.names, &self.draws(), self.dim())
    }

    /// The share of accepted points after warm-up, over all chains.
    pub fn acceptance(&self) -> f64 {
        let count = |of: fn(&Counts) -> u64| self.chains.iter().map(|c| of(&c.statistics.sampling)).sum::<u64>() as f64;
        count(|c| c.accepted) / count(Counts::total)
    }

    /// ln of the evidence, or of the normalising constant, from the jump proposals; none for samplers without jumps. `pooled` is
    /// whether chains learned together ([`Plan::pools`]).
    pub fn evidence(&self, pooled: bool) -> Option<Evidence> {
        let chains: Vec<_> = self.chains.iter().map(|chain| (&chain.draws, chain.jump_ratios.as_slice())).collect();
        let mut evidence = evidence_of(&chains, pooled)?;
        evidence.judge_learning(self.chains.iter().filter_map(|chain| chain.report.late));
        Some(evidence)
    }

    /// What a person should know besides the summary: how the run ended, and points that could not be used.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        match &self.ending {
            Ending::Complete => {}
            Ending::Limited | Ending::Stopped => warnings.push(self.reason.clone()),
            Ending::Failed(error) => warnings.push(format!("{error}; the draws made before it are shown")),
        }
        warnings.extend(invalid_points(self.chains.iter().map(|chain| &chain.statistics), &self.names));
        warnings.extend(advice(self.chains.iter().enumerate().map(|(k, chain)| (k, chain.advice.clone()))));
        warnings
    }

    /// The draws of each chain, one point after another.
    pub fn draws(&self) -> Vec<&[f64]> {
        self.chains.iter().map(|chain| chain.draws.points.as_slice()).collect()
    }
}

/// ln π − ln Q at each draw, with Q the density of the chain's jumps; empty where it makes none.
pub fn jump_ratios(chain: &dyn AnyChain, draws: &Draws) -> Vec<f64> {
    let points = draws.points.chunks_exact(chain.position().len()).zip(&draws.log_density);
    points.map_while(|(x, log_density)| Some(log_density - chain.log_jump_density_at(x)?)).collect()
}

/// The evidence from the draws of chains and their [`jump_ratios`]; none if no chain made jumps. Chains that learned
/// together share Q.
pub fn evidence_of<'a>(chains: &[(&'a Draws, &'a [f64])], pooled: bool) -> Option<Evidence> {
    if chains.iter().all(|(draws, _)| draws.jumps.log_ratio.is_empty()) {
        return None;
    }
    let of = |(draws, ratios): &(&'a Draws, &'a [f64])| ChainRatios {
        proposals: &draws.jumps.log_ratio,
        log_weights: &draws.jumps.log_weight,
        made_after: &draws.jumps.draw,
        draws: ratios,
    };
    let all: Vec<ChainRatios<'_>> = chains.iter().map(of).collect();
    let size = if pooled { all.len() } else { 1 };
    Some(evidence(&all.chunks(size).collect::<Vec<_>>()))
}

/// The regions that the warm-up met, and how many of these no draw has visited; of each chain for itself where they did not learn
/// together.
pub fn regions_of(chains: &[(&dyn AnyChain, &Draws)], pooled: bool) -> Regions {
    let mut all = Regions::default();
    for members in chains.chunks(if pooled { chains.len().max(1) } else { 1 }) {
        let (chain, _) = members[0];
        let dim = chain.position().len();
        let draws: Vec<&[f64]> = members.iter().flat_map(|(_, draws)| draws.points.chunks_exact(dim)).collect();
        if let Some(Regions { met, unvisited }) = chain.regions(&draws).filter(|_| !draws.is_empty()) {
            (all.met, all.unvisited) = (all.met + met, all.unvisited + unvisited);
        }
    }
    all
}

/// Samples `target` from `starts`: one point for all chains, or one for each. Of several chains with one point, given once or for
/// each of them, the first begins there and the others [near it](crate::nearby).
///
/// Every chain gets a clone of the target. An error means that nothing was run; what goes wrong later is told by
/// [`Run::ending`], next to all that was drawn before.
pub fn sample<T>(target: T, starts: &[Vec<f64>], plan: &Plan, control: Control<'_>) -> Result<Run, StartError>
where
    T: Target + Clone + Send,
{
    let target = AnyTarget::new(target);
    plan.check()?;
    plan.check_alone()?;
    let what = "\"population\" starts from a prior: use sample_from_prior";
    SettingsError::demand("warmup", plan.warmup != Warmup::Population, what)?;
    check_starts(target.dim(), starts, plan.chains)?;
    let (starts, normals) = (one_or_each(starts), target.normals());
    let chains = plan.indices().into_iter().map(|index| chain_of(starts, plan, normals, index, 0));
    let chains = chains.collect::<Result<_, _>>()?;
    let restart = |index| restart_of(starts, plan, normals, index);
    run(target, chains, &restart, plan, control)
}

/// One start where each chain is given the same.
pub(crate) fn one_or_each(starts: &[Vec<f64>]) -> &[Vec<f64>] {
    match starts {
        [one, others @ ..] if others.iter().all(|start| start == one) => std::slice::from_ref(one),
        _ => starts,
    }
}

/// Makes a chain at other places near the one start of all chains; none for a chain that starts where it was told to.
pub(crate) fn restart_of(starts: &[Vec<f64>], plan: &Plan, normals: usize, index: usize) -> Option<Restart<'static>> {
    let is_moved = starts.len() == 1 && index > 0;
    let (starts, plan, mut attempts) = (starts.to_vec(), plan.clone(), 1..ATTEMPTS);
    is_moved
        .then(|| Box::new(move || chain_of(&starts, &plan, normals, index, attempts.next()?).ok()) as Restart<'static>)
}

/// A chain at its own start, or near the one of all chains.
pub(crate) fn chain_of(
    starts: &[Vec<f64>],
    plan: &Plan,
    normals: usize,
    index: usize,
    attempt: usize,
) -> Result<Box<dyn AnyChain>, StartError> {
    let start = match starts {
        [one] => nearby(one, &one.iter().map(|x| reach(*x)).collect::<Vec<_>>(), plan.seed, index, attempt),
        each => each[index].clone(),
    };
    plan.chain_at(index, &start, normals)
}

/// Samples `target`, a posterior, by chains that start from what a population found in it, and know from the beginning what it
/// learned ([`Handover`]).
pub fn sample_from<T>(target: T, found: &Found, plan: &Plan, control: Control<'_>) -> Result<Run, StartError>
where
    T: Target + Clone + Send,
{
    let target = AnyTarget::new(target);
    let handover = Handover::new(found, plan)?;
    handover.plan.check()?;
    check_starts(target.dim(), &handover.starts, plan.chains)?;
    let chain = |index| handover.chain(index, target.normals());
    let chains = handover.plan.indices().into_iter().map(chain).collect::<Result<_, StartError>>()?;
    run(target, chains, &|_| None, &handover.plan, control)
}

/// Samples the posterior of a likelihood under a proper prior from nothing but these: a population finds its modes, and chains go
/// on from there. Returns what was found too; no run if the stop flag was set before, or the time of the plan was over.
pub fn sample_from_prior<T, P>(
    log_likelihood: T,
    prior: P,
    plan: &Plan,
    control: Control<'_>,
) -> Result<(Population, Option<Run>), StartError>
where
    T: Target + Clone + Send,
    P: Prior + Clone + Send,
{
    let mut plan = Plan { warmup: Warmup::Population, ..plan.clone() };
    plan.check()?;
    plan.check_alone()?;
    let (begun, limit) = (Instant::now(), plan.time_limit());
    let stop = || control.is_stopped() || limit.is_some_and(|limit| begun.elapsed() >= limit);
    let mut population = Population::new(prior.dim(), &plan.population_settings(), plan.seed)?;
    let mut evaluator = OnThreads::new(plan.threads(), &log_likelihood, plan.seed);
    loop {
        if let Some(progress) = control.population {
            progress.say(population.found().is_none().then(|| population.progress()));
        }
        match population.advance(&prior, &mut evaluator, usize::MAX, &stop) {
            Ok(true) if !stop() => {}
            Ok(_) => break,
            Err(error) => {
                let (evaluations, source) = (population.evaluations(), Box::new(error));
                let point = evaluator.failed_at().unwrap_or_default().to_vec();
                let error = ChainError::Population { evaluations, point, names: Vec::new(), source };
                return Err(error.with_names(&AnyTarget::new(log_likelihood).all_names(prior.dim())).into());
            }
        }
    }
    if let Some(progress) = control.population {
        progress.say(None);
    }
    // What is left of the time is that of the chains.
    plan.max_minutes = plan.max_minutes.map(|minutes| (minutes - begun.elapsed().as_secs_f64() / 60.0).max(1e-6));
    let posterior = Posterior::new(log_likelihood, prior);
    let run = population.found().map(|found| sample_from(posterior, found, &plan, control)).transpose()?;
    Ok((population, run))
}

/// Resumes a run from the states in which its chains stopped ([`ChainRun::state`]), up to the length of the plan.
///
/// The draws are those that an uninterrupted run would have made from there on. Sampler, seed and warm-up are the chains'
/// own; of the plan, only draws, thinning and threads count.
pub fn resume<T>(target: T, states: Vec<SavedChain>, plan: &Plan, control: Control<'_>) -> Result<Run, StartError>
where
    T: Target + Clone + Send,
{
    let target = AnyTarget::new(target);
    plan.check()?;
    plan.check_alone()?;
    let found = states.len();
    let wanted = plan.indices().len();
    let what = format!("there are {found} saved chains where the plan has {wanted}");
    SettingsError::demand("chains", found == wanted, &what)?;
    let mut chains = states.into_iter().map(SavedChain::resume).collect::<Result<Vec<_>, _>>()?;
    // Groups go by the order of the chains.
    chains.sort_by_key(|chain| chain.index());
    let whole = chains.iter().map(|chain| chain.index()).eq(plan.indices());
    SettingsError::demand("chains", whole, "the saved chains are not those of the plan, each once")?;
    let dim = target.dim().unwrap_or(chains[0].position().len());
    for chain in &chains {
        let ok = chain.position().len() == dim && chain.normals().len() == target.normals();
        let what = format!("chain {} was saved for another target: {dim} dimensions are wanted", chain.index());
        SettingsError::demand("target", ok, &what)?;
    }
    // A rule would judge the new draws alone.
    run(target, chains, &|_| None, &Plan { until: None, ..plan.clone() }, control)
}

/// An error unless there is a point for all chains, or one for each, in the dimension of the target, where that is known.
pub(crate) fn check_starts(dim: Option<usize>, starts: &[Vec<f64>], chains: usize) -> Result<(), SettingsError> {
    let count = starts.len();
    let ok = count == 1 || count == chains;
    SettingsError::demand(
        "start",
        ok,
        &format!("needs one point, or one for each of the {chains} chains, not {count}"),
    )?;
    let dim = dim.unwrap_or(starts[0].len());
    for (chain, start) in starts.iter().enumerate() {
        let found = start.len();
        let what = format!("the point for chain {chain} has {found} coordinates where {dim} are wanted");
        SettingsError::demand("start", found == dim, &what)?;
    }
    Ok(())
}

/// Runs the chains, each with a clone of the target, and keeps their draws in memory. `restart` gives the other starts of a chain.
fn run<'a>(
    target: AnyTarget<'a>,
    chains: Vec<Box<dyn AnyChain>>,
    restart: &dyn Fn(usize) -> Option<Restart<'a>>,
    plan: &Plan,
    control: Control<'_>,
) -> Result<Run, StartError> {
    let dim = chains[0].position().len();
    let ok = target.has_gradient() || !chains.iter().any(|chain| chain.needs_gradient());
    SettingsError::demand("sampler", ok, NO_GRADIENT)?;
    let job = |chain: Box<dyn AnyChain>| {
        let other = restart(chain.index());
        Ok(Job::new(chain, Box::new(target.clone()), plan.room(dim)?).with_restart(other))
    };
    let jobs = chains.into_iter().map(job).collect::<Result<_, SettingsError>>()?;
    let keep = Keep { thin: plan.thin, warmup: false, jumps: true };
    let limit = plan.time_limit().map(|limit| (Instant::now(), limit));
    let engine = Engine { keep, threads: plan.threads, limit, runner: None, control };
    let names = target.all_names(dim);
    let finish = engine.run(jobs, &mut plan.rule()?).map_err(|error| error.with_names(&names))?;
    Ok(gather(finish, names)?)
}

/// What came of the jobs, as a run with parameters of these names.
pub(crate) fn gather(finish: Finish<'_>, names: Vec<String>) -> Result<Run, ChainError> {
    let Finish { jobs, ending, reason } = finish;
    let (ending, reason) = match ending {
        Ending::Failed(error) => ended_by(error.with_names(&names)),
        other => (other, reason),
    };
    let mut parts = jobs.into_iter().map(Job::into_parts).collect::<Result<Vec<_>, _>>()?;
    weigh(parts.iter_mut().map(|(chain, recorded)| (&mut recorded.draws.jumps, JumpsFrom::of(&**chain))).collect());
    let chains = parts.into_iter().map(|(chain, recorded)| ChainRun::of(&*chain, recorded.draws, &names)).collect();
    Ok(Run { names, chains, ending, reason })
}

impl ChainRun {
    fn of(chain: &dyn AnyChain, draws: Draws, names: &[String]) -> Self {
        Self {
            jump_ratios: jump_ratios(chain, &draws),
            draws,
            statistics: chain.statistics().clone(),
            report: chain.report(),
            advice: chain.advice(names),
            state: chain.save(),
        }
    }
}
