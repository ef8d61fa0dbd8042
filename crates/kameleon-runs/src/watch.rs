//! Work on another thread, while this one looks after the program that waits for it.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Does the work on another thread, and calls `tick` on this one, at this interval, until the work is done. A panic of the work goes on
/// here.
pub fn watched<R: Send>(every: Duration, mut tick: impl FnMut(), work: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let (done, wait) = channel::<()>();
        let worker = scope.spawn(move || {
            let result = work();
            drop(done);
            result
        });
        while wait.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
            tick();
        }
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
