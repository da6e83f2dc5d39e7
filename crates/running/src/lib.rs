//! All that measures: a session's runs ([`runner`], [`session`]), kills and power losses ([`torture`]), the highest rate that keeps a promise
//! ([`capacity`]), options ([`tune`]), a test followed for hours ([`soak`]), an engine held to the protocol ([`conformance`]). Others see it as [`jobs`],
//! and watch it ([`watching`]).

pub mod capacity;
pub mod conformance;
pub mod jobs;
pub mod runner;
pub mod session;
pub mod soak;
pub mod torture;
pub mod tune;
pub mod watching;
