//! What a run on disk costs over the library in memory, for each iteration: `cargo run --release --example journal_cost`.

use kameleon::target::Banana;
use kameleon::{Control, Plan, Sampler, Warmup, sample};
use kameleon_runs::{RunSettings, start};
use std::time::Instant;

const DRAWS: u64 = 1_000_000;
const TURNS: usize = 7;

/// Nanoseconds for each iteration.
fn time(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64() * 1e9 / DRAWS as f64
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let target = Banana::new(2, 0.1, 100.0)?;
    let begin = vec![vec![0.0, 0.0]];
    let plan = Plan {
        sampler: Sampler::sm(),
        chains: 1,
        warmup: Warmup::Iterations(0),
        draws: Some(DRAWS),
        threads: Some(1),
        ..Plan::default()
    };
    let mut settings = RunSettings::default();
    settings.model.external = Some("banana".into());
    settings.sampler = plan.sampler.choice();
    settings.output.formats.clear();
    (settings.run.chains, settings.run.threads, settings.start) = (1, Some(1), Some(begin.clone()));
    (settings.run.warmup, settings.run.draws) = (Warmup::Iterations(0), Some(DRAWS));
    let folder = std::env::temp_dir().join(format!("kameleon-journal-cost-{}", std::process::id()));
    let (mut memory, mut disk) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..TURNS {
        memory = memory.min(time(|| drop(sample(target.clone(), &begin, &plan, Control::default()))));
        let on_disk = || start(&settings, target.clone(), Some(&folder), Control::default());
        let mut result = None;
        disk = disk.min(time(|| result = Some(on_disk())));
        result.transpose()?;
        std::fs::remove_dir_all(&folder)?;
    }
    println!("ns per iteration, SM in 2 dimensions, every draw kept, shortest of {TURNS} turns in alternation");
    println!("library in memory {memory:.0}, run on disk and read back {disk:.0}: {:.0} more", disk - memory);
    Ok(())
}
