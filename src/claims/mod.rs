//! Published figures beside what was measured here.

mod judge;

pub use judge::{Measured, Reproduction, judge};
