//! What goes to standard output.

use anyhow::{Context, Result};
use std::io::{ErrorKind, Write};

/// Writes all of it. A reader that closes early, such as `head`, is no error; a full disk is.
pub fn write_out(text: &str) -> Result<()> {
    let mut out = std::io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("writing to standard output failed"),
    }
}

/// Text that may come from elsewhere, such as the folder of somebody's run, without what would command the terminal.
pub fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}
