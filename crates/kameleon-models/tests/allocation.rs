//! An evaluation allocates nothing: expressions with bounds and priors, and the posteriors of real data.

mod common;

use kameleon::random::{Purpose, stream};
use kameleon::{Noise, Target};
use kameleon_models::posteriors::{Cbpp, EXACT, StochasticVolatility};
use kameleon_models::{Bound, Bounded, Expression, WithPrior};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local!(static ALLOCATIONS: Cell<u64> = const { Cell::new(0) });

struct Counting;

// SAFETY: every call is passed on unchanged to the system's allocator.
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

/// The allocations of this thread in a few evaluations.
fn allocations(target: &mut dyn Target) -> u64 {
    let mut rng = stream(1, 0, Purpose::Noise);
    let (x, normals) = (vec![-0.5; target.dim().unwrap()], vec![0.3; target.normals()]);
    let before = ALLOCATIONS.with(Cell::get);
    for _ in 0..3 {
        target.log_density(&x, Noise { rng: &mut rng, normals: &normals }).unwrap();
    }
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn an_expression_with_bounds_and_a_prior_allocates_nothing() {
    let names = common::names(2);
    let expression = Expression::new("-exp(x1)^2/2 - max(x2, sin(x1), 3)^1.5 + lgamma(x2 + 10)", &names).unwrap();
    let target = WithPrior::new(expression, vec![Some("student-t(3, 0, 1)".parse().unwrap()), None]).unwrap();
    let bounds = vec![Bound::above(0.0).unwrap(), Bound::between(0.0, 2.0).unwrap()];
    assert_eq!(allocations(&mut Bounded::new(target, bounds).unwrap()), 0);
}

#[test]
fn a_posterior_of_real_data_allocates_nothing() {
    assert_eq!(allocations(&mut Cbpp::new(5).unwrap()), 0);
    for posterior in EXACT {
        assert_eq!(allocations(&mut posterior.posterior().unwrap()), 0, "{}", posterior.entry.name);
    }
    let series = StochasticVolatility::sterling();
    assert_eq!(allocations(&mut StochasticVolatility::new(&series, 50).unwrap()), 0);
}
