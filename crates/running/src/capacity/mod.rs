//! The highest rate at which an actor of a test keeps what is promised of its response times.
//!
//! A [`Probe`] is one run, on a fresh database, in which the actor's operations are due at a rate whether those before them are done or
//! not. [`Search`] chooses rates: from where it begins outwards until one holds and one breaks, then the middle of the two, until they
//! are as near as was asked for. A first search finds the neighbourhood, and repeats what it ends between. Then each round is a
//! search of its own, with a seed and databases of its own, and gives one figure: those of the rounds are independent, so that their
//! median has an interval that supposes nothing of how they are distributed, and rounds of two engines are pairs.

mod answer;
mod event;
mod measure;
mod probe;
mod promise;
mod search;
mod target;

pub use answer::{Answer, AtRate, Capacity, CapacityReport, Contrary, Duel, Estimate, Found, Limit, RateRange, duels};
pub use event::CapacityEvent;
pub use measure::{CapacityError, CapacityLab, Phase, measure};
pub use probe::{Broken, Probe, Quantile};
pub use promise::{Promise, Promises};
pub use search::{End, Ends, Search};
pub use target::{Target, Terms};
