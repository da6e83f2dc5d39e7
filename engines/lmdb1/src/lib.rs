//! LMDB 1.0 (its branch mdb.master3, not released yet) as an engine of dbdyno, with page encryption and page checksums.
//!
//! A separate program: the main program contains the 0.9 line, which uses the same symbol names, and a linker with both silently takes one
//! of them for both.

mod checksum;
mod chunks;
mod cipher;
mod damage;
mod describe;
mod environment;
mod key;
mod kv;
pub mod lmdb;
mod long;
mod nonce;
mod ordered;

pub use cipher::{Algorithm, Cipher};
pub use damage::{Damage, Proof};
pub use describe::describe;
pub use key::EncryptionKey;
pub use kv::Lmdb1;
pub use ordered::Lmdb1Store;

use dbdyno_engine::serve::Program;
use dbdyno_tables::Layered;
use dbdyno_workload::program;

pub static PROGRAM: Program = program::both::<Lmdb1, Layered<Lmdb1Store>>(describe);
