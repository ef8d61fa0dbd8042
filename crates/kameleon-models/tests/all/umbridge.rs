//! UM-Bridge models: what is asked, what is understood, and every way in which a server can fail.

use crate::common::{evaluate, fatal, names, rejected};
use crate::fake_server::{Act, FakeServer, ok};
use kameleon::Target;
use kameleon_models::{NoiseInput, UmBridge, UmBridgeSettings};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The usual answers about a model `m` with two parameters in two blocks.
fn usual(path: &str) -> Act {
    match path {
        "/Info" => ok(r#"{"protocolVersion": 1.0, "models": ["m"]}"#),
        "/ModelInfo" => ok(r#"{"support": {"Evaluate": true, "Gradient": false}}"#),
        "/InputSizes" => ok(r#"{"inputSizes": [1, 1]}"#),
        "/OutputSizes" => ok(r#"{"outputSizes": [1]}"#),
        "/Evaluate" => ok(r#"{"output": [[-1.5]]}"#),
        _ => Act::Answer(404, "not found".into()),
    }
}

/// A server that answers `path` by `act`, and the rest as usual.
fn except(path: &'static str, mut act: impl FnMut(&str) -> Act + Send + 'static) -> FakeServer {
    FakeServer::start(move |asked, body| if asked == path { act(body) } else { usual(asked) })
}

/// Settings that fail fast.
fn hasty(server: &FakeServer) -> UmBridgeSettings {
    UmBridgeSettings {
        timeout: Duration::from_secs(10),
        retries: 2,
        pause: Duration::from_millis(5),
        failures: 1,
        longest_reply: 10_000,
        ..UmBridgeSettings::new(server.url())
    }
}

fn connect(server: &FakeServer) -> UmBridge {
    UmBridge::connect(hasty(server), &names(2)).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(server: &FakeServer) -> String {
    UmBridge::connect(hasty(server), &names(2)).unwrap_err().to_string()
}

/// What comes of a point that is answered by `body`.
fn fatal_answer(body: &'static str) -> String {
    let server = except("/Evaluate", move |_| ok(body));
    fatal(&mut connect(&server), &[1.0, 2.0])
}

#[test]
fn the_point_goes_out_in_the_models_blocks_with_the_config() {
    let seen = Arc::new(Mutex::new(String::new()));
    let saved = Arc::clone(&seen);
    let server = except("/Evaluate", move |body| {
        *saved.lock().unwrap() = body.into();
        ok(r#"{"output": [[-1.5]]}"#)
    });
    let mut settings = UmBridgeSettings { model: Some("m".into()), url: server.url() + "/", ..hasty(&server) };
    settings.config.insert("level".into(), 3.into());
    let mut target = UmBridge::connect(settings, &names(2)).unwrap();
    assert_eq!(evaluate(&mut target, &[0.1, -2e-9]).unwrap(), -1.5);
    assert_eq!(*seen.lock().unwrap(), r#"{"name":"m","input":[[0.1],[-2e-9]],"config":{"level":3}}"#);
    assert_eq!((target.dim(), target.normals()), (Some(2), 0));
    assert_eq!(target.names(2), names(2));
    assert!(rejected(&mut target, &[f64::INFINITY, 0.0]).contains("not finite"));
}

#[test]
fn every_chain_has_one_connection() {
    let server = FakeServer::start(|path, _| usual(path));
    let mut first = connect(&server);
    let mut second = first.clone();
    for _ in 0..5 {
        evaluate(&mut first, &[1.0, 2.0]).unwrap();
        evaluate(&mut second, &[1.0, 2.0]).unwrap();
    }
    assert_eq!(server.connections(), 2);
}

#[test]
fn values_that_json_lacks_are_understood() {
    for (body, wanted) in [("[[-inf]]", f64::NEG_INFINITY), ("[[\"-Infinity\"]]", f64::NEG_INFINITY), ("[[],[2]]", 2.0)]
    {
        let server = except("/Evaluate", move |_| ok(&format!("{{\"output\": {body} }}")));
        assert_eq!(evaluate(&mut connect(&server), &[1.0, 2.0]).unwrap(), wanted, "{body}");
    }
    for body in ["nan", "NaN", "null"] {
        let server = except("/Evaluate", move |_| ok(&format!("{{\"output\": [[{body}]]}}")));
        assert!(evaluate(&mut connect(&server), &[1.0, 2.0]).unwrap().is_nan(), "{body}");
    }
}

#[test]
fn a_server_that_cannot_serve_is_refused_with_the_reason() {
    for (path, body, why) in [
        (
            "/Info",
            r#"{"protocolVersion": 2.0, "models": ["m"]}"#,
            "it uses version 2 of UM-Bridge; version 1 is required",
        ),
        ("/Info", r#"{"protocolVersion": 1.0, "models": ["a", "b"]}"#, "2 models, so one must be named: a, b"),
        ("/Info", r#"{"models": ["a"]}"#, "missing key `protocolVersion`"),
        ("/Info", "<html>", "it wrote: <html>"),
        ("/ModelInfo", r#"{"support": {"Evaluate": false}}"#, "model `m` cannot be evaluated"),
        ("/ModelInfo", r#"{"support": 3}"#, "ModelInfo: its answer cannot be read"),
        ("/InputSizes", r#"{"inputSizes": [2, 1]}"#, "takes blocks of [2, 1] numbers, but there are 2 parameters"),
        ("/InputSizes", r#"{"inputSizes": [-1]}"#, "InputSizes: its answer cannot be read"),
        ("/OutputSizes", r#"{"outputSizes": [1, 1]}"#, "returns blocks of [1, 1] numbers; it must return one number"),
        ("/OutputSizes", r#"{"outputSizes": [18446744073709551615, 2]}"#, "it must return one number"),
    ] {
        let server = except(path, move |_| ok(body));
        let found = refusal(&server);
        assert!(found.starts_with("model server http://127.0.0.1:") && found.contains(why), "{body}: {found}");
    }
    let server = except("/InputSizes", |_| Act::Answer(400, r#"{"error": {"type": "ModelNotFound"}}"#.into()));
    assert!(refusal(&server).contains("InputSizes: it answered with status 400: {\"error\""));
}

#[test]
fn an_unknown_model_is_named_beside_those_that_are_there() {
    let server = FakeServer::start(|path, _| usual(path));
    let settings = UmBridgeSettings { model: Some("other".into()), ..hasty(&server) };
    let found = UmBridge::connect(settings, &names(2)).unwrap_err().to_string();
    assert!(found.ends_with("it has no model `other`; it has m"), "{found}");
}

#[test]
fn an_address_that_cannot_be_used_is_named() {
    for url in ["localhost:4242", "https://localhost:4242", "http://", ""] {
        let found = UmBridge::connect(UmBridgeSettings::new(url), &names(1)).unwrap_err().to_string();
        assert!(found.contains("the address must have the form http://localhost:4242"), "{url}: {found}");
    }
    let settings = UmBridgeSettings { timeout: Duration::ZERO, ..UmBridgeSettings::new("http://localhost:1") };
    assert!(UmBridge::connect(settings, &names(1)).unwrap_err().to_string().contains("timeout must be positive"));
}

#[test]
fn a_model_that_fails_is_a_rejection_and_then_the_end() {
    let server = except("/Evaluate", |_| Act::Answer(500, "500 Internal Server Error".into()));
    let mut target = connect(&server);
    assert!(rejected(&mut target, &[1.0, 2.0]).contains("the model failed (status 500): 500 Internal Server Error"));
    let why = fatal(&mut target, &[1.0, 2.0]);
    assert!(why.starts_with("2 points in a row failed"), "{why}");
    let error = r#"{"error": {"type": "SolverFailed", "message": "no convergence"}}"#;
    let server = except("/Evaluate", move |_| Act::Answer(500, error.into()));
    assert!(rejected(&mut connect(&server), &[1.0, 2.0]).ends_with("SolverFailed: no convergence"));
}

#[test]
fn a_good_answer_restores_patience() {
    let mut count = 0;
    let server = except("/Evaluate", move |_| {
        count += 1;
        if count % 2 == 1 { Act::Answer(500, String::new()) } else { ok(r#"{"output": [[1]]}"#) }
    });
    let mut target = connect(&server);
    for _ in 0..4 {
        rejected(&mut target, &[1.0, 2.0]);
        assert_eq!(evaluate(&mut target, &[1.0, 2.0]).unwrap(), 1.0);
    }
}

#[test]
fn errors_that_every_point_would_give_end_the_run() {
    for kind in ["ModelNotFound", "UnsupportedFeature", "InvalidInput", "InvalidOutput"] {
        let error = format!(r#"{{"error": {{"type": "{kind}", "message": "why"}}}}"#);
        let server = except("/Evaluate", move |_| Act::Answer(400, error.clone()));
        assert!(fatal(&mut connect(&server), &[1.0, 2.0]).ends_with(&format!("{kind}: why")));
    }
    let server = except("/Evaluate", |_| Act::Answer(404, "gone".into()));
    assert!(fatal(&mut connect(&server), &[1.0, 2.0]).ends_with("it answered with status 404: gone"));
    let elsewhere = b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n";
    let server = except("/Evaluate", |_| Act::Raw(elsewhere.to_vec()));
    assert!(fatal(&mut connect(&server), &[1.0, 2.0]).contains("status 302"), "a redirect is not followed");
}

#[test]
fn answers_that_are_none_end_the_run_and_are_shown() {
    assert!(fatal_answer("garbage").ends_with("it wrote: garbage"));
    assert!(fatal_answer(r#"{"output": [[1, 2]]}"#).contains("the output must be one number, not 2"));
    assert!(fatal_answer(r#"{"output": []}"#).contains("the output must be one number, not 0"));
    assert!(fatal_answer(r#"{"output": 1}"#).contains("must be a list, not 1"));
    assert!(fatal_answer("{}").contains("neither \"output\" nor \"error\""));
    assert!(fatal_answer("").contains("it wrote: "));
    let deep = except("/Evaluate", |_| ok(&"[".repeat(9_000)));
    assert!(fatal(&mut connect(&deep), &[1.0, 2.0]).contains("it wrote: [["));
    let not_http = except("/Evaluate", |_| Act::Raw(b"SSH-2.0-OpenSSH\r\n\r\n".to_vec()));
    assert!(!fatal(&mut connect(&not_http), &[1.0, 2.0]).is_empty());
}

#[test]
fn a_huge_answer_is_cut_off() {
    let huge = || format!("{{\"output\": [[1]], \"more\": \"{}\"}}", "a".repeat(20_000));
    let server = except("/Evaluate", move |_| ok(&huge()));
    assert!(fatal(&mut connect(&server), &[1.0, 2.0]).ends_with("the answer is longer than 10000 bytes"));
    let mut endless = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for _ in 0..100 {
        endless.extend_from_slice(format!("400\r\n{}\r\n", "a".repeat(1024)).as_bytes());
    }
    let server = except("/Evaluate", move |_| Act::Raw(endless.clone()));
    assert!(fatal(&mut connect(&server), &[1.0, 2.0]).ends_with("the answer is longer than 10000 bytes"));
    let mut head = b"HTTP/1.1 200 OK\r\nx: ".to_vec();
    head.extend(vec![b'a'; 1 << 20]);
    let server = except("/Evaluate", move |_| Act::Raw(head.clone()));
    assert!(!fatal(&mut connect(&server), &[1.0, 2.0]).is_empty());
}

#[test]
fn a_server_that_takes_too_long_is_not_waited_for() {
    for act in [|| Act::Hang, || Act::Drip] {
        let server = except("/Evaluate", move |_| act());
        let settings = UmBridgeSettings { timeout: Duration::from_millis(700), ..hasty(&server) };
        let mut target = UmBridge::connect(settings, &names(2)).unwrap();
        let started = Instant::now();
        assert!(rejected(&mut target, &[1.0, 2.0]).ends_with("no answer within 700ms"));
        assert!(fatal(&mut target, &[1.0, 2.0]).ends_with("no answer within 700ms"));
        assert!(started.elapsed() < Duration::from_millis(2900));
    }
}

#[test]
fn a_lost_connection_is_made_anew() {
    for lost in
        [|| Act::Drop, || Act::Answer(503, "away".into()), || Act::Raw(b"HTTP/1.1 200 OK\r\ncontent-le".to_vec())]
    {
        let mut count = 0;
        let server = except("/Evaluate", move |_| {
            count += 1;
            if count % 3 == 0 { ok(r#"{"output": [[7]]}"#) } else { lost() }
        });
        let mut target = connect(&server);
        assert_eq!(evaluate(&mut target, &[1.0, 2.0]).unwrap(), 7.0);
        assert_eq!(evaluate(&mut target, &[1.0, 2.0]).unwrap(), 7.0);
    }
}

#[test]
fn a_server_that_stays_away_ends_the_run() {
    let server = except("/Evaluate", |_| Act::Drop);
    let why = fatal(&mut connect(&server), &[1.0, 2.0]);
    assert!(why.contains("no connection after 3 attempts"), "{why}");
    let settings = hasty(&server);
    drop(server);
    std::thread::sleep(Duration::from_millis(100));
    let found = UmBridge::connect(settings, &names(2)).unwrap_err().to_string();
    assert!(found.contains("no connection after 3 attempts"), "{found}");
}

#[test]
fn a_noisy_model_gets_a_seed_in_its_config_or_a_block_of_normals() {
    let echo = |path: &str, body: &str| {
        let body: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
        match path {
            "/InputSizes" => ok(r#"{"inputSizes": [2, 3]}"#),
            "/Evaluate" if body["config"]["seed"].is_u64() => {
                ok(&format!("{{\"output\": [[{}]]}}", body["config"]["seed"]))
            }
            "/Evaluate" => ok(&format!("{{\"output\": [[{}]]}}", body["input"][1][2])),
            _ => usual(path),
        }
    };
    let server = FakeServer::start(echo);
    let settings = UmBridgeSettings { noise: NoiseInput::Normals(3), ..hasty(&server) };
    let mut target = UmBridge::connect(settings.clone(), &names(2)).unwrap();
    assert_eq!(target.normals(), 3);
    assert_eq!(evaluate(&mut target, &[1.0, 2.0]).unwrap(), 0.5);
    let wrong = UmBridgeSettings { noise: NoiseInput::Normals(2), ..settings.clone() };
    let found = UmBridge::connect(wrong, &names(2)).unwrap_err().to_string();
    assert!(found.contains("the last input block of model `m` must take the 2 normals"), "{found}");
    let mut seeded = UmBridge::connect(UmBridgeSettings { noise: NoiseInput::Seed, ..settings }, &names(5)).unwrap();
    let seed = evaluate(&mut seeded, &[0.0; 5]).unwrap();
    assert!(seed > 0.0 && seed.fract() == 0.0);
}
