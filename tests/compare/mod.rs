//! Comparing: verdicts, what is not compared, formats, the command, and other programs' opinion.

mod benchstat;
mod command;
mod fixture;
mod formats;
mod obstacles;
pub(crate) mod simulation;
mod verdicts;
