//! The highest rate at which an actor of a test keeps the promises about its response times.
//!
//! A [`RateProbe`] is one run, on a fresh database, in which the actor's operations are due at a rate, whether the previous ones are done or
//! not. [`Search`] chooses the rates. It moves outwards from its beginning until one rate holds and one breaks. Then it tries the middle of
//! the two, until they are as close as requested. A first search finds the neighbourhood, and repeats the two rates that it ends between.
//! Then each round is a search of its own, with its own seed and databases, and gives one figure. The figures of the rounds are
//! independent. So their median has an interval that assumes nothing about their distribution, and rounds of two engines are pairs.

mod answer;
mod event;
mod measure;
mod probe;
mod promise;
mod search;
mod target;

pub use answer::{
    AtRate, Capacity, CapacityAnswer, CapacityReport, Contrary, Duel, Limit, RateEstimate, RateRange, SearchResult,
    duels,
};
pub use event::CapacityEvent;
pub use measure::{CapacityError, CapacityLab, CapacityPhase, at_rate, measure};
pub use probe::{Broken, Quantile, RateProbe};
pub use promise::{Promise, Promises};
pub use search::{RateBounds, Search, SearchEnd};
pub use target::{CapacityTerms, RateTarget};
