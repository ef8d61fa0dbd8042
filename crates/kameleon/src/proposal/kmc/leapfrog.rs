//! Leapfrog steps: a map of position and momentum that keeps volume, and that undoes itself when the momentum is turned round.

use crate::linalg::dot;

/// Position, momentum, and room for a gradient.
#[derive(Clone, Debug)]
pub(super) struct Leapfrog {
    /// u
    pub position: Vec<f64>,
    /// p
    pub momentum: Vec<f64>,
    gradient: Vec<f64>,
}

impl Leapfrog {
    pub fn new(dim: usize) -> Self {
        Self { position: vec![0.0; dim], momentum: vec![0.0; dim], gradient: vec![0.0; dim] }
    }

    /// ½|p|²
    pub fn kinetic(&self) -> f64 {
        0.5 * dot(&self.momentum, &self.momentum)
    }

    /// This number of steps of length ε, where `gradient` writes that of a log density.
    pub fn run(&mut self, steps: usize, epsilon: f64, mut gradient: impl FnMut(&[f64], &mut [f64])) {
        for step in 0..=steps {
            gradient(&self.position, &mut self.gradient);
            // Half a step of the momentum at both ends; in between, two halves.
            let turn = if step == 0 || step == steps { 0.5 * epsilon } else { epsilon };
            self.momentum.iter_mut().zip(&self.gradient).for_each(|(p, g)| *p += turn * g);
            if step < steps {
                self.position.iter_mut().zip(&self.momentum).for_each(|(u, p)| *u += epsilon * p);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// That of −x²y² − cosh x − y⁴/4.
    fn gradient(u: &[f64], g: &mut [f64]) {
        let (x, y) = (u[0], u[1]);
        g.copy_from_slice(&[-2.0 * x * y * y - libm::sinh(x), -2.0 * x * x * y - y * y * y]);
    }

    fn after(state: [f64; 4]) -> [f64; 4] {
        let mut leapfrog = Leapfrog::new(2);
        leapfrog.position.copy_from_slice(&state[..2]);
        leapfrog.momentum.copy_from_slice(&state[2..]);
        leapfrog.run(7, 0.13, gradient);
        let [u, p] = [&leapfrog.position, &leapfrog.momentum];
        [u[0], u[1], p[0], p[1]]
    }

    #[test]
    fn with_the_momentum_turned_round_it_goes_back_to_where_it_came_from() {
        let start = [0.7, -1.1, 0.4, 0.9];
        let [x, y, p, q] = after(start);
        assert!((x - start[0]).abs() > 0.1, "it went somewhere");
        let back = after([x, y, -p, -q]);
        for (back, start) in back.iter().zip([start[0], start[1], -start[2], -start[3]]) {
            assert!((back - start).abs() < 1e-12, "{back} {start}");
        }
    }

    #[test]
    fn volume_is_kept() {
        let (start, h) = ([0.7, -1.1, 0.4, 0.9], 1e-5);
        let mut jacobian = [[0.0; 4]; 4];
        for j in 0..4 {
            let moved = |by: f64| {
                let mut state = start;
                state[j] += by;
                after(state)
            };
            let (more, less) = (moved(h), moved(-h));
            (0..4).for_each(|i| jacobian[i][j] = (more[i] - less[i]) / (2.0 * h));
        }
        let mut determinant = 1.0;
        for k in 0..4 {
            let pivot = (k..4).max_by(|a, b| jacobian[*a][k].abs().total_cmp(&jacobian[*b][k].abs())).unwrap();
            if pivot != k {
                jacobian.swap(pivot, k);
                determinant = -determinant;
            }
            determinant *= jacobian[k][k];
            for i in k + 1..4 {
                let factor = jacobian[i][k] / jacobian[k][k];
                (k..4).for_each(|j| jacobian[i][j] -= factor * jacobian[k][j]);
            }
        }
        assert!((determinant - 1.0).abs() < 1e-7, "{determinant}");
    }
}
