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
    /// In a mutex, so that threads can share the worker.
    go_on: Option<Arc<Mutex<Receiver<()>>>>,
    shutdown: Shutdown,
}

struct WorkerState {
    output: Mutex<EventWriter>,
    reporter_cpu_ns: AtomicU64,
}

struct EventWriter {
    file: File,
    /// The source of progress events for the current test.
    progress: Option<Box<dyn FnMut() -> Event + Send>>,
    /// Other workers have their turns: meanwhile there is no progress, and nobody reads events.
    is_away: bool,
}

impl Worker {
    /// Starts the worker. `own`: whether the job's folder belongs to this worker, so that it may be removed.
    pub(super) fn start(file: File, job: &Job, own: bool) -> Self {
        let shared = Arc::new(WorkerState {
            output: Mutex::new(EventWriter { file, progress: None, is_away: false }),
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
        Self { shared, go_on: job.wait.then(|| Arc::new(Mutex::new(lines))), shutdown }
    }

    /// Reports why the run failed. If the process is already ending, blocks and reports nothing, because that may be the cause.
    pub(super) fn fail(&self, event: &Event) {
        drop(self.shutdown.hold());
        self.end_test();
        self.emit(event);
    }

    /// Ensures that the process ends when the caller returns. If the process is already ending, this never returns.
    pub(super) fn finish(&self) {
        std::mem::forget(self.shutdown.hold());
    }

    /// Writes an event to the main process. It does not fail if the main process is gone: the watch on stdin then ends this process.
    pub fn emit(&self, event: &Event) {
        self.shared.emit(event);
    }

    /// Waits until the main process has stored the last event, if the job requests that.
    pub fn pause(&self) {
        self.go_on.iter().for_each(wait);
    }

    /// Returns what passes the turn to other workers and waits for the next one. None: the job does not request to wait.
    pub fn turns(&self) -> Option<impl Fn(&Event) + Send + 'static> {
        let (shared, go_on) = (Arc::clone(&self.shared), Arc::clone(self.go_on.as_ref()?));
        Some(move |event: &Event| {
            let mut output = shared.lock();
            output.is_away = true;
            output.write(event);
            drop(output);
            wait(&go_on);
            shared.lock().is_away = false;
        })
    }

    /// Starts progress events for a test. A thread other than the measuring one calls `progress` for each event.
    pub fn begin_test(&self, progress: impl FnMut() -> Event + Send + 'static) {
        self.shared.lock().progress = Some(Box::new(progress));
    }

    /// Ends progress events: no event of this test is sent after this call.
    pub fn end_test(&self) {
        self.shared.lock().progress = None;
    }

    /// Returns the CPU time that the progress reporter has used, ns.
    pub fn reporter_cpu_ns(&self) -> u64 {
        self.shared.reporter_cpu_ns.load(Relaxed)
    }
}

/// Waits for a line of the main process.
fn wait(go_on: &Arc<Mutex<Receiver<()>>>) {
    // An error means that stdin is closed; the watcher is ending the process.
    let _ = go_on.lock().unwrap_or_else(PoisonError::into_inner).recv();
}

impl WorkerState {
    fn lock(&self) -> MutexGuard<'_, EventWriter> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn emit(&self, event: &Event) {
        self.lock().write(event);
    }

    /// Runs the reporter's loop: a heartbeat that reports the work done since the last one.
    fn report(&self, interval: Duration) {
        loop {
            thread::sleep(interval);
            let mut output = self.lock();
            let is_away = output.is_away;
            if let Some(progress) = output.progress.as_mut().filter(|_| !is_away) {
                let event = progress();
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
            // The main process no longer reads; the watcher of stdin ends this process and cleans up.
            say!("error: the main process no longer reads events");
        }
    }
}

/// Returns the CPU time of the calling thread so far, ns.
fn thread_cpu_ns() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
