//! Coal: disasters in mines, with a change of their rate at an unknown time.

use crate::number::Number;
use crate::posteriors::exact::likelihood::Likelihood;
use crate::posteriors::table;

/// The first year.
const START: f64 = 1851.0;

/// disasters of a year ~ Poisson(λ), where λ is `early` before `change`, `late` after it, and in the year of the change the
/// mean of both over the year. So the likelihood is a continuous function of the change.
#[derive(Clone)]
pub(crate) struct Coal {
    /// The disasters of each year.
    counts: Vec<f64>,
    /// −Σ ln k!
    log_constant: f64,
}

impl Likelihood for Coal {
    const NAME: &'static str = "coal";
    const ABOUT: &'static str = "disasters in British coal mines, 1851 to 1962: Poisson rates with a change point";
    const CLASS: &'static str = "Coal";
    const PARAMETERS: &'static [(&'static str, &'static str)] =
        &[("early", "exponential(1)"), ("late", "exponential(1)"), ("change", "uniform(1851, 1963)")];

    fn new() -> Self {
        let csv = include_str!("../../../data/coal.csv");
        let counts: Vec<f64> = table::rows(csv).map(|[_, count]| table::number(count)).collect();
        let log_constant = -counts.iter().map(|count| libm::lgamma(count + 1.0)).sum::<f64>();
        Self { counts, log_constant }
    }

    fn log_likelihood<N: Number>(&self, x: &[N]) -> N {
        let [early, late, change] = [x[0], x[1], x[2] - START];
        let (log_early, log_late) = (early.ln(), late.ln());
        let year = |(year, count): (usize, &f64)| {
            let share = change - year as f64;
            if share.value() >= 1.0 {
                log_early * *count - early
            } else if share.value() <= 0.0 {
                log_late * *count - late
            } else {
                let rate = share * early + (N::of(1.0) - share) * late;
                rate.ln() * *count - rate
            }
        };
        self.counts.iter().enumerate().map(year).sum::<N>() + self.log_constant
    }
}
