//! Runs one program with a bound on its time and its output. It reads no environment and decides nothing
//! about what is run; whatever happens, the program and its process group are gone when it returns.

use std::io::Read;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use crate::base::limits;
use crate::base::rules::Code;

/// How often a program that closed its output but still runs is looked at.
const POLL: Duration = Duration::from_millis(2);

/// What a program that ended by itself left.
#[derive(Debug)]
pub struct Output {
    /// Everything it printed; never cut.
    pub stdout: Vec<u8>,
    /// Its exit status.
    pub exit: i32,
    /// It printed something on its error stream.
    pub warned: bool,
}

/// Runs `command` within the probe bounds.
pub fn run(command: Command) -> Result<Output, Code> {
    run_within(command, Duration::from_millis(limits::PROBE_MS), limits::PROBE_BYTES)
}

/// Runs `command` for at most `longest` with at most `most_bytes` of output: `probe-timeout`,
/// `probe-truncated` or `probe-failed` (not started, or ended by a signal) otherwise.
fn run_within(mut command: Command, longest: Duration, most_bytes: usize) -> Result<Output, Code> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let deadline = Instant::now() + longest;
    let mut running = Running { child: command.spawn().map_err(|_| Code::ProbeFailed)?, reaped: false };
    let stdout = read_apart(running.child.stdout.take().ok_or(Code::ProbeFailed)?, most_bytes)?;
    let stderr =
        read_apart(running.child.stderr.take().ok_or(Code::ProbeFailed)?, limits::PROBE_ERROR_BYTES)?;
    let stdout = receive(&stdout, deadline, most_bytes)?;
    let stderr = receive(&stderr, deadline, limits::PROBE_ERROR_BYTES)?;
    let exit = running.wait(deadline)?;
    Ok(Output { stdout, exit, warned: !stderr.is_empty() })
}

/// A started program that does not outlive this value.
struct Running {
    child: Child,
    reaped: bool,
}

impl Running {
    fn wait(&mut self, deadline: Instant) -> Result<i32, Code> {
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    self.reaped = true;
                    return status.code().ok_or(Code::ProbeFailed);
                }
                Ok(None) if Instant::now() < deadline => std::thread::sleep(POLL),
                Ok(None) => return Err(Code::ProbeTimeout),
                Err(_) => return Err(Code::ProbeFailed),
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Only an unreaped child still holds its process id; signalling a reaped one could hit a stranger.
        if !self.reaped {
            let _already_gone = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            let _already_gone = self.child.wait();
        }
    }
}

/// Reads a pipe in its own thread, one byte over the bound at most. The thread is not joined: a program
/// that left the group could hold the pipe open, and the caller must return all the same.
fn read_apart(
    pipe: impl Read + Send + 'static,
    most_bytes: usize,
) -> Result<Receiver<Option<Vec<u8>>>, Code> {
    let (sender, receiver) = channel();
    std::thread::Builder::new()
        .spawn(move || read_bounded(pipe, most_bytes, &sender))
        .map_err(|_| Code::ProbeFailed)?;
    Ok(receiver)
}

fn read_bounded(pipe: impl Read, most_bytes: usize, sender: &Sender<Option<Vec<u8>>>) {
    let mut bytes = Vec::new();
    let bound = u64::try_from(most_bytes).unwrap_or(u64::MAX).saturating_add(1);
    let whole = pipe.take(bound).read_to_end(&mut bytes).is_ok();
    // The receiver is gone when time was up; then nobody wants the bytes.
    let _unwanted = sender.send(whole.then_some(bytes));
}

fn receive(
    receiver: &Receiver<Option<Vec<u8>>>,
    deadline: Instant,
    most_bytes: usize,
) -> Result<Vec<u8>, Code> {
    let left = deadline.saturating_duration_since(Instant::now());
    let bytes = receiver.recv_timeout(left).map_err(|_| Code::ProbeTimeout)?.ok_or(Code::ProbeFailed)?;
    if bytes.len() > most_bytes { Err(Code::ProbeTruncated) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::run_within;
    use crate::base::rules::Code;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn output_status_and_warnings_are_told_apart() {
        let output = run_within(shell("echo out; echo err >&2; exit 3"), LONG, 100).expect("ran");
        assert_eq!((output.stdout.as_slice(), output.exit, output.warned), (&b"out\n"[..], 3, true));
    }

    #[test]
    fn a_slow_program_and_its_children_are_killed() {
        let folder = tempfile::tempdir().expect("temp");
        let marker = folder.path().join("late");
        let script = format!("(sleep 1; touch '{}') & sleep 30", marker.display());
        let started = Instant::now();
        let result = run_within(shell(&script), Duration::from_millis(200), 100);
        assert_eq!(result.err(), Some(Code::ProbeTimeout));
        assert!(started.elapsed() < Duration::from_secs(10));
        std::thread::sleep(Duration::from_millis(1_500));
        assert!(!marker.exists());
    }

    #[test]
    fn too_much_output_is_refused_and_the_exact_bound_is_not() {
        assert_eq!(
            run_within(shell("printf 1234"), LONG, 4).map(|output| output.stdout),
            Ok(b"1234".to_vec())
        );
        assert_eq!(run_within(shell("printf 12345"), LONG, 4).err(), Some(Code::ProbeTruncated));
        assert_eq!(
            run_within(shell("while :; do echo x; done"), LONG, 1_000).err(),
            Some(Code::ProbeTruncated)
        );
    }

    #[test]
    fn a_program_that_is_not_there_or_dies_of_a_signal_failed() {
        assert_eq!(run_within(Command::new("/no/such/program"), LONG, 4).err(), Some(Code::ProbeFailed));
        assert_eq!(run_within(shell("kill -9 $$"), LONG, 4).err(), Some(Code::ProbeFailed));
    }
}
