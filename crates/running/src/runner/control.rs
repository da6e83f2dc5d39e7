//! What those who watch a session may ask of it.

use super::quiet::{Measuring, Quiet};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

/// What a session was last asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Asked {
    /// To end: the run under way is given up, none is begun.
    pub stop: bool,
    /// To end without patience: the worker is killed rather than waited for.
    pub hurry: bool,
    /// To begin no further run until this is taken back. A run under way goes on: a pause inside it would change
    /// what its later tests find in caches.
    pub pause: bool,
    /// To give up the run of this place in the session, and go on with the next.
    pub skip: Option<u32>,
}

/// What a session is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tell {
    /// To end.
    Stop,
    /// To end without patience for its worker.
    Hurry,
    /// To begin no further run.
    Pause,
    /// To go on.
    Resume,
    /// To give up the run of this place.
    Skip(u32),
}

/// Asks things of a session; when it is dropped, the session runs to its end.
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
    /// A handle and the end that a session is given.
    pub fn new() -> (Self, Control) {
        let (sender, receiver) = watch::channel(Asked::default());
        let quiet = Quiet::default();
        (Self { asked: sender, quiet: quiet.clone() }, Control { asked: receiver, quiet })
    }

    /// Does what is told.
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

    /// Ends the session without patience for its worker; in the same order, and with all that is finished kept.
    pub fn hurry(&self) {
        self.asked.send_modify(|asked| (asked.stop, asked.hurry) = (true, true));
    }

    /// Pauses the session, or lets it go on.
    pub fn pause(&self, pause: bool) {
        self.asked.send_modify(|asked| asked.pause = pause);
    }

    /// Gives up the run of this place in the session.
    pub fn skip(&self, ordinal: u32) {
        self.asked.send_modify(|asked| asked.skip = Some(ordinal));
    }

    /// When the machine may be used for other things.
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

    /// Returns once the session is asked to end without patience.
    pub(super) async fn hurried(&self) {
        self.asked_for(|asked| asked.hurry).await;
    }

    /// Returns once the session is asked to stop, or to give up this run.
    pub(super) async fn given_up(&self, ordinal: u32) {
        self.asked_for(|asked| asked.stop || asked.skip == Some(ordinal)).await;
    }

    /// Returns once the session is not asked to pause, or is asked to stop, or nobody is there to ask.
    pub(super) async fn resumed(&self) {
        // An error says that the handle is gone.
        let _ = self.asked.clone().wait_for(|asked| asked.stop || !asked.pause).await;
    }

    pub(super) fn asked(&self) -> Asked {
        *self.asked.borrow()
    }

    /// Begins to measure, once nobody reads the store.
    pub(super) async fn measuring(&self) -> Measuring {
        self.quiet.begin().await
    }

    /// Returns once this is asked for: never, when the handle is gone before.
    async fn asked_for(&self, reached: impl FnMut(&Asked) -> bool) {
        if self.asked.clone().wait_for(reached).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
