//! The order in which a worker may send the events of the protocol, checked without any I/O.

use super::sent::SentHistogram;
use dbdyno_engine::{
    protocol::{ActorDone, Event, StatementDone, SuiteJob, TestDone, TestHead},
    suite::{KvLoad, KvTest, SqlTest},
};
use std::sync::Arc;

/// The progress of a run, according to its worker's events.
#[derive(Debug, Clone)]
pub(super) struct Conversation {
    /// The tests that are still to come, the next one last.
    owed: Vec<OwedTest>,
    state: ConversationState,
}

/// A test as the job requests it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OwedTest {
    number: u32,
    measured: bool,
    /// How many operations it has; none if that depends on the content of the database.
    operations: Option<u64>,
    /// The most rows of one operation; none if that depends on the content of the database.
    most_rows: Option<u64>,
    /// Its actors, if it has several threads.
    actors: Vec<OwedActor>,
    /// The names of its steps, if they have any.
    names: Vec<String>,
}

/// An actor as the job requests it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OwedActor {
    name: String,
    threads: u32,
    /// The most rows of one operation; none if that depends on the content of the database.
    most_rows: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConversationState {
    Starting,
    Between,
    Testing(u32),
    Ended,
}

impl Conversation {
    /// Creates the conversation of a job.
    pub(super) fn new(suite: &SuiteJob) -> Self {
        let owed_test = |test: &TestHead<'_>| OwedTest {
            number: test.number,
            measured: test.measured,
            operations: test.operations,
            most_rows: most_rows(suite, test.number),
            actors: actors(suite, test.number),
            names: names(suite, test.number),
        };
        let mut owed: Vec<_> = suite.tests().iter().map(owed_test).collect();
        owed.reverse();
        Self { owed, state: ConversationState::Starting }
    }

    /// Returns the test under way.
    pub(super) fn test(&self) -> Option<u32> {
        match self.state {
            ConversationState::Testing(test) => Some(test),
            ConversationState::Starting | ConversationState::Between | ConversationState::Ended => None,
        }
    }

    /// Whether the worker has sent its last event.
    pub(super) fn ended(&self) -> bool {
        self.state == ConversationState::Ended
    }

    /// Accepts an event and reads a result's histogram, or reports what is wrong with it.
    pub(super) fn accept(&mut self, event: &Event) -> Result<Option<Arc<SentHistogram>>, String> {
        // Progress events of a test may be left out in large numbers, so their histograms are read later.
        let histogram = if matches!(event, Event::TestDone(_)) { SentHistogram::of(event)? } else { None };
        self.state = match (self.state, event) {
            (ConversationState::Starting, Event::Opened { .. }) => ConversationState::Between,
            (ConversationState::Between, Event::TestStarted { test, measured, .. }) => match self.owed.last() {
                Some(next) if (next.number, next.measured) == (*test, *measured) => ConversationState::Testing(*test),
                Some(next) => return Err(format!("it began test {test}, expected {}", next.number)),
                None => return Err(format!("it began test {test} after the last test")),
            },
            (ConversationState::Testing(running), Event::Progress { test, .. }) if running == *test => self.state,
            (ConversationState::Testing(running), Event::Turn { test, .. }) if running == *test => self.state,
            (ConversationState::Testing(running), Event::TestDone(done)) if running == done.test => {
                check(done, self.owed.pop(), histogram.as_deref())?;
                ConversationState::Between
            }
            (ConversationState::Between, Event::Done) => match self.owed.last() {
                None => ConversationState::Ended,
                Some(next) => return Err(format!("it sent `done` before test {}", next.number)),
            },
            (
                ConversationState::Starting | ConversationState::Between | ConversationState::Testing(_),
                Event::Failed { .. },
            ) => ConversationState::Ended,
            (_, event) => return Err(format!("it sent `{}` out of order", event.word())),
        };
        Ok(histogram)
    }
}

/// Returns the most rows of an operation in a single-threaded test.
fn most_rows(suite: &SuiteJob, number: u32) -> Option<u64> {
    let SuiteJob::Kv(suite) = suite else { return None };
    match &suite.tests.iter().find(|test| test.number == number)?.load {
        KvLoad::Alone(alone) => alone.work.most_rows(),
        KvLoad::Actors(_) | KvLoad::Compaction(_) => None,
    }
}

/// Returns the actors of a test that have threads.
fn actors(suite: &SuiteJob, number: u32) -> Vec<OwedActor> {
    let owed = |name: &str, threads, most_rows| OwedActor { name: name.to_owned(), threads, most_rows };
    let actors: Vec<OwedActor> = match suite {
        SuiteJob::Kv(suite) => {
            let loads = suite.tests.iter().filter(|test| test.number == number).filter_map(|test| match &test.load {
                KvLoad::Actors(load) => Some(load),
                KvLoad::Alone(_) | KvLoad::Compaction(_) => None,
            });
            let actors = loads.flat_map(|load| &load.actors);
            actors.map(|actor| owed(&actor.name, actor.threads, actor.work.most_rows())).collect()
        }
        SuiteJob::Sql(suite) => {
            let of_test = suite.tests.iter().filter(|test| test.number == number).flat_map(SqlTest::actors);
            of_test.map(|(name, threads)| owed(name, threads, None)).collect()
        }
    };
    actors.into_iter().filter(|actor| actor.threads > 0).collect()
}

/// Returns the names under which a test has results of its own.
fn names(suite: &SuiteJob, number: u32) -> Vec<String> {
    let names = match suite {
        SuiteJob::Kv(suite) => suite.tests.iter().find(|test| test.number == number).map(KvTest::names),
        SuiteJob::Sql(suite) => suite.tests.iter().find(|test| test.number == number).map(SqlTest::names),
    };
    names.into_iter().flatten().map(str::to_owned).collect()
}

/// Checks that the figures of a result add up.
fn check(done: &TestDone, owed: Option<OwedTest>, histogram: Option<&SentHistogram>) -> Result<(), String> {
    let test = done.test;
    if let Some(owed) = owed {
        check_asked(done, &owed)?;
    }
    for actor in &done.actors {
        let samples = SentHistogram::read(&actor.histogram)
            .map_err(|error| format!("the histogram of actor `{}` of test {test}: {error}", actor.name))?
            .samples
            .len();
        if samples.saturating_mul(actor.operations_per_sample.max(1)) > actor.operations {
            let (name, operations) = (&actor.name, actor.operations);
            return Err(format!(
                "actor `{name}` of test {test} has {samples} samples for only {operations} operations"
            ));
        }
    }
    check_statements(done)?;
    if !done.actors.is_empty() {
        let of_actors = |figure: fn(&ActorDone) -> u64| done.actors.iter().map(figure).fold(0, u64::saturating_add);
        for (word, of_test, of_actors) in [
            ("operations", done.operations, of_actors(|actor| actor.operations)),
            ("rows", done.rows, of_actors(|actor| actor.rows)),
        ] {
            if of_test != of_actors {
                return Err(format!("test {test} has {of_test} {word}, but its actors have {of_actors} in total"));
            }
        }
    }
    if done.wall_ns == 0 {
        return Err(format!("test {test} took no time at all"));
    }
    if done.operations_per_sample == 0 {
        return Err(format!("test {test} has 0 operations per sample"));
    }
    let samples = histogram.map_or(0, |histogram| histogram.samples.len());
    if samples.saturating_mul(done.operations_per_sample) > done.operations {
        return Err(format!("test {test} has {samples} samples for only {} operations", done.operations));
    }
    Ok(())
}

/// Checks that the figures of the names of steps add up.
fn check_statements(done: &TestDone) -> Result<(), String> {
    let test = done.test;
    let threads = done.actors.iter().map(|actor| u64::from(actor.threads)).sum::<u64>().max(1);
    let all = |figure: fn(&StatementDone) -> u64| done.statements.iter().map(figure).fold(0, u64::saturating_add);
    let (rows, wall_ns) = (all(|statement| statement.rows), all(|statement| statement.wall_ns));
    if rows > done.rows {
        return Err(format!("test {test} has {} rows, but its statements have {rows} in total", done.rows));
    }
    let most_ns = done.wall_ns.saturating_mul(threads);
    if wall_ns > most_ns {
        return Err(format!(
            "test {test} took {most_ns} ns in {threads} threads, but its statements took {wall_ns} ns"
        ));
    }
    for statement in &done.statements {
        let what = format!("statement `{}` of test {test}", statement.name);
        let samples =
            SentHistogram::read(&statement.histogram).map_err(|error| format!("the histogram of {what}: {error}"))?;
        let samples = samples.samples.len();
        if samples != statement.operations {
            return Err(format!("{what} has {samples} samples for {} executions", statement.operations));
        }
    }
    Ok(())
}

/// Checks that a result belongs to the test that the job requests.
fn check_asked(done: &TestDone, owed: &OwedTest) -> Result<(), String> {
    let test = done.test;
    if owed.measured != done.measured {
        let (said, asked) = (done.measured, owed.measured);
        return Err(format!("test {test} ended with measured={said}, but began with measured={asked}"));
    }
    let asked: Vec<(&str, u32)> = owed.actors.iter().map(|actor| (&*actor.name, actor.threads)).collect();
    let told: Vec<(&str, u32)> = done.actors.iter().map(|actor| (&*actor.name, actor.threads)).collect();
    if asked != told {
        let words = |actors: &[(&str, u32)]| -> String {
            let words: Vec<String> = actors.iter().map(|(name, threads)| format!("{name} x{threads}")).collect();
            if words.is_empty() { "none".to_owned() } else { words.join(", ") }
        };
        let (told, asked) = (words(&told), words(&asked));
        return Err(format!("test {test} has the actors {told}, expected {asked}"));
    }
    let named: Vec<&str> = done.statements.iter().map(|statement| &*statement.name).collect();
    if named != owed.names {
        let words = |names: &[&str]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let expected: Vec<&str> = owed.names.iter().map(String::as_str).collect();
        return Err(format!("test {test} has the statements {}, expected {}", words(&named), words(&expected)));
    }
    if let Some(expected) = owed.operations.filter(|expected| *expected != done.operations) {
        return Err(format!("test {test} has {} operations, expected {expected}", done.operations));
    }
    check_rows(&format!("test {test}"), done.rows, done.operations, owed.most_rows)?;
    for (actor, owed) in done.actors.iter().zip(&owed.actors) {
        let what = format!("actor `{}` of test {test}", actor.name);
        check_rows(&what, actor.rows, actor.operations, owed.most_rows)?;
    }
    Ok(())
}

/// Checks that these operations can have this many rows.
fn check_rows(what: &str, rows: u64, operations: u64, most_each: Option<u64>) -> Result<(), String> {
    match most_each {
        Some(each) if rows > operations.saturating_mul(each) => {
            Err(format!("{what} has {rows} rows of {operations} operations, but one operation has at most {each}"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_workload::histogram::{Counts, to_base64};
    use proptest::{collection, option, prelude::*};
    use std::collections::BTreeMap;

    fn conversation() -> Conversation {
        let owed = |number, measured, operations| OwedTest {
            number,
            measured,
            operations,
            most_rows: Some(1),
            actors: Vec::new(),
            names: Vec::new(),
        };
        Conversation { owed: vec![owed(3, true, None), owed(1, false, Some(1))], state: ConversationState::Starting }
    }

    fn opened() -> Event {
        Event::Opened {
            version: "1".to_owned(),
            build: Vec::new(),
            source: None,
            in_force: BTreeMap::new(),
            open_ns: 1,
            clock: None,
        }
    }

    fn started(test: u32, measured: bool) -> Event {
        let (name, actors) = (String::new(), Vec::new());
        let (operations, operations_per_sample) = (Some(1), Some(1));
        Event::TestStarted { test, name, measured, operations, operations_per_sample, time_ms: None, actors }
    }

    fn done(test: u32, samples: u64, operations: u64) -> Event {
        let counts = Counts::default();
        (0..samples).for_each(|ns| counts.record(ns));
        Event::TestDone(Box::new(TestDone {
            test,
            wall_ns: 5,
            operations,
            measured: test == 3,
            operations_per_sample: 1,
            histogram: to_base64(&counts.to_histogram()),
            ..TestDone::default()
        }))
    }

    fn say(events: &[Event]) -> Result<Conversation, String> {
        let mut conversation = conversation();
        for event in events {
            conversation.accept(event)?;
        }
        Ok(conversation)
    }

    #[test]
    fn the_protocols_order_is_taken() {
        let whole = [opened(), started(1, false), done(1, 1, 1), started(3, true), done(3, 1, 1), Event::Done];
        assert!(say(&whole).unwrap().ended());
        assert_eq!(say(&whole[..2]).unwrap().test(), Some(1));
        assert!(!say(&whole[..5]).unwrap().ended());
    }

    #[test]
    fn what_is_out_of_order_is_refused() {
        let refused = |events: &[Event]| say(events).unwrap_err();
        assert_eq!(refused(&[started(1, false)]), "it sent `test_started` out of order");
        assert_eq!(refused(&[opened(), opened()]), "it sent `opened` out of order");
        assert_eq!(refused(&[opened(), started(3, true)]), "it began test 3, expected 1");
        assert_eq!(refused(&[opened(), started(1, true)]), "it began test 1, expected 1");
        assert_eq!(refused(&[opened(), Event::Done]), "it sent `done` before test 1");
        assert_eq!(refused(&[opened(), started(1, false), done(3, 1, 1)]), "it sent `test_done` out of order");
    }

    #[test]
    fn results_that_do_not_add_up_are_refused() {
        let result = |event: Event| say(&[opened(), started(1, false), event]).unwrap_err();
        assert_eq!(result(done(1, 1, 2)), "test 1 has 2 operations, expected 1");
        let Event::TestDone(mut turned) = done(1, 1, 1) else { unreachable!() };
        turned.measured = true;
        assert_eq!(result(Event::TestDone(turned)), "test 1 ended with measured=true, but began with measured=false");
        assert_eq!(result(done(1, 2, 1)), "test 1 has 2 samples for only 1 operations");
        let Event::TestDone(mut more) = done(1, 1, 1) else { unreachable!() };
        more.rows = 8;
        assert_eq!(result(Event::TestDone(more)), "test 1 has 8 rows of 1 operations, but one operation has at most 1");
        let Event::TestDone(mut timeless) = done(1, 1, 1) else { unreachable!() };
        timeless.wall_ns = 0;
        assert_eq!(result(Event::TestDone(timeless)), "test 1 took no time at all");
        let Event::TestDone(mut garbled) = done(1, 1, 1) else { unreachable!() };
        garbled.histogram = "nothing".to_owned();
        assert!(result(Event::TestDone(garbled)).starts_with("the histogram of test 1"));
    }

    #[test]
    fn results_of_statements_that_do_not_add_up_are_refused() {
        let statement = |name: &str, samples: u64| {
            let counts = Counts::default();
            (0..samples).for_each(|_| counts.record(1));
            StatementDone {
                name: name.to_owned(),
                wall_ns: 2,
                operations: samples,
                histogram: to_base64(&counts.to_histogram()),
                ..StatementDone::default()
            }
        };
        let result = |statements: Vec<StatementDone>, wall_ns: u64| {
            let Event::TestDone(mut result) = done(1, 1, 1) else { unreachable!() };
            (result.statements, result.wall_ns) = (statements, wall_ns);
            let mut conversation = conversation();
            conversation.owed.last_mut().unwrap().names = vec!["a".to_owned(), "b".to_owned()];
            let events = [opened(), started(1, false), Event::TestDone(result)];
            events.iter().try_for_each(|event| conversation.accept(event).map(drop))
        };
        let both = || vec![statement("a", 1), statement("b", 0)];
        assert_eq!(result(both(), 4), Ok(()));
        let refused = |statements, wall_ns| result(statements, wall_ns).unwrap_err();
        assert_eq!(refused(vec![statement("b", 1)], 5), "test 1 has the statements b, expected a, b");
        assert_eq!(refused(both(), 3), "test 1 took 3 ns in 1 threads, but its statements took 4 ns");
        let [mut rows, other] = [statement("a", 1), statement("b", 0)];
        rows.rows = 2;
        assert_eq!(refused(vec![rows, other], 5), "test 1 has 0 rows, but its statements have 2 in total");
        let [mut more, other] = [statement("a", 1), statement("b", 0)];
        more.operations = 2;
        assert_eq!(refused(vec![more, other], 5), "statement `a` of test 1 has 1 samples for 2 executions");
    }

    /// Returns a strategy for arbitrary worker events, many of them in a valid order.
    fn any_event() -> impl Strategy<Value = Event> {
        let result = (0_u32..4, 0_u64..3, option::of(any::<u64>()), any::<bool>()).prop_map(
            |(test, samples, operations, is_garbled)| {
                let Event::TestDone(mut result) = done(test, samples, operations.unwrap_or(1)) else { unreachable!() };
                if let Some(number) = operations.filter(|_| is_garbled) {
                    (result.wall_ns, result.operations_per_sample) = (number / 2, number);
                    result.histogram.truncate(number as usize % 50);
                }
                Event::TestDone(result)
            },
        );
        let failed =
            option::of(0_u32..4).prop_map(|test| Event::Failed { test, message: String::new(), database_usable: true });
        prop_oneof![
            2 => Just(opened()),
            4 => (0_u32..4, any::<bool>()).prop_map(|(test, measured)| started(test, measured)),
            4 => result,
            1 => failed,
            1 => any::<u64>().prop_map(|commits| Event::Committed { commits, thread: 0 }),
            2 => Just(Event::Done),
        ]
    }

    proptest! {
        #[test]
        fn whatever_a_worker_says_only_a_whole_run_is_done(said in collection::vec(any_event(), 0..12)) {
            let mut conversation = conversation();
            let taken: Vec<&Event> = said.iter().take_while(|event| conversation.accept(event).is_ok()).collect();
            let results = taken.iter().filter(|event| matches!(event, Event::TestDone(_))).count();
            let is_failed = taken.iter().any(|event| matches!(event, Event::Failed { .. }));
            prop_assert!(results <= 2 && (!conversation.ended() || is_failed || results == 2), "{:?}", taken);
            prop_assert!(!taken.contains(&&Event::Done) || matches!(taken.last(), Some(Event::Done)));
        }
    }
}
