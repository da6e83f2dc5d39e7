//! A worker process: started, read, told to continue, and never left behind.

use super::{
    allowance::Allowance,
    conversation::Conversation,
    sent::{Sent, SentHistogram},
};
use dbdyno_catalog::engines::Launch;
use dbdyno_engine::{
    confine::Confinement,
    protocol::{Event, Job, LONGEST_LINE},
};
use dbdyno_foundation::{
    base::units,
    process::{FamilyChild, ProcessFamily, in_words, wait_unreaped},
};
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    fmt,
    path::{Path, PathBuf},
    process::ExitStatus,
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{ChildStderr, ChildStdin, ChildStdout},
    task::{JoinHandle, spawn_blocking},
    time::{sleep, timeout},
};

/// How long a worker may take to clean up and exit after it is asked to.
const GRACE: Duration = Duration::from_secs(5);
/// The pause between two looks at a killed worker: a kill takes a moment.
const PAUSE: Duration = Duration::from_millis(1);
/// How much of the end of a worker's log is kept, bytes.
const LOG_BYTES: usize = 64 << 10;

/// A running worker.
#[derive(Debug)]
pub struct WorkerProcess {
    child: FamilyChild,
    family: Arc<ProcessFamily>,
    stdin: Option<ChildStdin>,
    /// Pending messages to the worker. They are written while this process listens, because the worker may not read.
    unsaid: Vec<u8>,
    stdout: BufReader<ChildStdout>,
    line: Vec<u8>,
    log: JoinHandle<String>,
    conversation: Conversation,
    allowance: Allowance,
    silence: Duration,
    /// The folder of the databases. A lack of free space there may explain why a worker ended.
    work_dir: PathBuf,
}

/// How a worker ended.
#[derive(Debug)]
pub struct WorkerEnd {
    /// Its exit status; none if it had to be killed.
    pub(crate) status: Option<ExitStatus>,
    /// The end of its stderr.
    pub(crate) log: String,
    /// The notice about progress events that were left out.
    pub(super) left_out: Option<String>,
    /// Whether it sent anything after its last event.
    pub(super) said_more: bool,
}

impl WorkerEnd {
    /// Returns the last meaningful line of its log.
    pub fn last_words(&self) -> Option<String> {
        let said = self.log.lines().rev().map(str::trim);
        let last = said.filter(|line| !line.is_empty() && !line.starts_with("note: run with `RUST_BACKTRACE"));
        last.map(|line| line.trim_start_matches("error: ").to_owned()).next()
    }

    /// Describes what went wrong, with the worker's last words if there are any.
    pub fn explain(&self, what: String) -> String {
        match self.last_words() {
            Some(last) => format!("{what}; its log ends with: {last}"),
            None => what,
        }
    }

    /// Checks that a worker that was done ended properly.
    ///
    /// # Errors
    /// How it ended instead.
    pub fn check_done(&self, work_dir: &Path) -> Result<(), String> {
        match self.status {
            None => Err("the worker sent `done` but did not exit: it was killed".to_owned()),
            Some(status) if !status.success() => {
                Err(format!("the worker sent `done`, but then ended with {}", in_words(status, work_dir)))
            }
            Some(_) if self.said_more => Err("the worker sent something after `done`".to_owned()),
            Some(_) => Ok(()),
        }
    }
}

impl WorkerProcess {
    /// Starts an engine's worker on a job, as the first process of a family. `silence`: how long it may send nothing.
    pub fn start(
        launch: &Launch,
        job: &Job,
        mut family: ProcessFamily,
        confinement: Confinement<'_>,
        silence: Duration,
        work_dir: &Path,
    ) -> Result<Self, String> {
        let failed = |error: &dyn fmt::Display| format!("the worker of `{}` cannot be started: {error}", job.engine);
        let mut command = launch.command(&job.engine)?;
        command.arg("run");
        // It has a process group of its own: Ctrl-C in the terminal goes to this process, which ends the worker properly.
        let mut child = family.spawn(command, confinement).map_err(|error| failed(&error))?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("the worker's pipes are missing".to_owned());
        };
        let stdin = ChildStdin::from_std(stdin.into()).map_err(|error| failed(&error))?;
        let stdout = ChildStdout::from_std(stdout.into()).map_err(|error| failed(&error))?;
        let stderr = ChildStderr::from_std(stderr.into()).map_err(|error| failed(&error))?;
        let mut worker = Self {
            child,
            family: Arc::new(family),
            stdin: Some(stdin),
            unsaid: Vec::new(),
            stdout: BufReader::new(stdout),
            line: Vec::new(),
            log: tokio::spawn(keep_log(stderr)),
            conversation: Conversation::new(&job.suite),
            allowance: Allowance::new(Instant::now()),
            silence,
            work_dir: work_dir.to_owned(),
        };
        let job = serde_json::to_string(job).map_err(|error| format!("the job cannot be written: {error}"))?;
        worker.say(&job);
        Ok(worker)
    }

    /// Returns its process ID; none once it has ended.
    pub fn process(&self) -> Option<u32> {
        self.child.id()
    }

    /// Returns the next event, or the reason why there is none. Safe to drop and call again.
    pub async fn next(&mut self) -> Result<Sent, String> {
        loop {
            let silence = self.silence;
            let line = timeout(silence, self.next_line())
                .await
                .map_err(|_| format!("the worker sent nothing for {}", units::clock(silence)))??;
            let bytes = line.len();
            let text = String::from_utf8(line).map_err(|_| "the worker sent bytes that are not UTF-8".to_owned())?;
            let event: Event = serde_json::from_str(&text)
                .map_err(|error| format!("the worker sent no protocol event ({error}): {}", excerpt(&text)))?;
            let mut histogram =
                self.conversation.accept(&event).map_err(|wrong| format!("the worker broke the protocol: {wrong}"))?;
            match event {
                Event::TestStarted { .. } => self.allowance.begin_test(),
                Event::Progress { .. } if !self.allowance.take(Instant::now(), bytes) => continue,
                Event::Progress { .. } => histogram = SentHistogram::of(&event)?,
                _ => {}
            }
            return Ok(Sent { event, histogram });
        }
    }

    async fn next_line(&mut self) -> Result<Vec<u8>, String> {
        loop {
            let available = tokio::select! {
                biased;
                () = tell(&mut self.stdin, &mut self.unsaid) => continue,
                available = self.stdout.fill_buf() => {
                    available.map_err(|error| format!("cannot read from the worker: {error}"))?
                }
            };
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
        let exited = self.exited(GRACE).await;
        // Checked now, because this fact is gone once the worker's control group is removed.
        let met_limit = self.family.met_limit();
        let how = match self.reap().await {
            Some(status) if exited => in_words(status, &self.work_dir),
            _ => "it closed its output".to_owned(),
        };
        let place = match self.conversation.test() {
            Some(test) => format!("in test {test}"),
            None => "outside of any test".to_owned(),
        };
        match met_limit {
            Some(limit) => format!(
                "the worker was killed: it needed more than the memory limit of {} (--memory-limit), {place}",
                units::bytes(limit)
            ),
            None => format!("the worker ended before its run was finished, {place} ({how})"),
        }
    }

    /// Asks the worker and everything that it started to stop, as a system does that shuts down.
    pub fn ask_to_stop(&self) {
        let group = self.process().and_then(|process| Pid::from_raw(process.cast_signed()));
        // A worker that is gone needs no signal.
        let _ = group.map(|group| kill_process_group(group, Signal::TERM));
    }

    /// Kills the worker and everything that it started, as if it had crashed. The next call of `next` reports its end.
    pub fn kill(&self) {
        self.family.kill(self.process());
    }

    /// Confirms to the worker that its results are stored, so that it continues.
    pub fn go_on(&mut self) {
        self.say("{\"continue\":true}");
    }

    fn say(&mut self, line: &str) {
        self.unsaid.extend_from_slice(line.as_bytes());
        self.unsaid.push(b'\n');
    }

    /// Whether the worker has sent its last event.
    pub(super) fn ended(&self) -> bool {
        self.conversation.ended()
    }

    /// Ends the worker and everything that it started: closes its stdin and waits, or kills it at once when `hurried` returns. A worker
    /// that is done is waited for in any case, because its exit is part of its run.
    pub async fn end(mut self, hurried: impl Future<Output = ()>) -> WorkerEnd {
        let exited = if self.ended() {
            self.exited(GRACE).await
        } else {
            // Closing stdin means stop: a worker that is done must not see it before it has exited by itself.
            self.stdin = None;
            tokio::select! {
                exited = self.exited(GRACE / 2) => exited,
                () = hurried => false,
            }
        };
        let status = self.reap().await.filter(|_| exited);
        let mut more = [0; 1];
        let rest = timeout(GRACE, self.stdout.read(&mut more)).await;
        let said_more = self.ended() && (!self.line.is_empty() || matches!(rest, Ok(Ok(1..))));
        let log = timeout(GRACE, &mut self.log).await.ok().and_then(Result::ok).unwrap_or_default();
        WorkerEnd { status, log, left_out: self.allowance.said(), said_more }
    }

    /// Waits for the worker's end without reaping it, and returns whether it came in time.
    async fn exited(&self, patience: Duration) -> bool {
        match self.process() {
            Some(process) => timeout(patience, spawn_blocking(move || wait_unreaped(process))).await.is_ok(),
            None => true,
        }
    }

    /// Kills all remaining processes of the worker and its descendants, and then reaps it.
    async fn reap(&mut self) -> Option<ExitStatus> {
        let (family, first) = (Arc::clone(&self.family), self.process());
        // It is reaped only below, so its process ID cannot be reused meanwhile.
        let _ = spawn_blocking(move || family.kill(first)).await;
        let until = Instant::now() + GRACE;
        loop {
            match self.child.try_wait() {
                None if Instant::now() < until => sleep(PAUSE).await,
                status => return status,
            }
        }
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        // A worker that was not ended is abandoned with its session.
        if let Some(first) = self.process() {
            self.family.kill(Some(first));
            self.child.try_wait();
        }
    }
}

/// Writes some of the pending messages. Waits forever if there are none, or if stdin is closed.
async fn tell(stdin: &mut Option<ChildStdin>, unsaid: &mut Vec<u8>) {
    if let (Some(open), false) = (&mut *stdin, unsaid.is_empty()) {
        match open.write(unsaid).await {
            Ok(written) => drop(unsaid.drain(..written)),
            // A worker that is gone is detected when its next event is read.
            Err(_) => unsaid.clear(),
        }
        return;
    }
    std::future::pending().await
}

/// Reads a worker's stderr to its end, and keeps the last part of it.
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

/// Returns the beginning of a line for an error message, without anything that a terminal could interpret as a command.
fn excerpt(text: &str) -> String {
    text.trim().chars().take(60).flat_map(char::escape_default).collect()
}
