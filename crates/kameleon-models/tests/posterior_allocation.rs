//! An evaluation works in memory that is there already.

// A counting allocator cannot be written without `unsafe`.
#![allow(unsafe_code)]

use kameleon::random::{Purpose, stream};
use kameleon::{Noise, Target};
use kameleon_models::posteriors::{Cbpp, StochasticVolatility};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of some evaluations; this test is alone in its program, so nothing else counts.
fn allocations(target: &mut dyn Target) -> usize {
    let mut rng = stream(1, 0, Purpose::Noise);
    let (x, normals) = (vec![-0.5; target.dim().unwrap()], vec![0.3; target.normals()]);
    let before = COUNT.load(Ordering::Relaxed);
    for _ in 0..3 {
        target.log_density(&x, Noise { rng: &mut rng, normals: &normals }).unwrap();
    }
    COUNT.load(Ordering::Relaxed) - before
}

#[test]
fn an_evaluation_allocates_nothing() {
    assert_eq!(allocations(&mut Cbpp::new(5).unwrap()), 0);
    let series = StochasticVolatility::sterling();
    assert_eq!(allocations(&mut StochasticVolatility::new(&series, 50).unwrap()), 0);
}
