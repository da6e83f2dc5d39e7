//! The end of a process image: what is in the rings is written before it.

use crate::{system, world};
use std::sync::atomic::Ordering;

/// How long the end of the program may wait for the writing thread.
const EXIT_NS: u64 = 2_000_000_000;

/// Ends the recording of this process, if it has one.
pub(crate) fn finish() {
    let Some(world) = world::current() else { return };
    // A child of vfork shares the memory of its parent, whose recording goes on.
    if world.pid == system::process_id() && !world.requests.finish.swap(true, Ordering::AcqRel) {
        world.flush(EXIT_NS);
    }
}

/// Has everything written before the process image may be replaced.
pub(crate) fn flush() {
    if let Some(world) = world::current()
        && world.pid == system::process_id()
        && !world.requests.finish.load(Ordering::Acquire)
    {
        system::keeping_errno(|| world.flush(EXIT_NS));
    }
}

/// Runs at `exit`, after the functions that the program registered for it.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = {
    extern "C" fn finish_recording() {
        finish();
    }
    finish_recording
};
