//! The program `kameleon`.

use std::process::ExitCode;

fn main() -> ExitCode {
    // Where its own file cannot be found, the program is known by its version.
    let program = std::env::current_exe().unwrap_or_default();
    ExitCode::from(kameleon_cli::run(std::env::args_os(), program))
}
