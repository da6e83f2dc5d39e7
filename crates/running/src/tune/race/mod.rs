//! A race between settings of one or more engines, by successive halving: what the search for settings and the choice of an engine share.
//!
//! 1. Candidates are changes of an entrant's base whose tier is not below the required one: first every single change, then the candidates
//!    one change away from the best of these, then combinations of two to four.
//! 2. Each is measured in two rounds alongside the reference, which runs in every session. The better half continues with twice the
//!    rounds, and so on. The two best of an engine together are a candidate too, and so are the changes that gain by themselves according
//!    to all its runs. The first rung tries as many as fit its share of the budget, according to the duration of runs.
//! 3. Each change of what remains is taken out of it, on fresh seeds, and stays out unless that makes it slower. Changes that lower the
//!    tier are taken out first ([`Reduction`]).
//!
//! What a race is measured with is a [`Track`]: sessions on this machine, sessions of the store, or simulated times.

mod candidates;
mod field;
mod halving;
mod lab_track;
mod looks;
mod main_effects;
mod reduce;
mod rungs;
mod takeout;
mod track;

pub use candidates::{Aim, Candidate, pool};
pub use field::{ArmResult, CandidateFate, CandidateResult};
pub use halving::{halved, together};
pub use lab_track::{LabTrack, RaceListener, RaceStep};
pub use looks::{Contest, ContestSamples, affordable_rounds};
pub use reduce::{Reduction, TakenOut, WinnerVariant};
pub use rungs::{Entrant, Race, RaceTerms, StartTerms};
pub use track::{Arm, EntrantStanding, RaceNews, RaceSamples, RaceSession, RaceStanding, Track};

pub(in crate::tune) use takeout::TAKE_OUT_ROUNDS;
