//! Which engine, with which settings, for this workload and these constraints?
//!
//! 1. Every engine of this machine that can meet the [`Constraints`], as far as its description tells, is measured with the settings that
//!    it starts with: its defaults, and the fewest options whose commits survive just what is asked for.
//! 2. Settings of the engines that are left are tried by successive halving, in paired rounds on common seeds: see
//!    [`race`](crate::tune::race). The best of each engine stays in the race until it is too far behind.
//! 3. The leaders are reduced to the settings that contribute, and confirmed against each other on fresh seeds. Only the confirmation
//!    decides: the best of many is always partly lucky. Engines that it does not tell apart are level.
//!
//! Everything is kept in the store, so that a choice that was interrupted goes on where it was.

mod answer;
mod compete;
mod entrants;
mod event;
mod question;
mod run;
mod stored;

pub use answer::{ChoiceAnswer, ChoiceVerdict, EngineAnswer, EngineState, PromiseResult};
pub use compete::{ChooseTrack, Competition, CompetitionTerms, ConfirmedArm, compete};
pub use entrants::{ChosenWorkload, Considered, NotConsidered, considered};
pub use event::{ChooseEvent, ChoosePhase, LeaderLine};
pub use question::{Constraints, Question, RatePromise};
pub use run::choose;
pub use stored::{StoredChoice, find_choice, unanswered_choice};
