//! Whether chains have run away: they disagree, and are farther from where they started than any posterior is likely to be; or, whether they agree
//! or not, many draws are next to a bound or at the end of all numbers. A density without a finite integral does that to chains that learn the size
//! of their steps; those of heavy tails stay.
//!
//! Measured on 7 improper densities (flat, flat in one direction, along a ridge, on one side, falling like |x|⁻¹, |x|⁻⁰·⁹, and s⁻⁰·¹ for
//! s > 0), 3 seeds: with 3,000 iterations of warm-up and more all 42 runs had quantiles beyond 10⁹, with 300 6 of 21; none of 84 was called
//! converged. In 36 runs of Cauchy's and Student's t with 2 and ½ degrees of freedom, and of a Gaussian around 10⁶, none was beyond 1.2·10⁶.

use crate::output::{ChainDraws, RAN_AWAY};
use crate::settings::{Parameter, RunSettings};
use crate::starts;
use kameleon::diagnose::summarise;
use kameleon_models::Bound;

/// How many times farther than they started chains are that have run away.
const FAR: f64 = 1e8;
/// Otherwise a quarter of the draws is so near to a bound, or so far from zero. There chains may agree, for jumps lead to all that is near a bound,
/// and on the scale of logarithms numbers come to an end on both sides.
const NEAR: f64 = 1e-60;
const BEYOND: f64 = 1e60;
const QUARTER: f64 = 0.25;
/// The number of draws of each chain that are looked at first.
const LOOKS: usize = 1000;

/// That chains have run away, if they have.
pub fn remark(settings: &RunSettings, bounds: &[Bound], chains: &[ChainDraws]) -> Option<String> {
    let starts: Vec<Vec<f64>> =
        chains.iter().filter_map(|chain| starts::start(settings, bounds, chain.index, 0).ok()).collect();
    let has_run = |(i, ((name, parameter), bound)): (usize, (&(String, Parameter), &Bound))| {
        let start = starts.iter().map(|u| bound.value(u[i]).abs()).fold(1.0, f64::max);
        if parameter.prior.is_some() || settings.model.external_prior.is_some() {
            return None;
        }
        let at = Column { chains, i, dim: bounds.len() };
        let edges = [bound.lower(), bound.upper()].into_iter().flatten();
        let nearest = edges.filter_map(|edge| at.quantile(QUARTER, &|x| (x - edge).abs())).fold(1.0, f64::min);
        let farthest = at.quantile(1.0 - QUARTER, &f64::abs)?;
        if nearest < NEAR {
            return Some((name.clone(), nearest));
        }
        // Nothing that was declared holds it.
        let is_held = bound.lower().is_some() && bound.upper().is_some();
        let size = at.quantile(0.5, &f64::abs)?;
        let is_far = farthest > BEYOND || (size > FAR * start && !at.agrees());
        (is_far && !is_held).then(|| (name.clone(), farthest))
    };
    let parameters = settings.parameters.0.iter().zip(bounds).enumerate();
    let (names, far): (Vec<String>, Vec<f64>) = parameters.filter_map(has_run).unzip();
    let farthest = far.into_iter().reduce(|a, b| if a.ln().abs() > b.ln().abs() { a } else { b })?;
    let where_to =
        if farthest > 1.0 { format!("to {farthest:.0e}") } else { format!("to within {farthest:.0e} of a bound") };
    Some(format!(
        "{}: {RAN_AWAY}, {where_to}. Either the density has no finite integral (an improper posterior, as when a parameter without a \
         prior is not bounded by the data), and then there is nothing to draw from; or its scale is far from where the chains started. \
         Give a proper prior or bounds, or starts near the values that you expect.",
        names.join(", ")
    ))
}

/// The draws of one parameter.
struct Column<'a> {
    chains: &'a [ChainDraws],
    i: usize,
    dim: usize,
}

impl Column<'_> {
    fn of<'b>(&'b self, chain: &'b ChainDraws) -> impl Iterator<Item = f64> + 'b {
        chain.draws.points.iter().skip(self.i).step_by(self.dim).copied()
    }

    /// A quantile of a function of them.
    fn quantile(&self, level: f64, of: &dyn Fn(f64) -> f64) -> Option<f64> {
        let every = |chain: &ChainDraws| chain.draws.len().div_ceil(LOOKS).max(1);
        let mut values: Vec<f64> =
            self.chains.iter().flat_map(|chain| self.of(chain).step_by(every(chain))).map(of).collect();
        values.sort_by(f64::total_cmp);
        values.get((level * values.len() as f64) as usize).copied()
    }

    /// Whether the chains agree about them.
    fn agrees(&self) -> bool {
        let columns: Vec<Vec<f64>> = self.chains.iter().map(|chain| self.of(chain).collect()).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        summarise(&[], &columns, 1).verdict.agree
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kameleon::random::{Purpose, stream};
    use kameleon::record::Draws;
    use rand::RngExt;

    fn remark_of(parameter: &str, values: [f64; 4]) -> Option<String> {
        let text = format!("[model]\nlog-density = \"-s\"\n[parameters.s]\n{parameter}\n[run]\nwarmup = 10\n");
        let settings = RunSettings::from_toml(&text, "run.toml").unwrap();
        let chain = |(index, x): (usize, &f64)| {
            let mut rng = stream(5, index as u64, Purpose::Start);
            let points: Vec<f64> = (0..1000).map(|_| x * (1.0 + 0.01 * rng.random::<f64>())).collect();
            let draws = Draws { log_density: vec![0.0; points.len()], points, ..Draws::default() };
            ChainDraws { index, draws, ..ChainDraws::default() }
        };
        let chains: Vec<ChainDraws> = values.iter().enumerate().map(chain).collect();
        remark(&settings, &settings.parameters.bounds().unwrap(), &chains)
    }

    #[test]
    fn chains_that_disagree_far_from_their_starts_have_run_away() {
        let far = [1e10, -3e12, 2e11, 5e9];
        let said = remark_of("", far).unwrap();
        assert!(said.starts_with("s: the chains have run away, to 3e12"), "{said}");
        // They may agree, have started there, or be held.
        assert_eq!(remark_of("", [1e10; 4]), None);
        assert_eq!(remark_of("start = 1e10", far), None);
        assert_eq!(remark_of("lower = -1e13\nupper = 1e13", far), None);
        assert_eq!(remark_of("prior = \"cauchy(0, 1)\"", far), None);
        assert_eq!(remark_of("", [1.0, 2.0, 3.0, 1e6]), None);
        let near = [1e-70, 1e-90, 1e-80, 1e-100];
        assert!(remark_of("lower = 0", near).is_some() && remark_of("", near).is_none());
        // Near a bound they may agree, and be held by another one.
        assert!(remark_of("lower = 0\nupper = 1", [1e-100; 4]).is_some());
        assert_eq!(remark_of("prior = \"gamma(0.001, 1)\"", near), None);
        // Flat on the scale of logarithms: half of the draws are large.
        let said = remark_of("lower = 0", [1e-200, 1e-150, 1e3, 1e200]).unwrap();
        assert!(said.contains("run away, to within 1e-150 of a bound"), "{said}");
        assert!(remark_of("", [1.0, -1e3, 1e100, -1e200]).unwrap().contains("run away, to 1e200"));
    }
}
