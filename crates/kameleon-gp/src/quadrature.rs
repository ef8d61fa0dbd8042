//! Gauss–Hermite quadrature: expectations under a normal distribution.

/// Nodes t and weights w with E g(T) ≈ Σ w g(t) for T ~ N(0, 1), exact for polynomials of degree 2·`count` − 1.
#[derive(Clone, Debug)]
pub struct Quadrature {
    /// The nodes, increasing.
    pub nodes: Vec<f64>,
    /// Their weights; they sum to one.
    pub weights: Vec<f64>,
}

impl Quadrature {
    /// With `count` nodes: at most 200, beyond which the polynomials overflow far out.
    pub fn new(count: usize) -> Self {
        assert!((1..=200).contains(&count), "between 1 and 200 nodes, not {count}");
        let (mut nodes, mut weights) = (Vec::new(), Vec::new());
        // All roots lie within √(4n + 2) and are more than 3/√n apart, so a step of a tenth of that finds each.
        let end = (4.0 * count as f64 + 2.0).sqrt();
        let step = 0.3 / (count as f64).sqrt();
        let mut low = -end;
        while low < end {
            let high = low + step;
            if (hermite(count, low).0 < 0.0) != (hermite(count, high).0 < 0.0) {
                let node = root(count, low, high);
                nodes.push(node);
                weights.push(1.0 / (count as f64 * hermite(count, node).1.powi(2)));
            }
            low = high;
        }
        assert_eq!(nodes.len(), count, "every root of the polynomial is found");
        Self { nodes, weights }
    }
}

/// The polynomials of degree n and n − 1 orthonormal under N(0, 1).
fn hermite(n: usize, t: f64) -> (f64, f64) {
    let (mut here, mut before) = (1.0, 0.0);
    for j in 0..n {
        let next = (t * here - (j as f64).sqrt() * before) / ((j + 1) as f64).sqrt();
        (here, before) = (next, here);
    }
    (here, before)
}

fn root(n: usize, mut low: f64, mut high: f64) -> f64 {
    let low_is_negative = hermite(n, low).0 < 0.0;
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if (hermite(n, middle).0 < 0.0) == low_is_negative {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_the_normal_are_exact() {
        for count in [1, 2, 3, 16, 32, 96, 200] {
            let rule = Quadrature::new(count);
            let moment = |p: i32| rule.nodes.iter().zip(&rule.weights).map(|(t, w)| w * t.powi(p)).sum::<f64>();
            assert!((moment(0) - 1.0).abs() < 1e-12, "{count}: {}", moment(0));
            assert!(moment(1).abs() < 1e-12);
            if count >= 5 {
                assert!((moment(2) - 1.0).abs() < 1e-12);
                assert!((moment(8) - 105.0).abs() < 1e-9);
            }
        }
    }
}
