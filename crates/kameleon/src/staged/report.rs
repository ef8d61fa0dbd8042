//! What was learned, in words: for the summary of a run, and warnings.

use super::Kameleon;
use super::fit::Past;
use super::moves::{KINDS, Kind};

/// The correlation of a parameter with the log widths of two others from which on the target looks like a funnel.
const FUNNEL: f64 = 0.5;
/// A chain that made no jump for so many times the usual wait, and for this share of its draws, was where jumps do not lead.
const LONG_WAIT: f64 = 30.0;
const LONG_SHARE: f64 = 0.05;

impl Kameleon {
    /// What was learned, as names and values for people.
    pub fn learned(&self) -> Vec<(String, String)> {
        let mut learned = Vec::new();
        let mut add = |name: &str, value: String| learned.push((name.to_owned(), value));
        if let Some(past) = &self.fit.past {
            let choice = &past.choice;
            add("metric", if choice.white { "whitened" } else { "raw" }.into());
            add("neighbourhood f", choice.width.map_or("everywhere".into(), |f| f.to_string()));
            if choice.jump {
                add("h²", choice.h2.to_string());
                add("δ", choice.delta.to_string());
            }
            if let Some(few) = &past.few {
                add("few directions", format!("{} of {}", few.dim(), past.z.dim()));
            }
            add("points of the past", past.z.len().to_string());
        }
        for kind in KINDS.into_iter().filter(|kind| self.fit.weight(*kind) > 0.0) {
            let tally = self.pupil.sampled(kind);
            let mut value = format!("{:.0} % of moves", 100.0 * self.fit.weight(kind));
            if tally.made > 0 {
                value += &format!(", accepted {:.3}", tally.accepted as f64 / tally.made as f64);
            }
            add(kind.name(), value);
        }
        learned
    }

    /// What a person should know: a tail that the jumps do not reach, or a shape that wants other coordinates.
    pub fn advice(&self) -> Vec<String> {
        self.unexplored().into_iter().chain(self.funnel()).collect()
    }

    fn unexplored(&self) -> Option<String> {
        let jumps = [Kind::Jump, Kind::PartialJump].map(|kind| self.pupil.sampled(kind));
        let made: u64 = jumps.iter().map(|tally| tally.made).sum();
        let accepted: u64 = jumps.iter().map(|tally| tally.accepted).sum();
        let iterations: u64 = KINDS.iter().map(|kind| self.pupil.sampled(*kind).made).sum();
        let usual = iterations as f64 / accepted.max(1) as f64;
        let longest = self.pupil.longest_without_jump() as f64;
        let long = made > 0 && longest > LONG_WAIT * usual && longest > LONG_SHARE * iterations as f64;
        long.then(|| {
            format!(
                "was for {longest} iterations at a stretch where its jumps do not lead (usually {usual:.0}): a tail that \
                 the warm-up hardly explored. Use a longer warm-up, and do not trust extreme quantiles yet"
            )
        })
    }

    fn funnel(&self) -> Option<String> {
        let (i, spread) = funnel(self.fit.past.as_ref()?)?;
        Some(format!(
            "the target looks like a funnel: the widths of several parameters change with parameter {} by a factor of \
             {:.0}, so no one step fits everywhere. Reparameterise if you can (in a hierarchical model, sample \
             standardised effects and multiply them with their scale)",
            i + 1,
            libm::exp(4.0 * spread)
        ))
    }
}

/// The parameter that the widths of several others change with, and by how much: the change of the log width for one
/// standard deviation of it. None if there is no such parameter.
fn funnel(past: &Past) -> Option<(usize, f64)> {
    let (d, n) = (past.z.dim(), past.z.len());
    let mut columns = vec![Vec::with_capacity(n); d];
    let mut x = vec![0.0; d];
    for a in 0..n {
        past.z.get(a, &mut x);
        past.frame.point(&mut x);
        columns.iter_mut().zip(&x).for_each(|(column, x)| column.push(*x));
    }
    columns.iter_mut().for_each(|column| standardise(column));
    let log_widths: Vec<Vec<f64>> =
        columns.iter().map(|column| column.iter().map(|x| libm::log(x.abs().max(1e-12))).collect()).collect();
    (0..d).find_map(|i| {
        let slopes = (0..d).filter(|j| *j != i).filter_map(|j| trend(&columns[i], &log_widths[j]));
        let slopes: Vec<f64> = slopes.map(f64::abs).collect();
        (slopes.len() >= 2).then(|| (i, slopes.iter().sum::<f64>() / slopes.len() as f64))
    })
}

/// Brings numbers to mean zero and standard deviation one.
fn standardise(values: &mut [f64]) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let sd = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
    values.iter_mut().for_each(|x| *x = (*x - mean) / sd.max(f64::MIN_POSITIVE));
}

/// The slope of `y` on the standardised `x`, if the two are strongly correlated.
fn trend(x: &[f64], y: &[f64]) -> Option<f64> {
    let n = x.len() as f64;
    let mean = y.iter().sum::<f64>() / n;
    let sd = (y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n).sqrt();
    let slope = x.iter().zip(y).map(|(x, y)| x * (y - mean)).sum::<f64>() / n;
    (slope.abs() > FUNNEL * sd).then_some(slope)
}
