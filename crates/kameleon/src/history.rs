//! The chain's past, and the subsample z drawn from it.

use crate::Rng;
use crate::points::Points;
use crate::registry::{Kind, Typed};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Where a new z is drawn from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HistoryKind {
    /// A reservoir of n states: a uniform subsample of the past at every time, in O(nd) memory, that changes ever more
    /// rarely.
    #[default]
    Reservoir,
    /// All states; every new z is a fresh subsample.
    Stored,
}

impl Typed for HistoryKind {
    const KIND: Kind = Kind::Word(&["reservoir", "stored"]);
}

/// The past of a chain, as much of it as is needed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct History {
    kind: HistoryKind,
    /// n, the size of the subsample.
    n: usize,
    /// How many states have been seen.
    seen: u64,
    /// Stored states one after another; the reservoir's, when it runs ahead of z.
    states: Vec<f64>,
    /// Stored: a permutation of all states. Reservoir: the slots that z has yet to take over.
    order: Vec<u32>,
}

impl History {
    /// No past yet; room for `expected` states, so that remembering them does not allocate.
    pub fn new(kind: HistoryKind, n: usize, dim: usize, expected: usize) -> Self {
        let room = match kind {
            HistoryKind::Reservoir => n,
            // A longer past than this makes room as it grows.
            HistoryKind::Stored => expected.min(1 << 20),
        };
        Self { kind, n, seen: 0, states: Vec::with_capacity(room * dim), order: Vec::with_capacity(room) }
    }

    /// Whether what was read from elsewhere fits together, and fits `z`.
    pub fn fits(&self, z: &Points) -> bool {
        let d = z.dim();
        let states = self.states.len() / d.max(1);
        let whole = d > 0 && self.states.len() == states * d && z.capacity() == self.n && z.len() <= states;
        let known = self.order.iter().all(|k| (*k as usize) < states);
        let kept = match self.kind {
            HistoryKind::Reservoir => states <= self.n && states as u64 == self.seen.min(self.n as u64),
            HistoryKind::Stored => self.order.len() == states,
        };
        // In a reservoir, the slots that z has not are waiting, in order.
        let fresh = self.order.iter().map(|k| *k as usize).filter(|k| *k >= z.len());
        let in_order = self.kind == HistoryKind::Stored || fresh.eq(z.len()..states);
        whole && known && kept && in_order
    }

    /// How many states have been seen.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Remembers a state.
    pub fn remember(&mut self, x: &[f64], rng: &mut Rng) {
        self.seen += 1;
        if self.kind == HistoryKind::Stored || self.seen <= self.n as u64 {
            self.order.push((self.states.len() / x.len()) as u32);
            self.states.extend_from_slice(x);
            return;
        }
        let slot = rng.random_range(0..self.seen);
        if slot < self.n as u64 {
            let at = slot as usize * x.len();
            self.states[at..at + x.len()].copy_from_slice(x);
            if !self.order.contains(&(slot as u32)) {
                self.order.push(slot as u32);
            }
        }
    }

    /// Makes `z` a uniform subsample of at most n states; false if it is as it was.
    pub fn subsample(&mut self, z: &mut Points, rng: &mut Rng) -> bool {
        let d = z.dim();
        let state = |k: u32| &self.states[k as usize * d..(k as usize + 1) * d];
        match self.kind {
            HistoryKind::Reservoir => {
                for &slot in &self.order {
                    z.put(slot as usize, state(slot));
                }
                let changed = !self.order.is_empty();
                self.order.clear();
                changed
            }
            HistoryKind::Stored => {
                let count = self.order.len();
                if count <= self.n {
                    (z.len()..count).for_each(|k| z.push(state(k as u32)));
                    return true;
                }
                for a in 0..self.n {
                    self.order.swap(a, rng.random_range(a..count));
                    z.put(a, state(self.order[a]));
                }
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, stream};

    /// How often each of 40 states is in z over many runs, with a subsample of 10 asked for now and then.
    fn inclusion(kind: HistoryKind, every: usize) -> Vec<f64> {
        let (n, states, runs) = (10, 40, 20_000);
        let mut counts = vec![0.0; states];
        let mut rng = stream(3, 0, Purpose::Move);
        for _ in 0..runs {
            let mut history = History::new(kind, n, 1, states);
            let mut z = Points::new(1, n);
            for t in 0..states {
                history.remember(&[t as f64], &mut rng);
                if (t + 1) % every == 0 {
                    history.subsample(&mut z, &mut rng);
                }
            }
            assert_eq!(z.len(), n);
            let mut x = [0.0];
            for a in 0..n {
                z.get(a, &mut x);
                counts[x[0] as usize] += 1.0 / f64::from(runs);
            }
        }
        counts
    }

    #[test]
    fn every_past_state_is_in_z_equally_often() {
        // The inclusion probability is 1/4, its standard error 0.003: six of them, 160 comparisons, 3e-7 false alarms.
        for kind in [HistoryKind::Reservoir, HistoryKind::Stored] {
            for every in [1, 8] {
                for (t, p) in inclusion(kind, every).iter().enumerate() {
                    assert!((p - 0.25).abs() < 0.0185, "{kind:?} every {every}: state {t} has {p}");
                }
            }
        }
    }

    #[test]
    fn a_short_past_is_in_z_whole() {
        for kind in [HistoryKind::Reservoir, HistoryKind::Stored] {
            let mut rng = stream(3, 0, Purpose::Move);
            let mut history = History::new(kind, 100, 2, 50);
            let mut z = Points::new(2, 100);
            for t in 0..50 {
                history.remember(&[f64::from(t), 0.5], &mut rng);
                assert!(history.subsample(&mut z, &mut rng));
                assert_eq!(z.len(), t as usize + 1);
            }
            let mut x = [0.0; 2];
            z.get(49, &mut x);
            assert_eq!(x, [49.0, 0.5]);
        }
    }
}
