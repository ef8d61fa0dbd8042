//! The UM-Bridge client against the protocol's own Python server, with the example model.

mod common;

use common::{banana, evaluate, example, names, rejected, skip};
use kameleon::{Control, Plan, Sampler, sample};
use kameleon_models::{UmBridge, UmBridgeSettings};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A Python with `umbridge` in it, made once and kept; none, with a note, where that is impossible.
fn python() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("umbridge-1.2.10");
    let python = folder.join("bin/python");
    let has = || Command::new(&python).args(["-c", "import umbridge"]).output().is_ok_and(|done| done.status.success());
    if has() {
        return Some(python);
    }
    let made = Command::new("python3").args(["-m", "venv"]).arg(&folder).output();
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "10", "--retries", "1"];
    let installed = made.and_then(|_| Command::new(&python).args(pip).arg("umbridge==1.2.10").output());
    if has() {
        return Some(python);
    }
    let why = installed.map_or_else(|e| e.to_string(), |done| String::from_utf8_lossy(&done.stderr).into_owned());
    skip(&format!("umbridge cannot be installed, so the client is not tested against it: {why}"));
    None
}

/// The server; it ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the example server, on the loopback only (by itself it listens everywhere).
fn serve(python: &Path, port: u16) -> Server {
    let wrap = "import functools, runpy, sys, umbridge.um as um\n\
                um.web.run_app = functools.partial(um.web.run_app, host='127.0.0.1')\n\
                sys.argv = sys.argv[1:]\n\
                runpy.run_path(sys.argv[0], run_name='__main__')";
    let mut command = Command::new(python);
    command.args(["-c", wrap]).arg(example("umbridge_server.py")).arg(port.to_string());
    Server(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

#[test]
fn a_real_python_model_is_sampled_and_outlives_its_server() {
    let Some(python) = python() else { return };
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = serve(&python, port);
    let mut settings = UmBridgeSettings::new(format!("http://127.0.0.1:{port}"));
    settings.model = Some("banana".into());
    (settings.retries, settings.pause, settings.timeout) = (60, Duration::from_millis(50), Duration::from_secs(10));
    let mut target = UmBridge::connect(settings.clone(), &names(2)).unwrap();
    for x in [[0.0, 0.0], [1.5, -2.0], [-12.25, 1e-7]] {
        let (found, wanted) = (evaluate(&mut target, &x).unwrap(), banana(&x));
        assert!((found - wanted).abs() < 1e-13 * wanted.abs(), "{x:?}: {found}, wanted {wanted}");
    }
    assert_eq!(evaluate(&mut target, &[2000.0, 0.0]).unwrap(), f64::NEG_INFINITY);
    assert!(rejected(&mut target, &[-2000.0, 0.0]).contains("status 500"));

    let mut straight = settings.clone();
    straight.config.insert("b".into(), 0.into());
    let mut straight = UmBridge::connect(straight, &names(2)).unwrap();
    assert_eq!(evaluate(&mut straight, &[10.0, 3.0]).unwrap(), -0.5 - 4.5);

    settings.model = Some("other".into());
    let found = UmBridge::connect(settings, &names(2)).unwrap_err().to_string();
    assert!(found.contains("it has no model `other`; it has banana"), "{found}");

    let plan = Plan { sampler: Sampler::sm(), chains: 2, warmup: 100, draws: 100, ..Plan::default() };
    let run = sample(target.clone(), &[vec![0.0, 0.0]], &plan, Control::default()).unwrap();
    assert!(run.warnings().is_empty(), "{:?}", run.warnings());

    drop(server);
    let _second = serve(&python, port);
    let found = evaluate(&mut target, &[1.5, -2.0]).unwrap();
    assert!((found - banana(&[1.5, -2.0])).abs() < 1e-12, "the same target goes on with the new server");
}
