//! Which options should be set? A search among the options of the engine's description, by successive halving.
//!
//! 1. Candidates are changes of the base whose tier is not below the required one: first every single change, then the candidates one
//!    change away from the best of these, then combinations of two to four.
//! 2. Each is measured in two rounds alongside the base. The better half continues with twice the rounds, and so on. The two best together
//!    are a candidate too. The first rung tries as many as fit its share of the budget, according to the duration of runs.
//! 3. Each change of the remaining candidate is taken out of it, on fresh seeds, and stays out unless that makes it slower. Changes that
//!    lower the tier are taken out first ([`Reduction`]).
//! 4. The rest is confirmed against the base on fresh seeds, in a number of rounds that is fixed beforehand. Only this figure is reported
//!    as the gain: the best of many is always partly lucky.

mod candidates;
mod finish;
mod halving;
mod outcome;
mod reduce;
mod run;

pub use candidates::{Aim, Candidate, pool};
pub use halving::{halved, together};
pub use outcome::{CandidateFate, CandidateResult, SearchOutcome, SearchSpec};
pub use reduce::{Reduction, TakenOut, WinnerVariant};
pub use run::search;
