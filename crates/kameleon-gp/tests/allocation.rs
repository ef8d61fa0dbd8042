//! An evaluation allocates nothing.

// A counting allocator cannot be written without `unsafe`.
#![allow(unsafe_code)]

mod common;

use kameleon::Target;
use kameleon_gp::{Approximation, Covariance, GpClassification, Likelihood, Settings, glass};
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

#[test]
fn an_evaluation_allocates_nothing_after_the_first_on_its_thread() {
    // The first product on a thread allocates faer's packing buffer. This is the only test of its program, so nothing else is
    // counted.
    for approximation in [Approximation::Laplace, Approximation::Ep] {
        for (likelihood, covariance) in
            [(Likelihood::Logistic, Covariance::Gaussian), (Likelihood::Probit, Covariance::Matern52)]
        {
            let settings = Settings { approximation, likelihood, covariance, n_imp: 100, ..Settings::default() };
            let mut target = GpClassification::new(&glass(), settings).unwrap();
            let u = common::normals(1, 0, target.normals());
            target.log_estimate(&[0.0; 9], &u).unwrap();
            let before = COUNT.load(Ordering::Relaxed);
            for i in 0..10 {
                target.log_estimate(&[0.4 * f64::from(i) - 1.0; 9], &u).unwrap();
            }
            let allocations = COUNT.load(Ordering::Relaxed) - before;
            assert_eq!(allocations, 0, "{approximation:?} {likelihood:?}");
        }
    }
}
