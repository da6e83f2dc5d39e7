//! Published figures compared with measurements on this machine.

mod choose;
mod judge;
mod measure;
mod table;

pub use judge::{ClaimedDirection, JudgedSizes, MeasuredRatio, Reproduction, direction, judge};
pub use measure::judged;
pub use table::{ClaimRuns, ClaimsTable, ComparedClaims, FoundPair, JudgedClaim, JudgedComparison, RunOrigin};
