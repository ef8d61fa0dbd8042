//! The processor time of a thread, which does not grow while others use the machine.

#[cfg(not(unix))]
use std::time::Instant;

/// Measures the processor time of the thread that made it; the time that passes where there is no Unix.
pub struct Stopwatch {
    #[cfg(unix)]
    start: f64,
    #[cfg(not(unix))]
    start: Instant,
}

impl Stopwatch {
    /// Starts now.
    #[cfg(unix)]
    pub fn start() -> Self {
        Self { start: processor_seconds() }
    }

    /// Starts now.
    #[cfg(not(unix))]
    pub fn start() -> Self {
        Self { start: Instant::now() }
    }

    /// The seconds since the start.
    #[cfg(unix)]
    pub fn seconds(&self) -> f64 {
        processor_seconds() - self.start
    }

    /// The seconds since the start.
    #[cfg(not(unix))]
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}

#[cfg(unix)]
fn processor_seconds() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn sleep_does_not_count_and_work_does() {
        let (watch, started) = (Stopwatch::start(), Instant::now());
        std::thread::sleep(Duration::from_millis(200));
        let asleep = watch.seconds();
        assert!(asleep < 0.1, "{asleep}");
        while watch.seconds() < asleep + 0.02 {}
        assert!(started.elapsed().as_secs_f64() >= watch.seconds());
    }
}
