//! The example model in PyPI's `umbridge`, for the tests of this crate and of the program.

use crate::common::{example, skip};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

/// A Python with `umbridge` in it, made once and kept; none, with a note, where that is impossible.
pub fn python() -> Option<PathBuf> {
    // One test makes it, the others wait.
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock();
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
pub struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the example server, on the loopback only (by itself it listens everywhere).
pub fn serve(python: &Path, port: u16) -> Server {
    let wrap = "import functools, runpy, sys, umbridge.um as um\n\
                um.web.run_app = functools.partial(um.web.run_app, host='127.0.0.1')\n\
                sys.argv = sys.argv[1:]\n\
                runpy.run_path(sys.argv[0], run_name='__main__')";
    let mut command = Command::new(python);
    command.args(["-c", wrap]).arg(example("umbridge_server.py")).arg(port.to_string());
    Server(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

/// A port that nobody listens at.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
