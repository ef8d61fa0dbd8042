//! `kameleon completions` and `kameleon man`: what shells and `man` know of the program.

use crate::Exit;
use crate::args::Arguments;
use crate::output::write_out;
use anyhow::{Result, bail};
use clap::CommandFactory;

/// Prints completions for a shell.
pub fn completions(shell: clap_complete::Shell) -> Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "kameleon", &mut text);
    write_out(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Done)
}

/// Prints the manual page of the program, which names all commands, or of one of them.
pub fn page(command: Option<&str>) -> Result<Exit> {
    let mut program = Arguments::command();
    // Lets commands know the flags that all of them have, and their full names.
    program.build();
    let page = match command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(command) => command.clone(),
            None => bail!("there is no command `{name}`; `kameleon --help` lists them"),
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    write_out(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Done)
}
