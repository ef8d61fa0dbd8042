//! An evaluation allocates nothing.

// A counting allocator cannot be written without `unsafe`.
#![allow(unsafe_code)]

mod common;

use kameleon::Target;
use kameleon_gp::{Approximation, Covariance, GpClassification, Likelihood, Settings, glass};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

// Of each thread by itself: the test harness allocates on its own, now and then while the test runs.
thread_local!(static ALLOCATIONS: Cell<u64> = const { Cell::new(0) });

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
static ALLOCATOR: Counting = Counting;

#[test]
fn an_evaluation_allocates_nothing_after_the_first_on_its_thread() {
    // The first product on a thread allocates faer's packing buffer.
    for approximation in [Approximation::Laplace, Approximation::Ep] {
        for (likelihood, covariance) in
            [(Likelihood::Logistic, Covariance::Gaussian), (Likelihood::Probit, Covariance::Matern52)]
        {
            let settings = Settings { approximation, likelihood, covariance, n_imp: 100, ..Settings::default() };
            let mut target = GpClassification::new(&glass(), settings).unwrap();
            let u = common::normals(1, 0, target.normals());
            target.log_estimate(&[0.0; 9], &u).unwrap();
            let before = ALLOCATIONS.with(Cell::get);
            for i in 0..10 {
                target.log_estimate(&[0.4 * f64::from(i) - 1.0; 9], &u).unwrap();
            }
            let allocations = ALLOCATIONS.with(Cell::get) - before;
            assert_eq!(allocations, 0, "{approximation:?} {likelihood:?}");
        }
    }
}
