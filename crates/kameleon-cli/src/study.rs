//! `kameleon paper` and `kameleon compare`: runs studies and says what came out.

use crate::Exit;
use crate::args::{CompareArgs, PaperArgs, ScaleArg, StudyArgs};
use crate::invocation::Invocation;
use crate::output::write_out;
use crate::sample::stop_on_ctrl_c;
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kameleon_study::{Scale, Settings, Study, StudyError, Watch};
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Runs `kameleon paper`.
pub fn paper(args: &PaperArgs, invocation: &Invocation) -> Result<Exit> {
    let studies = kameleon_study::figures(&args.figures)?;
    run(&studies, &args.study, invocation)
}

/// Runs `kameleon compare`.
pub fn compare(args: &CompareArgs, invocation: &Invocation) -> Result<Exit> {
    let file = args.file.display().to_string();
    let text = std::fs::read_to_string(&args.file).with_context(|| format!("{file} cannot be read"))?;
    run(&[Study::parse(&file, &text)?], &args.study, invocation)
}

fn run(studies: &[Study], args: &StudyArgs, invocation: &Invocation) -> Result<Exit> {
    let bar = Bar::new(args.quiet);
    let settings = Settings {
        scale: match args.scale {
            ScaleArg::Tiny => Scale::Tiny,
            ScaleArg::Quick => Scale::Quick,
            ScaleArg::Paper => Scale::Paper,
        },
        seed: args.seed,
        extras: args.extras,
        ..settings(args.out.clone(), args.threads, &bar, invocation)?
    };
    let started = Instant::now();
    ended(kameleon_study::run(studies, &settings), |report| {
        let seconds = started.elapsed().as_secs_f64();
        write_out(&format!("{}{seconds:.1} s; see {}\n", report.text, report.page.display()))
    })
}

/// How studies are run where flags do not say otherwise.
pub fn settings<'a>(
    out: PathBuf,
    threads: Option<NonZeroUsize>,
    watch: &'a Bar,
    invocation: &Invocation,
) -> Result<Settings<'a>> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Settings {
        scale: Scale::Quick,
        seed: 1,
        threads: threads.map_or(cores, usize::from),
        extras: false,
        out,
        command: invocation.command(),
        program: invocation.program.clone(),
        stop: stop_on_ctrl_c()?,
        watch,
    })
}

/// Shows what came of studies, and says how the program ends.
pub fn ended<T>(result: Result<T, StudyError>, show: impl FnOnce(T) -> Result<()>) -> Result<Exit> {
    match result {
        Ok(report) => show(report).map(|()| Exit::Done),
        Err(stopped @ StudyError::Stopped) => {
            eprintln!("{stopped}");
            Ok(Exit::Interrupted)
        }
        Err(error @ StudyError::Chain { .. }) => {
            eprintln!("error: {error}");
            Ok(Exit::Failed)
        }
        Err(error) => Err(error.into()),
    }
}

/// One line of progress with the time left; nothing when quiet or not on a terminal.
pub struct Bar(ProgressBar);

impl Bar {
    /// Hidden if asked to be quiet.
    pub fn new(quiet: bool) -> Self {
        let hidden = quiet || !std::io::stderr().is_terminal();
        let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let style = ProgressStyle::with_template("{msg}  {bar:30.green} {percent:>3}%  {elapsed} elapsed, {eta} left")
            .expect("the template is right")
            .progress_chars("━╸─");
        Self(ProgressBar::with_draw_target(None, target).with_style(style))
    }
}

impl Watch for Bar {
    fn begin(&self, what: &str, iterations: u64, reused: usize, chains: usize) {
        self.0.reset();
        self.0.set_length(iterations);
        let kept = if reused > 0 { format!(", {reused} from the cache") } else { String::new() };
        self.0.set_message(format!("{what}: {chains} chains{kept}"));
        self.0.enable_steady_tick(Duration::from_millis(200));
    }

    fn advance(&self, iterations: u64) {
        self.0.inc(iterations);
    }

    fn end(&self) {
        self.0.disable_steady_tick();
        self.0.finish_and_clear();
    }
}
