//! What results mean beside each other: two selections with verdicts ([`compare`]), doubts about a session ([`lint`]), published figures
//! beside measured ones ([`claims`]).

pub mod claims;
pub mod compare;
pub mod lint;
