//! Published figures beside what was measured here.

mod choose;
mod judge;
mod measure;
mod table;

pub use judge::{ClaimedDirection, JudgedSizes, MeasuredRatio, Reproduction, direction, judge};
pub use measure::judged;
pub use table::{ClaimsTable, ComparedClaims, Found, FoundPair, JudgedClaim, JudgedComparison, RunOrigin};
