//! Contours of a function of the plane: lines on which it has a given value.

use super::heat::cell_centre;
use std::collections::BTreeMap;

/// A range of a coordinate.
type Range = (f64, f64);
/// A point of a contour is on an edge of the grid: from a node to its right (`false`) or upper (`true`) neighbour.
type Edge = (usize, usize, bool);

/// Values at the nodes of a square grid.
pub struct Grid {
    x: Range,
    y: Range,
    count: usize,
    values: Vec<f64>,
}

impl Grid {
    /// `f` at the centres of `count` × `count` cells of the rectangle.
    pub fn new(x: Range, y: Range, count: usize, mut f: impl FnMut(f64, f64) -> f64) -> Self {
        let at = |node: usize| (cell_centre(x, node % count, count), cell_centre(y, node / count, count));
        Self { x, y, count, values: (0..count * count).map(at).map(|(x, y)| f(x, y)).collect() }
    }

    /// The value above which this share of the sum of all values lies.
    pub fn level_of(&self, share: f64) -> f64 {
        let mut sorted = self.values.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let (goal, mut sum) = (share * sorted.iter().sum::<f64>(), 0.0);
        sorted
            .iter()
            .copied()
            .find(|value| {
                sum += value;
                sum >= goal
            })
            .unwrap_or(0.0)
    }

    /// The lines on which the function has this value, each a list of points.
    pub fn lines(&self, level: f64) -> Vec<Vec<(f64, f64)>> {
        let mut neighbours: BTreeMap<Edge, Vec<Edge>> = BTreeMap::new();
        for cell in 0..(self.count - 1).pow(2) {
            for (a, b) in self.segments(cell % (self.count - 1), cell / (self.count - 1), level) {
                neighbours.entry(a).or_default().push(b);
                neighbours.entry(b).or_default().push(a);
            }
        }
        let mut lines = Vec::new();
        // Open lines from one of their ends first; what is left is closed.
        while let Some(start) = first(&neighbours) {
            let mut line = vec![start];
            let mut here = start;
            while let Some(next) = take(&mut neighbours, here) {
                line.push(next);
                here = next;
            }
            lines.push(line.into_iter().map(|edge| self.crossing(edge, level)).collect());
        }
        lines
    }

    fn value(&self, column: usize, row: usize) -> f64 {
        self.values[row * self.count + column]
    }

    /// The parts of contours within the cell whose lower left node this is; where two lines may pass, the value in its middle decides.
    fn segments(&self, i: usize, j: usize, level: f64) -> Vec<(Edge, Edge)> {
        let corners = [self.value(i, j), self.value(i + 1, j), self.value(i + 1, j + 1), self.value(i, j + 1)];
        let edges = [(i, j, false), (i + 1, j, true), (i, j + 1, false), (i, j, true)];
        let above = corners.map(|value| value > level);
        let crossed: Vec<usize> = (0..4).filter(|k| above[*k] != above[(k + 1) % 4]).collect();
        match crossed[..] {
            [a, b] => vec![(edges[a], edges[b])],
            [_, _, _, _] => {
                let middle = corners.iter().sum::<f64>() / 4.0 > level;
                let [a, b, c, d] = if middle == above[0] { [0, 1, 2, 3] } else { [3, 0, 1, 2] };
                vec![(edges[a], edges[b]), (edges[c], edges[d])]
            }
            _ => Vec::new(),
        }
    }

    /// Where the function has the value on an edge, if it is linear between nodes.
    fn crossing(&self, (i, j, upwards): Edge, level: f64) -> (f64, f64) {
        let (k, l) = if upwards { (i, j + 1) } else { (i + 1, j) };
        let (from, to) = (self.value(i, j), self.value(k, l));
        let share = (level - from) / (to - from);
        let mix = |range: Range, a: usize, b: usize| {
            let (a, b) = (cell_centre(range, a, self.count), cell_centre(range, b, self.count));
            a + share * (b - a)
        };
        (mix(self.x, i, k), mix(self.y, j, l))
    }
}

/// An end of an open line, or a point of a closed one.
fn first(neighbours: &BTreeMap<Edge, Vec<Edge>>) -> Option<Edge> {
    let mut left = neighbours.iter().filter(|(_, next)| !next.is_empty());
    let any = left.next()?;
    let end = std::iter::once(any).chain(left).find(|(_, next)| next.len() == 1);
    Some(*end.unwrap_or(any).0)
}

/// A neighbour of the point, with the way to it removed in both directions.
fn take(neighbours: &mut BTreeMap<Edge, Vec<Edge>>, here: Edge) -> Option<Edge> {
    let next = neighbours.get_mut(&here)?.pop()?;
    let back = neighbours.get_mut(&next)?;
    back.swap_remove(back.iter().position(|edge| *edge == here)?);
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(x: f64, y: f64) -> f64 {
        (-0.5 * (x * x + y * y)).exp()
    }

    #[test]
    fn the_contour_of_a_normal_density_is_one_closed_circle() {
        let grid = Grid::new((-4.0, 4.0), (-4.0, 4.0), 100, round);
        let lines = grid.lines(round(1.5, 0.0));
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        assert!(lines[0].iter().all(|(x, y)| (x.hypot(*y) - 1.5).abs() < 0.01), "{:?}", lines[0]);
    }

    #[test]
    fn a_contour_that_leaves_the_rectangle_is_open() {
        let grid = Grid::new((0.0, 4.0), (-4.0, 4.0), 50, round);
        let lines = grid.lines(round(2.0, 0.0));
        assert_eq!(lines.len(), 1);
        assert_ne!(lines[0].first(), lines[0].last());
    }

    #[test]
    fn half_of_a_normal_density_lies_within_the_circle_that_theory_gives() {
        let grid = Grid::new((-6.0, 6.0), (-6.0, 6.0), 200, round);
        // P(r² < 2 ln 2) = 1/2, and the density there is half of its maximum.
        assert!((grid.level_of(0.5) - 0.5).abs() < 0.01, "{}", grid.level_of(0.5));
    }
}
