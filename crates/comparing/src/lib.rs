//! Compares results: two selections with verdicts ([`compare`]), doubts about a session ([`lint`]), published figures with measured ones
//! ([`claims`]).

pub mod claims;
pub mod compare;
pub mod doubt;
pub mod lint;
mod plans;
