//! fjall, a log-structured merge tree in Rust.

mod describe;
mod kv;

pub use describe::describe;
pub use kv::Fjall;
