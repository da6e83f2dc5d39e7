//! Everything that measures: a session's runs ([`runner`], [`session`]), kills and power losses ([`torture`]), the highest rate that keeps
//! a promise ([`capacity`]), options ([`tune`]), an engine with its options ([`choose`]), users' own statements ([`script`]), recordings ([`replay`]), a test followed for hours ([`soak`]), an engine's conformance to the protocol
//! ([`conformance`]). Other processes see all of it as [`jobs`], and watch it with [`watching`].

pub mod capacity;
pub mod choose;
pub mod conformance;
pub mod jobs;
pub mod own;
pub mod replay;
pub mod runner;
pub mod script;
pub mod session;
pub mod soak;
pub mod torture;
pub mod tune;
pub mod watching;
