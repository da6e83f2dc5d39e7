//! Comparing: verdicts, what is not compared, formats, the command, and other programs' opinion.

mod actors;
mod benchstat;
mod command;
mod conditions;
pub(crate) mod fixture;
mod formats;
mod groups;
mod inputs;
mod looks;
mod matching;
mod medians;
mod metrics;
mod obstacles;
mod page;
mod scaling;
mod sessions;
mod several;
pub(crate) mod simulation;
mod timed;
mod verdicts;
