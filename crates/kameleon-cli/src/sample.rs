//! `kameleon sample` and `kameleon resume`: runs the chains and prints what came of them.

use crate::Exit;
use crate::args::{ResumeArgs, SampleArgs, ShowArgs};
use crate::output::write_out;
use crate::progress::{ShareRead, Watched, watch};
use crate::report;
use anyhow::{Context, Result, anyhow, bail};
use kameleon::engine::PopulationProgress;
use kameleon::{Control, Ending, Progress};
use kameleon_runs::settings::Kind;
use kameleon_runs::store::Files;
use kameleon_runs::{Finished, Model, Outside, Resume, RunError, RunSettings};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs `kameleon sample`.
pub fn sample(args: &SampleArgs) -> Result<Exit> {
    let mut settings = args.resolve()?;
    let model = open(&settings, &args.show)?;
    model.settle(&mut settings);
    run(&settings, &model, args.out.as_deref(), &args.show, |outside, control| {
        kameleon_runs::start_on(outside, &settings, model.clone(), args.out.as_deref(), control)
    })
}

/// Runs `kameleon resume`.
pub fn resume(args: &ResumeArgs) -> Result<Exit> {
    let folder = &args.folder;
    let mut settings = kameleon_runs::settings_of(folder)?;
    refuse(folder, &settings, args.trust)?;
    let model = open(&settings, &args.show)?;
    if let Some(draws) = args.draws {
        (settings.run.draws, settings.run.until) = (Some(draws), None);
    }
    let resume = Resume { draws: args.draws, threads: None, max_minutes: args.max_minutes, trust: args.changed };
    run(&settings, &model, Some(folder), &args.show, |outside, control| {
        kameleon_runs::resume_on(outside, folder, model.clone(), resume, control)
    })
    .map_err(|error| match error.downcast_ref() {
        Some(RunError::OtherModel(_)) => {
            anyhow!("{error}. Resume with the model that was sampled, or add --changed to continue with this one")
        }
        _ => error,
    })
}

/// A folder may come from somebody else, and its settings must not start anything that the user did not ask for.
fn refuse(folder: &Path, settings: &RunSettings, trust: bool) -> Result<()> {
    let folder = folder.display();
    let would = match settings.model.kind()? {
        Kind::External(what) => bail!(
            "{folder} holds a run of {what}, which this program cannot evaluate; resume it from where it was started, in \
             Python with kameleon.resume(\"{folder}\", …). `kameleon summary {folder}` works here"
        ),
        Kind::Program(command) if !trust => format!("start the program {command:?}"),
        Kind::Library(library) if !trust => format!("load the library {}", library.display()),
        _ => return Ok(()),
    };
    bail!(
        "resuming {folder} would {would} named in its settings.toml; if you trust the folder, run: kameleon resume \
         {folder} --trust"
    )
}

/// The model; for classification a pilot may take a moment.
fn open(settings: &RunSettings, show: &ShowArgs) -> Result<Model> {
    let pilots = settings.model.kind()? == Kind::Gp
        && settings.model.gp.as_ref().is_none_or(|gp| gp.n_imp == kameleon_runs::settings::Samples::Auto);
    if pilots && !show.quiet && !show.print.json && std::io::stderr().is_terminal() {
        eprintln!("choosing n_imp by a short pilot chain …");
    }
    Ok(Model::open(settings)?)
}

/// Follows the run, prints what came of it, and says how the program ends.
fn run(
    settings: &RunSettings,
    model: &Model,
    folder: Option<&Path>,
    show: &ShowArgs,
    work: impl FnOnce(&Outside<'_>, Control<'_>) -> Result<Finished, RunError>,
) -> Result<Exit> {
    let indices = settings.run.indices();
    let sampling = settings.length()?.sampling;
    let stop = stop_on_ctrl_c()?;
    let chains: Vec<Progress> = indices.iter().map(|_| Progress::default()).collect();
    let (population, read) = (PopulationProgress::default(), ShareRead::default());
    let control = Control { stop: Some(stop), progress: Some(&chains), population: Some(&population) };
    // The program shows figures, for which not all draws of a large run have to be in memory.
    let tell = |share: f64| read.tell(share);
    let outside = Outside { limited: Some(&tell), ..Outside::default() };
    let watched = Watched { chains: &chains, population: &population, read: &read, indices: &indices, sampling };
    let quiet = show.quiet || show.print.json;
    let finished = watch(&watched, quiet, || work(&outside, control))?;
    report::print(&report::Shown::of(&finished, Some(model)), &show.print)?;
    match finished.ending {
        Ending::Complete | Ending::Limited => {
            if let Some(folder) = folder.filter(|_| !show.print.json) {
                write_out(&format!("stored in {}\n", folder.display()))?;
            }
            Ok(Exit::Done)
        }
        ending => {
            how_to_resume(folder, settings)?;
            Ok(if matches!(ending, Ending::Stopped) { Exit::Interrupted } else { Exit::Failed })
        }
    }
}

/// The command that resumes the run, on standard error so that it is seen next to any kind of output.
fn how_to_resume(folder: Option<&Path>, settings: &RunSettings) -> Result<()> {
    let Some(folder) = folder.filter(|folder| Files::of(folder).is_ok()) else { return Ok(()) };
    let trust = matches!(settings.model.kind()?, Kind::Program(_) | Kind::Library(_));
    eprintln!("to resume: kameleon resume {}{}", folder.display(), if trust { " --trust" } else { "" });
    Ok(())
}

/// Set by the first Ctrl-C; a second one ends the program at once.
pub fn stop_on_ctrl_c() -> Result<&'static AtomicBool> {
    static STOP: AtomicBool = AtomicBool::new(false);
    ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot catch Ctrl-C")?;
    Ok(&STOP)
}
