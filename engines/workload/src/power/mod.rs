//! Simulated power losses: what a disk may hold when the power fails while a program writes to it.
//!
//! A program [records](record) what it does to the files below a folder. Its own definitions of the C library's functions (`interposed`)
//! make each call and log it with its bytes. From the [log](PowerLog), dbdyno generates [images](Images) of what the disk may hold after any
//! record, by rules as weak as those of POSIX (`disk`). A power-safe engine opens each image with every commit that had been acknowledged.
//!
//! A test that cannot fail proves nothing. The same log without the sync calls of one [class](sync_classes) is the log of a program that
//! forgets them, and should give damaged images.

mod content;
mod disk;
mod effects;
mod folder;
mod images;
// Where a system call's arguments are smaller than an offset, calls take offsets in halves.
#[cfg(target_pointer_width = "64")]
mod interposed;
mod log;
#[cfg(target_pointer_width = "64")]
mod opens;
mod policy;
#[cfg(target_pointer_width = "64")]
mod reads;
mod record;
mod recorder;
mod recording;
mod tape;
#[cfg(test)]
mod tests;
mod tree;

pub use content::Content;
pub use disk::Names;
pub use images::{Image, Images, missed};
#[cfg(target_pointer_width = "64")]
pub use interposed::definitions;
pub use log::{PowerLog, SyncClass, sync_classes};
pub use policy::Policy;
pub use record::{FileId, Marker, PowerRecord, SyncCall};
pub use recording::{PowerRecording, mark, record};
pub use tape::Tape;
