use super::*;
use crate::any_chain::AnyChain;
use crate::moves::Move;
use crate::random::{Purpose, stream};
use crate::target::Banana;
use crate::{Chain, ChainSettings};

const DIM: usize = 3;

fn after_warm_up() -> Chain<Kameleon> {
    let length = Length::new(4_000, 0);
    let proposal = Kameleon::new(&KameleonSettings { n: 200 }, DIM, length).unwrap();
    let settings = ChainSettings { index: 0, seed: 3, warmup: length.warmup, normals: 0, correlation: 0.0 };
    let mut chain = Chain::new(proposal, &[0.5; DIM], settings).unwrap();
    let mut target = Banana::new(DIM, 0.1, 100.0).unwrap();
    for _ in 0..length.warmup {
        chain.step(&mut target).unwrap();
    }
    chain
}

#[test]
fn far_from_the_history_steps_do_not_grow_with_the_distance() {
    let chain = after_warm_up();
    let trace = |c: &[f64]| (0..DIM).map(|i| c[i * DIM + i]).sum::<f64>();
    let mut sigma = vec![0.0; DIM * DIM];
    times_transpose(&chain.proposal().fit().model.metric.factor, DIM, &mut sigma);
    // d times the largest mean eigenvalue, 4, bounds the largest eigenvalue in the frame; the floor is little.
    let most = 4.1 * DIM as f64 * chain.proposal().warmup.scale(MoveId::of(&KernelStep)).nu2() * trace(&sigma);
    for far in [1e2, 1e4, 1e8] {
        let shown = trace(&chain.covariance_at(&[far; DIM]).unwrap());
        assert!(shown < most, "{shown} at {far}, which should be below {most}");
    }
}

#[test]
fn the_covariance_shown_is_that_of_kernel_steps() {
    let chain = after_warm_up();
    let fit = chain.proposal().fit().clone();
    assert!(fit.weight(&KernelStep) > 0.0);
    let shown = chain.covariance_at(chain.position()).unwrap();
    let with = chain.proposal().setting(Pick::whole(MoveId::of(&KernelStep)));
    // What the chain keeps need not have what a kernel step needs: a jump may have led there.
    let mut at = Local::new(DIM);
    chain.proposal().locate(chain.position(), &mut at);
    let mut rng = stream(5, 0, Purpose::Move);
    let (n, mut y) = (40_000.0, [0.0; DIM]);
    let mut sums = [(0.0, 0.0); DIM * DIM];
    for _ in 0..n as usize {
        KernelStep.draw(&with, &[0.0; DIM], &at, &mut rng, &mut y);
        for (k, (sum, squares)) in sums.iter_mut().enumerate() {
            let product = y[k / DIM] * y[k % DIM];
            *sum += product;
            *squares += product * product;
        }
    }
    // 6 entries within 5.5 standard errors: false alarms below 1e-6.
    for (k, (sum, squares)) in sums.iter().enumerate() {
        let (mean, second) = (sum / n, squares / n);
        let error = ((second - mean * mean) / n).sqrt();
        assert!((shown[k] - mean).abs() < 5.5 * error, "entry {k}: {} shown, {mean}", shown[k]);
    }
}
