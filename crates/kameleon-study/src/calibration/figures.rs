//! What the runs of one target and length come to.

use super::RunRecord;

/// Beyond this many standard errors a figure counts as wrong.
pub const WRONG: f64 = 3.5;

/// What the runs of one target and length come to. Shares are NaN of nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// The number of runs.
    pub runs: usize,
    /// Those called converged without a warning.
    pub believed: usize,
    /// The root mean square of the distances of means, in standard errors, over runs that are believed.
    pub rms_means: f64,
    /// The same of standard deviations.
    pub rms_sds: f64,
    /// The same of quantiles.
    pub rms_quantiles: f64,
    /// The share of all their distances beyond 3.5.
    pub wrong: f64,
    /// The number of all their distances.
    pub count: usize,
    /// Their largest distance of a mean.
    pub worst_mean: f64,
    /// Runs whose R-hat and effective sizes are good, and no figure of which is wrong.
    pub fine: usize,
    /// The share of these that is believed.
    pub fine_believed: f64,
}

impl Figures {
    /// Of these runs.
    pub fn of(records: &[&RunRecord]) -> Self {
        let believed: Vec<&&RunRecord> = records.iter().filter(|record| record.is_believed()).collect();
        let is_fine = |record: &&&RunRecord| record.passes && record.all().all(|z| z.abs() <= WRONG);
        let fine: Vec<&&RunRecord> = records.iter().filter(is_fine).collect();
        let all: Vec<f64> = believed.iter().flat_map(|record| record.all()).collect();
        // What is not a number is no good figure either.
        let wrong = all.iter().filter(|z| z.is_nan() || z.abs() > WRONG).count();
        let rms = |of: fn(&RunRecord) -> &[f64]| rms(believed.iter().flat_map(|record| of(record).iter().copied()));
        Self {
            runs: records.len(),
            believed: believed.len(),
            rms_means: rms(|record| &record.means),
            rms_sds: rms(|record| &record.sds),
            rms_quantiles: rms(|record| &record.quantiles),
            wrong: wrong as f64 / all.len() as f64,
            count: all.len(),
            worst_mean: believed.iter().flat_map(|r| &r.means).map(|z| z.abs()).fold(f64::NAN, f64::max),
            fine: fine.len(),
            fine_believed: fine.iter().filter(|record| record.is_believed()).count() as f64 / fine.len() as f64,
        }
    }
}

fn rms(values: impl Iterator<Item = f64> + Clone) -> f64 {
    (values.clone().map(|z| z * z).sum::<f64>() / values.count() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::Lengths;

    fn run(passes: bool, converged: bool, means: &[f64]) -> RunRecord {
        RunRecord {
            target: "t".into(),
            lengths: Lengths { warmup: 1, draws: 1 },
            seed: 1,
            made_by: String::new(),
            passes,
            converged,
            warnings: vec![],
            means: means.to_vec(),
            sds: vec![],
            quantiles: vec![0.0; 2],
            r_hat: Some(1.0),
            ess: Some(1000.0),
            details: serde_json::Value::Null,
            evaluations: 1,
            seconds: 0.0,
        }
    }

    #[test]
    fn wrong_figures_count_in_believed_runs_only_and_fine_runs_that_are_doubted_are_told() {
        let mut warned = run(true, true, &[1.0]);
        warned.warnings.push("something".into());
        let runs = [run(true, true, &[1.0, 4.0]), run(true, true, &[1.0, -1.0]), run(true, false, &[9.0]), warned];
        let figures = Figures::of(&runs.iter().collect::<Vec<_>>());
        assert_eq!((figures.runs, figures.believed, figures.fine), (4, 2, 2));
        assert_eq!((figures.worst_mean, figures.count), (4.0, 8));
        assert_eq!((figures.wrong, figures.fine_believed), (1.0 / 8.0, 0.5));
        assert!((figures.rms_means - (19.0f64 / 4.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_distance_that_is_no_number_is_wrong_also_after_it_was_stored() {
        let text = serde_json::to_string(&run(true, true, &[f64::NAN])).unwrap();
        let stored: RunRecord = serde_json::from_str(&text).unwrap();
        assert_eq!(Figures::of(&[&stored]).wrong, 1.0 / 3.0);
    }
}
