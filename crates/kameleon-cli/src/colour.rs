//! Colour, where a person looks and has not refused it.

use std::io::IsTerminal;

/// Paints, or leaves text as it is.
#[derive(Clone, Copy)]
pub struct Ink(bool);

impl Ink {
    /// For text that goes to this stream: colours on a terminal only, and none where `NO_COLOR` says so.
    pub fn on(stream: &impl IsTerminal) -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        Self(stream.is_terminal() && !refused && !dumb)
    }

    /// Whether there is colour.
    pub fn is_colourful(self) -> bool {
        self.0
    }

    /// For what is good.
    pub fn green(self, text: &str) -> String {
        self.paint(32, text)
    }

    /// For what should be looked at.
    pub fn yellow(self, text: &str) -> String {
        self.paint(33, text)
    }

    /// For what is wrong.
    pub fn red(self, text: &str) -> String {
        self.paint(31, text)
    }

    fn paint(self, code: u8, text: &str) -> String {
        if self.0 { format!("\u{1b}[1;{code}m{text}\u{1b}[0m") } else { text.into() }
    }
}
