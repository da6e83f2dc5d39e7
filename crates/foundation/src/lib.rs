//! The base of all crates of dbdyno: values and files ([`base`]), the machine ([`host`]), the figures of a test ([`metric`]), and the
//! processes of engines ([`process`]).

pub mod base;
pub mod host;
pub mod metric;
pub mod process;
