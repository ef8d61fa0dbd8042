//! `kameleon init`: a run file to begin with.

use crate::Exit;
use crate::args::InitArgs;
use crate::output::write_out;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{ErrorKind, Write};

/// The example, which runs as it is.
pub const EXAMPLE: &str = include_str!("../run.toml");

/// Writes the example, never over a file that is there.
pub fn init(args: &InitArgs) -> Result<Exit> {
    if args.file.as_os_str() == "-" {
        write_out(EXAMPLE)?;
        return Ok(Exit::Done);
    }
    let name = args.file.display();
    match File::create_new(&args.file) {
        Ok(mut file) => file.write_all(EXAMPLE.as_bytes()).with_context(|| format!("{name} cannot be written"))?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => bail!("{name} already exists; choose another name"),
        Err(error) => return Err(error).with_context(|| format!("{name} cannot be written")),
    }
    write_out(&format!("wrote {name}; run it with: kameleon sample {name}\n"))?;
    Ok(Exit::Done)
}
