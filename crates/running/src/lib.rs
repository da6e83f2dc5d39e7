//! All that measures: a session's runs ([`runner`], [`session`]), kills and power losses ([`torture`]), the highest rate that keeps a promise
//! ([`capacity`]), options ([`tune`]), a test followed for hours ([`soak`]), an engine held to the protocol ([`conformance`]). Others watch it as [`jobs`].

pub mod capacity;
pub mod conformance;
pub mod jobs;
pub mod runner;
pub mod session;
pub mod soak;
pub mod torture;
pub mod tune;
