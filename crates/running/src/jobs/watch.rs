//! A job as others see it: its log from the beginning, and its progress from now on.

use super::{
    channel::JobRequest,
    folder::FoundJob,
    log::{OfJob, written},
};
use crate::runner::RunnerEvent;
use serde::Deserialize;
use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    net::UnixStream,
    time::sleep,
};

/// How often the log is read.
const LOOK: Duration = Duration::from_millis(100);
/// Bytes that are read from the log at once.
const PIECE: usize = 64 << 10;

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobEnd {
    /// By itself, or as requested.
    InOrder,
    /// It could not do its task, for this reason.
    Failed(String),
    /// It was killed, or crashed.
    Killed,
}

impl JobEnd {
    fn of(failed: Option<String>) -> Self {
        failed.map_or(Self::InOrder, Self::Failed)
    }
}

/// A log line as an event of a session.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum SessionLine {
    /// From a job that runs several sessions.
    Of {
        says: Box<RunnerEvent>,
    },
    Session(Box<RunnerEvent>),
}

/// A growing log, read line by line.
#[derive(Debug)]
struct Tail {
    file: File,
    /// Bytes read after the last complete line.
    rest: Vec<u8>,
}

impl Tail {
    /// Returns the complete lines that were added since the last read.
    fn lines(&mut self) -> io::Result<Vec<Vec<u8>>> {
        let mut piece = vec![0; PIECE];
        loop {
            match self.file.read(&mut piece)? {
                0 => break,
                read => self.rest.extend_from_slice(&piece[..read]),
            }
        }
        let Some(end) = self.rest.iter().rposition(|byte| *byte == b'\n') else { return Ok(Vec::new()) };
        let after = self.rest.split_off(end + 1);
        let whole = std::mem::replace(&mut self.rest, after);
        Ok(whole.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
    }
}

/// A line that a job wrote or sent.
#[derive(Debug, Clone, Copy)]
pub enum JobLine<'l> {
    /// In its log, with the time since the job began.
    Logged(&'l [u8], Option<Duration>),
    /// On its socket: progress, or data that is too large for the log.
    Progress(&'l [u8]),
}

/// Passes `take` each line that a job has written since its beginning, and each new one until the job ends.
///
/// # Errors
/// The log cannot be read.
pub async fn follow(job: &FoundJob, mut take: impl FnMut(JobLine<'_>)) -> io::Result<JobEnd> {
    let mut tail = Tail { file: job.events()?, rest: Vec::new() };
    let mut progress = listen(job).await;
    loop {
        // Checked before the log is read: once the job is gone, its last lines are in the log.
        let is_alive = job.is_alive();
        if let Some(end) = read_on(&mut tail, &mut take)? {
            return Ok(end);
        }
        if !is_alive {
            return Ok(JobEnd::Killed);
        }
        let looking = sleep(LOOK);
        tokio::pin!(looking);
        loop {
            tokio::select! {
                () = &mut looking => break,
                line = next(&mut progress) => match line {
                    Some(line) => {
                        // Lines that were logged earlier are passed on first.
                        if let Some(end) = read_on(&mut tail, &mut take)? {
                            return Ok(end);
                        }
                        take(JobLine::Progress(line.as_bytes()));
                    }
                    None => progress = None,
                },
            }
        }
    }
}

/// Reads the lines logged since the last read. Returns how the job ended, if it has.
fn read_on(tail: &mut Tail, take: &mut impl FnMut(JobLine<'_>)) -> io::Result<Option<JobEnd>> {
    for line in tail.lines()? {
        match serde_json::from_slice(&line) {
            Ok(OfJob::JobEnded { failed }) => return Ok(Some(JobEnd::of(failed))),
            Ok(OfJob::Job { .. } | OfJob::Refused { .. }) => {}
            Err(_) => take(JobLine::Logged(&line, written(&line))),
        }
    }
    Ok(None)
}

/// Connects to the progress of a live job. Without it, only the log is seen.
async fn listen(job: &FoundJob) -> Option<Lines<BufReader<UnixStream>>> {
    let stream = job.connect().ok()?;
    stream.set_nonblocking(true).ok()?;
    let mut stream = UnixStream::from_std(stream).ok()?;
    stream.write_all(&line_of(JobRequest::Watch)?).await.ok()?;
    Some(BufReader::new(stream).lines())
}

/// Returns the next line of progress, or none after the last. Waits forever without a connection.
async fn next(progress: &mut Option<Lines<BufReader<UnixStream>>>) -> Option<String> {
    match progress {
        Some(lines) => lines.next_line().await.ok().flatten(),
        None => std::future::pending().await,
    }
}

fn line_of(asked: JobRequest) -> Option<Vec<u8>> {
    let mut line = serde_json::to_vec(&asked).ok()?;
    line.push(b'\n');
    Some(line)
}

impl FoundJob {
    /// Returns its state in words.
    pub fn state(&self) -> &'static str {
        match self.ended() {
            None => "measures",
            Some(JobEnd::InOrder) => "has ended",
            Some(JobEnd::Failed(_)) => "failed",
            Some(JobEnd::Killed) => "was killed",
        }
    }

    /// Returns how the job ended; none while it measures.
    fn ended(&self) -> Option<JobEnd> {
        // Checked before the log is read: once the job is gone, its last lines are in the log.
        if self.is_alive() {
            return None;
        }
        let lines = self.events().and_then(last_lines).unwrap_or_default();
        Some(match lines.last().and_then(|line| serde_json::from_slice(line).ok()) {
            Some(OfJob::JobEnded { failed }) => JobEnd::of(failed),
            _ => JobEnd::Killed,
        })
    }
}

/// Returns the lines at the end of a log, without reading all of a long one. The first may be incomplete.
fn last_lines(mut file: File) -> io::Result<Vec<Vec<u8>>> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(PIECE as u64)))?;
    Tail { file, rest: Vec::new() }.lines()
}

/// Returns the place of the run under way, according to the log; none between runs.
///
/// # Errors
/// The log cannot be read.
pub fn run_under_way(job: &FoundJob) -> io::Result<Option<u32>> {
    let mut under_way = None;
    for line in (Tail { file: job.events()?, rest: Vec::new() }).lines()? {
        match serde_json::from_slice(&line) {
            Ok(SessionLine::Of { says: event } | SessionLine::Session(event)) => match *event {
                RunnerEvent::RunStarted { ordinal, .. } => under_way = Some(ordinal),
                RunnerEvent::RunEnded { .. } => under_way = None,
                _ => {}
            },
            Err(_) => {}
        }
    }
    Ok(under_way)
}

/// Sends a request to a job.
///
/// # Errors
/// The job has ended.
pub fn ask(job: &FoundJob, asked: JobRequest) -> io::Result<()> {
    let line = line_of(asked).ok_or(io::ErrorKind::InvalidData)?;
    job.connect()?.write_all(&line)
}
