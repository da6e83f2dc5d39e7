//! From results to what a person or a program reads.

mod grid;
pub mod matrix;
pub mod session_table;
pub mod text;
pub mod units;
