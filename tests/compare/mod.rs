//! Comparing: verdicts, what is not compared, formats, the command, and other programs' opinion.

mod benchstat;
mod command;
mod conditions;
pub(crate) mod fixture;
mod formats;
mod groups;
mod looks;
mod matching;
mod medians;
mod metrics;
mod obstacles;
mod page;
mod scaling;
mod several;
pub(crate) mod simulation;
mod timed;
mod verdicts;
