//! Live progress: a bar for each chain with its acceptance, scale and speed.

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use kameleon::Progress;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Runs `work` while bars follow the chains; no bars when quiet or not on a terminal.
pub fn watch<R>(
    progress: &[Progress],
    indices: &[usize],
    warmup: u64,
    length: u64,
    quiet: bool,
    work: impl FnOnce() -> R,
) -> R {
    if quiet || !std::io::stderr().is_terminal() {
        return work();
    }
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| draw(progress, indices, warmup, length, &ended));
        // A guard, so that a panic in the target does not leave the bars running for ever.
        let _guard = SetOnDrop(&ended);
        work()
    })
}

struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn draw(progress: &[Progress], indices: &[usize], warmup: u64, length: u64, ended: &AtomicBool) {
    let bars = MultiProgress::new();
    let style = ProgressStyle::with_template("{prefix} {bar:24.green} {percent:>3}%  {msg}")
        .expect("the template is right")
        .progress_chars("━╸─");
    let bars: Vec<ProgressBar> = indices
        .iter()
        .map(|chain| {
            let bar = bars.add(ProgressBar::new(length).with_style(style.clone()));
            bar.set_prefix(format!("chain {chain:2}"));
            bar
        })
        .collect();
    let mut first_seen = vec![None; progress.len()];
    loop {
        let last = ended.load(Ordering::Relaxed);
        for ((bar, progress), seen) in bars.iter().zip(progress).zip(&mut first_seen) {
            show(bar, progress, warmup, seen);
        }
        if last {
            bars.iter().for_each(ProgressBar::abandon);
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// `seen` is when the chain was first seen moving, and how far it was then.
fn show(bar: &ProgressBar, progress: &Progress, warmup: u64, seen: &mut Option<(Instant, u64)>) {
    let iterations = progress.iterations.load(Ordering::Relaxed);
    if iterations == 0 {
        bar.set_message("waiting");
        return;
    }
    if bar.is_finished() {
        return;
    }
    let (since, before) = *seen.get_or_insert((Instant::now(), iterations));
    let phase = if iterations < warmup { "warm-up " } else { "sampling" };
    bar.set_position(iterations);
    bar.set_message(format!(
        "{phase}  acceptance {:.3}  scale {:8.3e}  {:>9.0} draws/s",
        progress.acceptance(),
        progress.scale(),
        (iterations - before) as f64 / since.elapsed().as_secs_f64().max(0.1),
    ));
    if progress.done.load(Ordering::Relaxed) {
        bar.abandon();
    }
}
