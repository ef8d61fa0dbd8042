//! Birth weight: a logistic regression with ten covariates.

use crate::number::Number;
use crate::posteriors::exact::design::standardised;
use crate::posteriors::exact::likelihood::Likelihood;
use crate::posteriors::table;

/// low ~ Bernoulli(1/(1 + e^−η)), where η is linear in the covariates of [`BirthWeight::PARAMETERS`]. `age` and the mother's
/// weight `lwt` are standardised; the others are 0 or 1: race, smoking, earlier premature labours (`ptd`), hypertension,
/// irritability of the uterus, and one, or two and more, visits of a physician.
#[derive(Clone)]
pub(crate) struct BirthWeight {
    births: Vec<Birth>,
}

#[derive(Clone)]
struct Birth {
    low: bool,
    covariates: [f64; 10],
}

impl BirthWeight {
    fn covariates([_, _, _, race, smoke, ptl, ht, ui, ftv]: [f64; 9], age: f64, lwt: f64) -> [f64; 10] {
        let is = |yes: bool| if yes { 1.0 } else { 0.0 };
        [age, lwt, is(race == 2.0), is(race == 3.0), smoke, is(ptl > 0.0), ht, ui, is(ftv == 1.0), is(ftv > 1.0)]
    }
}

impl Likelihood for BirthWeight {
    const NAME: &'static str = "birth-weight";
    const ABOUT: &'static str = "low weight of 189 babies: logistic regression with ten covariates";
    const CLASS: &'static str = "BirthWeight";
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[
        ("intercept", "normal(0, 2.5)"),
        ("age", "normal(0, 2.5)"),
        ("lwt", "normal(0, 2.5)"),
        ("black", "normal(0, 2.5)"),
        ("other", "normal(0, 2.5)"),
        ("smoke", "normal(0, 2.5)"),
        ("ptd", "normal(0, 2.5)"),
        ("ht", "normal(0, 2.5)"),
        ("ui", "normal(0, 2.5)"),
        ("ftv1", "normal(0, 2.5)"),
        ("ftv2", "normal(0, 2.5)"),
    ];

    fn new() -> Self {
        let csv = include_str!("../../../data/birth-weight.csv");
        let rows: Vec<[f64; 9]> = table::rows(csv).map(|row| row.map(table::number)).collect();
        let column = |i: usize| standardised(&rows.iter().map(|row| row[i]).collect::<Vec<_>>());
        let (ages, weights) = (column(1), column(2));
        let birth = |((row, age), lwt): ((&[f64; 9], &f64), &f64)| Birth {
            low: row[0] == 1.0,
            covariates: Self::covariates(*row, *age, *lwt),
        };
        Self { births: rows.iter().zip(&ages).zip(&weights).map(birth).collect() }
    }

    fn log_likelihood<N: Number>(&self, x: &[N]) -> N {
        let term = |birth: &Birth| {
            let eta = x[0] + birth.covariates.iter().zip(&x[1..]).map(|(covariate, b)| *b * *covariate).sum::<N>();
            // ln 1/(1 + e^−η) for a low weight, ln 1/(1 + e^η) for another, from e^−|η|, which never overflows.
            let eta = if birth.low { eta } else { -eta };
            if eta.value() < 0.0 { eta - eta.exp().ln_1p() } else { -(-eta).exp().ln_1p() }
        };
        self.births.iter().map(term).sum()
    }
}
