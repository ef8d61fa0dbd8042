//! z and what goes with it: the subsample of the history, the kernel's bandwidth and the exploration term γ, all of which
//! change only when z does.

use super::KamhSettings;
use crate::adapt::{Schedule, Until};
use crate::bandwidth::{Bandwidth, MedianHeuristic};
use crate::history::History;
use crate::kernel::Kernel;
use crate::points::Points;
use crate::registry::{Settings, SettingsError};
use crate::{Length, Rng};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// The bandwidth is found anew when the history has grown by this factor …
const GROWTH: f64 = 1.5;
/// … from this many points of z: its error of one or two per cent does not matter, a quarter of a million pairs would.
const MEDIAN_OF: usize = 300;

/// The subsample z with its kernel and γ.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Subsample {
    /// The kernel k, with its bandwidth as learned so far.
    pub kernel: Kernel,
    /// z
    pub z: Points,
    /// None with an oracle z.
    history: Option<History>,
    discard: u64,
    schedule: Schedule,
    /// When learning ends.
    pub until: Until,
    gamma_start: f64,
    gamma_decay: f64,
    /// How many times z has changed.
    changes: u64,
    /// The length of history at which the bandwidth is found next; none if it stays as given.
    refresh: Option<u64>,
    #[serde(skip)]
    median: Option<MedianHeuristic>,
}

impl Subsample {
    /// From checked settings.
    pub fn new(settings: &KamhSettings, dim: usize, length: Length) -> Result<Self, SettingsError> {
        check(settings, length)?;
        let (z, history) = match &settings.z {
            Some(rows) => {
                rows.iter().try_for_each(|row| SettingsError::length("every point of z", row.len(), dim))?;
                let rows: Vec<f64> = rows.concat();
                SettingsError::demand("z", rows.iter().all(|z| z.is_finite()), "must be finite")?;
                (Points::from_rows(&rows, dim), None)
            }
            None => {
                let expected = match settings.until {
                    Until::Warmup => length.warmup,
                    Until::Forever => length.total(),
                };
                let history = History::new(settings.history, settings.n, dim, expected as usize);
                (Points::new(dim, settings.n), Some(history))
            }
        };
        let mut median = MedianHeuristic::new(MEDIAN_OF, dim);
        let mut kernel = settings.kernel.clone();
        let learns = settings.bandwidth == Bandwidth::Median && kernel.bandwidth().is_some();
        if let (true, Some(sigma)) = (learns, median.sigma(&z)) {
            kernel.set_bandwidth(sigma);
        }
        Ok(Self {
            kernel,
            z,
            history,
            discard: settings.discard,
            schedule: settings.schedule.clone(),
            until: settings.until,
            gamma_start: settings.gamma,
            gamma_decay: settings.gamma_decay,
            changes: 0,
            refresh: learns.then_some(2),
            median: learns.then_some(median),
        })
    }

    /// γ
    pub fn gamma(&self) -> f64 {
        self.gamma_start * libm::pow((1 + self.changes) as f64, -self.gamma_decay)
    }

    /// The iteration before which nothing is learned: none is lost to an oracle z.
    pub fn discard(&self) -> u64 {
        if self.history.is_some() { self.discard } else { 0 }
    }

    /// What is wrong with a subsample that was read from elsewhere.
    pub fn problem(&self, dim: usize) -> Option<&'static str> {
        let history = self.history.as_ref().is_none_or(|history| history.fits(&self.z));
        if self.kernel.check().is_err() {
            Some("its kernel is not valid")
        } else if self.z.dim() != dim || !history {
            Some("its subsample z does not fit its dimension or its history")
        } else {
            None
        }
    }

    /// Remembers the state of iteration `t`, unless it is among the first that never enter z.
    pub fn remember(&mut self, x: &[f64], t: u64, rng: &mut Rng) {
        if let (true, Some(history)) = (t >= self.discard, &mut self.history) {
            history.remember(x, rng);
        }
    }

    /// With probability p_t, takes a new z from the history. True if anything changed.
    pub fn renew(&mut self, t: u64, rng: &mut Rng) -> bool {
        let Some(history) = self.history.as_mut().filter(|history| history.seen() > 0) else { return false };
        let p = self.schedule.probability(t);
        let due = p >= 1.0 || rng.random::<f64>() < p;
        if !due || !history.subsample(&mut self.z, rng) {
            return false;
        }
        self.changes += 1;
        if let Some(refresh) = self.refresh.filter(|refresh| history.seen() >= *refresh) {
            let median = self.median.get_or_insert_with(|| MedianHeuristic::new(MEDIAN_OF, self.z.dim()));
            if let Some(sigma) = median.sigma(&self.z) {
                self.kernel.set_bandwidth(sigma);
            }
            self.refresh = Some((refresh.max(history.seen()) as f64 * GROWTH).ceil() as u64);
        }
        true
    }
}

fn check(settings: &KamhSettings, length: Length) -> Result<(), SettingsError> {
    settings.check()?;
    settings.kernel.check().map_err(|error| error.within("kernel"))?;
    if let Some(problem) = settings.schedule.problem() {
        return Err(SettingsError::new("schedule", problem));
    }
    match &settings.z {
        Some(rows) => SettingsError::demand("z", !rows.is_empty(), "needs at least one point"),
        None => length.outlasts(settings.discard, settings.until),
    }
}
