//! Which options should be set? A search among what the engine's description offers, by successive halving.
//!
//! 1. Candidates are changes of the base whose tier is not below the one asked for: every single change first, then
//!    what is one change away from the best of these, then combinations of two to four.
//! 2. Each is measured in two rounds beside the base; the better half goes on with twice the rounds, and so on. The two best
//!    together are a candidate too. The first rung tries as many as its share of the budget allows, by what runs take.
//! 3. Each change of the one that is left is taken out of it, on fresh seeds, and stays out unless that makes it slower: what
//!    lowers the tier first ([`Reduction`]).
//! 4. What is then left is confirmed against the base on fresh seeds, in a number of rounds that is fixed beforehand. Only this
//!    figure is reported as the gain: the best of many is always partly lucky.

mod candidates;
mod finish;
mod halving;
mod outcome;
mod reduce;
mod run;

pub use candidates::{Aim, Candidate, pool};
pub use halving::{halved, together};
pub use outcome::{Fate, SearchOutcome, SearchSpec, Tried};
pub use reduce::{Attempt, Reduction, TakenOut};
pub use run::search;
