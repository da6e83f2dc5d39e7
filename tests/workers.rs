//! Workers that fail, crash, stall, lie or babble: each fails its own run with a reason, and the session goes on.

use crate::support::{Done, Place, processes_with};

/// Runs one round of an engine between two runs that work; the engine's failure.
#[track_caller]
fn failure_of(place: &Place, engine: &str, more: &[&str]) -> (Done, String) {
    let run = ["run", "--suite", "kv", "--engine", "lmdb", "--engine", engine, "--engine", "redb", "--size", "1000"];
    let done = place.run(&[&run[..], &["--test", "1,2", "--repeat", "1"], more].concat());
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    let others =
        place.rows("SELECT engine, count(*) FROM results WHERE engine IN ('lmdb', 'redb') GROUP BY 1 ORDER BY 1");
    assert_eq!(others, [["lmdb", "2"], ["redb", "2"]], "the session goes on: {}", done.stderr);
    assert_eq!(place.left_behind().len(), 0, "no folder is left");
    let root = place.path("");
    assert!(processes_with(root.to_str().unwrap()).is_empty(), "no process is left");
    let failure = place.value("SELECT failure FROM run WHERE status = 'failed'");
    (done, failure)
}

#[test]
fn an_engines_error_fails_its_run_and_is_told() {
    let place = Place::new();
    let (done, failure) = failure_of(&place, "null:fault=fail,fault_session=2", &[]);
    assert_eq!(failure, "test 2: the option fault=fail asked for this");
    assert!(done.stderr.contains("✗ failed: test 2"), "{}", done.stderr);
    assert!(done.stdout.contains("failed runs: 1 of 3 runs failed"), "{}", done.stdout);
    let kept = place.rows("SELECT test FROM results WHERE engine = 'null'");
    assert_eq!(kept, [["1"]], "what it finished before is kept");
}

#[test]
fn a_crash_is_told_with_its_signal() {
    let place = Place::new();
    let (_, failure) = failure_of(&place, "null:fault=crash", &[]);
    assert!(failure.contains("ended before its run was finished") && failure.contains("signal: 6"), "{failure}");
}

#[test]
fn a_worker_that_is_stopped_is_found_by_its_silence_and_killed() {
    let place = Place::new();
    let (_, failure) = failure_of(&place, "null:fault=stop", &["--silence", "300ms"]);
    assert!(failure.starts_with("the worker said nothing for"), "{failure}");
}

#[test]
fn a_run_that_takes_too_long_meets_its_deadline() {
    let place = Place::new();
    let (_, failure) = failure_of(&place, "null:fault=stop", &["--deadline", "2s"]);
    assert_eq!(failure, "the run's deadline of 2 s has passed");
}

const DESCRIBE: &str = r#"
describe() { echo '{"protocol":1,"name":"NAME","about":"a script","version":"1","suites":["kv"],"options":[]}'; exit 0; }
[ "$1" = describe ] && describe
read -r job
opened() { echo '{"event":"opened","version":"1","in_force":{},"open_ns":5}'; read -r line; }
started() { echo '{"event":"test_started","test":1,"name":"x","measured":true,"operations":1000}'; }
"#;

/// An outside engine that says what a script says after the job.
#[track_caller]
fn script_fails(script: &str) -> (Done, String) {
    let place = Place::new();
    place.engine("odd", &format!("{}\n{script}", DESCRIBE.replace("NAME", "odd")));
    failure_of(&place, "odd", &[])
}

#[test]
fn babble_instead_of_events_is_refused() {
    let (_, failure) = script_fails("printf 'hello \\033[2J\\n'; sleep 60");
    assert!(failure.contains("sent no event of the protocol"), "{failure}");
    assert!(!failure.contains('\u{1b}'), "escape sequences are shown and not sent: {failure}");
}

#[test]
fn events_out_of_order_are_refused() {
    let (_, failure) = script_fails("started; sleep 60");
    assert_eq!(failure, "the worker broke the protocol: it said `test_started` out of order");
}

#[test]
fn a_worker_that_claims_to_be_done_early_is_refused() {
    let (_, failure) = script_fails("opened; echo '{\"event\":\"done\"}'; sleep 60");
    assert_eq!(failure, "the worker broke the protocol: it was done before test 1");
}

#[test]
fn a_result_that_does_not_add_up_is_refused() {
    let result =
        r#"{"event":"test_done","test":1,"measured":true,"wall_ns":1,"operations":1,"rows":1,"verification":null,
        "peak_rss_bytes":1,"database_bytes":1,"side_bytes":0,"operations_per_sample":1,"histogram":"AAAA"}"#
            .replace('\n', "");
    let (_, failure) = script_fails(&format!("opened; started; echo '{result}'; sleep 60"));
    assert!(failure.contains("the histogram of test 1"), "{failure}");
}

#[test]
fn bytes_that_are_not_utf8_are_refused() {
    let (_, failure) = script_fails("printf '\\377\\376\\n'; sleep 60");
    assert_eq!(failure, "the worker sent bytes that are not UTF-8");
}

#[test]
fn a_line_without_an_end_is_cut_off() {
    let (_, failure) = script_fails("head -c 5000000 /dev/zero | tr '\\0' x; sleep 60");
    assert_eq!(failure, "the worker sent a line of more than 4194304 bytes");
}

#[test]
fn what_a_worker_writes_to_stderr_is_kept_with_the_run() {
    let place = Place::new();
    place.engine("odd", &format!("{}\necho 'disk on fire' >&2; exit 3", DESCRIBE.replace("NAME", "odd")));
    let (_, failure) = failure_of(&place, "odd", &[]);
    assert!(failure.contains("exit status: 3"), "{failure}");
    assert_eq!(place.value("SELECT trim(log, chr(10)) FROM run WHERE engine = 'odd'"), "disk on fire");
}

#[test]
fn engines_that_disagree_turn_the_session_red() {
    let place = Place::new();
    let run = ["run", "--suite", "kv", "--engine", "lmdb", "--engine", "null:answers=wrong", "--engine", "redb"];
    let done = place.run(&[&run[..], &["--size", "1000", "--repeat", "2"]].concat());
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert!(done.stdout.contains("✗ null"), "{}", done.stdout);
    assert!(done.stdout.contains("✗  answers differ from those of other engines"), "{}", done.stdout);
    let status =
        place.rows("SELECT engine, string_agg(DISTINCT status) FROM results WHERE test = 3 GROUP BY 1 ORDER BY 1");
    assert_eq!(status, [["lmdb", "ok"], ["null", "disagrees"], ["redb", "ok"]]);
}

#[test]
fn a_broken_outside_engine_is_listed_with_the_reason() {
    let place = Place::new();
    place.engine("old", &DESCRIBE.replace("NAME", "old").replace("\"protocol\":1", "\"protocol\":9"));
    place.engine("impostor", &DESCRIBE.replace("NAME", "somebody"));
    place.engine("mute", "exit 1");
    let list = place.ok(&["list", "engines"]);
    assert!(list.contains("protocol 9, dbdyno speaks 1"), "{list}");
    assert!(list.contains("calls itself `somebody`, its file says `impostor`"), "{list}");
    assert!(list.lines().any(|line| line.starts_with("mute") && line.contains('✗')), "{list}");
    let done = place.run(&["run", "--suite", "kv", "--engine", "old"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("engine `old` cannot be used"), "{}", done.stderr);
}
