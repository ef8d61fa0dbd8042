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
