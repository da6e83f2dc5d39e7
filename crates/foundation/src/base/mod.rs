//! What every part may use, and what uses none of them: numbers and names for people, tables of text, files that are read, files that are
//! written whole, values that are typed, what a later start sweeps, identifiers.

pub mod csv;
pub mod grid;
pub mod identifier;
pub mod input;
pub mod leftovers;
pub mod names;
pub mod output;
pub mod own_folders;
pub mod scratch;
pub mod sqlite;
pub mod typed;
pub mod units;
