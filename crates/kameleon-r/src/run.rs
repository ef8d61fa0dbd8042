//! Runs, started or resumed: on threads while R waits, or on the thread of R, where its functions must be called.

use crate::function::RFunction;
use crate::host::Host;
use crate::refusal::{Refusal, answer};
use crate::request::{Request, read};
use crate::session::Session;
use crate::{posterior, value};
use extendr_api::SEXP;
use extendr_api::prelude::*;
use kameleon::Target;
use kameleon_runs::{Finished, How, Model, Outside, RunError, RunSettings};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Runs what `request` asks for and returns its result, or why there is none; `kameleon_run` in C calls it.
///
/// # Safety
/// Called on R's thread, with a list of R and the host that C has made for this run.
#[unsafe(no_mangle)]
#[expect(unsafe_code)]
pub unsafe extern "C" fn kameleon_run_request(request: SEXP, host: *mut c_void) -> SEXP {
    // SAFETY: as the caller promises.
    let (request, host) = unsafe { (Robj::from_sexp(request), Host::new(host)) };
    let ran = catch_unwind(AssertUnwindSafe(|| answer(run(&request, host))));
    let internal = "an error in kameleon itself; please report it";
    let result = ran.unwrap_or_else(|_| answer(Err(Refusal::plain(internal))));
    // SAFETY: C protects it before anything else is allocated.
    unsafe { result.get() }
}

fn run(request: &Robj, host: Host) -> std::result::Result<Robj, Refusal> {
    let request: Request = read(value::read(request).map_err(Refusal::plain)?)?;
    let mut settings = request.settings()?;
    let session = Arc::new(Session::new(host, settings.run.indices().len(), request.progress));
    let finished = if request.function {
        settings.run.threads = Some(1);
        let function = RFunction::new(&session, settings.parameters.names(), settings.model.noise_input());
        work(&request, &settings, function, &session)
    } else {
        settings.anchor(&std::env::current_dir().unwrap_or_default());
        let model = Model::open(&settings).map_err(Refusal::of_run)?;
        if request.settings.is_some() {
            model.settle(&mut settings);
        }
        session.watch(|| work(&request, &settings, model, &session))
    };
    conclude(&session, finished)
}

fn work(
    request: &Request,
    settings: &RunSettings,
    target: impl Target + Clone + Send,
    session: &Session,
) -> std::result::Result<Finished, RunError> {
    let (outside, folder, control) = (Outside::default(), request.folder.as_deref(), session.control());
    match (&request.settings, folder) {
        (None, Some(folder)) => kameleon_runs::resume_on(&outside, folder, target, request.resume(), control),
        _ => kameleon_runs::start_on(&outside, settings, target, folder, control),
    }
}

/// The result for R, and how the run ended; a refusal if nothing was run.
fn conclude(
    session: &Session,
    finished: std::result::Result<Finished, RunError>,
) -> std::result::Result<Robj, Refusal> {
    let fault = session.fault();
    let Finished { posterior, ending, reason, .. } = match (finished, &fault) {
        (Ok(finished), _) => finished,
        (Err(_), Some(fault)) => return Err(Refusal::plain(fault)),
        (Err(error), None) => return Err(Refusal::of_run(error)),
    };
    let ending = if session.was_interrupted() { How::Stopped } else { How::of(&ending) };
    Ok(posterior::to_list(posterior, ending.word(), fault.as_ref().unwrap_or(&reason)))
}
