//! What there is to say of the estimate after a classification run: its noise, its jitter.

use kameleon::Plan;
use kameleon_runs::output::Posterior;
use kameleon_runs::{GpModel, LARGEST_SD};
use serde::Serialize;

/// What is reported of a classification run besides the draws.
#[derive(Serialize)]
pub struct GpReport {
    pub n_imp: usize,
    n_imp_chosen_by: &'static str,
    /// sd(log p̂) at the posterior mean.
    sd_log_estimate: Option<f64>,
    correlation: f64,
    jitter: f64,
    /// What was counted while the chains ran; nothing for a run that is read from its folder.
    #[serde(flatten)]
    counted: Option<Counted>,
}

#[derive(Serialize)]
struct Counted {
    rejected_estimates: u64,
    raised_jitter: u64,
    largest_jitter: f64,
}

impl GpReport {
    /// What the run says of the estimate. The noise is measured at the mean of all draws; `ran` says that the model was
    /// sampled just now, and not only opened.
    pub fn new(model: &GpModel, posterior: &Posterior, plan: &Plan, ran: bool) -> Self {
        let (statistics, settings) = (model.target.statistics(), model.target.settings());
        let mut target = model.target.clone();
        Self {
            n_imp: settings.n_imp,
            n_imp_chosen_by: if model.pilot.is_some() { "pilot" } else { "user" },
            sd_log_estimate: mean(posterior).and_then(|mean| target.noise(&mean, plan.seed).ok()),
            correlation: plan.correlation,
            jitter: settings.jitter,
            counted: ran.then_some(Counted {
                rejected_estimates: statistics.rejections,
                raised_jitter: statistics.raised_jitter,
                largest_jitter: statistics.largest_jitter,
            }),
        }
    }

    /// Lines for a person.
    pub fn lines(&self) -> String {
        let mut lines = match self.sd_log_estimate {
            Some(sd) => format!("sd(log p̂) at the posterior mean: {sd:.3} with n_imp = {}\n", self.n_imp),
            None => "sd(log p̂) could not be measured: there is no estimate at the mean of the draws\n".into(),
        };
        if let Some(counted) = self.counted.as_ref().filter(|counted| counted.raised_jitter > 0) {
            lines += &format!(
                "the jitter was raised from {:e} to as much as {:e} at {} points where K could not be factored\n",
                self.jitter, counted.largest_jitter, counted.raised_jitter,
            );
        }
        lines
    }

    /// A warning if the estimate is too noisy for independent noise.
    pub fn warning(&self) -> Option<String> {
        let sd = self.sd_log_estimate.filter(|sd| *sd > LARGEST_SD && self.correlation == 0.0)?;
        Some(format!(
            "sd(log p̂) = {sd:.1} at the posterior mean is above {LARGEST_SD}: the chain will get stuck on estimates that are high by chance. {}",
            Self::ADVICE
        ))
    }

    /// What helps against noise.
    const ADVICE: &'static str = "Use a larger --n-imp, --approximation ep or --correlation 0.99.";
}

/// The mean of all draws.
fn mean(posterior: &Posterior) -> Option<Vec<f64>> {
    let (draws, dim) = (posterior.points().concat(), posterior.dim());
    let count = draws.len() / dim;
    let coordinate = |i| draws.iter().skip(i).step_by(dim).sum::<f64>() / count as f64;
    (count > 0).then(|| (0..dim).map(coordinate).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(sd: f64, correlation: f64) -> GpReport {
        GpReport {
            n_imp: 2,
            n_imp_chosen_by: "user",
            sd_log_estimate: Some(sd),
            correlation,
            jitter: 1e-8,
            counted: Some(Counted { rejected_estimates: 0, raised_jitter: 3, largest_jitter: 4e-8 }),
        }
    }

    #[test]
    fn noise_beyond_reason_is_warned_of_unless_it_is_correlated() {
        let words = report(2.51, 0.0).warning().unwrap();
        assert!(words.starts_with("sd(log p̂) = 2.5 at the posterior mean is above 1.5"), "{words}");
        assert!(words.ends_with("Use a larger --n-imp, --approximation ep or --correlation 0.99."), "{words}");
        assert!(report(2.51, 0.99).warning().is_none());
        assert!(report(0.9, 0.0).warning().is_none());
    }

    #[test]
    fn raised_jitter_is_told() {
        let lines = report(0.1, 0.0).lines();
        assert!(lines.contains("raised from 1e-8 to as much as 4e-8 at 3 points"), "{lines}");
    }
}
