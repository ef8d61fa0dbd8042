//! A running program: its start, its answers, and its end, which leaves no process behind.

use super::ProgramSettings;
use super::pipes::{Failure, Pipes};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long a program may take to end once its input is closed.
const GRACE: Duration = Duration::from_millis(300);

/// A running program, ended when this is dropped.
#[derive(Debug)]
pub struct Process {
    child: Child,
    pipes: Pipes,
    /// How it ended, once known: from then on its group id may belong to others and must not be killed.
    ending: Option<String>,
}

impl Process {
    /// Starts it in its own process group, so that Ctrl-C reaches only the sampler, which ends its step first, and so that
    /// the program's own children are ended with it.
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
        self.pipes.exchange(request, deadline, longest)
    }

    /// Ends it after a failure; returns how it ended and the end of its error output.
    pub fn end(mut self, failure: &Failure) -> (String, String) {
        self.pipes.close_input();
        if !matches!(failure, Failure::Died) {
            return (self.reap(), self.pipes.error_tail());
        }
        self.wait(GRACE);
        let (mut ending, unfinished) = (self.reap(), self.pipes.unfinished());
        if !unfinished.is_empty() {
            ending = format!("{ending}; it wrote: {unfinished}");
        }
        (ending, self.pipes.error_tail())
    }

    /// Waits for the program to end without reaping it, so that its group id cannot be reused yet.
    fn wait(&mut self, longest: Duration) {
        let deadline = Instant::now() + longest;
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        while let Ok(None) = waitid(WaitId::Pid(Pid::from_child(&self.child)), look)
            && Instant::now() < deadline
        {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Kills whatever still runs; returns how the program ended.
    fn reap(&mut self) -> String {
        self.ending.get_or_insert_with(|| kill(&mut self.child)).clone()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.ending.is_none() {
            // The end of its input tells it to finish; a program that does not is killed.
            self.pipes.close_input();
            self.wait(GRACE);
            self.reap();
        }
    }
}

/// Kills the program's group and collects its exit status, so that no zombie remains.
fn kill(child: &mut Child) -> String {
    // It is no error if the group has ended already.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    child.wait().map_or_else(|error| error.to_string(), |status| status.to_string())
}
