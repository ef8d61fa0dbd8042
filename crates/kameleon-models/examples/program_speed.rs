//! Evaluations per second of a C program with two chains at once: `cargo run --release --example program_speed`.

#[cfg(unix)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use kameleon::{Control, Plan, Sampler, Warmup, sample};
    use kameleon_models::{Program, ProgramSettings};
    use std::process::Command;
    use std::time::Instant;

    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/models/banana.c");
    let program = std::env::temp_dir().join(format!("kameleon-banana-{}", std::process::id()));
    let compiled = Command::new("cc").args(["-O2", "-o"]).arg(&program).arg(source).status()?;
    assert!(compiled.success(), "banana.c does not compile");
    let command = [program.to_string_lossy().into_owned()];
    let target = Program::new(ProgramSettings::new(command), &["x1".into(), "x2".into()])?;
    for chains in [1, 2] {
        let plan = Plan {
            sampler: Sampler::sm(),
            chains,
            warmup: Warmup::Iterations(0),
            draws: Some(100_000),
            ..Plan::default()
        };
        let started = Instant::now();
        let run = sample(target.clone(), &[vec![0.0, 0.0]], &plan, Control::default())?;
        let seconds = started.elapsed().as_secs_f64();
        println!("{chains} chains: {:.0} evaluations per second", run.evaluations() as f64 / seconds);
    }
    std::fs::remove_file(program)?;
    Ok(())
}

#[cfg(not(unix))]
fn main() {
    println!("programs as models need a Unix system");
}
