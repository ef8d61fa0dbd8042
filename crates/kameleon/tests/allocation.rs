//! A step allocates nothing, in the warm-up or after it, whatever the sampler.

use kameleon::proposal::*;
use kameleon::target::{Banana, Noisy};
use kameleon::*;
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
fn no_step_allocates() {
    let stored = KamhSettings { history: history::HistoryKind::Stored, ..KamhSettings::default() };
    let samplers = [
        Sampler::kameleon(),
        Sampler::sm(),
        Sampler::am_fs(),
        Sampler::am_ls(),
        Sampler::am_pca(),
        Sampler::kamh(),
        Sampler::kamh_ls(),
        Sampler::Kamh(stored),
        Sampler::pca_kameleon(),
        Sampler::de_mc_z(),
        Sampler::mala(),
        Sampler::pmala(),
        Sampler::kamh_ls_with_drift(),
        Sampler::kmc(),
        Sampler::kmc_finite(),
    ];
    for sampler in samplers {
        let mut target = Noisy::new(Banana::new(5, 0.1, 100.0).unwrap(), 0.2).unwrap();
        let settings = ChainSettings { index: 0, seed: 1, warmup: 3000, normals: 1, correlation: 0.5 };
        let mut chain = sampler.chain(&[0.0; 5], settings, Length::new(3000, 1000)).unwrap();
        chain.set_circles(&[3, 4]);
        chain.step(&mut target).unwrap();
        // The default and KMC may allocate when they fit what they learn, which they do in the warm-up only.
        let first = if ["kameleon", "KMC", "KMC-finite"].contains(&sampler.name()) { 3000 } else { 1 };
        for _ in 1..first {
            chain.step(&mut target).unwrap();
        }
        let moves = chain.report().moves.len();
        if moves > 0 {
            // All moves are made, and a resumed chain has room for them from its first step on.
            assert_eq!(moves, kameleon::moves::MOVES.len());
            chain = chain.save().resume().unwrap();
        }
        let before = ALLOCATIONS.with(Cell::get);
        for _ in first..4000 {
            chain.step(&mut target).unwrap();
        }
        let allocations = ALLOCATIONS.with(Cell::get) - before;
        assert_eq!(allocations, 0, "{}", sampler.name());
    }
}
