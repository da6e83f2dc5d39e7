//! What every part may use, and what uses none of them: folders that a later start sweeps, identifiers.

pub mod identifier;
pub mod scratch;
