//! Samples the Glass data briefly and says what kind of glass some rows are: `cargo run --release --example predict`.

use kameleon::random::{Purpose, stream};
use kameleon::{Control, Plan, Sampler, Warmup, sample};
use kameleon_gp::{GpClassification, Inputs, Latents, Settings, glass};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let data = glass();
    let mut target = GpClassification::new(&data, Settings { n_imp: 6, ..Settings::default() })?;
    let plan = Plan {
        sampler: Sampler::am_ls(),
        warmup: Warmup::Iterations(1000),
        draws: Some(100),
        thin: 5,
        chains: 2,
        ..Plan::default()
    };
    let run = sample(target.clone(), &[vec![1.0; 9]], &plan, Control::default())?;
    let thetas = run.draws().concat();

    // Rows as they might come from a new table, with the columns of the old one; Inputs::read takes them from a CSV file.
    let rows = [0, 100, 162, 163, 175, 213];
    let pick = |d: usize| rows.map(|row| data.inputs().column(d)[row]);
    let new = Inputs::new(data.inputs().names().to_vec(), (0..9).flat_map(pick).collect())?;

    let quick = target.predict(&thetas, &new, Latents::Approximate)?;
    target.set_n_imp(20)?;
    let exact = target.predict(&thetas, &new, Latents::Weighted(&mut stream(1, 0, Purpose::Noise)))?;
    let [other, window] = data.classes();
    println!("row  p({window}|x)  with weights  truth    ({} draws of θ)", quick.draws);
    for (i, row) in rows.into_iter().enumerate() {
        let truth = if data.y()[row] > 0.0 { window } else { other };
        println!("{:3}  {:11.3}  {:12.3}  {truth}", row + 1, quick.probabilities[i], exact.probabilities[i]);
    }
    Ok(())
}
