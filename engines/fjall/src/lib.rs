//! fjall, a log-structured merge tree in Rust.

mod counted;
mod describe;
mod kv;
mod ordered;

pub use describe::describe;
pub use kv::Fjall;
pub use ordered::FjallStore;

use dbdyno_engine::serve::Program;
use dbdyno_tables::Layered;
use dbdyno_workload::program;

pub static PROGRAM: Program = program::both::<Fjall, Layered<FjallStore>>(describe);
