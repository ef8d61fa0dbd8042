//! The subsample z of the chain's history, kept coordinate by coordinate so that loops over its points vectorise.

use crate::kernel::BLOCK;
use serde::{Deserialize, Serialize};

/// At most `capacity` points in ℝᵈ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Points {
    dim: usize,
    len: usize,
    capacity: usize,
    /// The room for each coordinate: at least the capacity in whole blocks.
    stride: usize,
    coordinates: Vec<f64>,
}

impl Points {
    /// No points yet, room for `capacity`.
    pub fn new(dim: usize, capacity: usize) -> Self {
        // Eight more, so that coordinates do not all fall into the same set of the cache.
        let stride = capacity.next_multiple_of(BLOCK) + 8;
        Self { dim, len: 0, capacity, stride, coordinates: vec![0.0; dim * stride] }
    }

    /// How many points there is room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The points given one after another.
    pub fn from_rows(rows: &[f64], dim: usize) -> Self {
        let mut points = Self::new(dim, rows.len() / dim);
        rows.chunks(dim).for_each(|row| points.push(row));
        points
    }

    /// n, the number of points.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// d, the dimension.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Adds a point.
    pub fn push(&mut self, x: &[f64]) {
        self.put(self.len, x);
    }

    /// Replaces the point at `a`, or adds it if `a` is just past the last.
    pub fn put(&mut self, a: usize, x: &[f64]) {
        debug_assert!(a <= self.len && a < self.capacity);
        self.len = self.len.max(a + 1);
        for (i, &x) in x.iter().enumerate() {
            self.coordinates[i * self.stride + a] = x;
        }
    }

    /// Writes the point at `a` to `x`.
    pub fn get(&self, a: usize, x: &mut [f64]) {
        for (i, x) in x.iter_mut().enumerate() {
            *x = self.coordinates[i * self.stride + a];
        }
    }

    /// Coordinate `i` of the block of points from `start` on; what lies past the last point is unspecified but finite.
    #[inline(always)]
    pub(crate) fn block(&self, i: usize, start: usize) -> &[f64; BLOCK] {
        self.coordinates[i * self.stride + start..].first_chunk().expect("the room is whole blocks")
    }
}
