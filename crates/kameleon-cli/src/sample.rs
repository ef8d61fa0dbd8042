//! `kameleon sample`: runs the chains and prints what came of them.

use crate::Exit;
use crate::args::SampleArgs;
use crate::gp::{GpModel, GpReport};
use crate::model::Model;
use crate::options::Named;
use crate::output::write_out;
use crate::progress::watch;
use crate::sticking;
use anyhow::{Context, Result, bail};
use kameleon::bandwidth::Bandwidth;
use kameleon::diagnose::{ParameterSummary, compare_with_truth};
use kameleon::history::HistoryKind;
use kameleon::kernel::{InverseMultiquadric, Linear, RationalQuadratic};
use kameleon::proposal::{AdaptiveMetropolisSettings, KameleonSettings};
use kameleon::random::{Purpose, stream};
use kameleon::{Control, Ending, Kernel, Plan, Progress, Run, Sampler, Target};
use rand::RngExt;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The kernels by name, with a line about each.
pub const KERNELS: [(&str, &str); 6] = [
    ("gaussian", "exp(−r²/2σ²)"),
    ("matern:order=1.5", "Matérn of order ϑ > 1 in the paper's scaling, s = r/ρ; ρ = σ/√(2ϑ)"),
    ("rational-quadratic:alpha=1", "(1 + r²/2ασ²)^−α"),
    ("inverse-multiquadric", "(1 + r²/σ²)^−½"),
    ("linear", "⟨x, x'⟩: the proposal becomes that of adaptive Metropolis"),
    ("polynomial:degree=2", "(1 + ⟨x, x'⟩)^degree"),
];

fn kernel(text: &str) -> Result<Kernel> {
    let mut named = Named::parse("kernel", text)?;
    let (kernel, known) = match named.name.as_str() {
        "gaussian" => (Kernel::gaussian(1.0), "none"),
        "matern" => (Kernel::matern(named.take("order", 1.5), 1.0), "order"),
        "rational-quadratic" => {
            let alpha = named.take("alpha", 1.0);
            (Kernel::RationalQuadratic(RationalQuadratic { alpha, length: 1.0 }), "alpha")
        }
        "inverse-multiquadric" => (Kernel::InverseMultiquadric(InverseMultiquadric { length: 1.0 }), "none"),
        "linear" => (Kernel::Linear(Linear), "none"),
        "polynomial" => {
            let degree = named.take("degree", 2.0);
            if degree.fract() != 0.0 {
                bail!("kernel polynomial: the degree must be a whole number, not {degree}");
            }
            (Kernel::polynomial(degree as u32), "degree")
        }
        name => {
            let names = KERNELS.map(|(name, _)| name.split(':').next().unwrap_or(name)).join(", ");
            bail!("there is no kernel \"{name}\"; choose one of {names}");
        }
    };
    named.finish(known)?;
    Ok(kernel)
}

fn sampler(args: &SampleArgs) -> Result<Sampler> {
    let mut sampler = Sampler::by_name(&args.sampler)?;
    if args.published && !matches!(sampler, Sampler::Kameleon(_) | Sampler::AdaptiveMetropolis(_)) {
        bail!(
            "--published is for AM-FS, AM-LS, KAMH and KAMH-LS; {} adapts in one way only, or not at all",
            sampler.name()
        );
    }
    let kameleon = match &mut sampler {
        Sampler::Kameleon(settings) => Some(settings),
        Sampler::KameleonPca(settings) => {
            // No more directions than a small z has.
            settings.components = settings.components.min(args.n.unwrap_or(usize::MAX).saturating_sub(1)).max(1);
            Some(&mut settings.kameleon)
        }
        _ => None,
    };
    if let Some(settings) = kameleon {
        change_kameleon(settings, args)?;
        return Ok(sampler);
    }
    let unused = [("kernel", args.kernel.is_some()), ("bandwidth", args.bandwidth.is_some())];
    let unused = unused.into_iter().chain([("n", args.n.is_some()), ("gamma", args.gamma.is_some())]);
    if let Some((flag, _)) = unused.into_iter().find(|(_, given)| *given) {
        bail!("--{flag} is for KAMH, KAMH-LS and PCA-Kameleon; {} has no kernel", sampler.name());
    }
    if let (true, Sampler::AdaptiveMetropolis(settings)) = (args.published, &mut sampler) {
        *settings = AdaptiveMetropolisSettings::published(settings.learn_scale);
    }
    Ok(sampler)
}

fn change_kameleon(settings: &mut KameleonSettings, args: &SampleArgs) -> Result<()> {
    if let Some(text) = &args.kernel {
        settings.kernel = kernel(text)?;
    }
    match args.bandwidth.as_deref() {
        None | Some("median") => {}
        Some(sigma) => {
            let sigma = sigma.parse().with_context(|| format!("--bandwidth \"{sigma}\": say median, or a number"))?;
            settings.kernel.set_bandwidth(sigma);
            settings.bandwidth = Bandwidth::Fixed;
        }
    }
    settings.n = args.n.unwrap_or(settings.n);
    settings.gamma = args.gamma.unwrap_or(settings.gamma);
    if args.published {
        settings.history = HistoryKind::Stored;
    }
    Ok(())
}

/// The given point, or one for each chain from the box (−2, 2)^d.
fn starts(args: &SampleArgs, dim: usize) -> Result<Vec<Vec<f64>>> {
    if let Some(text) = &args.start {
        let coordinate = |x: &str| x.trim().parse::<f64>().with_context(|| format!("--start: \"{x}\" is not a number"));
        return Ok(vec![text.split(',').map(coordinate).collect::<Result<_>>()?]);
    }
    let draw = |chain: usize| {
        let mut rng = stream(args.seed, chain as u64, Purpose::Start);
        (0..dim).map(|_| rng.random_range(-2.0..2.0)).collect()
    };
    Ok((0..args.chains.max(1)).map(draw).collect())
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    target: &'a str,
    sampler: &'a str,
    chains: usize,
    warmup: u64,
    draws: u64,
    thin: u64,
    seed: u64,
    evaluations: u64,
    seconds: f64,
    acceptance: f64,
    longest_rejection_run: u64,
    parameters: Vec<ParameterSummary>,
    mean_norm: Option<f64>,
    quantile_deviation: Option<f64>,
    #[serde(flatten)]
    gp: Option<GpReport>,
    converged: bool,
    warnings: Vec<String>,
}

/// Runs `kameleon sample`.
pub fn sample(args: &SampleArgs) -> Result<Exit> {
    let sampler = sampler(args)?;
    let target = Model::new(args)?;
    let (warmup, draws) = target.default_length();
    let plan = Plan {
        sampler,
        chains: args.chains,
        warmup: args.warmup.unwrap_or(warmup),
        draws: args.draws.unwrap_or(draws),
        thin: args.thin,
        seed: args.seed,
        threads: args.threads,
        correlation: args.correlation,
        pool: true,
    };
    let starts = starts(args, target.dim().unwrap_or_default())?;
    let stop = stop_on_ctrl_c()?;
    let progress: Vec<Progress> = (0..plan.chains).map(|_| Progress::default()).collect();
    let control = Control { stop: Some(stop), progress: Some(&progress) };
    let started = Instant::now();
    let length = plan.warmup.saturating_add(plan.draws.saturating_mul(plan.thin));
    let run = watch(&progress, plan.warmup, length, args.quiet || args.json, || {
        kameleon::sample(target.clone(), &starts, &plan, control)
    })?;
    let seconds = started.elapsed().as_secs_f64();
    print(args, &plan, &target, &run, seconds)?;
    Ok(match run.ending {
        Ending::Complete => Exit::Done,
        Ending::Stopped => Exit::Interrupted,
        Ending::Failed(_) => Exit::Failed,
    })
}

/// Set by the first Ctrl-C; a second one ends the program at once.
pub fn stop_on_ctrl_c() -> Result<&'static AtomicBool> {
    static STOP: AtomicBool = AtomicBool::new(false);
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("Ctrl-C cannot be caught")?;
    Ok(&STOP)
}

fn print(args: &SampleArgs, plan: &Plan, target: &Model, run: &Run, seconds: f64) -> Result<()> {
    let truth = target.known().and_then(|known| compare_with_truth(&run.draws(), known));
    let summary = run.summary();
    let gp = target.gp().map(|model| GpReport::new(model, run, plan));
    let warnings = warnings(args, run, gp.as_ref());
    let mut out = String::new();
    if args.json {
        let mut all = summary.verdict.messages.clone();
        all.extend(warnings);
        out = serde_json::to_string(&Report {
            target: &args.target,
            sampler: plan.sampler.name(),
            chains: plan.chains,
            warmup: plan.warmup,
            draws: plan.draws,
            thin: plan.thin,
            seed: plan.seed,
            evaluations: run.evaluations(),
            seconds,
            acceptance: run.acceptance(),
            longest_rejection_run: longest_rejection_run(run),
            parameters: summary.parameters,
            mean_norm: truth.map(|t| t.mean_norm),
            quantile_deviation: truth.map(|t| t.quantile_deviation),
            gp,
            converged: summary.verdict.converged,
            warnings: all,
        })? + "\n";
    } else {
        out += &headline(target.name(args), target, plan);
        out += &format!("\n{summary}\n");
        out += &format!(
            "{} evaluations in {seconds:.2} s, acceptance {:.3}, longest wait without a move {} iterations\n",
            run.evaluations(),
            run.acceptance(),
            longest_rejection_run(run),
        );
        if let Some(truth) = truth {
            out += &format!(
                "against the known truth, averaged over chains: ‖mean‖ {:.3}, quantile deviation {:.2} %\n",
                truth.mean_norm,
                100.0 * truth.quantile_deviation,
            );
        }
        out += &gp.map_or_else(String::new, |gp| gp.lines());
        for warning in warnings {
            out += &format!("warning: {warning}\n");
        }
    }
    write_out(&out)
}

/// What was run, in a line; for classification also the data and the model.
fn headline(name: &str, target: &Model, plan: &Plan) -> String {
    let line = format!(
        "{} on {name} in {} dimensions: {} chains, {} iterations of warm-up and {} draws each{}, seed {}\n",
        plan.sampler.name(),
        target.dim().unwrap_or_default(),
        plan.chains,
        plan.warmup,
        plan.draws,
        if plan.thin > 1 { format!(" (one in {} kept)", plan.thin) } else { String::new() },
        plan.seed,
    );
    line + &target.gp().map_or_else(String::new, GpModel::introduction)
}

/// The run's own warnings, and one about noise: of a chain that sticks, or of noise with which it would.
fn warnings(args: &SampleArgs, run: &Run, gp: Option<&GpReport>) -> Vec<String> {
    let mut warnings = run.warnings();
    let advice = if gp.is_some() { GpReport::ADVICE } else { "Less noise or --correlation 0.99 may help." };
    if gp.is_some() || args.noise > 0.0 {
        warnings.extend(sticking::warning(run, advice).or_else(|| gp?.warning()));
    }
    warnings
}

fn longest_rejection_run(run: &Run) -> u64 {
    run.chains.iter().map(|chain| chain.statistics.longest_rejection_run).max().unwrap_or(0)
}
