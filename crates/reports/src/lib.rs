//! Turns results into reports for people and programs.

pub mod answer;
pub mod capacity;
pub mod choose;
pub mod claims;
pub mod command;
pub mod comparison;
pub mod details;
pub mod doubts;
pub mod evidence;
pub mod format;
mod lines;
pub mod matrix;
pub mod recording;
pub mod results;
pub mod session_table;
pub mod sheet;
pub mod soak;
pub mod text;
pub mod torture;
pub mod tracked;
pub mod trend;
pub mod tune;
