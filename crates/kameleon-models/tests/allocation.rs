//! Evaluating an expression, its bounds and its priors allocates nothing.

mod common;

use kameleon_models::{Bound, Bounded, Expression, Prior, WithPrior};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local!(static ALLOCATIONS: Cell<u64> = const { Cell::new(0) });

struct Counting;

// SAFETY: every call is passed on to the system's allocator as it came.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn an_evaluation_allocates_nothing() {
    let names = common::names(2);
    let expression = Expression::new("-exp(x1)^2/2 - max(x2, sin(x1), 3)^1.5 + lgamma(x2 + 10)", &names).unwrap();
    let prior = Prior::normal(0.0, 1.0).unwrap();
    let target = WithPrior::new(expression, vec![Some(prior), None]).unwrap();
    let mut target = Bounded::new(target, vec![Bound::above(0.0).unwrap(), Bound::between(0.0, 2.0).unwrap()]).unwrap();
    let mut rng = kameleon::random::stream(1, 0, kameleon::random::Purpose::Noise);
    let mut value = || {
        let noise = kameleon::Noise { rng: &mut rng, normals: &[] };
        kameleon::Target::log_density(&mut target, &[0.3, -0.7], noise).unwrap()
    };
    let before = ALLOCATIONS.with(Cell::get);
    let sum: f64 = (0..100).map(|_| value()).sum();
    assert_eq!(ALLOCATIONS.with(Cell::get), before);
    assert!(sum.is_finite());
}
