//! A jump density with a share for niches: what is drawn from while the density is learned.

use crate::Rng;
use crate::mixture::{Component, Mixture};
use crate::moves::{Density, JumpDensity, log_add};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// (1 − s) Q + s N with Q a jump density and N a mixture in the coordinates of the points, one component for each niche.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Covering {
    pub(super) jump: JumpDensity,
    /// N with s; none without niches.
    pub(super) niches: Option<(Mixture, f64)>,
}

/// Two mixtures with their shares as one; the first where they do not fit together.
pub(super) fn together(first: Option<(Mixture, f64)>, second: Option<(Mixture, f64)>) -> Option<(Mixture, f64)> {
    let (Some((a, of_a)), Some((b, of_b))) = (&first, &second) else { return first.or(second) };
    let scaled = |c: &Component, share: f64| Component { weight: share * c.weight, ..c.clone() };
    let all = a.components().iter().map(|c| scaled(c, *of_a)).chain(b.components().iter().map(|c| scaled(c, *of_b)));
    Mixture::new(all.collect()).map(|both| (both, of_a + of_b)).or(first)
}

impl Density for Covering {
    fn dim(&self) -> usize {
        self.jump.parts().frame.dim()
    }

    fn log_density(&self, x: &[f64], u: &mut [f64]) -> f64 {
        let jump = self.jump.log_density(x, u);
        match &self.niches {
            Some((niches, share)) => log_add(libm::log1p(-share) + jump, libm::log(*share) + niches.log_density(x)),
            None => jump,
        }
    }

    fn draw(&self, rng: &mut Rng, x: &mut [f64]) {
        match &self.niches {
            Some((niches, share)) if rng.random::<f64>() < *share => niches.draw(rng, x),
            _ => self.jump.draw(rng, x),
        }
    }

    fn fits(&self, dim: usize) -> bool {
        let niches = |(niches, share): &(Mixture, f64)| niches.dim() == dim && *share > 0.0 && *share < 1.0;
        self.jump.fits(dim) && self.niches.as_ref().is_none_or(niches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mixture::Component;
    use crate::moves::{Frame, Parts};
    use crate::random::{Purpose, stream};

    /// One dimension: a jump density around 0 and a niche at 20.
    fn covering() -> Covering {
        let of = |centre: f64| Component { weight: 1.0, centre: vec![centre], factor: vec![0.5], freedom: 5.0 };
        let mixture = |centre| Mixture::new(vec![of(centre)]).unwrap();
        let parts = Parts { frame: Frame::raw(vec![0.0]), few: None, mixture: mixture(0.0), wide: 0.1 };
        Covering { jump: parts.into(), niches: Some((mixture(20.0), 0.25)) }
    }

    #[test]
    fn it_integrates_to_one_and_is_drawn_as_it_is_evaluated() {
        let covering = covering();
        let mass = |from: i32, to: i32| -> f64 {
            let at = |i: i32| covering.log_density(&[0.01 * f64::from(i)], &mut [0.0]).exp();
            (from..to).map(|i| 0.01 * at(i)).sum()
        };
        assert!((mass(-30_000, 30_000) - 1.0).abs() < 1e-3);
        let mut rng = stream(4, 0, Purpose::Learn);
        let mut x = [0.0];
        let near = (0..40_000).filter(|_| {
            covering.draw(&mut rng, &mut x);
            x[0] > 19.0 && x[0] < 21.0
        });
        let share = near.count() as f64 / 40_000.0;
        // Six standard errors.
        assert!((share - mass(1900, 2100)).abs() < 0.013, "{share} {}", mass(1900, 2100));
    }

    #[test]
    fn two_mixtures_together_keep_their_shares() {
        let of = |centre: f64| Component { weight: 1.0, centre: vec![centre], factor: vec![0.5], freedom: 5.0 };
        let [a, b] = [-20.0, 20.0].map(|centre| Mixture::new(vec![of(centre)]).unwrap());
        let (both, share) = together(Some((a.clone(), 0.1)), Some((b.clone(), 0.2))).unwrap();
        assert!((share - 0.3).abs() < 1e-12 && (both.components()[1].weight - 2.0 / 3.0).abs() < 1e-12);
        for one in [together(Some((a.clone(), 0.1)), None), together(None, Some((a, 0.1)))] {
            assert!(one.is_some_and(|(mixture, share)| mixture.components().len() == 1 && share == 0.1));
        }
        assert!(together(None, None).is_none());
    }
}
