//! fjall, a log-structured merge tree in Rust.

mod describe;
mod kv;
mod ordered;

pub use describe::describe;
pub use kv::Fjall;
pub use ordered::FjallStore;
