//! Comparisons: verdicts, refused comparisons, formats, the command, and agreement with other programs.

mod actors;
mod benchstat;
mod command;
mod conditions;
pub(crate) mod fixture;
mod formats;
mod groups;
mod inputs;
mod leaders;
mod looks;
mod matching;
mod medians;
mod metrics;
mod obstacles;
mod page;
mod scaling;
mod sentences;
mod sessions;
mod several;
pub(crate) mod simulation;
mod timed;
mod verdicts;
