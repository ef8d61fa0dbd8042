//! The draws of one parameter, chain after chain: trimmed to one length, and known to be finite.

/// One number for each draw of each chain.
pub(super) struct Draws {
    /// All draws, chain after chain.
    pub values: Vec<f64>,
    /// The number of chains.
    pub chains: usize,
    length: usize,
}

impl Draws {
    /// The draws, if there are enough of them for a diagnostic: at least 4 in every chain.
    pub fn diagnosable(chains: &[&[f64]]) -> Option<Self> {
        Self::column(chains, 1, 0).filter(Draws::are_enough)
    }

    /// Coordinate `i` of chains of `dim` numbers a draw, if there is a draw and all are finite.
    pub fn column(chains: &[&[f64]], dim: usize, i: usize) -> Option<Self> {
        let length = common_length(chains, dim);
        let mut values = Vec::with_capacity(chains.len() * length);
        for chain in chains {
            let start = chain.len() / dim - length;
            values.extend(chain.chunks_exact(dim).skip(start).map(|draw| draw[i]));
        }
        let usable = !values.is_empty() && values.iter().all(|v| v.is_finite());
        usable.then_some(Self { values, chains: chains.len(), length })
    }

    /// Whether every chain has 4 draws, so that each of its halves has a variance.
    pub fn are_enough(&self) -> bool {
        self.length >= 4
    }

    /// The same places with other numbers.
    pub fn map(&self, f: impl FnMut(&f64) -> f64) -> Self {
        Self { values: self.values.iter().map(f).collect(), ..*self }
    }

    /// The length of half a chain.
    pub fn half(&self) -> usize {
        self.length / 2
    }

    /// How many draws are in a half: all, or all but the middle draw of each chain.
    pub fn in_halves(&self) -> usize {
        2 * self.half() * self.chains
    }

    /// Whether the draw at `place` of the pooled ones is in a half: the middle one of an odd number is not.
    pub fn is_in_half(&self, place: usize) -> bool {
        self.length.is_multiple_of(2) || place % self.length != self.half()
    }

    /// The first and the last half of every chain.
    pub fn halves(&self) -> impl Iterator<Item = &[f64]> {
        let half = self.half();
        self.values.chunks_exact(self.length).flat_map(move |c| [&c[..half], &c[c.len() - half..]])
    }

    /// The mean and variance (over n − 1) of all draws.
    pub fn moments(&self) -> (f64, f64) {
        moments(&self.values)
    }
}

/// How many draws of `dim` numbers every chain has.
pub(super) fn common_length(chains: &[&[f64]], dim: usize) -> usize {
    chains.iter().map(|c| c.len() / dim).min().unwrap_or(0)
}

/// The mean and the variance over n − 1.
///
/// Relative to the first value: so a constant has variance zero, not the rounding error of its mean.
pub(super) fn moments(x: &[f64]) -> (f64, f64) {
    let (n, origin) = (x.len() as f64, x[0]);
    let shift = x.iter().map(|x| x - origin).sum::<f64>() / n;
    let squares: f64 = x.iter().map(|x| (x - origin - shift).powi(2)).sum();
    (origin + shift, squares / (n - 1.0))
}
