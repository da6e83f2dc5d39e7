//! Rounds that are added to undecided tests: which sessions belong together, and the cost of each further look.

use super::{
    fixture::{Bench, Stored, spec, table},
    simulation::{Machine, quick},
};
use dbdyno::{
    compare::{Comparison, Options, Side, compare},
    report::sheet::{Colouring, TableStyle},
    stats::{Spending, Verdict},
    store::{
        ADDS_TO, ComparedTest, KeyRecord, RunConfiguration, RunTests, SessionConditions, SessionFacts, SessionHost,
    },
};
use dbdyno_workload::rng::SplitMix64;
use std::{collections::BTreeMap, sync::Arc};
use uuid::Uuid;

/// Two equal configurations that are measured session after session.
struct Equal {
    configuration: [Arc<RunConfiguration>; 2],
    runs: [Vec<RunTests>; 2],
    sessions: Vec<SessionFacts>,
}

impl Equal {
    fn new() -> Self {
        let of = |engine: &str| {
            Arc::new(RunConfiguration {
                engine: engine.to_owned(),
                suite: "kv".to_owned(),
                ..RunConfiguration::default()
            })
        };
        Self { configuration: [of("x"), of("y")], runs: Default::default(), sessions: Vec::new() }
    }

    /// Measures a session with this many rounds. Each session except the first adds to the first.
    fn measure(&mut self, rounds: u32, machine: &mut Machine) {
        let session_id = Uuid::from_u128(1 + self.sessions.len() as u128);
        self.sessions.push(facts(session_id, self.sessions.first().map(|first| first.session_id)));
        for round in 0..rounds {
            for side in 0..2 {
                let value = (1e9 * (0.03 * machine.gaussian()).exp()).floor();
                let run_id = Uuid::from_u128((session_id.as_u128() << 64) + 2 * u128::from(round) + side as u128);
                self.runs[side].push(run(run_id, session_id, round, value, &self.configuration[side]));
            }
        }
    }

    /// Returns the verdict, and the verdict if looks were not counted.
    fn verdicts(&self, options: &Options) -> [Verdict; 2] {
        let uncounted: Vec<SessionFacts> =
            self.sessions.iter().map(|session| SessionFacts { adds_to: None, ..session.clone() }).collect();
        let side = |at: usize, sessions: &[SessionFacts]| Side {
            runs: self.runs[at].clone(),
            sessions: sessions.to_vec(),
            ..Side::default()
        };
        let verdict = |sessions: &[SessionFacts], options: &Options| {
            let comparison = compare(&side(0, sessions), &side(1, sessions), options);
            let found = comparison.lines[0].found.as_ref().unwrap();
            assert!(found.paired);
            found.verdict
        };
        [verdict(&self.sessions, options), verdict(&uncounted, &quick())]
    }
}

pub(super) fn facts(session_id: Uuid, adds_to: Option<Uuid>) -> SessionFacts {
    SessionFacts {
        session_id,
        started_at: "2026-11-23T00:00:00Z".to_owned(),
        dbdyno_version: "0.1.0".to_owned(),
        debug_build: false,
        command_line: "dbdyno run".to_owned(),
        host: SessionHost {
            host_id: "here".to_owned(),
            name: "here".to_owned(),
            cpu_model: None,
            cores: None,
            memory_bytes: None,
            kernel: "6.1".to_owned(),
            os: None,
            virtualisation: None,
        },
        file_system: None,
        disk_model: None,
        conditions: SessionConditions::default(),
        warnings: Vec::new(),
        adds_to,
        looks: None,
    }
}

pub(super) fn run(
    run_id: Uuid,
    session_id: Uuid,
    round: u32,
    value: f64,
    configuration: &Arc<RunConfiguration>,
) -> RunTests {
    RunTests {
        run_id,
        session_id,
        ordinal: round,
        round,
        seed: Some(u64::from(round)),
        status: "done".into(),
        label: configuration.engine.as_str().into(),
        twin_of: None,
        size: "1000".into(),
        configuration: Arc::clone(configuration),
        asked: Arc::default(),
        peak_memory_bytes: None,
        tests: vec![ComparedTest {
            test: 2,
            name: "Random reads".into(),
            actor: None,
            value: Some(value),
            timed: false,
            sliced: false,
            operations: Some(1000),
            answer: Some(0),
            is_verified: true,
            agrees: None,
            latencies: None,
        }],
    }
}

/// The counts of alarms in two thousand comparisons of equal things.
#[derive(Debug, Default)]
struct Alarms {
    /// Comparisons that reported a difference at one of five looks.
    counted: usize,
    /// The same, if looks are not counted.
    uncounted: usize,
    /// Comparisons that were undecided at the first look and reported a difference at a later one.
    added: usize,
}

/// Takes five looks, with `rounds` more before each, and stops at the first difference.
#[expect(clippy::print_stdout, reason = "docs/comparing.md has these rates")]
fn five_looks(rounds: u32, options: &Options) -> Alarms {
    let is_difference = |verdict: &Verdict| matches!(verdict, Verdict::Faster | Verdict::Slower);
    let mut alarms = Alarms::default();
    let mut machine = Machine { rng: SplitMix64::new(2_026), noise: 0.0, sd: 0.0 };
    for _ in 0..2000 {
        let mut equal = Equal::new();
        let looks: Vec<[Verdict; 2]> = (0..5)
            .map(|_| {
                equal.measure(rounds, &mut machine);
                equal.verdicts(options)
            })
            .collect();
        let at = looks.iter().position(|[counted, _]| is_difference(counted));
        alarms.counted += usize::from(at.is_some());
        alarms.added += usize::from(at.is_some_and(|at| at > 0));
        alarms.uncounted += usize::from(looks.iter().any(|[_, uncounted]| is_difference(uncounted)));
    }
    println!("{rounds} rounds before each look, first look {:?}: {alarms:?} of 2000", options.first_look);
    alarms
}

#[test]
fn five_looks_that_were_planned_find_a_difference_between_equal_things_in_at_most_one_of_twenty() {
    let planned = Options { first_look: Some(1), ..quick() };
    let six = five_looks(6, &planned);
    assert!(six.counted <= 100, "{six:?} of 2000");
    let alarms = five_looks(10, &planned);
    assert!(alarms.counted <= 100, "{alarms:?} of 2000");
    assert!(alarms.counted > 0 && alarms.uncounted > 200, "looking often would not be wrong anyway: {alarms:?}");
}

/// A session that goes on until all is decided, with its later looks after these rounds.
#[test]
fn looks_within_a_session_count_like_those_of_added_sessions() {
    let mut machine = Machine { rng: SplitMix64::new(2_027), noise: 0.0, sd: 0.0 };
    let is_difference = |verdict: &Verdict| matches!(verdict, Verdict::Faster | Verdict::Slower);
    let (mut counted, mut uncounted) = (0, 0);
    for _ in 0..1000 {
        let mut equal = Equal::new();
        equal.measure(42, &mut machine);
        let verdict = |rounds: u32, looks: Option<Vec<u32>>| {
            let of_rounds = |runs: &[RunTests]| runs.iter().filter(|run| run.round < rounds).cloned().collect();
            let looks: BTreeMap<Uuid, Vec<u32>> = looks.into_iter().map(|looks| (Uuid::from_u128(1), looks)).collect();
            let side = |at: usize| Side {
                runs: of_rounds(&equal.runs[at]),
                sessions: equal.sessions.clone(),
                looks: looks.clone(),
                ..Side::default()
            };
            let comparison = compare(&side(0), &side(1), &quick());
            let line = &comparison.lines[0];
            (line.looks, line.found.as_ref().unwrap().verdict)
        };
        let ends = [8, 12, 18, 28, 42];
        let looks: Vec<(u32, Verdict)> =
            (0..ends.len()).map(|at| verdict(ends[at], Some(ends[..at].to_vec()))).collect();
        assert!(looks.iter().zip(1..).all(|((look, _), number)| *look == number), "{looks:?}");
        counted += usize::from(looks.iter().any(|(_, verdict)| is_difference(verdict)));
        uncounted += usize::from(ends.iter().any(|end| is_difference(&verdict(*end, None).1)));
    }
    assert!(counted <= 50 && counted > 0, "{counted} of 1000");
    assert!(uncounted > 75, "looking often would not be wrong anyway: {uncounted} of 1000");
}

#[test]
fn looks_that_were_not_planned_stay_below_it_from_six_rounds_and_add_half_of_it_at_most() {
    let alarms = five_looks(6, &quick());
    assert!(alarms.counted <= 100 && alarms.uncounted > 200, "{alarms:?} of 2000");
    let alarms = five_looks(10, &quick());
    assert!(alarms.added <= 50, "{alarms:?} of 2000");
}

/// A session that leaves a test undecided, and one that adds rounds to it.
fn added() -> (Stored, String, String) {
    let mut bench = Bench::default();
    let scattered = [(100, 104), (108, 100), (98, 104), (101, 107), (103, 100), (100, 108), (99, 103)];
    let first = bench.pairs(&spec("x"), &spec("y"), &scattered);
    let second = bench.pairs(&spec("x"), &spec("y"), &scattered);
    let of_second = bench.batch.runs.iter().filter(|run| run.session_id == second);
    let keys =
        of_second.map(|run| KeyRecord { run_id: run.run_id.clone(), key: ADDS_TO.to_owned(), value: first.clone() });
    bench.batch.keys = keys.collect();
    (bench.stored(), first, second)
}

fn of(stored: &Stored, session: &str) -> Comparison {
    let side = |engine: &str| format!("session={session} engine={engine}");
    stored.compared(&side("x"), &side("y"), &Options::default())
}

#[test]
fn rounds_that_were_added_belong_to_their_session_and_are_the_last() {
    let (stored, first, second) = added();
    for session in [first.as_str(), &first[..20], "last"] {
        let comparison = of(&stored, session);
        assert_eq!(comparison.lines[0].a.as_ref().unwrap().values.len(), 14, "{session}");
        assert_eq!(comparison.lines[0].looks, 2);
    }
    let alone = of(&stored, &second);
    assert_eq!(alone.lines[0].a.as_ref().unwrap().values.len(), 7);
    assert_eq!(alone.lines[0].looks, 2, "the rounds that were added were run because others decided nothing");
}

#[test]
fn a_second_look_pays_in_its_interval_and_in_p_and_says_so() {
    let (stored, first, _) = added();
    let comparison = of(&stored, &first);
    let line = &comparison.lines[0];
    let found = line.found.as_ref().unwrap();
    assert!(found.interval.unwrap().confidence >= 1.0 - Spending::at_look(2, 1).alpha);
    assert!((found.p_adjusted.unwrap() - (4.0 * found.p.unwrap()).min(1.0)).abs() < 1e-12);
    let text = table(&comparison, TableStyle { colour: Colouring::Off, width: 80 });
    let said = "2 looks, with rounds added in between: 1 Writes; look 2 needs p below 1.25 % instead of 5 %";
    assert!(text.contains(said), "{text}");
}

#[test]
fn another_look_is_told_with_its_rounds_and_what_is_decided_needs_none() {
    let (stored, first, _) = added();
    let comparison = of(&stored, &first);
    let look = comparison.another_look(&comparison.lines[0]).unwrap();
    assert_eq!((look.look, look.test, look.size.as_str()), (3, 1, "1000"));
    assert!(look.rounds >= 2 && look.rounds.is_multiple_of(2), "{look:?}");
    assert!(look.words().starts_with("look 3 at 1 Writes, size 1000: "), "{}", look.words());

    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &super::fixture::CLEAR);
    let decided = bench.compared("engine=x", "engine=y", &Options::default());
    assert_eq!(decided.another_look(&decided.lines[0]), Err("it is decided".to_owned()));
    assert!(decided.other_looks().is_empty());
}
