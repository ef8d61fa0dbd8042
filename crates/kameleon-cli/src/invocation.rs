//! How the program was started.

use std::ffi::OsString;
use std::path::PathBuf;

/// How the program was started.
pub struct Invocation {
    /// The arguments as they were typed, the program's name first.
    pub typed: Vec<OsString>,
    /// The file that holds the code of the program.
    pub program: PathBuf,
}

impl Invocation {
    /// The command as it was typed, with the program's name only.
    pub fn command(&self) -> String {
        let arguments = self.typed.iter().skip(1).map(|argument| argument.to_string_lossy()).map(|argument| {
            match argument.contains([' ', '"', '$', '(']) {
                true => format!("'{argument}'"),
                false => argument.into_owned(),
            }
        });
        ["kameleon".to_owned()].into_iter().chain(arguments).collect::<Vec<_>>().join(" ")
    }
}
