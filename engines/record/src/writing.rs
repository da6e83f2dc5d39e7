//! The writing thread: the only one that makes JSON, compresses and writes.

use crate::{
    event::{self, CALL, LONG_CALL},
    file::{CallsFile, SizeLimit},
    library::{SqliteLibrary, copied},
    ring::CallRing,
    system,
    world::{LossReason, RecorderWorld, lock},
};
use dbdyno_recording::{
    CallsWriter, LostCalls, RECORDING_VERSION, RecordedClock, RecordedEnd, RecordedLine, RecordedProcess,
};
use std::{
    env, mem, ptr,
    sync::{Arc, atomic::Ordering},
    thread,
};

/// The compression is for size, but must keep up with a fast program.
const LEVEL: i32 = 1;
/// Bytes of JSON, or nanoseconds, after which a block ends: what a kill may lose.
const BLOCK_BYTES: usize = 1 << 18;
const BLOCK_NS: u64 = 250_000_000;
/// How long the thread sleeps if there was nothing to do, and if there was nothing for a second.
const SLEEP_NS: u64 = 10_000_000;
const IDLE_SLEEP_NS: u64 = 100_000_000;
const IDLE_NS: u64 = 1_000_000_000;
/// The kernel shows 15 bytes of a thread's name.
const THREAD_NAME: &str = "dbdyno-record";

/// Makes the file with its first line, and starts the thread. Returns nothing if that is impossible: the program is not
/// recorded then.
pub(crate) fn begin(world: &'static RecorderWorld) -> Option<()> {
    let (mut file, mut writer) = system::without_signals(|| {
        let file = CallsFile::create(&world.settings.folder, world.pid).ok()?;
        Some((file, CallsWriter::new(LEVEL).ok()?))
    })?;
    writer.line(&RecordedLine::Process(process(world)));
    // Written at once, so that a file which is not empty has a first line.
    let is_written = system::without_signals(|| file.append(writer.finish_block().ok()?).ok());
    is_written?;
    let limit = SizeLimit::new(world.settings.recording_bytes);
    let mut writing = WritingThread {
        world,
        file,
        writer,
        limit,
        calls: 0,
        reported: [0; LossReason::ALL.len()],
        failure: None,
        block_since: 0,
        busy_at: 0,
    };
    // The new thread inherits the mask, and so gets no signal of the program.
    let started = system::without_signals(|| {
        thread::Builder::new().name(THREAD_NAME.to_owned()).stack_size(1 << 18).spawn(move || writing.run())
    });
    started.ok().map(|_| ())
}

fn process(world: &RecorderWorld) -> RecordedProcess {
    let program = env::current_exe().map(|path| path.to_string_lossy().into_owned());
    RecordedProcess {
        version: RECORDING_VERSION,
        pid: world.pid,
        parent: system::parent_id(),
        program: program.unwrap_or_default(),
        recorder: world.kind,
        durations: world.durations(),
        // SAFETY: both functions take nothing and return constants.
        sqlite_version: world.library.libversion.map_or_else(String::new, |version| unsafe { copied(version()) }),
        // SAFETY: as above.
        sqlite_source_id: world.library.sourceid.map_or_else(String::new, |id| unsafe { copied(id()) }),
        compile_options: compile_options(world.library),
        clock: RecordedClock { realtime_ns: system::realtime(), monotonic_ns: system::monotonic() },
        keys: false,
    }
}

fn compile_options(library: &SqliteLibrary) -> Vec<String> {
    let Some(get) = library.compileoption_get else { return Vec::new() };
    // SAFETY: returns constants, and null behind the last one.
    (0..1000).map(|index| unsafe { copied(get(index)) }).take_while(|option| !option.is_empty()).collect()
}

struct WritingThread {
    world: &'static RecorderWorld,
    file: CallsFile,
    writer: CallsWriter,
    limit: SizeLimit,
    /// Calls in complete blocks.
    calls: u64,
    /// Of each reason: the lost calls that have a line.
    reported: [u64; LossReason::ALL.len()],
    /// Why nothing more is written.
    failure: Option<LossReason>,
    /// When the first line of the block came, or 0.
    block_since: u64,
    /// When there was something to do.
    busy_at: u64,
}

impl WritingThread {
    fn run(&mut self) {
        loop {
            let requests = &self.world.requests;
            let asked = requests.flush.load(Ordering::Acquire);
            let is_last = requests.finish.load(Ordering::Acquire);
            let has_lines = self.collect();
            self.report_losses();
            let is_asked = asked != requests.flushed.load(Ordering::Relaxed);
            if is_last {
                self.finish();
            } else if is_asked || self.is_block_old() {
                self.end_block();
            }
            if is_asked {
                requests.flushed.store(asked, Ordering::Release);
                system::wake(&requests.flushed);
            }
            if is_last {
                return;
            }
            if !has_lines {
                self.sleep();
            }
        }
    }

    fn sleep(&mut self) {
        let requests = &self.world.requests;
        requests.asleep.store(1, Ordering::Release);
        // A request that came before the store did not wake the thread.
        if requests.flush.load(Ordering::Acquire) == requests.flushed.load(Ordering::Relaxed) {
            let is_idle = system::monotonic() - self.busy_at > IDLE_NS;
            system::wait(&requests.asleep, 1, if is_idle { IDLE_SLEEP_NS } else { SLEEP_NS });
        }
        requests.asleep.store(0, Ordering::Release);
    }

    /// Writes what came since the last time. The order makes every line that a call refers to come before it: what a
    /// thread notes before a call is there when the call is, and last lines are taken before the calls that precede
    /// them.
    fn collect(&mut self) -> bool {
        let last_lines = mem::take(&mut *lock(&self.world.last_lines));
        let rings: Vec<(Arc<CallRing>, u64)> =
            lock(&self.world.rings).iter().map(|ring| (Arc::clone(ring), ring.head())).collect();
        let lines = mem::take(&mut *lock(&self.world.lines));
        let mut has_lines = !lines.is_empty() || !last_lines.is_empty();
        lines.iter().for_each(|line| self.line(line));
        for (ring, until) in &rings {
            ring.take(*until, |kind, bytes| {
                has_lines = true;
                self.event(kind, bytes, ring.thread);
            });
        }
        last_lines.iter().for_each(|line| self.line(line));
        lock(&self.world.rings).retain(|ring| !ring.is_finished());
        if has_lines {
            self.busy_at = system::monotonic();
        }
        has_lines
    }

    fn line(&mut self, line: &RecordedLine) {
        if self.failure.is_none() {
            self.writer.line(line);
            self.after_a_line();
        }
    }

    fn event(&mut self, kind: u32, bytes: &[u8], thread: u32) {
        match kind {
            CALL => self.call(bytes, thread),
            LONG_CALL => {
                let Some((address, length)) = long_call(bytes) else { return };
                // SAFETY: the ring passed on the address of a box of this length.
                let long = unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(address, length)) };
                self.call(&long, thread);
                self.world.long_bytes.fetch_sub(length, Ordering::Relaxed);
            }
            _ => {}
        }
    }

    fn call(&mut self, bytes: &[u8], thread: u32) {
        if let Some(reason) = self.failure {
            return self.world.lose(1, reason);
        }
        if let Some((call, parameters)) = event::decode(bytes, thread) {
            self.writer.call(&call, parameters);
            self.after_a_line();
        }
    }

    fn after_a_line(&mut self) {
        if self.writer.block_bytes() >= BLOCK_BYTES {
            self.end_block();
        } else if self.block_since == 0 {
            self.block_since = system::monotonic();
        }
    }

    fn is_block_old(&self) -> bool {
        self.block_since > 0 && system::monotonic() - self.block_since > BLOCK_NS
    }

    /// Writes the block. If that fails, its calls are lost, and all later ones: they may refer to its lines.
    fn end_block(&mut self) {
        self.block_since = 0;
        let calls = self.writer.block_calls();
        let folder = &self.world.settings.folder;
        let reason = match self.writer.finish_block() {
            Ok([]) => return,
            Ok(block) if self.failure.is_none() && !self.limit.admits(folder, block.len() as u64) => LossReason::Limit,
            Ok(block) => match self.file.append(block) {
                Ok(()) => {
                    self.calls += calls;
                    return;
                }
                Err(_) => LossReason::Unwritable,
            },
            Err(_) => LossReason::Unwritable,
        };
        self.world.lose(calls, reason);
        self.failure.get_or_insert(reason);
        self.world.stopped.store(true, Ordering::Relaxed);
    }

    /// Writes lines about calls that were lost since the last time. After a failure they come with the end, or a file
    /// would grow with them.
    fn report_losses(&mut self) {
        if self.failure.is_some() && !self.world.requests.finish.load(Ordering::Relaxed) {
            return;
        }
        for (reason, reported) in LossReason::ALL.into_iter().zip(&mut self.reported) {
            let lost = self.world.lost(reason);
            let calls = mem::replace(reported, lost).abs_diff(lost);
            if calls > 0 {
                let why = reason.text().to_owned();
                self.writer.line(&RecordedLine::Lost(LostCalls { calls, why, at: system::monotonic() }));
            }
        }
    }

    fn finish(&mut self) {
        // The block before may fail, and its calls are then lost.
        self.end_block();
        self.report_losses();
        self.writer.line(&RecordedLine::End(RecordedEnd {
            at: system::monotonic(),
            calls: self.calls,
            cost_ns: self.world.cost_ns.load(Ordering::Relaxed),
            dropped: self.reported.iter().sum(),
        }));
        self.end_block();
        self.world.stopped.store(true, Ordering::Relaxed);
    }
}

fn long_call(bytes: &[u8]) -> Option<(*mut u8, usize)> {
    let (address, length) = bytes.split_first_chunk()?;
    let length: [u8; 8] = length.try_into().ok()?;
    Some((ptr::with_exposed_provenance_mut(u64::from_ne_bytes(*address) as usize), u64::from_ne_bytes(length) as usize))
}
