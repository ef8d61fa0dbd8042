//! Shared libraries as targets: the examples, and every way in which a library can fail.
#![expect(unsafe_code, reason = "loading a library is unsafe: these are the tests' own")]

use crate::common::{assert_is_banana, compile, evaluate, example, fatal, file, names, rejected, scratch};
use kameleon::{Control, Plan, Sampler, Target, Warmup, sample};
use kameleon_models::{LibrarySettings, ModelError, NoiseInput, SharedLibrary};
use std::path::{Path, PathBuf};

fn load(settings: LibrarySettings, dim: usize) -> Result<SharedLibrary, ModelError> {
    // SAFETY: the libraries are those of the tests, which follow the header.
    unsafe { SharedLibrary::load(settings, &names(dim)) }
}

fn compile_library(source: &Path, output: &str) -> Option<PathBuf> {
    compile("cc", &["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"], source, output)
}

fn faulty(name: &str) -> Option<LibrarySettings> {
    Some(LibrarySettings::new(compile_library(&file("tests/models/faulty_library.c"), name)?))
}

#[test]
fn the_example_in_c_is_the_banana() {
    let Some(path) = compile_library(&example("banana_library.c"), "libbanana.so") else { return };
    let mut target = load(LibrarySettings::new(&path), 2).unwrap();
    assert_is_banana(&mut target);
    assert_eq!((target.dim(), target.normals()), (Some(2), 0));
    // The text of the config arrives.
    let mut straight = load(LibrarySettings { config: "0".into(), ..LibrarySettings::new(&path) }, 2).unwrap();
    assert_eq!(evaluate(&mut straight, &[10.0, 3.0]).unwrap(), -0.5 - 4.5);
    let mut wide = load(LibrarySettings::new(&path), 3).unwrap();
    assert_eq!(fatal(&mut wide, &[0.0; 3]), "the banana has two parameters");
}

#[test]
fn chains_on_threads_sample_a_library() {
    let Some(path) = compile_library(&example("banana_library.c"), "libbanana_chains.so") else { return };
    let plan = Plan {
        sampler: Sampler::sm(),
        warmup: Warmup::Iterations(500),
        draws: Some(500),
        threads: Some(2),
        ..Plan::default()
    };
    let target = load(LibrarySettings::new(&path), 2).unwrap();
    let run = sample(target, &[vec![0.0, 0.0]], &plan, Control::default()).unwrap();
    assert!(run.chains.iter().all(|chain| chain.draws.len() == 500));
    assert!(run.warnings().is_empty() && run.acceptance() > 0.05, "{:?}", run.warnings());
}

#[test]
fn the_example_in_fortran_is_the_banana() {
    let arguments = ["-O2", "-Wall", "-shared", "-fPIC"];
    let source = example("banana_library.f90");
    let Some(path) = compile("gfortran", &arguments, &source, "libbanana_fortran.so") else { return };
    assert_is_banana(&mut load(LibrarySettings::new(&path), 2).unwrap());
    assert_eq!(fatal(&mut load(LibrarySettings::new(&path), 1).unwrap(), &[0.0]), "the library reported a fatal error");
}

#[test]
fn every_return_code_means_what_the_header_says() {
    let Some(settings) = faulty("libcodes.so") else { return };
    let mut target = load(settings.clone(), 1).unwrap();
    assert!(evaluate(&mut target, &[0.0]).unwrap() >= 1.0);
    assert_eq!(rejected(&mut target, &[1.0]), "the library rejected this point");
    assert_eq!(fatal(&mut target, &[2.0]), "the library reported a fatal error");
    assert!(fatal(&mut target, &[3.0]).contains("returned 3"));
    assert!(fatal(&mut target, &[-1.0]).contains("returned -1"));
    assert_eq!(evaluate(&mut target, &[5.0]).unwrap(), f64::NEG_INFINITY);
    assert!(evaluate(&mut target, &[6.0]).unwrap().is_nan());
    let mut plain = load(LibrarySettings { symbol: Some("plain".into()), ..settings }, 2).unwrap();
    assert_eq!(evaluate(&mut plain, &[1.0, 2.0]).unwrap(), -2.0);
}

#[test]
fn every_user_is_made_when_needed_and_destroyed_once() {
    let Some(settings) = faulty("libusers.so") else { return };
    let mut first = load(settings.clone(), 1).unwrap();
    let mut second = first.clone();
    let unused = first.clone();
    assert_eq!(evaluate(&mut first, &[9.0]).unwrap(), 1.0);
    assert_eq!(evaluate(&mut second, &[9.0]).unwrap(), 2.0);
    drop((second, unused));
    assert_eq!(evaluate(&mut first, &[9.0]).unwrap(), 1.0);
    let mut failing = load(LibrarySettings { config: "fail".into(), ..settings.clone() }, 1).unwrap();
    assert!(fatal(&mut failing, &[9.0]).contains("kameleon_create failed: it returned NULL"));
    let wrong = load(LibrarySettings { config: "a\0b".into(), ..settings }, 1).unwrap_err();
    assert!(wrong.to_string().contains("zero byte"));
}

#[test]
fn a_noisy_function_gets_a_seed_or_normals() {
    let Some(settings) = faulty("libnoisy.so") else { return };
    let mut normals = load(LibrarySettings { noise: NoiseInput::Normals(3), ..settings.clone() }, 1).unwrap();
    assert_eq!(normals.normals(), 3);
    assert_eq!(evaluate(&mut normals, &[0.0]).unwrap(), 1.5);
    let mut seeded = load(LibrarySettings { noise: NoiseInput::Seed, ..settings.clone() }, 1).unwrap();
    let seed = evaluate(&mut seeded, &[0.0]).unwrap();
    assert!(seed > 0.0 && seed.fract() == 0.0);
    let mut own = load(LibrarySettings { noise: NoiseInput::Own, ..settings }, 1).unwrap();
    assert_eq!(evaluate(&mut own, &[0.0]).unwrap(), 0.0);
}

#[test]
fn what_is_missing_is_named() {
    let missing = load(LibrarySettings::new("/nowhere/model.so"), 1).unwrap_err().to_string();
    assert!(missing.starts_with("shared library /nowhere/model.so: cannot be loaded: "), "{missing}");
    let text = scratch("no_library.so");
    std::fs::write(&text, "this is no library").unwrap();
    assert!(load(LibrarySettings::new(&text), 1).unwrap_err().to_string().contains("cannot be loaded"));
    let Some(settings) = faulty("libmissing.so") else { return };
    let wrong = load(LibrarySettings { symbol: Some("other".into()), ..settings }, 1).unwrap_err().to_string();
    assert!(wrong.contains("has no function `other`"), "{wrong}");
}
