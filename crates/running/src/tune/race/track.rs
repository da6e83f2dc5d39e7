//! What a race runs on: something that measures arms, and knows how much time has passed.

use super::{
    super::{effect::TestEffect, lab::TuneError, samples::Samples},
    candidates::Candidate,
    field::ArmResult,
    reduce::TakenOut,
};
use std::time::Duration;

/// An engine with settings: what a race compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arm {
    /// The engine, as its place among the entrants.
    pub entrant: usize,
    pub candidate: Candidate,
}

/// A session of a race: each round runs every arm once, on the same keys and values.
#[derive(Debug)]
pub struct RaceSession<'a> {
    pub arms: &'a [&'a Arm],
    pub rounds: u32,
    pub seed: u64,
    /// No round begins that would end after this time; none: all rounds are run.
    pub left: Option<Duration>,
    /// Runs that take longer fail. None: only those that take far longer than expected.
    pub deadline: Option<Duration>,
}

/// The measurements of a session.
#[derive(Debug, Clone, Default)]
pub struct RaceSamples {
    /// Variant `i` is arm `i` of the session.
    pub samples: Samples,
    /// The mean time of a run of each arm, with its start and the storing of its results. None: the arm has not run.
    pub run_times: Vec<Option<Duration>>,
}

/// What measures the arms of a race.
pub trait Track {
    /// Runs a session.
    ///
    /// # Errors
    /// The session cannot begin, or results are lost.
    fn measure(&mut self, session: RaceSession<'_>) -> impl Future<Output = Result<RaceSamples, TuneError>>;

    /// Returns the time since the race began.
    fn elapsed(&self) -> Duration;

    /// Whether everything has to stop.
    fn is_stopped(&self) -> bool;

    /// Reports progress.
    fn tell(&self, news: RaceNews<'_>);
}

/// The progress of a race.
#[derive(Debug)]
pub enum RaceNews<'a> {
    /// An arm is excluded, for this reason.
    Dropped { arm: &'a Arm, reason: &'a str },
    /// The state after a session.
    Standing(Box<RaceStanding>),
    /// A change was taken out of the best arm of an entrant, and the rest was compared with it.
    TakenOut { entrant: usize, what: &'a TakenOut },
}

/// The state of a race. The best of many is partly lucky: only a confirmation shows its gain.
#[derive(Debug, Clone)]
pub struct RaceStanding {
    /// How many arms were tried.
    pub tried: usize,
    /// How many arms are in the race.
    pub alive: usize,
    /// The best so far.
    pub best: Option<Arm>,
    /// Its figure over all tests, against the reference. None: it is the reference.
    pub best_effect: Option<TestEffect>,
    /// The arms that ran, sorted by the last rung that they reached and then by their figure.
    pub ranked: Vec<ArmResult>,
    /// The best arm of each entrant, by the entrant's place, with its figure against the best of all.
    pub entrants: Vec<Option<EntrantStanding>>,
}

/// The best arm of an entrant so far.
#[derive(Debug, Clone)]
pub struct EntrantStanding {
    pub result: ArmResult,
    /// Its time relative to the best of all; none for the best itself, and as long as they have no round in common.
    pub behind: Option<TestEffect>,
    /// How many of the entrant's arms were tried.
    pub tried: usize,
}
