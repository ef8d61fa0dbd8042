//! A running program: started, asked, and ended without leaving anything behind.

use super::ProgramSettings;
use super::pipes::{Pipes, Trouble};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program may take to end once its input is closed.
const GRACE: Duration = Duration::from_millis(300);

/// Why there is no answer.
#[derive(Debug)]
pub enum Failure {
    /// The program cannot be started.
    Start(io::Error),
    /// It ended, or closed its output.
    Died,
    /// It took too long.
    Timeout,
    /// It said something that is no answer.
    Protocol(String),
}

impl Failure {
    /// Whether a fresh copy may do better.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Died | Self::Timeout)
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Closed => Self::Died,
            Trouble::Timeout => Self::Timeout,
            Trouble::TooLong(limit) => Self::Protocol(format!("its answer is longer than {limit} bytes")),
            Trouble::Stray(text) => {
                Self::Protocol(format!("it wrote more than one line for a point, or wrote unasked: {text}"))
            }
            Trouble::Io(error) => Self::Protocol(format!("its pipes fail: {error}")),
        }
    }
}

/// A program that runs. It is ended when this is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    pipes: Pipes,
    /// How it ended, once that is known: from then on its group may be another's, and must not be killed.
    ending: Option<String>,
}

impl Process {
    /// Starts it, in a process group of its own: Ctrl-C then reaches the sampler only, which ends its step first; and
    /// whatever the program starts in turn can be ended with it.
    pub fn start(settings: &ProgramSettings) -> Result<Self, Failure> {
        let mut command = Command::new(&settings.command[0]);
        command.args(&settings.command[1..]).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &settings.folder {
            command.current_dir(folder);
        }
        let mut child = command.spawn().map_err(Failure::Start)?;
        match Pipes::take(&mut child) {
            Ok(pipes) => Ok(Self { child, pipes, ending: None }),
            Err(error) => {
                kill(&mut child);
                Err(Failure::Start(error))
            }
        }
    }

    /// Sends a request and waits for one line of answer.
    pub fn ask(&mut self, request: &[u8], deadline: Instant, longest: usize) -> Result<&[u8], Failure> {
        Ok(self.pipes.exchange(request, deadline, longest)?)
    }

    /// Ends it after a failure: how it ended, and the last it wrote to its error output.
    pub fn end(mut self, failure: &Failure) -> (String, String) {
        self.pipes.close_input();
        if !matches!(failure, Failure::Died) {
            return (self.reap(), self.pipes.last_words());
        }
        self.wait(GRACE);
        let (mut ending, unfinished) = (self.reap(), self.pipes.unfinished());
        if !unfinished.is_empty() {
            ending = format!("{ending}; it wrote: {unfinished}");
        }
        (ending, self.pipes.last_words())
    }

    /// Waits until the program has ended, but leaves it to be reaped: until then its group cannot be another's.
    fn wait(&mut self, longest: Duration) {
        let deadline = Instant::now() + longest;
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        while let Ok(None) = waitid(WaitId::Pid(Pid::from_child(&self.child)), look)
            && Instant::now() < deadline
        {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Kills what is left of it.
    fn reap(&mut self) -> String {
        self.ending.get_or_insert_with(|| kill(&mut self.child)).clone()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.ending.is_none() {
            // The end of its input is the sign to finish; one that does not heed it is killed.
            self.pipes.close_input();
            self.wait(GRACE);
            self.reap();
        }
    }
}

/// Kills the program's group, and collects the program's exit status so that no zombie stays.
fn kill(child: &mut Child) -> String {
    // A group that has gone already is no error.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
}
