//! What every part may use, and what uses none of them: files that are read, files that are written whole, folders that a
//! later start sweeps, identifiers.

pub mod identifier;
pub mod input;
pub mod output;
pub mod scratch;
