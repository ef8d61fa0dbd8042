//! The flags that stand for the section `[run]` of a run file, and for settings of the sampler.

use super::{Given, number, whole};
use anyhow::Result;
use clap::Args;
use kameleon::plan::Check;
use kameleon::{Choice, Plan, Warmup};
use kameleon_runs::settings::StopRule;
use serde::Serialize;
use serde_json::Value;

/// Settings of the sampler that have flags.
#[derive(Args, Serialize)]
pub struct SamplerArgs {
    /// The kernel of the Kameleon samplers, such as gaussian or matern:order=1.5
    #[arg(long, value_name = "NAME[:KEY=VALUE,…]")]
    kernel: Option<String>,
    /// The kernel's bandwidth: median, or a number
    #[arg(long, value_name = "SIGMA", value_parser = bandwidth)]
    bandwidth: Option<Value>,
    /// The number of past points that the Kameleon samplers use
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    n: Option<u32>,
    /// The exploration term γ of the Kameleon samplers
    #[arg(long, value_name = "GAMMA", value_parser = number)]
    gamma: Option<f64>,
    /// Adapt as in the published experiments: AM from mean 0, every 20th state, never frozen; KAMH with a fresh z at
    /// every iteration of the warm-up
    #[arg(long)]
    published: bool,
}

/// The section `[run]`.
#[derive(Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RunArgs {
    /// The number of chains [default: 4]
    #[arg(long, value_name = "COUNT", value_parser = whole::<usize>)]
    chains: Option<usize>,
    /// How chains come to know the target: a number of iterations, chains (until they have learned), population (from the
    /// prior, which finds modes and needs no start; see [population] of a run file), or auto. That is population where
    /// every parameter has a prior, no start is given, and --max-evaluations is at least 20000 or not given; else chains
    /// for kameleon, and 50000 iterations for other samplers (expressions and libraries 20000, other models 5000)
    /// [default: auto]
    #[arg(long, value_name = "COUNT|chains|population|auto")]
    warmup: Option<Warmup>,
    /// The most iterations of a warm-up that ends when the chains have learned [default: half of --max-evaluations, else as
    /// above, as many again for each further ten parameters, and more where fewer than four chains learn together]
    #[arg(long, value_name = "COUNT", value_parser = whole::<u64>)]
    max_warmup: Option<u64>,
    /// Draws kept from each chain [default: 100000; expressions and libraries 80000; other models 20000; as many again for
    /// each further ten parameters; with --max-evaluations all that the warm-up leaves]
    #[arg(long, value_name = "COUNT", value_parser = whole::<u64>)]
    draws: Option<u64>,
    /// Keep one draw out of this many iterations [default: 1]
    #[arg(long, value_name = "COUNT", value_parser = whole::<u64>)]
    thin: Option<u64>,
    /// The seed of all random numbers [default: 1]
    #[arg(long, value_name = "SEED", value_parser = whole::<u64>)]
    seed: Option<u64>,
    /// The number of threads; the draws do not depend on it [default: all cores]
    #[arg(long, value_name = "COUNT", value_parser = whole::<usize>)]
    threads: Option<usize>,
    /// Correlate the noise of successive estimates (correlated pseudo-marginal chains)
    #[arg(long, value_name = "RHO", value_parser = number)]
    correlation: Option<f64>,
    /// Let each chain learn alone in the warm-up; by default kameleon and DE-MC(Z) learn from all chains together
    #[arg(long)]
    #[serde(skip)]
    no_pool: bool,
    /// Stop when every parameter has reached this ESS and R-hat, such as ess=400,rhat=1.01; checked periodically
    #[arg(long, value_name = "RULE")]
    until: Option<StopRule>,
    /// With --until, the maximum number of draws per chain [default: --draws]
    #[arg(long, value_name = "COUNT", value_parser = whole::<u64>)]
    max_draws: Option<u64>,
    /// The maximum number of model evaluations, over all chains
    #[arg(long, value_name = "COUNT", value_parser = whole::<u64>)]
    max_evaluations: Option<u64>,
    /// The maximum time in minutes
    #[arg(long, value_name = "MINUTES", value_parser = number)]
    max_minutes: Option<f64>,
    /// How draws are checked besides by R-hat and ESS: free (by the log densities stored with them), full (by slopes of the
    /// log density that are measured after the run), off, or auto: free, and where that is silent slopes for at most 5 % of the
    /// evaluations [default: auto]
    #[arg(long, value_name = "auto|free|full|off")]
    check: Option<Check>,
    /// Run only chain K of the plan (counted from 0), as one job of an array; `kameleon merge` combines the chains
    #[arg(long, value_name = "K", value_parser = whole::<usize>)]
    chain: Option<usize>,
}

impl SamplerArgs {
    /// Puts what was given into the settings of the sampler.
    pub fn apply(&self, sampler: &mut Choice) -> Result<()> {
        sampler.settings.extend(self.given()?);
        Ok(())
    }
}

impl RunArgs {
    /// Puts what was given into the plan.
    pub fn apply(&self, plan: &mut Plan) -> Result<()> {
        self.put_into(plan)?;
        plan.pool &= !self.no_pool;
        Ok(())
    }
}

fn bandwidth(text: &str) -> Result<Value, String> {
    match text {
        "median" => Ok(text.into()),
        sigma => number(sigma).map(Value::from).map_err(|_| "say median, or a number".into()),
    }
}
