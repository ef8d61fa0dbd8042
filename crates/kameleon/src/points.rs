//! The subsample z of the chain's history, kept coordinate by coordinate so that loops over its points vectorise.

use crate::simd::{BLOCK, Block};
use serde::{Deserialize, Serialize};

/// At most `capacity` points in ℝᵈ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Rows", into = "Rows")]
pub struct Points {
    dim: usize,
    len: usize,
    capacity: usize,
    /// All coordinates of the first block of points, then all of the next: a block is read in one stretch of memory.
    blocks: Vec<Block>,
}

impl Points {
    /// No points yet, room for `capacity`.
    pub fn new(dim: usize, capacity: usize) -> Self {
        Self { dim, len: 0, capacity, blocks: vec![Block::ZERO; capacity.div_ceil(BLOCK) * dim] }
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
        let first = a / BLOCK * self.dim;
        for (block, &x) in self.blocks[first..].iter_mut().zip(x) {
            block[a % BLOCK] = x;
        }
    }

    /// Writes the point at `a` to `x`.
    pub fn get(&self, a: usize, x: &mut [f64]) {
        let first = a / BLOCK * self.dim;
        for (x, block) in x.iter_mut().zip(&self.blocks[first..]) {
            *x = block[a % BLOCK];
        }
    }

    /// All coordinates of the block of points from `start` on; what lies past the last point is finite.
    pub(crate) fn block(&self, start: usize) -> &[Block] {
        let first = start / BLOCK * self.dim;
        &self.blocks[first..first + self.dim]
    }
}

/// Points as they are stored: one after another.
#[derive(Serialize, Deserialize)]
struct Rows {
    dim: usize,
    capacity: usize,
    rows: Vec<f64>,
}

impl From<Points> for Rows {
    fn from(points: Points) -> Self {
        let mut rows = vec![0.0; points.len * points.dim];
        rows.chunks_mut(points.dim).enumerate().for_each(|(a, row)| points.get(a, row));
        Self { dim: points.dim, capacity: points.capacity, rows }
    }
}

impl TryFrom<Rows> for Points {
    type Error = &'static str;

    fn try_from(stored: Rows) -> Result<Self, Self::Error> {
        let Rows { dim, capacity, rows } = stored;
        let room = capacity.checked_mul(dim).is_some_and(|room| room <= 1 << 32);
        let fits = dim > 0 && room && rows.len().is_multiple_of(dim) && rows.len() / dim <= capacity;
        if !fits || !rows.iter().all(|x| x.is_finite()) {
            return Err("the points do not fit their dimension or capacity, or are not finite");
        }
        let mut points = Self::new(dim, capacity);
        rows.chunks(dim).for_each(|row| points.push(row));
        Ok(points)
    }
}
