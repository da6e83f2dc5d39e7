//! Comparing: verdicts, what is not compared, formats, the command, and other programs' opinion.

mod benchstat;
mod command;
pub(crate) mod fixture;
mod formats;
mod metrics;
mod obstacles;
mod scaling;
pub(crate) mod simulation;
mod verdicts;
