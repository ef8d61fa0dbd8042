//! Past states in the order of time, evenly spaced: where there is no more room, every second is given up.

use serde::{Deserialize, Serialize};

/// The past since it began.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Past {
    dim: usize,
    /// The largest number of states.
    room: usize,
    /// One state in this many is kept.
    every: u64,
    seen: u64,
    /// One state after another.
    states: Vec<f64>,
}

impl Past {
    pub fn new(dim: usize, room: usize) -> Self {
        Self { dim, room, every: 1, seen: 0, states: Vec::with_capacity(room * dim) }
    }

    /// d
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of states that are kept.
    pub fn len(&self) -> usize {
        self.states.len() / self.dim
    }

    /// They are, one after another.
    pub fn states(&self) -> &[f64] {
        &self.states
    }

    /// Remembers a state, or not.
    pub fn remember(&mut self, x: &[f64]) {
        if self.len() == self.room {
            self.every *= 2;
            let (d, kept) = (self.dim, self.room.div_ceil(2));
            (1..kept).for_each(|k| self.states.copy_within(2 * k * d..(2 * k + 1) * d, k * d));
            self.states.truncate(kept * d);
        }
        if self.seen.is_multiple_of(self.every) {
            self.states.extend_from_slice(x);
        }
        self.seen += 1;
    }

    /// Whether what was read from elsewhere fits together.
    pub fn fits(&self, dim: usize, room: usize) -> bool {
        let whole = self.dim == dim && self.room == room && self.states.len().is_multiple_of(dim);
        whole && self.len() <= room && self.every > 0 && self.states.iter().all(|x| x.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_evenly_spaced_and_in_order() {
        for room in [6, 7] {
            let mut past = Past::new(1, room);
            for t in 0..200 {
                past.remember(&[f64::from(t)]);
                let spaced = past.states.iter().enumerate().all(|(k, x)| *x == (k as u64 * past.every) as f64);
                assert!(spaced && past.len() <= room && (t < 7 || past.len() >= room / 2), "{:?}", past.states);
            }
        }
    }
}
