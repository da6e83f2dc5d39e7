//! Simulated power losses: what a disk may hold when the power goes while a program writes to it.
//!
//! A program [records](record) what it does to the files below a folder: its own definitions of the C library's functions
//! (`interposed`) make each call and log it with its bytes. From the [log](Log), [images](Images) are made of what the disk may hold after
//! any record, by rules as weak as those of POSIX (`disk`). An engine that is power-safe opens each of them with every commit that had been
//! acknowledged.
//!
//! A test that cannot fail shows nothing: the same log without the sync calls of one [class](sync_classes) is that of a program
//! which forgets them, and should give images that are damaged.

mod content;
mod disk;
mod effects;
mod folder;
mod images;
// Where a number of a system call is smaller than an offset, calls take offsets in halves.
#[cfg(target_pointer_width = "64")]
mod interposed;
mod log;
#[cfg(target_pointer_width = "64")]
mod opens;
mod policy;
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
pub use log::{Log, SyncClass, sync_classes};
pub use policy::Policy;
pub use record::{FileId, Marker, Record, SyncCall};
pub use recording::{Recording, mark, record};
pub use tape::Tape;
