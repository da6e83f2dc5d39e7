//! Which options should be set? A [race](super::race) among the settings of one engine, against a base.
//!
//! The best candidate, reduced to the changes that make it faster, is confirmed against the base on fresh seeds, in a number of rounds that
//! is fixed beforehand. Only this figure is reported as the gain: the best of many is always partly lucky.

mod outcome;
mod run;

pub use outcome::{SearchOutcome, SearchSpec};
pub use run::search;
