//! Slices: the workers of a round take turns in their tests, and their results are as complete as those of whole runs.

use crate::{
    conformance::put_python,
    replay_keys::go_engines,
    support::{Place, has_tool},
};

/// Runs a bench with the same seed.
fn run(place: &Place, slices: &str, more: &[&str]) {
    let common = ["run", "--seed", "7", "--repeat", "2", "--quiet", "--slices", slices];
    place.ok(&[&common[..], more].concat());
}

const THREE: [&str; 6] =
    ["--engine", "lmdb", "--engine", "redb", "--engine", "sqlite:journal_mode=wal,synchronous=off"];

#[test]
fn sliced_runs_give_the_answers_of_whole_ones_and_their_slices_add_up() {
    let place = Place::new();
    let more = [&["--workload", "read=100,rows=10k,operations=300k"][..], &THREE].concat();
    run(&place, "on", &more);
    run(&place, "off", &more);
    // Two sessions with the same inputs: each row occurs in both.
    let answers =
        "SELECT engine, round, test, rows, verification, status, count(*) FROM results GROUP BY ALL ORDER BY ALL";
    let found = place.rows(answers);
    assert_eq!(found.len(), 3 * 2, "{found:?}");
    assert!(found.iter().all(|row| row[5] == "ok" && row[6] == "2"), "{found:?}");
    let sliced = "SELECT r.engine, count(DISTINCT s.run_id), min(s.of_test) > 1, bool_and(s.operations = t.operations AND s.wall_ns = t.wall_ns)
                  FROM (SELECT run_id, test, count(*) AS of_test, sum(operations) AS operations, sum(wall_ns) AS wall_ns
                        FROM slice GROUP BY ALL) s JOIN result t USING (run_id, test) JOIN run r USING (run_id) GROUP BY ALL ORDER BY ALL";
    let expected: Vec<_> =
        ["lmdb", "redb", "sqlite"].map(|engine| [engine, "2", "true", "true"].map(str::to_owned).to_vec()).into();
    assert_eq!(place.rows(sliced), expected);
    // The runs of a sliced round overlap and have one CPU; whole runs follow each other.
    let overlaps =
        "SELECT session_id IN (SELECT session_id FROM run JOIN slice USING (run_id)) AS sliced, count(DISTINCT cpu),
                           max(started_at) < min(finished_at)
                    FROM run GROUP BY session_id, round ORDER BY ALL";
    let found = place.rows(overlaps);
    assert_eq!(found.len(), 4, "{found:?}");
    for row in found {
        let expected = if row[0] == "true" { ["1", "true"] } else { ["0", "false"] };
        assert_eq!(row[1..], expected, "{row:?}");
    }
}

#[test]
fn what_cannot_be_cut_is_measured_in_one_go() {
    let place = Place::new();
    // A load in one transaction, and conditions under which a database is reopened.
    run(&place, "on", &[&["--suite", "kv", "--size", "1000", "--test", "Sequential writes"][..], &THREE].concat());
    run(
        &place,
        "on",
        &[&["--suite", "kv", "--size", "1000", "--test", "Random reads", "--cache", "cold"][..], &THREE].concat(),
    );
    assert_eq!(place.rows("SELECT count(*), count(*) FILTER (status = 'ok') FROM results"), [["12", "12"]]);
    assert_eq!(place.rows("SELECT count(*) FROM slice"), [["0"]]);
}

/// Runs three rounds of the same reads. Returns for each whether its tests were in slices, and the place of the store.
fn sliced_rounds(slices: &str, engines: &[&str]) -> (Vec<String>, Place) {
    let place = Place::new();
    let common = ["run", "--suite", "kv", "--size", "10k", "--test", "Random reads", "--repeat", "3", "--quiet"];
    place.ok(&[&common[..], &["--slices", slices], engines].concat());
    let rounds = "SELECT bool_and(away_ns IS NOT NULL) FROM results GROUP BY round ORDER BY round";
    (place.rows(rounds).concat(), place)
}

const WORKS_ON: [&str; 2] = ["--engine", "null:spins=5000,busy_ms=1000,busy_threads=0|1"];
const FOUND: &str = "SELECT count(*) > 0 FROM warning WHERE linter = 'work in others'' turns'";

#[test]
fn work_in_the_turns_of_others_is_told_and_auto_measures_such_tests_in_one_go() {
    let (rounds, place) = sliced_rounds("on", &WORKS_ON);
    assert_eq!((rounds, place.value(FOUND)), (["true"; 3].map(str::to_owned).to_vec(), "true".to_owned()));
    let compared = place.ok(&["compare", "busy_threads=0", "busy_threads=1"]);
    assert!(compared.contains("3 pairs of runs of the same round, in slices"), "{compared}");
    assert!(compared.contains("used more than 3 % of a CPU in others' turns"), "{compared}");

    let (rounds, place) = sliced_rounds("auto", &WORKS_ON);
    assert_eq!(rounds, ["true", "false", "false"]);
    let compared = place.ok(&["compare", "busy_threads=0", "busy_threads=1"]);
    assert!(compared.contains("3 pairs of runs of the same round, 1 of them in slices"), "{compared}");

    let (rounds, place) = sliced_rounds("auto", &["--engine", "lmdb", "--engine", "sqlite"]);
    assert_eq!((rounds, place.value(FOUND)), (["true"; 3].map(str::to_owned).to_vec(), "false".to_owned()));
    run(&place, "off", &["--suite", "kv", "--size", "10k", "--test", "Random reads", "--engine", "sqlite"]);
    let latest = place.value("SELECT session_id::VARCHAR FROM session ORDER BY started_at DESC LIMIT 1");
    let earlier = place.value("SELECT session_id::VARCHAR FROM session ORDER BY started_at LIMIT 1");
    let sides = [format!("engine=sqlite session={earlier}"), format!("engine=sqlite session={latest}")];
    let compared = place.ok(&["compare", &sides[0], &sides[1]]);
    assert!(compared.contains("one side was measured in slices and the other in one go"), "{compared}");
}

#[test]
fn a_worker_that_dies_in_its_turn_takes_nobody_along() {
    let place = Place::new();
    let more = [
        "--suite",
        "kv",
        "--size",
        "10k",
        "--test",
        "Random reads",
        "--engine",
        "lmdb",
        "--engine",
        "null:fault=crash",
    ];
    let common = ["run", "--seed", "7", "--repeat", "2", "--quiet", "--slices", "on"];
    let done = place.run(&[&common[..], &more[..], &["--engine", "redb"]].concat());
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    let statuses =
        "SELECT engine, count(*), any_value(status), bool_and(failure IS NULL) FROM run GROUP BY ALL ORDER BY engine";
    let expected = [["lmdb", "2", "done", "true"], ["null", "2", "failed", "false"], ["redb", "2", "done", "true"]];
    assert_eq!(place.rows(statuses), expected);
    assert_eq!(place.rows("SELECT count(*) FROM results WHERE status = 'ok' AND away_ns IS NOT NULL"), [["4"]]);
    assert_eq!(place.left_behind(), [""; 0].map(std::path::PathBuf::from), "no folder is left");
}

#[test]
fn engines_in_other_languages_take_turns_too() {
    let place = Place::new();
    let mut engines = go_engines(&place).to_vec();
    if has_tool("python3", &["--version"]) {
        // Its reads take too little time for two slices.
        put_python(
            &place,
            "pydict",
            &[("return self.rows.get(key)", "return sum(range(999)) and self.rows.get(key)")],
            &[],
        );
        engines.push("pydict");
    }
    engines.push("sqlite");
    run(&place, "on", &["--suite", "kv", "--size", "100k", "--test", "Random reads", "--engine", &engines.join(",")]);
    let answers = "SELECT count(DISTINCT r.verification), count(*), bool_and(r.agrees) FROM result r
                   JOIN results USING (run_id, test) WHERE status = 'ok'";
    // The two rounds have different seeds.
    assert_eq!(place.rows(answers), [["2", &(2 * engines.len()).to_string(), "true"]]);
    let sliced = "SELECT engine, min(of_test) > 1, bool_and(wall_ns = total) FROM (
                      SELECT run_id, test, count(*) AS of_test, sum(wall_ns) AS total FROM slice GROUP BY ALL)
                  JOIN results USING (run_id, test) GROUP BY ALL ORDER BY ALL";
    engines.sort_unstable();
    let expected: Vec<_> = engines.iter().map(|engine| [*engine, "true", "true"].map(str::to_owned).to_vec()).collect();
    assert_eq!(place.rows(sliced), expected);
}

#[test]
fn what_the_turns_of_others_cost_is_marked() {
    if !has_tool("python3", &["--version"]) {
        return;
    }
    let place = Place::new();
    let slow = ("return self.rows.get(key)", "return sum(range(999)) and self.rows.get(key)");
    put_python(&place, "steady", &[slow], &[]);
    // After a turn of others, its first operation takes 4 ms longer.
    let forgets = [
        ("        self.away += away\n", "        self.away += away\n        self.cold = away > 5_000_000\n"),
        (
            "                    begun = last = time.perf_counter_ns()\n",
            "                    begun = last = time.perf_counter_ns()\n                    while turns.cold and time.perf_counter_ns() < begun + 4_000_000: pass\n",
        ),
    ];
    put_python(&place, "forgets", &[slow], &forgets);
    let bench = [
        "run",
        "--suite",
        "kv",
        "--size",
        "100k",
        "--test",
        "Random reads",
        "--engine",
        "forgets,steady",
        "--slices",
        "on",
    ];
    let shown = place.ok(&[&bench[..], &["--repeat", "2"]].concat());
    assert!(shown.lines().any(|line| line.contains("c forgets")), "{shown}");
    assert!(shown.contains("c  others' turns fill the CPU's caches"), "{shown}");
    let share =
        "SELECT bool_and(returning_ns BETWEEN 0.08 * wall_ns AND 0.35 * wall_ns) FROM results WHERE engine = 'forgets'";
    assert_eq!(place.rows(share), [["true"]]);
    let found = place.value("SELECT string_agg(message) FROM warning WHERE linter = 'cold caches'");
    assert!(found.contains("Random reads on forgets at 100000 ("), "{found}");
}

#[test]
fn the_plan_says_that_runs_take_turns() {
    let place = Place::new();
    let plan = ["run", "--suite", "kv", "--engine", "lmdb,redb", "--dry-run"];
    assert!(!place.ok(&plan).contains("slices"));
    let sliced = place.ok(&[&plan[..], &["--slices", "auto"]].concat());
    assert!(sliced.contains("in slices where engines rest"), "{sliced}");
    let wrong = place.run(&[&plan[..], &["--slices", "sometimes"]].concat());
    assert!(wrong.code == Some(2) && wrong.stderr.contains("expected on, off or auto"), "{}", wrong.stderr);
}
