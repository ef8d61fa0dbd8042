//! The speed of expressions, compared with exmex on the same text: `cargo run --release --example expression_speed`.

use exmex::Express;
use kameleon_models::Expression;
use std::hint::black_box;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let two = "-(x1^2)/200 - (x2 - 0.1*(x1^2-100))^2/2";
    let eight = format!("{two} - (x3^2 + x4^2 + x5^2 + x6^2 + x7^2 + x8^2)/2");
    let functions = "ln(x1^2 + 1) - exp(-(x2^2)/2) + sin(x1)*sqrt(x1^2 + x2^2)";
    println!("{:<22}{:>12}{:>12}{:>10}", "expression", "here, ns", "exmex, ns", "ratio");
    for (label, text, dim) in
        [("banana, d = 2", two, 2), ("banana, d = 8", &eight, 8), ("with functions", functions, 2)]
    {
        let names: Vec<String> = (1..=dim).map(|i| format!("x{i}")).collect();
        let mut ours = Expression::new(text, &names)?;
        let theirs = exmex::parse::<f64>(text)?;
        let x: Vec<f64> = (0..dim).map(|i| 0.3 + 0.7 * i as f64).collect();
        let difference = ours.value(&x) - theirs.eval(&x)?;
        assert!(difference.abs() < 1e-10, "{label}: the two differ by {difference}");
        let here = nanoseconds(|| ours.value(black_box(&x)));
        let exmex = nanoseconds(|| theirs.eval(black_box(&x)).unwrap_or(f64::NAN));
        println!("{label:<22}{here:>12.1}{exmex:>12.1}{:>10.2}", here / exmex);
    }
    Ok(())
}

/// The time of one call: the best of ten rounds.
fn nanoseconds(mut f: impl FnMut() -> f64) -> f64 {
    const CALLS: u32 = 200_000;
    let mut round = || {
        let started = Instant::now();
        for _ in 0..CALLS {
            black_box(f());
        }
        started.elapsed().as_nanos() as f64 / f64::from(CALLS)
    };
    (0..10).map(|_| round()).fold(f64::INFINITY, f64::min)
}
