//! Draws that are shown some steps after they were made, in the order in which they were made.

use super::state::Place;
use serde::{Deserialize, Serialize};

/// The draws that were made and not shown yet, and the one that is shown. Unused until the first draws are shown late.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Delay {
    /// What the present step shows; none while draws are shown at once.
    shown: Option<Place>,
    /// A ring of draws, each with whether it is the first at its point.
    ring: Vec<(Place, bool)>,
    /// Where the oldest of those that wait is, and how many wait.
    oldest: usize,
    waiting: usize,
}

impl Delay {
    /// Whether draws are shown late.
    pub fn is_used(&self) -> bool {
        self.shown.is_some()
    }

    /// The draw that the present step shows; where the chain is while draws are shown at once.
    pub fn shown<'a>(&'a self, here: &'a Place) -> &'a Place {
        self.shown.as_ref().unwrap_or(here)
    }

    /// Adds a draw behind those that wait.
    pub fn add(&mut self, place: &Place, is_new: bool) {
        if self.waiting == self.ring.len() {
            self.ring.rotate_left(self.oldest);
            self.oldest = 0;
            self.ring.push((place.clone(), is_new));
        } else {
            let free = (self.oldest + self.waiting) % self.ring.len();
            self.ring[free].0.copy_from(place);
            self.ring[free].1 = is_new;
        }
        self.waiting += 1;
    }

    /// Shows the oldest draw that waits; tells whether it is new. If none does, what is shown stays, at first where the chain is.
    pub fn show(&mut self, here: &Place) -> bool {
        let shown = self.shown.get_or_insert_with(|| here.clone());
        if self.waiting == 0 {
            return false;
        }
        let (place, is_new) = &self.ring[self.oldest];
        shown.copy_from(place);
        self.oldest = (self.oldest + 1) % self.ring.len();
        self.waiting -= 1;
        *is_new
    }

    /// Whether what was read from elsewhere has points like this one, and no more waiting than there are.
    pub fn fits(&self, like: &Place) -> bool {
        let places = self.shown.iter().chain(self.ring.iter().map(|(place, _)| place));
        let counts = self.waiting <= self.ring.len() && (self.oldest < self.ring.len() || self.ring.is_empty());
        counts && places.into_iter().all(|place| place.is_like(like))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(x: f64) -> Place {
        Place { x: vec![x], u: Vec::new(), log_density: -x, gradient: Vec::new(), noise_at: 0 }
    }

    #[test]
    fn draws_are_shown_in_the_order_in_which_they_were_made() {
        let (mut delay, start) = (Delay::default(), place(-1.0));
        assert_eq!(delay.shown(&start).x, [-1.0]);
        assert!(!delay.show(&start) && delay.is_used());
        let mut next = 0.0;
        let mut shown = 0.0;
        // Blocks of three, with single draws in between.
        for block in 0..20 {
            for _ in 0..block % 4 {
                delay.add(&place(next), true);
                next += 1.0;
                assert!(delay.show(&start));
                assert_eq!(delay.shown(&start).x, [shown]);
                shown += 1.0;
            }
            for _ in 0..3 {
                if delay.show(&start) {
                    assert_eq!(delay.shown(&start).x, [shown]);
                    shown += 1.0;
                }
            }
            for _ in 0..3 {
                delay.add(&place(next), true);
                next += 1.0;
            }
            assert!(delay.fits(&start) && next - shown <= 3.0, "{next} {shown}");
        }
    }
}
