//! Workers that fail, crash, stall, lie or print nonsense. Each fails its own run with a reason, and the session continues.

use crate::{
    conformance::put_python,
    support::{Done, Place, has_tool, processes_with, wait_until},
};
use dbdyno_workload::histogram::{empty, to_base64};
use std::{fs, process::Stdio};

/// Runs one round of an engine between two runs that succeed. Returns the engine's failure.
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
    assert_eq!(failure, "test 2: requested by the option fault=fail");
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
    assert!(failure.starts_with("the worker sent nothing for"), "{failure}");
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

/// Runs an outside engine that prints the output of a script after the job.
#[track_caller]
fn script_fails(script: &str) -> (Done, String) {
    let place = Place::new();
    place.engine("odd", &format!("{}\n{script}", DESCRIBE.replace("NAME", "odd")));
    failure_of(&place, "odd", &[])
}

#[test]
fn babble_instead_of_events_is_refused() {
    let (_, failure) = script_fails("printf 'hello \\033[2J\\n'; sleep 60");
    assert!(failure.contains("sent no protocol event"), "{failure}");
    assert!(!failure.contains('\u{1b}'), "escape sequences are shown and not sent: {failure}");
}

#[test]
fn events_out_of_order_are_refused() {
    let (_, failure) = script_fails("started; sleep 60");
    assert_eq!(failure, "the worker broke the protocol: it sent `test_started` out of order");
}

#[test]
fn a_worker_that_claims_to_be_done_early_is_refused() {
    let (_, failure) = script_fails("opened; echo '{\"event\":\"done\"}'; sleep 60");
    assert_eq!(failure, "the worker broke the protocol: it sent `done` before test 1");
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

/// Installs LMDB's own worker with its events changed by `sed` before dbdyno reads them.
fn liar(place: &Place, name: &str, lie: &str) {
    let program = env!("CARGO_BIN_EXE_dbdyno");
    let script = format!(
        "if [ \"$1\" = describe ]; then '{program}' worker lmdb describe | sed 's/\"name\":\"lmdb\"/\"name\":\"{name}\"/'; exit; fi\n\
         exec 3<&0; job=$(mktemp -u); mkfifo \"$job\"\n\
         sed -u 's/\"engine\":\"{name}\"/\"engine\":\"lmdb\"/' <&3 >\"$job\" & \n\
         '{program}' worker lmdb run <\"$job\" | sed -u '{lie}'\n\
         kill $!; rm -f \"$job\""
    );
    place.engine(name, &script);
}

#[test]
fn a_report_that_cannot_be_true_fails_the_run() {
    let on_done = |lie: &str| format!("/test_done/s/{lie}/");
    for (lie, says) in [
        (on_done("\"operations\":1000,/\"operations\":1000000,"), "test 1 has 1000000 operations, expected 1000"),
        (on_done("\"operations\":1000,/\"operations\":500,"), "test 1 has 500 operations, expected 1000"),
        (on_done("\"wall_ns\":[0-9]*/\"wall_ns\":1"), "its samples add up to"),
        (on_done("\"wall_ns\":[0-9]*/\"wall_ns\":1000000000000000000"), "by dbdyno's clock"),
        (on_done("\"user_ns\":[0-9]*/\"user_ns\":1000000000000000000"), "user_ns is"),
        (on_done("\"written_bytes\":[0-9]*/\"written_bytes\":18446744073709551615"), "written_bytes is"),
        (on_done("\"close_ns\":[0-9]*/\"close_ns\":1000000000000000000"), "close_ns is"),
        (on_done("\"open_ns\":[0-9]*/\"open_ns\":1000000000000000000"), "open_ns is"),
        (on_done("\"database_bytes\":[0-9]*/\"database_bytes\":18446744073709551615"), "database_bytes is"),
        (on_done("\"peak_rss_bytes\":[0-9]*/\"peak_rss_bytes\":18446744073709551615"), "peak_rss_bytes is"),
        (on_done("\"measured\":true/\"measured\":false"), "ended with measured=false"),
        ("/\"event\":\"done\"/a {\"event\":\"done\"}".to_owned(), "the worker sent something after `done`"),
    ] {
        let place = Place::new();
        liar(&place, "odd", &lie);
        let (_, failure) = failure_of(&place, "odd", &[]);
        assert!(failure.contains(says), "{lie}: {failure}");
    }
}

#[test]
fn an_honest_worker_behind_a_script_is_taken() {
    let place = Place::new();
    liar(&place, "odd", "");
    place.ok(&["run", "--suite", "kv", "--engine", "odd", "--engine", "lmdb", "--size", "20000", "--repeat", "1"]);
    assert_eq!(place.value("SELECT count(*) FROM results WHERE engine = 'odd' AND status = 'ok'"), "8");
}

#[test]
fn one_implementation_has_one_voice_and_sqlite_decides() {
    let place = Place::new();
    let wrong = ["--engine", "null:answers=wrong", "--engine", "null:answers=wrong,noise_seed=2"];
    let rest = ["--size", "1000", "--test", "2", "--repeat", "1", "--quiet"];
    let status = |engines: &[&str]| {
        let done = place.run(&[&["run", "--suite", "kv"][..], engines, &wrong, &rest].concat());
        assert_eq!(done.code, Some(1), "{}", done.stderr);
        place.rows(
            "SELECT engine, string_agg(DISTINCT status) FROM results
             WHERE session_id = (SELECT last(session_id ORDER BY started_at) FROM session) GROUP BY 1 ORDER BY 1",
        )
    };
    assert_eq!(status(&["--engine", "sqlite"]), [["null", "disagrees"], ["sqlite", "ok"]]);
    assert_eq!(status(&["--engine", "lmdb"]), [["lmdb", "disagrees"], ["null", "disagrees"]], "nobody can tell");
    assert_eq!(
        status(&["--engine", "lmdb", "--engine", "redb"]),
        [["lmdb", "ok"], ["null", "disagrees"], ["redb", "ok"]]
    );
}

#[test]
fn rows_are_a_part_of_the_answer() {
    let place = Place::new();
    liar(&place, "odd", "/test_done/s/\"rows\":[0-9]*/\"rows\":999/");
    let engines = ["--engine", "sqlite", "--engine", "odd"];
    place.run(&[&["run", "--suite", "kv"][..], &engines, &["--size", "1000", "--test", "2", "--repeat", "1"]].concat());
    let status = place.rows("SELECT engine, status FROM results ORDER BY 1");
    assert_eq!(status, [["odd", "disagrees"], ["sqlite", "ok"]]);
}

#[test]
fn one_implementation_alone_is_held_against_what_is_known_or_says_that_it_is_not_cross_checked() {
    let place = Place::new();
    let run = |engine: &str| {
        let run = ["run", "--suite", "kv", "--engine", engine, "--size", "1000", "--test", "1,2,3", "--repeat", "1"];
        place.run(&run).stdout
    };
    let alone = run("lmdb");
    assert!(alone.contains("not cross-checked") && alone.contains("Random reads"), "{alone}");
    assert!(!alone.contains("as one implementation gave them: Sequential writes"), "that one is known: {alone}");
    let agrees = "SELECT test, agrees FROM result JOIN run USING (run_id) WHERE engine = 'lmdb' ORDER BY 1";
    assert_eq!(place.rows(agrees), [["1", "true"], ["2", ""], ["3", "true"]]);
    run("null:answers=wrong");
    let wrong = "SELECT test, status FROM results WHERE engine = 'null' ORDER BY 1";
    assert_eq!(place.rows(wrong), [["1", "ok"], ["2", "ok"], ["3", "disagrees"]], "nothing is read in the first");
}

#[test]
fn what_is_known_holds_for_a_test_that_is_picked_alone() {
    let place = Place::new();
    for (suite, size, tests) in [("kv", "1000", &["1", "3", "4", "8"][..]), ("lumosql", "1", &["4", "5", "6", "8"])] {
        for test in tests {
            place.ok(&[
                "run",
                "--suite",
                suite,
                "--engine",
                "sqlite:synchronous=off",
                "--size",
                size,
                "--test",
                test,
                "--repeat",
                "1",
            ]);
        }
    }
    let agree = "SELECT count(*), count(*) FILTER (agrees) FROM result";
    assert_eq!(place.rows(agree), [["8", "8"]]);
}

#[test]
fn a_broken_outside_engine_is_listed_with_the_reason() {
    let place = Place::new();
    place.engine("old", &DESCRIBE.replace("NAME", "old").replace("\"protocol\":1", "\"protocol\":9"));
    place.engine("impostor", &DESCRIBE.replace("NAME", "somebody"));
    place.engine("mute", "exit 1");
    let option = r#""options":[{"name":"cache","type":"integer","min":0,"max":9,"default":"1","help":"pages"}]"#;
    place.engine("greedy", &DESCRIBE.replace("NAME", "greedy").replace("\"options\":[]", option));
    let list = place.ok(&["list", "engines"]);
    assert!(list.contains("protocol 9, dbdyno speaks 1"), "{list}");
    assert!(list.contains("calls itself `somebody`, its file says `impostor`"), "{list}");
    assert!(list.lines().any(|line| line.starts_with("mute") && line.contains('✗')), "{list}");
    assert!(list.contains("option `cache`: the name is reserved for selecting runs"), "{list}");
    let done = place.run(&["run", "--suite", "kv", "--engine", "old"]);
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("engine `old` cannot be used"), "{}", done.stderr);
}

/// A script that does tests 1 and 2 in order, with its own step in the middle of the first and at the end.
fn whole(meanwhile: &str, at_last: &str) -> String {
    let done = format!(
        "\"operations\":1000,\"rows\":0,\"verification\":null,\"peak_rss_bytes\":1,\"database_bytes\":1,\"side_bytes\":0,\
         \"operations_per_sample\":1,\"histogram\":\"{}\"",
        to_base64(&empty())
    );
    DESCRIBE.replace("NAME", "odd")
        + &format!(
            "
done_with() {{ echo '{{\"event\":\"test_done\",\"test\":'$1',\"measured\":true,\"wall_ns\":1000,{done}}}'; read -r line; }}
opened; started
{meanwhile}
done_with 1
echo '{{\"event\":\"test_started\",\"test\":2,\"name\":\"y\",\"measured\":true,\"operations\":1000}}'
done_with 2
echo '{{\"event\":\"done\"}}'
{at_last}
"
        )
}

const ODD: [&str; 11] = ["run", "--suite", "kv", "--engine", "odd", "--size", "1000", "--test", "1,2", "--repeat", "1"];

#[test]
fn what_a_worker_started_ends_with_its_run() {
    let left = "setsid sh -c 'sleep 600 & exec sleep 600' </dev/null >/dev/null 2>&1 &\nsleep 600 >/dev/null 2>&1 &";
    for (how, code, script) in [
        ("done", Some(0), whole(left, "")),
        ("failed", Some(1), whole(left, "exit 3")),
        ("broken", Some(1), whole(&format!("{left}\necho nonsense; sleep 600"), "")),
    ] {
        let place = Place::new();
        place.engine("odd", &script);
        let done = place.run(&ODD);
        assert_eq!(done.code, code, "{how}: {}", done.stderr);
        let root = place.path("");
        // A killed process takes a moment to end. Any other would run for ten minutes.
        wait_until("every process has ended", || processes_with(root.to_str().unwrap()).is_empty());
    }
}

#[test]
fn what_a_describing_engine_started_ends_with_its_answer() {
    let place = Place::new();
    place.engine("odd", &format!("setsid sleep 600 >/dev/null 2>&1 &\n{}", DESCRIBE.replace("NAME", "odd")));
    assert!(place.ok(&["list", "engines"]).contains("odd"));
    let root = place.path("");
    wait_until("every process has ended", || processes_with(root.to_str().unwrap()).is_empty());
}

/// The peak memory of dbdyno during a session of the engine `odd`, in bytes, and the result of the command.
fn peak_memory(place: &Place) -> (u64, Done) {
    let mut child = place.command(&ODD).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok());
        peak = peak.max(most.unwrap_or(0) * 1024);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    (peak, Done::of(child.wait_with_output().unwrap()))
}

#[test]
fn an_engine_that_floods_cannot_grow_dbdyno() {
    let quiet = Place::new();
    quiet.engine("odd", &whole("", ""));
    let (usual, done) = peak_memory(&quiet);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let progress = |histogram: &str| {
        format!(
            "{{\"event\":\"progress\",\"test\":1,\"operations\":1,\"total\":null,\"elapsed_ns\":1,\"histogram\":\"{histogram}\"}}"
        )
    };
    let many = format!("yes '{}' | head -n 1500000", progress(&to_base64(&empty())));
    let huge = "for i in $(seq 150); do cat \"$DBDYNO_CONFIG/huge\"; done";
    for (what, script, left_out) in [
        ("many events", whole(&many, ""), true),
        ("huge events", whole(huge, ""), true),
        ("noise on stderr", whole("yes noise | head -n 5000000 >&2", ""), false),
    ] {
        let place = Place::new();
        fs::write(place.path("config/huge"), progress(&"A".repeat(3 << 20)) + "\n").unwrap();
        place.engine("odd", &script);
        let (peak, done) = peak_memory(&place);
        assert_eq!(done.code, Some(0), "{what}: {}", done.stderr);
        assert!(peak < usual + (64 << 20), "{what}: {} MiB, usually {} MiB", peak >> 20, usual >> 20);
        assert_eq!(place.value("SELECT count(*) FROM results WHERE status = 'ok'"), "2", "{what}: no result is lost");
        assert_eq!(done.stderr.contains("progress events of the worker were ignored"), left_out, "{what}");
        let logged = "SELECT coalesce(log LIKE '%progress events of the worker were ignored%', false) FROM run";
        assert_eq!(place.value(logged), left_out.to_string(), "{what}");
    }
}

#[test]
fn a_flood_after_the_last_word_ends_with_the_worker() {
    let place = Place::new();
    place.engine("odd", &whole("", "yes '{\"event\":\"done\"}'"));
    let done = place.run(&ODD);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
    assert_eq!(place.value("SELECT failure FROM run"), "the worker sent `done` but did not exit: it was killed");
    assert_eq!(place.value("SELECT count(*) FROM result"), "2", "what it finished is kept");
}

#[test]
fn a_worker_that_does_not_read_its_job_can_be_ended() {
    let place = Place::new();
    // A pipe holds 64 KiB.
    let suite = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/suites/kv.toml")).unwrap();
    let suite = suite.replace("name = \"kv\"", "name = \"wide\"").replace("Random reads", &"x".repeat(200_000));
    fs::write(place.path("config/suites/wide.toml"), suite).unwrap();
    place.engine("odd", &DESCRIBE.replace("NAME", "odd").replace("read -r job", "exec sleep 600"));
    let child = place.spawn(&["run", "--suite", "wide", "--engine", "odd", "--size", "1000", "--repeat", "1"]);
    wait_until("the worker is started", || place.run(&["sql", "FROM run"]).stdout.contains("running"));
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT).unwrap();
    let done = Done::of(child.wait_with_output().unwrap());
    assert_eq!(done.code, Some(130), "{}", done.stderr);
    assert_eq!(place.value("SELECT status FROM session"), "cancelled");
}

#[test]
fn a_signal_that_ends_a_worker_is_told_in_words() {
    for (signal, words) in [
        ("BUS", "(SIGBUS): a memory-mapped file could not be read or could not grow, as on a full disk: "),
        ("KILL", "(SIGKILL): it was killed; the kernel does this when memory runs out"),
        ("XCPU", "(SIGXCPU): it reached the limit of CPU time"),
        ("SEGV", "(SIGSEGV): it accessed memory that does not belong to it"),
    ] {
        let (_, failure) = script_fails(&format!("opened; started; kill -{signal} $$; sleep 60"));
        assert!(failure.contains("in test 1") && failure.contains(words), "{failure}");
        assert_eq!(failure.contains(" are free in /"), signal == "BUS", "{failure}");
    }
}

#[test]
fn a_limit_of_file_sizes_is_named_and_the_results_are_kept() {
    for engine in ["sqlite:synchronous=off", "lmdb:sync=nosync", "lmdb:sync=nosync,writemap=on"] {
        let place = Place::new();
        // Enough for the store, but not for a database of this size.
        let limited =
            format!("ulimit -f 16000; exec \"$0\" run --suite kv --engine {engine} --size 200000 --test 1 --repeat 1");
        let like = place.command(&[]);
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &limited]).arg(like.get_program()).stdin(Stdio::null());
        command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let done = Done::of(command.output().unwrap());
        assert_eq!(done.code, Some(1), "{engine}: {}", done.stderr);
        let failure = place.value("SELECT failure FROM run");
        assert!(failure.contains("the limit of file sizes, which `ulimit -f` shows"), "{engine}: {failure}");
    }
}

#[test]
fn the_documented_engine_gives_the_answers_that_sqlite_gives() {
    if !has_tool("python3", &["--version"]) {
        return;
    }
    let place = Place::new();
    put_python(&place, "pydict", &[], &[]);
    place.ok(&[
        "run", "--suite", "kv", "--engine", "pydict", "--engine", "sqlite", "--size", "1000", "--repeat", "1",
        "--quiet",
    ]);
    let found = place.rows("SELECT DISTINCT status, agrees FROM results JOIN result USING (run_id, test)");
    assert_eq!(found, [["ok", "true"]]);
}

#[test]
fn an_engine_of_version_1_runs_what_one_thread_can() {
    if !has_tool("python3", &["--version"]) {
        return;
    }
    let place = Place::new();
    // Version 1 used another digest. A checksum without the prefix `3:` takes its place here.
    put_python(&place, "pydict", &[("\"protocol\": 2", "\"protocol\": 1")], &[("f\"3:{digest", "f\"{digest")]);
    let engines = ["--engine", "pydict", "--engine", "sqlite"];
    place.ok(&[&["run", "--suite", "kv", "--size", "1000", "--repeat", "1", "--quiet"][..], &engines].concat());
    let found = place
        .rows("SELECT engine, count(*), min(status), max(verification) LIKE '3:%' FROM results GROUP BY 1 ORDER BY 1");
    assert_eq!(found, [["pydict", "8", "ok", "false"], ["sqlite", "8", "ok", "true"]]);
    let done = place.run(&[&["run", "--suite", "contention"][..], &engines].concat());
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("engine `pydict` cannot run suite `contention`"), "{}", done.stderr);
    let done = place.run(&["run", "--suite", "ycsb", "--engine", "pydict", "--repeat", "1", "--quiet"]);
    assert_eq!(done.code, Some(2));
    let said = "engine `pydict` cannot run suite `ycsb`: it does not have keys in zipfian order, which test 2 ";
    assert!(done.stderr.contains(said), "{}", done.stderr);
    let done =
        place.run(&["run", "--suite", "redb-bench", "--test", "1", "--engine", "pydict", "--repeat", "1", "--quiet"]);
    assert_eq!(done.code, Some(1));
    let failure = place.value("SELECT failure FROM run WHERE suite = 'redb-bench'");
    assert!(failure.contains("pydict does not know [") && failure.contains("{scattered:24}"), "{failure}");
}

/// For example with a missing preloaded library.
#[test]
fn a_worker_that_dies_at_once_is_told_with_its_last_words() {
    let place = Place::new();
    let said = "object '/x.so' cannot be preloaded";
    place.engine(
        "dying",
        &format!(
            "[ \"$1\" = describe ] && echo '{{\"protocol\":1,\"name\":\"dying\",\"about\":\"x\",\"version\":\"1\",\"suites\":[\"kv\"]}}' && exit\n\
             echo >&2; echo \"{said}\" >&2; exit 1"
        ),
    );
    let (done, failure) = failure_of(&place, "dying", &[]);
    assert!(
        failure.contains("(exit status: 1)") && failure.ends_with(&format!("its log ends with: {said}")),
        "{failure}"
    );
    assert!(done.stderr.contains(said), "{}", done.stderr);
    place.engine("mute", &format!("echo \"{said}\" >&2; exit 1"));
    let done = place.run(&["run", "--suite", "kv", "--engine", "mute"]);
    assert!(done.code == Some(2) && done.stderr.contains(said), "{}", done.stderr);
}

#[test]
fn a_description_may_take_temporary_files_and_a_failed_one_has_its_stderr() {
    let place = Place::new();
    let describe = DESCRIBE.replace("NAME", "compiler");
    place.engine("compiler", &format!("[ \"$1\" = describe ] && {{ echo x >\"$TMPDIR/x\" || exit 1; }}\n{describe}"));
    place.engine("halfway", "echo '{'; echo 'no licence found' >&2; exit 1");
    place.engine("talkative", "head -c 200000 /dev/zero | tr '\\0' . >&2; echo >&2; echo 'the reason' >&2; echo '{'");
    let done = place.run(&["list", "engines"]);
    let line = |name: &str| done.stdout.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    assert!(!line("compiler").contains("✗"), "{}", done.stdout);
    let refused =
        |name: &str| place.run(&["run", "--suite", "kv", "--engine", name, "--size", "1000", "--repeat", "1"]).stderr;
    assert!(refused("halfway").contains("the last line of its stderr: no licence found"), "{}", refused("halfway"));
    assert!(refused("talkative").contains("the last line of its stderr: the reason"), "{}", refused("talkative"));
}
