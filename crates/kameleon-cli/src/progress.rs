//! Live progress: a line for a population, and a bar for each chain with its acceptance, scale and speed; in a log, a line a minute.

mod plain;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use kameleon::Progress;
use kameleon::engine::{PopulationProgress, SoFar};
use plain::left;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often the chains are compared.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// The share of the files of a run that has been read, as it is told.
#[derive(Default)]
pub struct ShareRead(AtomicU64);

impl ShareRead {
    /// From now on it is this.
    pub fn tell(&self, share: f64) {
        self.0.store((100.0 * share) as u64, Ordering::Relaxed);
    }

    /// For people; nothing before there is something to tell.
    fn line(&self) -> Option<String> {
        let percent = self.0.load(Ordering::Relaxed);
        (percent > 0).then(|| format!("reading the draws for the summary: {percent} %"))
    }
}

/// What bars or lines follow.
pub struct Watched<'a> {
    /// The chains, …
    pub chains: &'a [Progress],
    /// … which are these of the plan, …
    pub indices: &'a [usize],
    /// … through their warm-up and this many iterations more.
    pub sampling: u64,
    /// What comes before them.
    pub population: &'a PopulationProgress,
    /// What comes after them.
    pub read: &'a ShareRead,
}

/// Runs `work` while bars follow it, or lines where there is no terminal; neither when quiet.
pub fn watch<R>(watched: &Watched<'_>, quiet: bool, work: impl FnOnce() -> R) -> R {
    if quiet {
        return work();
    }
    let bars = std::io::stderr().is_terminal();
    std::thread::scope(|scope| {
        // The bars end when the sender is dropped, also by a panic in the target.
        let (_running, ended) = mpsc::channel::<()>();
        scope.spawn(move || match bars {
            true => draw(watched, &ended),
            false => plain::tell(watched.chains, watched.population, watched.sampling, &ended),
        });
        work()
    })
}

/// Runs `read` with a line that tells the share of the files that has been read; no line where it is not on a terminal.
pub fn reading<R>(read: impl FnOnce(&dyn Fn(f64)) -> R) -> R {
    if !std::io::stderr().is_terminal() {
        return read(&|_| {});
    }
    let style = ProgressStyle::with_template("reading {bar:16.green} {percent:>3}%").expect("the template is right");
    let bar = ProgressBar::new(1000).with_style(style.progress_chars("━╸─"));
    let result = read(&|share| bar.set_position((1000.0 * share) as u64));
    bar.finish_and_clear();
    result
}

fn draw(watched: &Watched<'_>, ended: &Receiver<()>) {
    let Watched { chains: progress, indices, sampling, population, read } = *watched;
    let all = MultiProgress::new();
    let mut line = None;
    let style = ProgressStyle::with_template("{prefix} {bar:16.green} {percent:>3}%  {wide_msg}")
        .expect("the template is right")
        .progress_chars("━╸─");
    let bars: Vec<ProgressBar> = indices
        .iter()
        .map(|chain| {
            let bar = all.add(ProgressBar::new(sampling).with_style(style.clone()));
            bar.set_prefix(format!("chain {chain:2}"));
            bar
        })
        .collect();
    let mut first_seen = vec![None; progress.len()];
    let (mut live, mut looked) = (None, Instant::now());
    loop {
        let last = ended.recv_timeout(Duration::from_millis(100)) != Err(RecvTimeoutError::Timeout);
        show_population(population.line(), &all, &mut line);
        for ((bar, progress), seen) in bars.iter().zip(progress).zip(&mut first_seen) {
            show(bar, progress, sampling, seen);
        }
        if let Some(line) = read.line().filter(|_| !last) {
            show_line(Some(line), &all, &mut live, bars.len());
        } else if looked.elapsed() > LOOK_EVERY && !last {
            show_line(so_far(progress), &all, &mut live, bars.len());
            looked = Instant::now();
        }
        if last {
            show_line(None, &all, &mut live, bars.len());
            show_population(None, &all, &mut line);
            // Where nothing has begun, there is an error to be read and no progress.
            let begun = first_seen.iter().any(Option::is_some);
            bars.iter().for_each(if begun { ProgressBar::abandon } else { ProgressBar::finish_and_clear });
            return;
        }
    }
}

/// A line above the bars, as long as there is something to say.
fn show_population(text: Option<String>, all: &MultiProgress, line: &mut Option<ProgressBar>) {
    show_line(text.map(|text| format!("population  {text}")), all, line, 0);
}

/// A line at this place among the bars, as long as there is something to say.
fn show_line(text: Option<String>, all: &MultiProgress, line: &mut Option<ProgressBar>, place: usize) {
    let plain = || ProgressStyle::with_template("{wide_msg}").expect("the template is right");
    match text {
        Some(text) => line
            .get_or_insert_with(|| all.insert(place, ProgressBar::new_spinner().with_style(plain())))
            .set_message(text),
        None => {
            if let Some(line) = line.take() {
                line.finish_and_clear();
            }
        }
    }
}

/// How well the chains agree so far, for people.
fn so_far(progress: &[Progress]) -> Option<String> {
    let SoFar { r_hat, ess } = SoFar::of(progress)?;
    Some(format!("so far    largest R-hat {r_hat:.3}, ESS at least {ess:.0}"))
}

/// `seen` is when the chain was first seen moving, and how far it was then.
fn show(bar: &ProgressBar, progress: &Progress, sampling: u64, seen: &mut Option<(Instant, u64)>) {
    let iterations = progress.iterations.load(Ordering::Relaxed);
    if iterations == 0 {
        bar.set_message("waiting");
        return;
    }
    if bar.is_finished() {
        return;
    }
    let (since, before) = *seen.get_or_insert((Instant::now(), iterations));
    let warmup = progress.warmup.load(Ordering::Relaxed);
    bar.set_length(warmup.saturating_add(sampling));
    let phase = if iterations < warmup { "warm-up " } else { "sampling" };
    let speed = (iterations - before) as f64 / since.elapsed().as_secs_f64().max(0.1);
    bar.set_position(iterations);
    // What matters most comes first: a narrow terminal shows the beginning.
    bar.set_message(format!(
        "{phase}  {:9}  accepted {:.2}  {speed:>7.0}/s  scale {}",
        left(bar.length().unwrap_or(0).saturating_sub(iterations), speed),
        progress.acceptance(),
        short(progress.scale()),
    ));
    if progress.done.load(Ordering::Relaxed) {
        bar.abandon();
    }
}

/// A scale in at most eight characters.
fn short(scale: f64) -> String {
    if (0.001..1000.0).contains(&scale) { format!("{scale:.4}") } else { format!("{scale:.1e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_been_read_is_told_once_there_is_something() {
        let read = ShareRead::default();
        assert_eq!(read.line(), None);
        read.tell(0.376);
        assert_eq!(read.line().unwrap(), "reading the draws for the summary: 37 %");
    }

    #[test]
    fn the_scale_is_short() {
        assert_eq!(
            (short(2.1481), short(4.25e-9), short(12_345.0)),
            ("2.1481".into(), "4.3e-9".into(), "1.2e4".into())
        );
    }
}
