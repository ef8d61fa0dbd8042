//! All monomials up to a degree, with their slopes.

use std::collections::HashMap;

/// How many monomials of `dim` variables there are up to a degree, `usize::MAX` if there are too many to count.
pub fn number_of_terms(dim: usize, degree: usize) -> usize {
    (1..=degree).try_fold(1usize, |count, k| Some(count.checked_mul(dim + k)? / k)).unwrap_or(usize::MAX)
}

/// All monomials of some variables up to a degree, the constant first.
pub struct Basis {
    dim: usize,
    /// The monomial that each is a variable times, and the variable; none for the constant, which is the first.
    made_of: Vec<(usize, usize)>,
    /// For each variable and monomial the power of the variable, and the monomial with one power less.
    slopes: Vec<Vec<(f64, usize)>>,
}

impl Basis {
    /// The monomials of `dim` variables up to `degree`; none if there are more than `most`.
    pub fn new(dim: usize, degree: usize, most: usize) -> Option<Self> {
        let mut powers: Vec<Vec<usize>> = vec![vec![0; dim]];
        let mut made_of = vec![(0, 0)];
        let (mut begin, mut last) = (0, vec![0]);
        for _ in 0..degree {
            let end = powers.len();
            for k in begin..end {
                // Each product once: factors come in the order of the variables.
                for i in last[k]..dim {
                    let mut next = powers[k].clone();
                    next[i] += 1;
                    powers.push(next);
                    made_of.push((k, i));
                    last.push(i);
                }
                if powers.len() > most {
                    return None;
                }
            }
            begin = end;
        }
        let places: HashMap<&[usize], usize> = powers.iter().enumerate().map(|(k, p)| (p.as_slice(), k)).collect();
        let slope = |powers: &Vec<usize>, i: usize| {
            let mut less = powers.clone();
            less[i] = less[i].saturating_sub(1);
            (powers[i] as f64, places[less.as_slice()])
        };
        let slopes = (0..dim).map(|i| powers.iter().map(|p| slope(p, i)).collect()).collect();
        Some(Self { dim, made_of, slopes })
    }

    /// The number of variables.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// The number of monomials.
    pub fn len(&self) -> usize {
        self.made_of.len()
    }

    /// The monomials at a point.
    pub fn values(&self, y: &[f64], values: &mut [f64]) {
        values[0] = 1.0;
        for (k, (of, variable)) in self.made_of.iter().enumerate().skip(1) {
            values[k] = values[*of] * y[*variable];
        }
    }

    /// The slope in variable `i` of the polynomial with these coefficients, where the monomials have these values.
    pub fn slope(&self, coefficients: &[f64], i: usize, values: &[f64]) -> f64 {
        self.slopes[i].iter().zip(coefficients).map(|((power, less), c)| c * power * values[*less]).sum()
    }

    /// The Stein functions ∂φ/∂y_i + φ s_i of all monomials φ, in the direction of variable `i`.
    pub fn stein(&self, i: usize, values: &[f64], score: f64) -> impl Iterator<Item = f64> {
        self.slopes[i].iter().zip(values).map(move |((power, less), value)| power * values[*less] + value * score)
    }
}
