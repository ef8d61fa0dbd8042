//! What goes to standard output, in lines of at most 80 columns.

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

/// Text that may come from somebody else's run, without the control characters that would command the terminal.
pub fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

/// The most columns of a line.
const WIDTH: usize = 80;

/// The text in lines that fit: `first` begins the first line, `indent` all others. A longer word has a line of its own.
pub fn wrapped(first: &str, indent: &str, text: &str) -> String {
    let (mut out, mut line, mut begun) = (String::new(), first.to_owned(), false);
    for word in text.split_whitespace() {
        if begun && line.chars().count() + 1 + word.chars().count() > WIDTH {
            out += &(std::mem::replace(&mut line, indent.to_owned()) + "\n");
        } else if begun {
            line.push(' ');
        }
        line += word;
        begun = true;
    }
    out + &line + "\n"
}
