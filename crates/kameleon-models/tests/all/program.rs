//! Programs as targets: the examples, and every way in which a program can fail.

use crate::common::{
    assert_is_banana, banana, can_run, compile_program, evaluate, example, fatal, file, names, rejected, scratch, skip,
};
use kameleon::{Control, EvalError, Plan, Sampler, Target, Warmup, sample};
use kameleon_models::{NoiseInput, Program, ProgramSettings};
use std::time::{Duration, Instant};

/// A program that is a shell script: every system has one.
fn script(text: &str) -> ProgramSettings {
    ProgramSettings { timeout: Duration::from_secs(20), ..ProgramSettings::new(["sh", "-c", text]) }
}

fn program(settings: ProgramSettings) -> Program {
    Program::new(settings, &names(2)).unwrap()
}

/// A program that answers every point with `reply`.
fn answering(reply: &str) -> Program {
    program(script(&format!("while read line; do echo '{reply}'; done")))
}

fn path(path: &std::path::Path) -> String {
    path.to_str().unwrap().into()
}

#[test]
fn the_example_in_c_is_the_banana() {
    let Some(banana) = compile_program(&example("banana.c"), "banana") else { return };
    assert_is_banana(&mut program(ProgramSettings::new([path(&banana)])));
    let mut short = Program::new(ProgramSettings::new([path(&banana)]), &names(1)).unwrap();
    assert!(fatal(&mut short, &[1.0]).contains("two coordinates"));
}

#[test]
fn the_example_in_python_is_the_banana() {
    if !can_run("python3", "--version") {
        return skip("python3 cannot be run, so banana.py is not tested");
    }
    assert_is_banana(&mut program(ProgramSettings::new(["python3".into(), path(&example("banana.py"))])));
}

#[test]
fn the_example_in_awk_is_the_banana() {
    assert_is_banana(&mut program(ProgramSettings::new(["sh".into(), path(&example("banana.sh"))])));
}

#[test]
fn the_noisy_example_gets_the_chains_normals() {
    if !can_run("python3", "--version") {
        return skip("python3 cannot be run, so noisy_banana.py is not tested");
    }
    let mut settings = ProgramSettings::new(["python3".into(), path(&example("noisy_banana.py"))]);
    settings.noise = NoiseInput::Normals(1);
    let mut target = program(settings);
    assert_eq!(target.normals(), 1);
    let found = evaluate(&mut target, &[1.0, 2.0]).unwrap();
    let wanted = banana(&[1.0, 2.0]) + 0.5 * 0.5 - 0.125;
    assert!((found - wanted).abs() < 1e-14 * wanted.abs(), "{found} where {wanted} is wanted");
}

#[test]
fn a_seed_comes_from_the_chains_stream() {
    let echo = r#"while read line; do seed=${line##*'"seed":'}; echo "{\"log_density\": ${seed%?}}"; done"#;
    let mut target = program(ProgramSettings { noise: NoiseInput::Seed, ..script(echo) });
    let seed = evaluate(&mut target, &[1.0, 2.0]).unwrap();
    assert!(seed > 0.0 && seed < 2f64.powi(53) && seed.fract() == 0.0);
    assert_eq!(evaluate(&mut target, &[3.0, 4.0]).unwrap(), seed, "the same stream gives the same seed");
}

#[test]
fn every_form_of_answer_is_understood() {
    for (reply, wanted) in [
        (r#"{"log_density": -2.5}"#, -2.5),
        (r#"{"log_density": 3, "comment": {"more": [1]}}"#, 3.0),
        (r#"{"log_density": "-inf"}"#, f64::NEG_INFINITY),
        (r#"{"log_density": -Infinity}"#, f64::NEG_INFINITY),
        (r#"{"log_density": inf}"#, f64::INFINITY),
    ] {
        assert_eq!(evaluate(&mut answering(reply), &[0.0, 0.0]).unwrap(), wanted, "{reply}");
    }
    for reply in [r#"{"log_density": null}"#, r#"{"log_density": "nan"}"#, r#"{"log_density": NaN}"#] {
        assert!(evaluate(&mut answering(reply), &[0.0, 0.0]).unwrap().is_nan(), "{reply}");
    }
    assert_eq!(rejected(&mut answering(r#"{"reject": "no convergence"}"#), &[0.0, 0.0]), "no convergence");
    let why = fatal(&mut answering(r#"{"fatal": "no licence"}"#), &[0.0, 0.0]);
    assert_eq!(why, "the program says: no licence");
}

#[test]
fn an_answer_that_is_none_ends_the_run_and_is_shown() {
    for (reply, why) in [
        ("hello", "it wrote: hello"),
        ("{\"logdensity\": 1}", "none of \"log_density\""),
        ("{\"log_density\": \"high\"}", "must be a number, null, \"nan\", \"inf\" or \"-inf\", not \"high\""),
        ("{\"log_density\": [1]}", ", not [1]"),
        ("[1]", "must be an object, not a list of 1"),
        ("3", "must be an object, not 3"),
        ("{\"reject\": 3}", "must be a text, not 3"),
        ("{\"log_density\": 1, \"log_density\": 2}", "duplicate key"),
        ("{\"log_density\": 1", "it is not whole"),
        ("", "it wrote: "),
    ] {
        let found = fatal(&mut answering(reply), &[0.0, 0.0]);
        assert!(found.starts_with("program sh: its answer is not") && found.contains(why), "{reply}: {found}");
    }
}

#[test]
fn nesting_too_deep_is_an_error_not_a_crash() {
    let deep = r#"read line; printf '{"a":'; head -c 100000 /dev/zero | tr '\0' '['; echo"#;
    assert!(fatal(&mut program(script(deep)), &[0.0, 0.0]).contains("its answer is not"));
}

#[test]
fn an_answer_without_end_is_cut_off() {
    let endless =
        "read line; while :; do echo -n aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done";
    let mut target = program(ProgramSettings { longest_reply: 10_000, ..script(endless) });
    assert!(fatal(&mut target, &[0.0, 0.0]).contains("longer than 10000 bytes"));
}

#[test]
fn a_line_too_many_ends_the_run_instead_of_shifting_the_answers() {
    let double = r#"while read line; do printf '{"log_density": 1}\n{"log_density": 2}\n'; done"#;
    assert!(fatal(&mut program(script(double)), &[0.0, 0.0]).contains("more than one line"));
    let banner = r#"echo Welcome; sleep 10"#;
    let why = fatal(&mut program(script(banner)), &[0.0, 0.0]);
    assert!(why.contains("Welcome"), "{why}");
    // The second line comes late: it is found before the next point is sent.
    let late = r#"while read line; do echo '{"log_density": 1}'; sleep 0.1; echo again; done"#;
    let mut target = program(script(late));
    assert_eq!(evaluate(&mut target, &[0.0, 0.0]).unwrap(), 1.0);
    std::thread::sleep(Duration::from_millis(400));
    assert!(
        fatal(&mut target, &[0.0, 0.0])
            .contains("it wrote more than one line for a point, or wrote before it was asked: again")
    );
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let why = fatal(&mut program(ProgramSettings::new(["/nowhere/model"])), &[0.0, 0.0]);
    assert!(why.starts_with("program /nowhere/model cannot be started: "), "{why}");
    let settings = ProgramSettings { folder: Some("/nowhere".into()), ..script("exit") };
    assert!(fatal(&mut program(settings), &[0.0, 0.0]).contains("cannot be started"));
}

#[test]
fn no_shell_looks_at_the_command() {
    let literal = "$HOME; `date` $(date) *";
    let mut target = program(ProgramSettings::new(["sh", "-c", "read line; echo \"$1\"", "sh", literal]));
    assert!(fatal(&mut target, &[0.0, 0.0]).ends_with("it wrote: $HOME; `date` $(date) *"));
}

#[test]
fn a_death_is_a_rejection_then_the_end_with_the_error_output() {
    let dying = "read line; echo first >&2; echo 'file not found' >&2; exit 3";
    let mut target = program(ProgramSettings { failures: 1, ..script(dying) });
    let why = rejected(&mut target, &[0.0, 0.0]);
    assert!(why.contains("ended without an answer (exit status: 3)"), "{why}");
    assert_eq!(target.restarts(), 2, "each point is tried twice");
    let why = fatal(&mut target, &[0.0, 0.0]);
    assert!(
        why.starts_with("2 points in a row failed, the last one: ") && why.ends_with("first\nfile not found"),
        "{why}"
    );
    let mut quiet = program(ProgramSettings { failures: 0, attempts: 1, ..script("exit 0") });
    assert!(fatal(&mut quiet, &[0.0, 0.0]).contains("exit status: 0"));
    let mut halfway = program(ProgramSettings { failures: 0, ..script("read line; printf '{\"log_den'; exit 4") });
    assert!(fatal(&mut halfway, &[0.0, 0.0]).contains("(exit status: 4; it wrote: {\"log_den)"));
    let mut killed = program(ProgramSettings { failures: 0, ..script("read line; kill -9 $$") });
    assert!(fatal(&mut killed, &[0.0, 0.0]).contains("signal: 9"));
}

#[test]
fn a_program_that_hangs_is_killed_with_all_it_started() {
    let (pid, mut settings) = (scratch("sleeper"), script(""));
    settings.command[2] = format!("sleep 1000 & echo $! > {}; read line; wait", path(&pid));
    settings.timeout = Duration::from_secs(1);
    (settings.attempts, settings.failures) = (1, 1);
    let mut target = program(settings);
    let started = Instant::now();
    assert!(rejected(&mut target, &[0.0, 0.0]).contains("no answer within 1s"));
    assert!(fatal(&mut target, &[0.0, 0.0]).contains("no answer within 1s"));
    assert!(started.elapsed() < Duration::from_secs(10));
    let sleeper = std::fs::read_to_string(&pid).unwrap();
    assert!(is_gone(sleeper.trim()), "what the program started still runs");
}

/// The state of a process as Linux tells it; none if there is no such process (or no such file to ask).
fn state(pid: &str) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(") ").next()?.chars().next()
}

/// Whether a process ends soon. It may be left for init to collect, if its parent died first.
fn is_gone(pid: &str) -> bool {
    (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        matches!(state(pid), None | Some('Z' | 'X'))
    })
}

#[test]
fn every_clone_has_a_process_that_ends_with_it() {
    let mut first = answering(r#"{"log_density": '$$'}"#);
    let mut second = first.clone();
    let pids = [evaluate(&mut first, &[0.0, 0.0]).unwrap(), evaluate(&mut second, &[0.0, 0.0]).unwrap()];
    assert_ne!(pids[0], pids[1]);
    assert_eq!(evaluate(&mut first, &[0.0, 0.0]).unwrap(), pids[0]);
    drop((first, second));
    for pid in pids {
        assert_eq!(state(&pid.to_string()), None, "process {pid} is still there, if only as a zombie");
    }
}

#[test]
fn one_that_ignores_the_end_of_its_input_is_killed() {
    let stubborn = r#"trap '' TERM HUP; read line; echo "{\"log_density\": $$}"; while :; do sleep 1; done"#;
    let mut target = program(script(stubborn));
    let pid = evaluate(&mut target, &[0.0, 0.0]).unwrap();
    let started = Instant::now();
    drop(target);
    assert!(started.elapsed() < Duration::from_secs(5));
    assert!(is_gone(&pid.to_string()));
}

#[test]
fn deaths_do_not_show_in_the_draws() {
    let Some(steady) = compile_program(&example("banana.c"), "steady") else { return };
    let Some(mortal) = compile_program(&file("tests/models/mortal.c"), "mortal") else { return };
    let plan = Plan {
        sampler: Sampler::sm(),
        chains: 2,
        warmup: Warmup::Iterations(200),
        draws: Some(200),
        ..Plan::default()
    };
    let run = |target: &Program| sample(target.clone(), &[vec![0.0, 0.0]], &plan, Control::default()).unwrap();
    let steady = run(&program(ProgramSettings::new([path(&steady)])));
    let dying = program(ProgramSettings::new([path(&mortal), "50".into()]));
    let dying_run = run(&dying);
    assert!(dying.restarts() > 10, "only {} deaths", dying.restarts());
    assert_eq!(steady.draws(), dying_run.draws());
    assert!(dying_run.warnings().is_empty(), "{:?}", dying_run.warnings());
}

#[test]
fn error_output_without_end_blocks_nothing() {
    let chatty = r#"while read line; do head -c 300000 /dev/zero >&2; echo '{"log_density": 1}'; done"#;
    let mut target = program(script(chatty));
    for _ in 0..5 {
        assert_eq!(evaluate(&mut target, &[0.0, 0.0]).unwrap(), 1.0);
    }
}

#[test]
fn a_point_larger_than_a_pipe_gets_through_or_times_out() {
    let x = vec![0.1234567890123; 20_000];
    let wide = |settings| Program::new(settings, &names(x.len())).unwrap();
    let counting = r#"while read line; do echo "{\"log_density\": ${#line}}"; done"#;
    let length = evaluate(&mut wide(script(counting)), &x).unwrap();
    assert!(length > 300_000.0, "{length}");
    let deaf = ProgramSettings { timeout: Duration::from_millis(300), attempts: 1, ..script("sleep 1000") };
    assert!(rejected(&mut wide(deaf), &x).contains("no answer within"));
    let early = r#"echo '{"log_density": 1}'; sleep 10"#;
    assert!(matches!(evaluate(&mut wide(script(early)), &x), Err(EvalError::Fatal(_))));
}

#[test]
fn a_point_that_is_not_finite_is_not_sent() {
    let mut target = answering(r#"{"log_density": 1}"#);
    assert!(rejected(&mut target, &[f64::NAN, 0.0]).contains("not finite"));
}

#[test]
fn impossible_settings_are_named() {
    let wrong = |settings| Program::new(settings, &names(2)).unwrap_err().to_string();
    assert!(wrong(ProgramSettings::new(Vec::<String>::new())).contains("the command is empty"));
    assert!(wrong(ProgramSettings::new([""])).contains("the command is empty"));
    assert!(wrong(ProgramSettings { timeout: Duration::ZERO, ..script("") }).contains("timeout must be positive"));
    assert!(wrong(ProgramSettings { timeout: Duration::MAX, ..script("") }).contains("at most a year"));
    assert!(wrong(ProgramSettings { attempts: 0, ..script("") }).contains("at least one attempt"));
    assert!(wrong(ProgramSettings { longest_reply: 0, ..script("") }).contains("at least one byte"));
    assert!(Program::new(script(""), &[]).is_err());
}
