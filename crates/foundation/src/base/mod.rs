//! Utilities for every part of dbdyno, which depend on none of them: numbers and names for people, tables of text, input files, output
//! files that are written whole, typed values, leftovers that a later start sweeps, identifiers.

pub mod csv;
pub mod grid;
pub mod identifier;
pub mod input;
pub mod leftovers;
pub mod names;
pub mod output;
pub mod own_folders;
pub mod scratch;
pub mod sql_tokens;
pub mod sqlite;
pub mod typed;
pub mod units;
