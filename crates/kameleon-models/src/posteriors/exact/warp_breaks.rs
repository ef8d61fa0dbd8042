//! Warp breaks: a negative binomial regression of counts on two factors.

use crate::number::Number;
use crate::posteriors::exact::likelihood::Likelihood;
use crate::posteriors::table;
use libm::lgamma;

/// breaks ~ negative binomial of mean m = e^η and variance m + m²/φ, where η is linear in wool and tension with their
/// interaction: `wool_b`, `tension_m` and `tension_h` are 0 for wool A and low tension.
#[derive(Clone)]
pub(crate) struct WarpBreaks {
    /// The breaks of the nine looms of each combination: wool A with low, medium and high tension, then wool B.
    cells: [Vec<f64>; 6],
    /// −Σ ln k!
    log_constant: f64,
}

impl Likelihood for WarpBreaks {
    const NAME: &'static str = "warp-breaks";
    const ABOUT: &'static str = "breaks of yarn on 54 looms: negative binomial regression on two factors";
    const CLASS: &'static str = "WarpBreaks";
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[
        ("intercept", "normal(3, 1)"),
        ("wool_b", "normal(0, 1)"),
        ("tension_m", "normal(0, 1)"),
        ("tension_h", "normal(0, 1)"),
        ("wool_b_tension_m", "normal(0, 1)"),
        ("wool_b_tension_h", "normal(0, 1)"),
        ("phi", "gamma(2, 0.1)"),
    ];

    fn new() -> Self {
        let csv = include_str!("../../../data/warp-breaks.csv");
        let mut cells: [Vec<f64>; 6] = Default::default();
        for [wool, tension, breaks] in table::rows(csv) {
            let tension =
                ["L", "M", "H"].iter().position(|name| *name == tension).expect("the embedded table is sound");
            cells[tension + if wool == "B" { 3 } else { 0 }].push(table::number(breaks));
        }
        let log_constant = -cells.iter().flatten().map(|count| lgamma(count + 1.0)).sum::<f64>();
        Self { cells, log_constant }
    }

    fn log_likelihood<N: Number>(&self, x: &[N]) -> N {
        let [a, b, m, h, bm, bh, phi] = [x[0], x[1], x[2], x[3], x[4], x[5], x[6]];
        let log_means = [a, a + m, a + h, a + b, a + b + m + bm, a + b + h + bh];
        let log_gamma = phi.ln_gamma();
        let cell = |(counts, log_mean): (&Vec<f64>, N)| {
            let log_sum = (log_mean.exp() + phi).ln();
            let (odds, zeros) = (log_mean - log_sum, phi * (phi.ln() - log_sum) - log_gamma);
            counts.iter().map(|count| (phi + *count).ln_gamma() + odds * *count + zeros).sum::<N>()
        };
        self.cells.iter().zip(log_means).map(cell).sum::<N>() + self.log_constant
    }
}
