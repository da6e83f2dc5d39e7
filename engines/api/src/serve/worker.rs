//! A running worker.

use super::shutdown::{Shutdown, watch_parent, watch_signals};
use crate::{
    protocol::{Event, Job, LEAST_PROGRESS_MS},
    say,
};
use std::{
    fs::File,
    io::Write,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc::{Receiver, channel},
    },
    thread,
    time::Duration,
};

/// The running worker: its output, its progress reporter, and the watch on its parent.
pub struct Worker {
    shared: Arc<WorkerState>,
    /// Locked, so that threads share the worker.
    go_on: Option<Mutex<Receiver<()>>>,
    shutdown: Shutdown,
}

struct WorkerState {
    output: Mutex<EventWriter>,
    reporter_cpu_ns: AtomicU64,
}

struct EventWriter {
    file: File,
    /// What the test under way has to say of its progress.
    progress: Option<Box<dyn FnMut() -> Event + Send>>,
}

impl Worker {
    /// `own`: whether the job's folder is this worker's own, so that it may be removed.
    pub(super) fn start(file: File, job: &Job, own: bool) -> Self {
        let shared = Arc::new(WorkerState {
            output: Mutex::new(EventWriter { file, progress: None }),
            reporter_cpu_ns: AtomicU64::new(0),
        });
        let (line, lines) = channel();
        let shutdown = Shutdown::new((own && !job.keep_folder).then(|| job.folder.clone()));
        let deadline = job.deadline_ms.map(Duration::from_millis);
        watch_parent(line, shutdown.clone());
        watch_signals(shutdown.clone());
        if let Some(deadline) = deadline {
            let (shared, shutdown) = (Arc::clone(&shared), shutdown.clone());
            thread::spawn(move || {
                thread::sleep(deadline);
                let message = format!("the run's deadline of {} s has passed", deadline.as_secs_f64());
                shutdown.now_saying(|| shared.emit(&Event::Failed { test: None, message, database_usable: false }));
            });
        }
        let interval = Duration::from_millis(job.progress_ms.max(LEAST_PROGRESS_MS));
        let reporter = Arc::clone(&shared);
        thread::spawn(move || reporter.report(interval));
        Self { shared, go_on: job.wait.then(|| Mutex::new(lines)), shutdown }
    }

    /// Says why the run failed; never, where the process is being ended, since that may be why.
    pub(super) fn fail(&self, event: &Event) {
        drop(self.shutdown.hold());
        self.end_test();
        self.emit(event);
    }

    /// Makes sure that the process ends by the caller's return, or else that it never returns.
    pub(super) fn finish(&self) {
        std::mem::forget(self.shutdown.hold());
    }

    /// Writes an event to the main process. Nothing fails when that is gone: the watch on stdin then ends this process.
    pub fn emit(&self, event: &Event) {
        self.shared.emit(event);
    }

    /// Waits until the main process has stored what it was last told, if it asked for that.
    pub fn pause(&self) {
        if let Some(go_on) = &self.go_on {
            // An error means that stdin is closed; the watcher is ending the process.
            let _ = go_on.lock().unwrap_or_else(PoisonError::into_inner).recv();
        }
    }

    /// Starts progress events for a test: `progress` is asked for one again and again, by another thread than the measuring one.
    pub fn begin_test(&self, progress: impl FnMut() -> Event + Send + 'static) {
        self.shared.lock().progress = Some(Box::new(progress));
    }

    /// Ends progress events: none of this test is sent after this call.
    pub fn end_test(&self) {
        self.shared.lock().progress = None;
    }

    /// CPU time that the progress reporter has used, ns.
    pub fn reporter_cpu_ns(&self) -> u64 {
        self.shared.reporter_cpu_ns.load(Relaxed)
    }
}

impl WorkerState {
    fn lock(&self) -> MutexGuard<'_, EventWriter> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn emit(&self, event: &Event) {
        self.lock().write(event);
    }

    /// The reporter's loop: a heartbeat with what was done since the last.
    fn report(&self, interval: Duration) {
        loop {
            thread::sleep(interval);
            let mut output = self.lock();
            if let Some(event) = output.progress.as_mut().map(|progress| progress()) {
                output.write(&event);
            }
            drop(output);
            self.reporter_cpu_ns.store(thread_cpu_ns(), Relaxed);
        }
    }
}

impl EventWriter {
    fn write(&mut self, event: &Event) {
        let line = match serde_json::to_string(event) {
            Ok(json) => json + "\n",
            Err(error) => unreachable!("an event is plain data: {error}"),
        };
        if self.file.write_all(line.as_bytes()).is_err() {
            // Nobody listens any more; the watcher of stdin ends the process and cleans up.
            say!("error: the main process no longer reads events");
        }
    }
}

/// CPU time of the calling thread so far, ns.
fn thread_cpu_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
