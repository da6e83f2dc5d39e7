//! The end of a worker before its job is done.

use crate::say;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
};
use std::{
    fs,
    io::{self, Read},
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc::Sender},
    thread,
    time::Duration,
};

/// The way in which the process ends on request: at once, without leaving a database or a process behind.
#[derive(Debug, Clone)]
pub(super) struct Shutdown {
    /// The run's folder, if it is removed.
    folder: Option<PathBuf>,
    /// Held by the thread that ends the process. An engine whose files vanish fails. Without this lock, the measuring thread would end
    /// the process with that failure before the folder is removed.
    ending: Arc<Mutex<()>>,
}

impl Shutdown {
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, ending: Arc::default() }
    }

    /// Blocks for ever if the process is already ending. While the guard lives, no other thread starts to end it.
    pub(super) fn hold(&self) -> MutexGuard<'_, ()> {
        self.ending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> ! {
        self.now_saying(|| ())
    }

    /// Ends the process after it has run `last_words`.
    #[expect(unsafe_code, reason = "no exit handlers of engine libraries may run while their threads do")]
    pub(super) fn now_saying(&self, last_words: impl FnOnce()) -> ! {
        let _ending = self.hold();
        last_words();
        if let Some(folder) = &self.folder {
            // The measuring thread may still create files while they are removed.
            for _ in 0..20 {
                if fs::remove_dir_all(folder).is_ok() || !folder.exists() {
                    break;
                }
                thread::sleep(Duration::from_millis(5));
            }
        }
        // A worker has its own process group. One that was started by hand belongs to the group of its shell.
        if rustix::process::getpgrp() == rustix::process::getpid() {
            // This ends the processes that the engine started, and this process too.
            let _ = rustix::process::kill_current_process_group(rustix::process::Signal::KILL);
        }
        // SAFETY: _exit takes any code and never returns.
        unsafe { libc::_exit(1) }
    }
}

/// Forwards a message for each further line of stdin. The end of stdin means stop.
pub(super) fn watch_parent(line: Sender<()>, shutdown: Shutdown) {
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        loop {
            match io::stdin().lock().read(&mut bytes) {
                Ok(0) => shutdown.now(),
                Ok(read) => {
                    for _ in bytes[..read].iter().filter(|&&byte| byte == b'\n') {
                        // An error means that no receiver waits for lines.
                        let _ = line.send(());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => shutdown.now(),
            }
        }
    });
}

/// Ends the process on a signal that asks for it.
pub(super) fn watch_signals(shutdown: Shutdown) {
    match Signals::new([SIGTERM, SIGINT, SIGHUP]) {
        Ok(mut signals) => {
            thread::spawn(move || {
                if signals.forever().next().is_some() {
                    shutdown.now();
                }
            });
        }
        Err(error) => say!("warning: signals cannot be watched: {error}"),
    }
}
