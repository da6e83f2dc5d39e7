//! The requests of the Live screen to the store.

use super::{
    Gathered, RecordedSlot, RecordedTest, Recording, Standings,
    further::{UndecidedTest, undecided},
};
use crate::tui::{
    launch::OwedSession,
    screens::further::{RoundsPlan, plan},
    setup::TuiSetup,
    subject::{HasSubject, Subject},
};
use dbdyno_catalog::engines::Registry;
use dbdyno_comparing::compare::{AnotherLook, load};
use dbdyno_foundation::{host::HostFacts, metric::Metric};
use dbdyno_reports::{claims::closing_text, tune::effects_text};
use dbdyno_running::{
    runner::{Owed, ResumeError, SessionOutline},
    session::{FollowUp, SelectedEffects, follow_up},
};
use dbdyno_store::{Latencies, ReadWatch, RunTests, Selection, Store, TestRecord};
use dbdyno_workload::histogram::from_bytes;
use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

#[derive(Debug)]
pub enum Request {
    /// The usual times of a suite's tests in earlier sessions.
    Usual {
        /// The suite's name.
        suite: String,
        watch: ReadWatch,
    },
    /// A stored run.
    Recording {
        /// UUID.
        run: String,
    },
    /// Whether there is an interrupted session that can be resumed.
    WasLeft,
    /// The last session that was interrupted.
    Owed,
    /// The runs that a resumed session had finished earlier.
    Earlier {
        /// UUID.
        session: String,
    },
    /// The stored runs of a session that has ended, and its follow-up.
    Ended {
        /// UUID.
        session: String,
        outline: Box<SessionOutline>,
    },
    /// The tests of an ended session that more rounds would decide.
    Undecided {
        /// UUID.
        session: String,
    },
    /// A plan for more rounds where the verdict is undecided.
    Further {
        look: Box<AnotherLook>,
        /// The equivalent command line.
        command: Vec<String>,
    },
    /// The configurations compared with their references. It reads nothing but takes time, which must not disturb a test in progress.
    Standings(Box<Gathered>),
}

impl HasSubject for Request {
    fn subject(&self) -> Subject {
        match self {
            Self::Usual { watch, .. } => Subject::watched("usual times", watch),
            Self::Recording { .. } => Subject::read("recording"),
            Self::WasLeft => Subject::read("whether one was left"),
            Self::Owed => Subject::read("owed"),
            Self::Earlier { .. } => Subject::read("earlier runs"),
            Self::Ended { .. } => Subject::read("ended session"),
            Self::Undecided { .. } => Subject::read("undecided"),
            Self::Further { .. } => Subject::read("further rounds"),
            Self::Standings(_) => Subject::read("standings"),
        }
    }
}

#[derive(Debug)]
pub enum Response {
    /// Median times by engine, size and test, ns.
    Usual(BTreeMap<(String, String, u32), f64>),
    /// The run, or the reason why it is not available.
    Recording(Result<Box<Recording>, String>),
    /// Whether there is an interrupted session; true if the store cannot be read, because there may be one.
    WasLeft(bool),
    /// The runs that an interrupted session still owes, or the reason why none can be resumed.
    Owed(Result<Box<OwedSession>, String>),
    /// Finished runs of a session; empty if the store cannot be read.
    Earlier {
        /// UUID.
        session: String,
        /// The runs with their tests.
        runs: Vec<RunTests>,
    },
    /// Finished runs of an ended session; empty if the store cannot be read.
    Ended {
        /// UUID.
        session: String,
        runs: Vec<RunTests>,
        /// Title and lines of its follow-up, if the preset asks for one.
        follow_up: Option<(String, Vec<String>)>,
    },
    /// The undecided tests, or the reason why they are unknown.
    Undecided(Result<Vec<UndecidedTest>, String>),
    /// The rounds that can be run, or the reason why none can.
    Further(RoundsPlan),
    /// The configurations compared with their references, and the time that the comparing took.
    Standings(Standings, Duration),
}

pub(super) fn respond(request: Request, setup: &TuiSetup) -> Response {
    match request {
        Request::Usual { suite, watch } => Response::Usual(usual(&setup.store.watched(&watch), &suite)),
        Request::WasLeft => Response::WasLeft(was_left(&setup.store)),
        Request::Owed => Response::Owed(owed(setup).map(Box::new)),
        Request::Earlier { session } => Response::Earlier { runs: earlier(&setup.store, &session), session },
        Request::Ended { session, outline } => Response::Ended {
            runs: earlier(&setup.store, &session),
            follow_up: followed(&session, &outline, setup),
            session,
        },
        Request::Undecided { session } => Response::Undecided(undecided(&session, setup)),
        Request::Further { look, command } => Response::Further(plan(*look, command, setup)),
        Request::Standings(gathered) => {
            let begun = Instant::now();
            let standings = gathered.standings();
            Response::Standings(standings, begun.elapsed())
        }
        Request::Recording { run } => Response::Recording(recording(&setup.store, &run).map(Box::new)),
    }
}

fn was_left(store: &Store) -> bool {
    let found = store.settle_to_read().and_then(|_| store.has_left_session(&HostFacts::read().ids()));
    found.unwrap_or(true)
}

/// Returns the last interrupted session.
fn owed(setup: &TuiSetup) -> Result<OwedSession, String> {
    let nothing = || ResumeError::Nothing.to_string();
    let store = &setup.store;
    if !store.exists() && !store.has_journals() {
        return Err(nothing());
    }
    store.settle().map_err(|error| error.to_string())?;
    let owed = Owed::find(store, &Registry::discover(), None, false).map_err(|error| error.to_string())?;
    Ok(OwedSession {
        session_id: owed.session_id().to_owned(),
        runs: owed.runs(),
        expected_run: owed.expected_run,
        plan: owed.plan,
    })
}

/// Returns the median times of a suite's tests; empty if the store cannot be read.
fn usual(store: &Store, suite: &str) -> BTreeMap<(String, String, u32), f64> {
    let times = store.usual_times(suite).unwrap_or_default();
    times.into_iter().map(|time| ((time.engine, time.size, time.test), time.median_ns)).collect()
}

fn earlier(store: &Store, session: &str) -> Vec<RunTests> {
    let text = format!("session={session}");
    let Ok(selection) = Selection::parse_line(&text) else { return Vec::new() };
    let side = load(store, &text, &selection, Metric::Wall, Latencies::Left).unwrap_or_default();
    // Rounds that were added to it belong to other sessions.
    side.runs.into_iter().filter(|run| run.session_id.to_string() == session).collect()
}

/// Returns a session's follow-up, as the command line prints it; none if its preset asks for none.
fn followed(session: &str, outline: &SessionOutline, setup: &TuiSetup) -> Option<(String, Vec<String>)> {
    let mut text = String::new();
    match follow_up(session, outline, &setup.catalog, &setup.store) {
        Ok(FollowUp { effects, claims }) => {
            for SelectedEffects { selected, found } in effects {
                text += &match found {
                    Ok(found) => effects_text(&found),
                    Err(error) => format!("{selected}: {error}\n"),
                };
                text.push('\n');
            }
            text += &match claims {
                Some(Ok(table)) => closing_text(&table),
                Some(Err(error)) => format!("{error}\n"),
                None => String::new(),
            };
        }
        Err(error) => text = format!("the session's follow-up cannot be read: {error}"),
    }
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    (!lines.is_empty()).then(|| ("Findings of the session".to_owned(), lines))
}

fn recording(store: &Store, run: &str) -> Result<Recording, String> {
    let nothing = || format!("run {run} cannot be replayed: it is not stored, or has no finished test");
    let recorded = store.recorded_run(run).map_err(|error| error.to_string())?.ok_or_else(nothing)?;
    let mut slots: BTreeMap<u32, Vec<RecordedSlot>> = BTreeMap::new();
    for slot in recorded.slots {
        slots.entry(slot.test).or_default().push(RecordedSlot {
            end_ns: slot.at_ns,
            operations: slot.operations,
            latencies: slot.histogram.and_then(|histogram| from_bytes(&histogram.0).ok()),
        });
    }
    let test = |test: TestRecord| {
        Some(RecordedTest {
            number: test.test,
            // An imported test may have no count of operations.
            operations: test.figure(Metric::Operations).unwrap_or(1),
            wall_ns: test.figure(Metric::Wall)?,
            latencies: test.samples(),
            per_sample: test.operations_per_sample,
            slots: slots.remove(&test.test).unwrap_or_default(),
            name: test.test_name,
        })
    };
    let tests: Vec<RecordedTest> = recorded.tests.into_iter().filter_map(test).collect();
    if tests.is_empty() {
        return Err(nothing());
    }
    Ok(Recording { title: recorded.title, tests })
}
