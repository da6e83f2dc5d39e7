//! A test in which the operations of one actor are due at a rate, as the search for a suite's capacity needs it.

use super::{AloneBody, FileNumber, KvBody, LoadBody, TestBody, resolve_number};
use dbdyno_engine::{
    describe::OptionSpec,
    names::{instead_of, one_of},
    settings::Settings,
    suite::{Arrival, Gaps, KvActor, KvActors, KvLoad, KvSuite, KvTest, KvWork, Operation, TransactionScope},
};
use std::collections::BTreeSet;

/// Options that a paced suite has in addition to its own.
pub const OFFERED_RATE: &str = "offered_rate";
pub const GAPS: &str = "gaps";
pub const SECONDS: &str = "seconds";
pub const WARM_UP: &str = "warm_up_seconds";
/// The highest rate, operations a second.
pub const MOST_RATE: u64 = 100_000_000;
/// The longest test and warm-up, s.
pub const MOST_SECONDS: u64 = 86_400;
/// The name of the only actor of a test that has none in its file.
const ALONE: &str = "client";
/// The assumed maximum inserts a second of an actor without a rate: a hint for engines that size a map in advance.
const INSERTS_A_SECOND: u64 = 200_000;

/// An actor of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pace {
    pub test: u32,
    pub actor: String,
}

impl KvBody {
    /// Returns the actor of this name; without a name, the test's only actor.
    pub(in crate::suite) fn pace(&self, test: u32, actor: Option<&str>) -> Result<Pace, String> {
        let Some(body) = self.tests.iter().find(|body| body.number() == test) else {
            return Err(format!("there is no test {test}"));
        };
        let refused = |why: &str| Err(format!("test {test} {}: {why}", body.file.name));
        if body.actors().any(|actor| actor.from.is_some() || actor.until.is_some()) {
            return refused("some of its actors work only part of the time: choose a test with a constant load");
        }
        let names: Vec<String> = match &body.load {
            LoadBody::Alone(alone) => match not_paced(alone) {
                Some(why) => return refused(why),
                None => vec![ALONE.to_owned()],
            },
            LoadBody::Compaction => return refused("it is one compaction: choose a test with many operations"),
            LoadBody::Actors => body.actors().map(|actor| actor.name.clone()).collect(),
        };
        match (actor, names.as_slice()) {
            (None, [only]) => Ok(Pace { test, actor: only.clone() }),
            (None, several) => refused(&format!("it has several actors: choose {}", one_of(several))),
            (Some(actor), names) if names.iter().any(|name| name == actor) => {
                Ok(Pace { test, actor: actor.to_owned() })
            }
            (Some(actor), names) => refused(&format!("unknown actor `{actor}`: {}", instead_of(actor, names))),
        }
    }

    /// Returns the options of a paced suite: its own without those that the pace replaces, and the pace's.
    pub(in crate::suite) fn paced_options(&self, pace: &Pace, own: &[OptionSpec]) -> Vec<OptionSpec> {
        let replaced = self.replaced(pace);
        let number =
            |name: &str, most: u64, default: &str, help: &str| OptionSpec::integer(name, 0, most as i64, default, help);
        own.iter()
            .filter(|option| !replaced.contains(option.name.as_str()))
            .cloned()
            .chain([
                number(
                    OFFERED_RATE,
                    MOST_RATE,
                    "0",
                    "operations due per second; 0: each when the previous one is done",
                ),
                OptionSpec::choice(GAPS, &["even", "poisson"], "poisson", "times between due operations"),
                number(SECONDS, MOST_SECONDS, "5", "how long the test is measured"),
                number(WARM_UP, MOST_SECONDS, "1", "how long it runs before it is measured"),
            ])
            .collect()
    }

    /// Returns the names of options that would have no effect any more, or conflict with the pace's option of the same name.
    fn replaced(&self, pace: &Pace) -> BTreeSet<&str> {
        let (paced, others): (Vec<&TestBody>, Vec<&TestBody>) =
            self.tests.iter().partition(|body| body.number() == pace.test);
        let elsewhere: BTreeSet<&str> = others.into_iter().flat_map(|body| named(body, |_| true)).collect();
        let here = paced.into_iter().flat_map(|body| named(body, |actor| actor == pace.actor));
        here.filter(|name| !elsewhere.contains(name)).chain([OFFERED_RATE, GAPS, SECONDS, WARM_UP]).collect()
    }
}

/// Returns the options with the times of a test and the rates of some of its actors.
fn named(body: &TestBody, of: impl Fn(&str) -> bool) -> Vec<&str> {
    let times = [&body.file.seconds, &body.file.warm_up_seconds].into_iter().flatten().map(|time| time.get_ref());
    let rates = body.actors().filter(|actor| of(&actor.name)).filter_map(|actor| actor.rate.as_ref());
    times.chain(rates).filter_map(option_of).collect()
}

fn option_of(number: &FileNumber) -> Option<&str> {
    match number {
        FileNumber::Option(name) => Some(name),
        FileNumber::Number(_) => None,
    }
}

/// Returns why the operations of a test of one thread cannot be due at a rate.
fn not_paced(alone: &AloneBody) -> Option<&'static str> {
    let does = |is: fn(&Operation) -> bool| alone.work.iter().any(|work| is(&work.operation));
    if !matches!(alone.transaction, TransactionScope::Read | TransactionScope::Each) {
        Some(
            "it puts many operations into one transaction, so they have no rate: choose a test whose transaction is `read` or `each`",
        )
    } else if does(|operation| *operation == Operation::Scan) {
        Some("it is one scan of all rows: choose a test with many operations")
    } else if does(|operation| matches!(operation, Operation::Delete | Operation::Remove)) {
        Some("it deletes rows until none are left: choose another test")
    } else {
        None
    }
}

impl Pace {
    /// Puts the rate and the duration from the suite's options into its job.
    pub(in crate::suite) fn apply(&self, suite: &mut KvSuite, settings: &Settings) {
        let number = |name: &str| resolve_number(&FileNumber::Option(name.to_owned()), settings).unwrap_or(0);
        let gaps = if settings.get(GAPS) == Some(Gaps::Even.word()) { Gaps::Even } else { Gaps::Poisson };
        let arrival = Some(number(OFFERED_RATE)).filter(|rate| *rate > 0).map(|rate| Arrival { rate, gaps });
        let (seconds, warm_up) = (number(SECONDS).max(1), number(WARM_UP));
        let Some(test) = suite.tests.iter_mut().find(|test| test.number == self.test) else { return };
        let mut actors = match &test.load {
            KvLoad::Actors(load) => load.actors.clone(),
            KvLoad::Alone(alone) => vec![alone_actor(&alone.work)],
            // Refused when the pace was created.
            KvLoad::Compaction(_) => return,
        };
        for actor in actors.iter_mut().filter(|actor| actor.name == self.actor) {
            (actor.arrival, actor.operations) = (arrival, None);
        }
        let inserted = inserted_bytes(test, &actors, seconds + warm_up);
        suite.data_bytes = suite.data_bytes.saturating_add(inserted);
        let (time_ms, warm_up_ms) = (Some(seconds * 1_000), warm_up * 1_000);
        test.load = KvLoad::Actors(KvActors { actors, time_ms, warm_up_ms, followed: false });
        // The final state depends on the number of operations that fit into the time.
        test.verify_state = false;
    }
}

fn alone_actor(work: &KvWork) -> KvActor {
    KvActor {
        name: ALONE.to_owned(),
        threads: 1,
        work: work.clone(),
        arrival: None,
        speed: None,
        operations: None,
        during: None,
    }
}

/// Returns the bytes of rows that actors may add in this time.
fn inserted_bytes(test: &KvTest, actors: &[KvActor], seconds: u64) -> u64 {
    let of = |actor: &KvActor| {
        let value = actor.work.work.iter().filter_map(|work| match &work.operation {
            Operation::Insert { value } => Some(value.len() as u64),
            _ => None,
        });
        let rate = actor.arrival.map_or(INSERTS_A_SECOND, |arrival| arrival.rate);
        value.max().map_or(0, |value| (value + test.key.len() as u64).saturating_mul(rate.saturating_mul(seconds)))
    };
    actors.iter().map(of).fold(0, u64::saturating_add)
}
