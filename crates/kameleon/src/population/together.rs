//! Stages of one kind that go on together: what they ask for is one batch.

use super::particles::Particles;
use super::{Prior, Stage};
use crate::Rng;
use serde::{Deserialize, Serialize};

/// The stages.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Together<S> {
    pub(super) stages: Vec<S>,
    /// How many points of the batch each of them has proposed; none if it is done.
    counts: Vec<Option<usize>>,
}

impl<S> Together<S> {
    pub(super) fn new(stages: Vec<S>) -> Self {
        Self { stages, counts: Vec::new() }
    }
}

impl<S: Stage> Stage for Together<S> {
    fn propose(&mut self, prior: &dyn Prior, rng: &mut Rng) -> Option<Vec<f64>> {
        let (mut points, d) = (Vec::new(), prior.dim());
        self.counts.clear();
        for stage in &mut self.stages {
            let proposed = stage.propose(prior, rng);
            self.counts.push(proposed.as_ref().map(|proposed| proposed.len() / d));
            points.extend(proposed.into_iter().flatten());
        }
        self.counts.iter().any(Option::is_some).then_some(points)
    }

    fn learn(&mut self, told: Particles, prior: &dyn Prior, rng: &mut Rng) {
        let mut from = 0;
        for (stage, count) in self.stages.iter_mut().zip(&self.counts) {
            if let Some(count) = count {
                stage.learn(told.chosen(from..from + count), prior, rng);
                from += count;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::population::testing::Gaussians;
    use crate::random::{Purpose, stream};

    /// Asks for its number in some batches, and keeps what it is told.
    struct Asking {
        number: f64,
        batches: usize,
        told: Vec<f64>,
    }

    impl Stage for Asking {
        fn propose(&mut self, _: &dyn Prior, _: &mut Rng) -> Option<Vec<f64>> {
            (self.told.len() < 2 * self.batches).then(|| vec![self.number; 2])
        }

        fn learn(&mut self, told: Particles, _: &dyn Prior, _: &mut Rng) {
            self.told.extend(&told.log_likelihood);
        }
    }

    #[test]
    fn each_stage_is_told_of_its_own_points_until_the_last_is_done() {
        let (problem, mut rng) = (Gaussians::one(1), stream(1, 0, Purpose::Learn));
        let asking = |number: f64, batches| Asking { number, batches, told: Vec::new() };
        let mut all = Together::new(vec![asking(0.0, 2), asking(1.0, 0), asking(2.0, 3)]);
        let mut sizes = Vec::new();
        while let Some(points) = all.propose(&problem, &mut rng) {
            sizes.push(points.len());
            let told = problem.values(points, 0.0, &mut rng);
            all.learn(told, &problem, &mut rng);
        }
        assert_eq!(sizes, [4, 4, 2]);
        for stage in &all.stages {
            let own = problem.log_likelihood(&[stage.number]);
            assert!(stage.told.len() == 2 * stage.batches && stage.told.iter().all(|told| *told == own));
        }
    }
}
