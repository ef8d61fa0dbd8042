//! Times one estimate of log p(y|θ) on the Glass data, on one thread: `time_estimate [n_imp] [repeats]`.
//!
//! Prints one line of JSON; `benches/gp_vs_numpy.py` runs this beside the same algorithm in NumPy.

use kameleon::Target;
use kameleon::random::{self, Purpose};
use kameleon_gp::{GpClassification, Settings, glass};
use rand_distr::{Distribution, StandardNormal};
use std::time::Instant;

/// Near the posterior mean for z-scored columns.
const CENTRE: [f64; 9] = [2.3, 2.75, -0.9, 2.5, 2.9, 1.55, 2.0, 2.4, 3.1];

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<usize>().expect("a whole number"));
    let (n_imp, repeats) = (arguments.next().unwrap_or(100), arguments.next().unwrap_or(500));
    let settings = Settings { n_imp, ..Settings::default() };
    let mut target = GpClassification::new(&glass(), settings).expect("the settings are sound");
    let laplace = target.log_marginal(&CENTRE).expect("the posterior mean can be evaluated");
    let mut rng = random::stream(1, 0, Purpose::Noise);
    let mut u = vec![0.0; target.normals()];
    let (mut alone, mut drawn, mut estimates) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..repeats {
        let start = Instant::now();
        // A point one posterior standard deviation or so away, as a chain would ask for.
        let theta: Vec<f64> = CENTRE.iter().map(|x| x + normal(&mut rng)).collect();
        u.fill_with(|| normal(&mut rng));
        let middle = Instant::now();
        std::hint::black_box(target.log_estimate(&theta, &u).expect("a usual point can be evaluated"));
        alone.push(middle.elapsed().as_secs_f64());
        drawn.push(start.elapsed().as_secs_f64());
        estimates.push(target.log_estimate(&CENTRE, &u).expect("the posterior mean can be evaluated"));
    }
    let (mean, sd) = mean_sd(&estimates);
    println!(
        r#"{{"n_imp": {n_imp}, "milliseconds": {:.4}, "with_normals": {:.4}, "laplace": {laplace}, "mean": {mean}, "sd": {sd}}}"#,
        1e3 * median(alone),
        1e3 * median(drawn),
    );
}

fn normal(rng: &mut kameleon::Rng) -> f64 {
    StandardNormal.sample(rng)
}

fn median(mut x: Vec<f64>) -> f64 {
    x.sort_by(f64::total_cmp);
    x[x.len() / 2]
}

fn mean_sd(x: &[f64]) -> (f64, f64) {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    (mean, (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (x.len() - 1) as f64).sqrt())
}
