//! A worker process: started, read, told to go on, and never left behind.

use super::conversation::Conversation;
use crate::engines::Launch;
use dbdyno_engine::protocol::{Event, Job, LONGEST_LINE};
use std::{
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    task::JoinHandle,
    time::timeout,
};

/// How long a worker may take to clean up and exit once it is told to.
const GRACE: Duration = Duration::from_secs(5);
/// How much of a worker's log is kept: its end, bytes.
const LOG_BYTES: usize = 64 << 10;

/// A running worker.
#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    line: Vec<u8>,
    log: JoinHandle<String>,
    conversation: Conversation,
    silence: Duration,
}

/// How a worker ended.
#[derive(Debug)]
pub(super) struct Ending {
    /// Its exit status, where it could be had.
    pub(super) status: Option<ExitStatus>,
    /// The end of what it wrote to stderr.
    pub(super) log: String,
}

impl Worker {
    /// Starts an engine's worker on a job. `silence`: how long it may say nothing.
    pub(super) async fn start(launch: &Launch, job: &Job, silence: Duration) -> Result<Self, String> {
        let mut child = Command::from(launch.command(&job.engine)?)
            .arg("run")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own: Ctrl-C in the terminal goes to this process, which ends the worker in order.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("the worker of `{}` cannot be started: {error}", job.engine))?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("the worker's pipes are missing".to_owned());
        };
        let mut worker = Self {
            child,
            stdin: Some(stdin),
            stdout: BufReader::new(stdout),
            line: Vec::new(),
            log: tokio::spawn(keep_log(stderr)),
            conversation: Conversation::new(&job.suite),
            silence,
        };
        let job = serde_json::to_string(job).map_err(|error| format!("the job cannot be written: {error}"))?;
        worker.say(&job).await;
        Ok(worker)
    }

    /// Its process; none once it has ended.
    pub(super) fn process(&self) -> Option<u32> {
        self.child.id()
    }

    /// The next event, or why there is none. Safe to be dropped and called again.
    pub(super) async fn next(&mut self) -> Result<Event, String> {
        let silence = self.silence;
        let line = timeout(silence, self.next_line())
            .await
            .map_err(|_| format!("the worker said nothing for {} s", silence.as_secs()))??;
        let text = String::from_utf8(line).map_err(|_| "the worker sent bytes that are not UTF-8".to_owned())?;
        let event: Event = serde_json::from_str(&text)
            .map_err(|error| format!("the worker sent no event of the protocol ({error}): {}", excerpt(&text)))?;
        self.conversation.accept(&event).map_err(|wrong| format!("the worker broke the protocol: {wrong}"))?;
        Ok(event)
    }

    async fn next_line(&mut self) -> Result<Vec<u8>, String> {
        loop {
            let available =
                self.stdout.fill_buf().await.map_err(|error| format!("reading from the worker: {error}"))?;
            if available.is_empty() {
                return Err(self.ended_early().await);
            }
            let (taken, whole) = match available.iter().position(|&byte| byte == b'\n') {
                Some(at) => (at + 1, true),
                None => (available.len(), false),
            };
            self.line.extend_from_slice(&available[..taken]);
            self.stdout.consume(taken);
            if self.line.len() > LONGEST_LINE {
                return Err(format!("the worker sent a line of more than {LONGEST_LINE} bytes"));
            }
            if whole {
                return Ok(std::mem::take(&mut self.line));
            }
        }
    }

    async fn ended_early(&mut self) -> String {
        let how = match timeout(GRACE, self.child.wait()).await {
            Ok(Ok(status)) => status.to_string(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "it closed its output".to_owned(),
        };
        let place = match self.conversation.test() {
            Some(test) => format!("in test {test}"),
            None => "outside of any test".to_owned(),
        };
        format!("the worker ended before its run was finished, {place} ({how})")
    }

    /// Tells the worker that what it said is stored.
    pub(super) async fn go_on(&mut self) {
        self.say("{\"continue\":true}").await;
    }

    async fn say(&mut self, line: &str) {
        if let Some(stdin) = &mut self.stdin {
            // A worker that is gone shows when its next event is read.
            let _ = stdin.write_all(format!("{line}\n").as_bytes()).await;
            let _ = stdin.flush().await;
        }
    }

    /// Whether the worker has said its last word.
    pub(super) fn ended(&self) -> bool {
        self.conversation.ended()
    }

    /// Ends the worker: by closing its stdin and waiting, or at once by killing it when it was cut short.
    pub(super) async fn end(mut self) -> Ending {
        // Closing stdin means stop: a worker that is done must not see it before it has exited by itself.
        if !self.ended() {
            self.stdin = None;
        }
        let patience = if self.ended() { GRACE } else { GRACE / 2 };
        let status = match timeout(patience, self.child.wait()).await {
            Ok(status) => status.ok(),
            Err(_) => {
                // The group too: an engine may have started processes of its own.
                if let Some(group) = self.child.id().and_then(|id| rustix::process::Pid::from_raw(id as i32)) {
                    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
                }
                let _ = self.child.start_kill();
                timeout(GRACE, self.child.wait()).await.ok().and_then(Result::ok)
            }
        };
        let log = timeout(GRACE, &mut self.log).await.ok().and_then(Result::ok).unwrap_or_default();
        Ending { status, log }
    }
}

/// Reads a worker's stderr to its end and keeps the last of it.
async fn keep_log(mut stderr: ChildStderr) -> String {
    let mut kept = Vec::new();
    let mut chunk = vec![0; 8 << 10];
    while let Ok(read @ 1..) = stderr.read(&mut chunk).await {
        kept.extend_from_slice(&chunk[..read]);
        if kept.len() > 2 * LOG_BYTES {
            kept.drain(..kept.len() - LOG_BYTES);
        }
    }
    let start = kept.len().saturating_sub(LOG_BYTES);
    String::from_utf8_lossy(&kept[start..]).into_owned()
}

/// The beginning of a line for an error message, with nothing a terminal could take as a command.
fn excerpt(text: &str) -> String {
    text.trim().chars().take(60).flat_map(char::escape_default).collect()
}
