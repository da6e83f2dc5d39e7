//! Published figures beside what was measured here.

mod judge;
mod measure;
mod table;

pub use judge::{MeasuredRatio, Reproduction, judge};
pub use measure::{JudgeError, judged};
pub use table::{ClaimsTable, ComparedClaims, JudgedClaim, JudgedComparison, RunOrigin};
