//! Published figures beside what was measured here.

mod judge;
mod table;

pub use judge::{Measured, Reproduction, judge};
pub use table::{ClaimsTable, JudgedClaim, JudgedComparison};
