//! What R calls by name, besides runs.

use crate::refusal::{Refusal, answer};
use crate::{posterior, value};
use extendr_api::prelude::*;
use kameleon_runs::store::Files;
use kameleon_runs::{RunError, Status};
use std::path::Path;

/// The run in a folder, also while it is running.
#[extendr]
fn load(folder: &str) -> Robj {
    let read = || -> std::result::Result<Robj, RunError> {
        let folder = Path::new(folder);
        let (found, status) = (kameleon_runs::load(folder)?, Status::read(&Files::of(folder)?));
        Ok(posterior::to_list(found, status.ending.word(), status.words()))
    };
    answer(read().map_err(Refusal::of_run))
}

/// The settings of the run in a folder.
#[extendr]
fn settings_of(folder: &str) -> Robj {
    let settings = kameleon_runs::settings_of(Path::new(folder)).map_err(Refusal::of_run);
    let written = |settings| serde_json::to_value(settings).map_err(|why| Refusal::new("folder", why.to_string()));
    answer(settings.and_then(written).map(|settings| value::write(&settings)))
}

/// Everything that can be chosen by name.
#[extendr]
fn registry() -> Robj {
    value::write(&kameleon_runs::registry())
}

extendr_module! {
    mod kameleon;
    fn load;
    fn settings_of;
    fn registry;
}
