//! How a worker ends before its job is done.

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

/// How the process ends when it is told to: at once, leaving neither a database nor a process behind.
#[derive(Debug, Clone)]
pub(super) struct Shutdown {
    /// The run's folder, where it is removed.
    folder: Option<PathBuf>,
    /// Held by who ends the process. An engine whose files vanish under it fails: without this, the measuring thread would end
    /// the process with that failure before the folder is removed.
    ending: Arc<Mutex<()>>,
}

impl Shutdown {
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, ending: Arc::default() }
    }

    /// Waits for ever where the process is being ended; nobody else begins to end it while the guard lives.
    pub(super) fn hold(&self) -> MutexGuard<'_, ()> {
        self.ending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> ! {
        self.now_saying(|| ())
    }

    /// Ends the process after some last words.
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
        // The group of a worker is its own; one that was started by hand is of its shell's.
        if rustix::process::getpgrp() == rustix::process::getpid() {
            // What the engine started goes too, and this process with it.
            let _ = rustix::process::kill_current_process_group(rustix::process::Signal::KILL);
        }
        // SAFETY: _exit takes any code and never returns.
        unsafe { libc::_exit(1) }
    }
}

/// Passes on each further line of stdin; its end means stop.
pub(super) fn watch_parent(line: Sender<()>, shutdown: Shutdown) {
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        loop {
            match io::stdin().lock().read(&mut bytes) {
                Ok(0) => shutdown.now(),
                Ok(read) => {
                    for _ in bytes[..read].iter().filter(|&&byte| byte == b'\n') {
                        // An error means that nobody waits for lines.
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
