//! The three pipes of a program, without blocking: one request, then one line of answer before a deadline.

use crate::reply::excerpt;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use std::io::{self, ErrorKind, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::time::Instant;

/// How much of the error output is kept for messages.
const KEPT: usize = 2048;
/// How many of its last lines are shown.
const LINES: usize = 10;

/// Why there is no answer.
#[derive(Debug)]
pub enum Failure {
    /// The program cannot be started.
    Start(io::Error),
    /// It ended, or closed its output.
    Died,
    /// It took too long.
    Timeout,
    /// Its output is not an answer.
    Protocol(String),
}

impl Failure {
    /// Whether a new process may succeed.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Died | Self::Timeout)
    }

    /// Output that answers no request. Read as an answer, it would shift every later answer by one point.
    fn stray(output: &[u8]) -> Self {
        let text = excerpt(output);
        Self::Protocol(format!("it wrote more than one line for a point, or wrote before it was asked: {text}"))
    }

    fn pipe(error: io::Error) -> Self {
        Self::Protocol(format!("a pipe to it failed: {error}"))
    }
}

/// The ends of the pipes on this side.
#[derive(Debug)]
pub struct Pipes {
    input: Option<ChildStdin>,
    output: ChildStdout,
    errors: Option<ChildStderr>,
    answer: Vec<u8>,
    last_errors: Vec<u8>,
}

impl Pipes {
    /// Takes the pipes of a child that was started with all three.
    pub fn take(child: &mut Child) -> io::Result<Self> {
        let missing = || io::Error::other("a pipe is missing");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = child.stdout.take().ok_or_else(missing)?;
        let errors = child.stderr.take().ok_or_else(missing)?;
        ioctl_fionbio(&input, true)?;
        ioctl_fionbio(&output, true)?;
        ioctl_fionbio(&errors, true)?;
        Ok(Self { input: Some(input), output, errors: Some(errors), answer: Vec::new(), last_errors: Vec::new() })
    }

    /// Closes the program's input, which tells it to end.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Sends `request` and returns the line that answers it, without the line break.
    pub fn exchange(&mut self, request: &[u8], deadline: Instant, longest: usize) -> Result<&[u8], Failure> {
        self.answer.clear();
        self.read_answer(longest)?;
        if !self.answer.is_empty() {
            return Err(Failure::stray(&self.answer));
        }
        let mut unsent = request;
        loop {
            if !unsent.is_empty() {
                unsent = &unsent[self.send(unsent)?..];
            }
            if self.wait(!unsent.is_empty(), deadline)? {
                self.read_errors();
            }
            let seen = self.answer.len();
            self.read_answer(longest)?;
            if let Some(end) = self.answer[seen..].iter().position(|&byte| byte == b'\n') {
                let end = seen + end;
                if end + 1 < self.answer.len() || !unsent.is_empty() {
                    return Err(Failure::stray(&self.answer));
                }
                return Ok(&self.answer[..end]);
            }
        }
    }

    /// Writes as much as the pipe takes.
    fn send(&mut self, bytes: &[u8]) -> Result<usize, Failure> {
        let input = self.input.as_mut().ok_or(Failure::Died)?;
        match input.write(bytes) {
            Ok(count) => Ok(count),
            Err(error) if is_harmless(&error) => Ok(0),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::Died),
            Err(error) => Err(Failure::pipe(error)),
        }
    }

    /// Waits until there is something to read, or room to write if `to_write`; true if there is error output.
    fn wait(&self, to_write: bool, deadline: Instant) -> Result<bool, Failure> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Failure::Timeout);
        }
        // A pipe that is not waited for is replaced by the output with no events.
        let nothing = || PollFd::new(&self.output, PollFlags::empty());
        let input = self.input.as_ref().filter(|_| to_write);
        let mut pipes = [
            PollFd::new(&self.output, PollFlags::IN),
            self.errors.as_ref().map_or_else(nothing, |errors| PollFd::new(errors, PollFlags::IN)),
            input.map_or_else(nothing, |input| PollFd::new(input, PollFlags::OUT)),
        ];
        let left = Timespec::try_from(left).map_err(|_| Failure::Timeout)?;
        match poll(&mut pipes, Some(&left)) {
            Ok(0) => Err(Failure::Timeout),
            Ok(_) => Ok(self.errors.is_some() && !pipes[1].revents().is_empty()),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(Failure::pipe(error.into())),
        }
    }

    /// Reads the available part of the answer.
    fn read_answer(&mut self, longest: usize) -> Result<(), Failure> {
        let mut buffer = [0; 4096];
        let mut count = buffer.len();
        while count == buffer.len() {
            count = match self.output.read(&mut buffer) {
                Ok(0) => return Err(Failure::Died),
                Ok(count) => count,
                Err(error) if is_harmless(&error) => 0,
                Err(error) => return Err(Failure::pipe(error)),
            };
            self.answer.extend_from_slice(&buffer[..count]);
            if self.answer.len() > longest {
                return Err(Failure::Protocol(format!("its answer is longer than {longest} bytes")));
            }
        }
        Ok(())
    }

    /// Reads some of the error output, so that the program never blocks on it, and keeps its end; false if there is none.
    fn read_errors(&mut self) -> bool {
        let mut buffer = [0; 4096];
        let Some(errors) = &mut self.errors else { return false };
        match errors.read(&mut buffer) {
            Ok(count) if count > 0 => {
                self.last_errors.extend_from_slice(&buffer[..count]);
                let surplus = self.last_errors.len().saturating_sub(KEPT);
                self.last_errors.drain(..surplus);
                true
            }
            Err(error) if is_harmless(&error) => false,
            _ => {
                self.errors = None;
                false
            }
        }
    }

    /// The unfinished answer of a program that has ended, fit to print.
    pub fn unfinished(&mut self) -> String {
        // That the output has ended is known already.
        let _ = self.read_answer(4096);
        excerpt(&self.answer)
    }

    /// The last lines of the error output, fit to print.
    pub fn error_tail(&mut self) -> String {
        // At most what a pipe holds, in case another process still writes.
        for _ in 0..16 {
            if !self.read_errors() {
                break;
            }
        }
        let text = String::from_utf8_lossy(&self.last_errors);
        let lines: Vec<String> = text.lines().map(|line| excerpt(line.as_bytes())).collect();
        lines[lines.len().saturating_sub(LINES)..].join("\n")
    }
}

/// Whether nothing is available yet, or a signal interrupted the call.
fn is_harmless(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
