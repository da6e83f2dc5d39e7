//! The requests that watchers can send to a session.

use super::quiet::{Measuring, Quiet};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// The latest requests to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Asked {
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
pub enum Tell {
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
    asked: watch::Sender<Asked>,
    quiet: Quiet,
}

/// The session's end of a [`SessionHandle`].
#[derive(Debug, Clone)]
pub struct Control {
    asked: watch::Receiver<Asked>,
    quiet: Quiet,
}

impl SessionHandle {
    /// Creates a handle and the other end, which a session receives.
    pub fn new() -> (Self, Control) {
        let (sender, receiver) = watch::channel(Asked::default());
        let quiet = Quiet::default();
        (Self { asked: sender, quiet: quiet.clone() }, Control { asked: receiver, quiet })
    }

    /// Carries out a request.
    pub fn tell(&self, tell: Tell) {
        match tell {
            Tell::Stop => self.stop(),
            Tell::Hurry => self.hurry(),
            Tell::Pause => self.pause(true),
            Tell::Resume => self.pause(false),
            Tell::Skip(ordinal) => self.skip(ordinal),
        }
    }

    /// Ends the session.
    pub fn stop(&self) {
        self.asked.send_modify(|asked| asked.stop = true);
    }

    /// Ends the session without waiting for its worker. The order of its end is the same, and all finished results are kept.
    pub fn hurry(&self) {
        self.asked.send_modify(|asked| (asked.stop, asked.hurry) = (true, true));
    }

    /// Pauses the session, or resumes it.
    pub fn pause(&self, pause: bool) {
        self.asked.send_modify(|asked| asked.pause = pause);
    }

    /// Cancels the run at this place in the session.
    pub fn skip(&self, ordinal: u32) {
        self.asked.send_modify(|asked| asked.skip = Some(ordinal));
    }

    /// Returns the lock that decides when the machine may be used for other things.
    pub(crate) fn quiet(&self) -> &Quiet {
        &self.quiet
    }
}

impl Control {
    /// Whether the session was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.asked.borrow().stop
    }

    /// Returns once the session is asked to stop.
    pub(super) async fn stopped(&self) {
        self.asked_for(|asked| asked.stop).await;
    }

    /// Returns once the session is asked to end immediately.
    pub(super) async fn hurried(&self) {
        self.asked_for(|asked| asked.hurry).await;
    }

    /// Returns once the session is asked to stop, or to cancel this run.
    pub(super) async fn given_up(&self, ordinal: u32) {
        self.asked_for(|asked| asked.stop || asked.skip == Some(ordinal)).await;
    }

    /// Returns once the session is not asked to pause, is asked to stop, or has lost its handle.
    pub(super) async fn resumed(&self) {
        // An error means that the handle is gone.
        let _ = self.asked.clone().wait_for(|asked| asked.stop || !asked.pause).await;
    }

    pub(super) fn asked(&self) -> Asked {
        *self.asked.borrow()
    }

    /// Begins to measure, once no process reads the store.
    pub(super) async fn measuring(&self) -> Measuring {
        self.quiet.begin().await
    }

    /// Returns once this is requested. Never returns if the handle is dropped before.
    async fn asked_for(&self, reached: impl FnMut(&Asked) -> bool) {
        if self.asked.clone().wait_for(reached).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
