//! Progress where nothing can be written over, as in the log of a job: a line once a minute.

use kameleon::Progress;
use kameleon::engine::PopulationProgress;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The time between two lines; a run that ends before says nothing.
const EVERY: Duration = Duration::from_secs(60);

/// Tells how far the run is, until it has ended.
pub fn tell(progress: &[Progress], population: &PopulationProgress, sampling: u64, ended: &Receiver<()>) {
    let mut before = (Instant::now(), iterations(progress));
    while ended.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
        let now = (Instant::now(), iterations(progress));
        let speed = now.1.saturating_sub(before.1) as f64 / now.0.duration_since(before.0).as_secs_f64();
        before = now;
        eprintln!("{}", line(progress, population.line(), sampling, speed));
    }
}

/// The iterations of all chains.
fn iterations(progress: &[Progress]) -> u64 {
    progress.iter().map(|chain| chain.iterations.load(Ordering::Relaxed)).sum()
}

/// Where the run is, if its chains together have this speed, in iterations for each second.
fn line(progress: &[Progress], population: Option<String>, sampling: u64, speed: f64) -> String {
    if let Some(text) = population {
        return format!("population: {text}");
    }
    let warmup = |chain: &Progress| chain.warmup.load(Ordering::Relaxed);
    let warm = progress.iter().all(|chain| chain.iterations.load(Ordering::Relaxed) >= warmup(chain));
    let done = iterations(progress);
    if done == 0 {
        return "no iterations yet".into();
    }
    let all: u64 = progress.iter().map(|chain| warmup(chain).saturating_add(sampling)).fold(0, u64::saturating_add);
    let accepted = progress.iter().map(Progress::acceptance).sum::<f64>() / progress.len().max(1) as f64;
    let (phase, left) = (if warm { "sampling" } else { "warm-up" }, left(all.saturating_sub(done), speed));
    let comma = if left.is_empty() { "" } else { ", " };
    format!("{phase}: {done} of {all} iterations, accepted {accepted:.2}, {speed:.0}/s{comma}{left}")
}

/// The time that these iterations take, in seconds, minutes or hours; nothing before the speed is known.
pub fn left(iterations: u64, speed: f64) -> String {
    let seconds = (iterations as f64 / speed).ceil();
    match seconds {
        0.0 => String::new(),
        s if s < 100.0 => format!("{s:.0} s left"),
        s if s < 6000.0 => format!("{:.0} m left", s / 60.0),
        s if s.is_finite() => format!("{:.0} h left", s / 3600.0),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_short() {
        assert_eq!(left(0, 10.0), "");
        assert_eq!(left(10, 0.0), "");
        assert_eq!(left(0, 0.0), "");
        assert_eq!(left(991, 10.0), "2 m left");
        assert_eq!(left(981, 10.0), "99 s left");
        assert_eq!(left(72_000, 10.0), "2 h left");
    }

    #[test]
    fn a_line_says_where_a_run_is() {
        let progress = [Progress::default(), Progress::default()];
        for (chain, iterations) in progress.iter().zip([900, 1100]) {
            chain.warmup.store(1000, Ordering::Relaxed);
            chain.iterations.store(iterations, Ordering::Relaxed);
        }
        let said = |speed| line(&progress, None, 4000, speed);
        assert_eq!(said(100.0), "warm-up: 2000 of 10000 iterations, accepted 0.00, 100/s, 80 s left");
        assert_eq!(said(0.0), "warm-up: 2000 of 10000 iterations, accepted 0.00, 0/s");
        progress[0].iterations.store(1000, Ordering::Relaxed);
        assert!(said(1.0).starts_with("sampling: 2100 of 10000"));
        assert_eq!(line(&[Progress::default()], None, 4000, 0.0), "no iterations yet");
        assert_eq!(line(&progress, Some("ladder 1".into()), 4000, 0.0), "population: ladder 1");
    }
}
