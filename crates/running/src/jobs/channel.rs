//! The socket of a job: it sends progress to listeners, and receives their requests.

use super::{SharedLog, Telling, log::OfJob};
use crate::runner::{SessionHandle, SessionRequest};
use rustix::process::geteuid;
use serde::{Deserialize, Serialize};
use std::{
    io,
    os::unix::net,
    sync::{Arc, PoisonError},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{UnixListener, UnixStream, unix::OwnedWriteHalf},
    sync::broadcast::{self, Receiver, Sender, error::RecvError},
};

/// Lines of progress that wait for a watcher. Older ones are dropped.
const WAITING: usize = 64;
/// The maximum length of a request, bytes.
const LONGEST: u64 = 4096;

/// The requests that a client can send, a line of JSON each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobRequest {
    /// To receive progress from now on.
    Watch,
    /// To act on the session.
    Tell(SessionRequest),
}

/// The channel that progress is sent to.
#[derive(Debug)]
pub(super) struct ProgressChannel(Sender<Arc<str>>);

impl ProgressChannel {
    pub(super) fn tell(&self, event: &impl Telling) {
        // Serialising is skipped if no one listens.
        if self.0.receiver_count() > 0
            && let Ok(line) = serde_json::to_string(event)
        {
            // The last listener may have left meanwhile.
            let _ = self.0.send(format!("{line}\n").into());
        }
    }
}

/// Answers clients that connect, while the runtime lives.
pub(super) fn serve(
    listener: net::UnixListener,
    handle: Arc<SessionHandle>,
    log: SharedLog,
) -> io::Result<ProgressChannel> {
    let listener = UnixListener::from_std(listener)?;
    let (sender, _) = broadcast::channel(WAITING);
    let progress = sender.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if stream.peer_cred().is_ok_and(|peer| peer.uid() == geteuid().as_raw()) {
                let client = Client { handle: Arc::clone(&handle), log: Arc::clone(&log), progress: sender.clone() };
                tokio::spawn(client.answer(stream));
            }
        }
    });
    Ok(ProgressChannel(progress))
}

struct Client {
    handle: Arc<SessionHandle>,
    log: SharedLog,
    progress: Sender<Arc<str>>,
}

impl Client {
    /// Carries out requests until the client disconnects or sends an unknown request.
    async fn answer(self, stream: UnixStream) {
        let (reader, writer) = stream.into_split();
        let mut reader = BufReader::new(reader);
        loop {
            let mut line = Vec::new();
            if !matches!((&mut reader).take(LONGEST).read_until(b'\n', &mut line).await, Ok(1..)) {
                return;
            }
            match serde_json::from_slice(&line) {
                Ok(JobRequest::Tell(tell)) => self.handle.tell(tell),
                Ok(JobRequest::Watch) => return pass_on(self.progress.subscribe(), writer).await,
                Err(_) => return self.refuse(&line),
            }
        }
    }

    fn refuse(&self, line: &[u8]) {
        let asked = String::from_utf8_lossy(line).trim_end().to_owned();
        self.log.lock().unwrap_or_else(PoisonError::into_inner).append(&OfJob::Refused { asked });
    }
}

/// Writes progress while the client reads it. A slow reader gets the newest lines.
async fn pass_on(mut progress: Receiver<Arc<str>>, mut writer: OwnedWriteHalf) {
    loop {
        match progress.recv().await {
            Ok(line) => {
                if writer.write_all(line.as_bytes()).await.is_err() {
                    return;
                }
            }
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}
