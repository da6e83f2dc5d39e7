//! The requests that watchers can send to a session.

use super::quiet::{MeasurementGuard, Quiet};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// The latest requests to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct SessionRequests {
    /// To end: the run under way is cancelled, and no other one begins.
    pub stop: bool,
    /// To end immediately: the worker is killed rather than waited for.
    pub hurry: bool,
    /// To begin no further run until this is withdrawn. A run under way goes on: a pause inside it would change what its later tests find
    /// in caches.
    pub pause: bool,
    /// To cancel the run at this place in the session, and go on with the next.
    pub skip: Option<u32>,
}

/// A request to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionRequest {
    /// To end.
    Stop,
    /// To end without waiting for its worker.
    Hurry,
    /// To begin no further run.
    Pause,
    /// To continue.
    Resume,
    /// To cancel the run at this place.
    Skip(u32),
}

/// Sends requests to a session. If it is dropped, the session runs to its end.
#[derive(Debug)]
pub struct SessionHandle {
    requests: watch::Sender<SessionRequests>,
    quiet: Quiet,
}

/// The session's end of a [`SessionHandle`].
#[derive(Debug, Clone)]
pub struct Control {
    requests: watch::Receiver<SessionRequests>,
    quiet: Quiet,
}

impl SessionHandle {
    /// Creates a handle and the other end, which a session receives.
    pub fn new() -> (Self, Control) {
        let (sender, receiver) = watch::channel(SessionRequests::default());
        let quiet = Quiet::default();
        (Self { requests: sender, quiet: quiet.clone() }, Control { requests: receiver, quiet })
    }

    /// Carries out a request.
    pub fn tell(&self, request: SessionRequest) {
        match request {
            SessionRequest::Stop => self.stop(),
            SessionRequest::Hurry => self.hurry(),
            SessionRequest::Pause => self.pause(true),
            SessionRequest::Resume => self.pause(false),
            SessionRequest::Skip(ordinal) => self.skip(ordinal),
        }
    }

    /// Ends the session.
    pub fn stop(&self) {
        self.requests.send_modify(|requests| requests.stop = true);
    }

    /// Ends the session without waiting for its worker. The order of its end is the same, and all finished results are kept.
    pub fn hurry(&self) {
        self.requests.send_modify(|requests| (requests.stop, requests.hurry) = (true, true));
    }

    /// Pauses the session, or resumes it.
    pub fn pause(&self, pause: bool) {
        self.requests.send_modify(|requests| requests.pause = pause);
    }

    /// Cancels the run at this place in the session.
    pub fn skip(&self, ordinal: u32) {
        self.requests.send_modify(|requests| requests.skip = Some(ordinal));
    }

    /// Returns the lock that decides when the machine may be used for other things.
    pub(crate) fn quiet(&self) -> &Quiet {
        &self.quiet
    }
}

impl Control {
    /// Whether the session was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.requests.borrow().stop
    }

    /// Returns once the session is asked to stop.
    pub(super) async fn stopped(&self) {
        self.asked_for(|requests| requests.stop).await;
    }

    /// Returns once the session is asked to end immediately.
    pub(super) async fn hurried(&self) {
        self.asked_for(|requests| requests.hurry).await;
    }

    /// Returns once the session is asked to stop, or to cancel this run.
    pub(super) async fn given_up(&self, ordinal: u32) {
        self.asked_for(|requests| requests.stop || requests.skip == Some(ordinal)).await;
    }

    /// Returns once the session is not asked to pause, is asked to stop, or has lost its handle.
    pub(super) async fn resumed(&self) {
        // An error means that the handle is gone.
        let _ = self.requests.clone().wait_for(|requests| requests.stop || !requests.pause).await;
    }

    pub(super) fn requests(&self) -> SessionRequests {
        *self.requests.borrow()
    }

    /// Begins to measure, once no process reads the store.
    pub(super) async fn measuring(&self) -> MeasurementGuard {
        self.quiet.begin().await
    }

    /// Returns once this is requested. Never returns if the handle is dropped before.
    async fn asked_for(&self, reached: impl FnMut(&SessionRequests) -> bool) {
        if self.requests.clone().wait_for(reached).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
