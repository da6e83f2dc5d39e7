//! The cost of a measured loop is measured for each language, and marks only the tests of that language's engines.

use crate::support::Place;

/// Installs SQLite under another name. Under the name `NAME-null` its program does nothing, in simulated time.
fn engine(place: &Place, name: &str, harness: &str, latency_ns: u64) {
    let program = env!("CARGO_BIN_EXE_dbdyno");
    let options = format!(
        r#"{{"memory":"own","clock":"simulated","latency_ns":"{latency_ns}","noise_percent":"0","noise_seed":"1","stall_ms":"0","stall_every_ms":"1000","answers":"none","fault":"none","fault_session":"1","sleep_us":"0","spins":"0","lock":"none","busy_threads":"0","busy_ms":"500"}}"#
    );
    let script = r#"
if [ "$1" = describe ]; then
    PROGRAM worker sqlite describe | sed 's/"name":"sqlite"/"name":"NAME"/; s/,"harness":"null"/HARNESS/'
else
    exec bash -c '
        read -r job
        engine=sqlite
        case "$job" in *\"engine\":\"NAME-null\"*) engine=null ;; esac
        job="${job/\"engine\":\"NAME-null\",\"options\":\{\}/\"engine\":\"null\",\"options\":$OPTIONS}"
        job="${job/\"engine\":\"NAME\"/\"engine\":\"sqlite\"}"
        exec PROGRAM worker "$engine" run < <(printf "%s\n" "$job"; exec cat)'
fi
"#;
    let script = script.replace("PROGRAM", program).replace("HARNESS", harness).replace("NAME", name);
    place.engine(name, &format!("export OPTIONS='{options}'\n{script}"));
}

#[test]
fn a_test_is_bound_by_the_harness_of_its_own_language() {
    let place = Place::new();
    engine(&place, "slow", r#","harness":"slow-null""#, 1_000_000_000);
    engine(&place, "quick", r#","harness":"quick-null""#, 1);
    engine(&place, "mute", "", 1);
    let shown = place.ok(&[
        "run", "--suite", "kv", "--size", "200", "--test", "1,2", "--repeat", "1", "--engine", "slow", "--engine",
        "quick", "--engine", "mute",
    ]);
    let marked = |name: &str, mark: &str| {
        shown.lines().filter(|line| line.trim_start().starts_with(&format!("{mark} {name}"))).count()
    };
    assert_eq!((marked("slow", "h"), marked("quick", "h"), marked("mute", "h")), (2, 0, 0), "{shown}");
    let costs = "SELECT engine, size, test, ns_per_operation::BIGINT FROM harness_cost ORDER BY engine, test";
    let cost = |engine: &str, test: &str, ns: &str| [engine, "200", test, ns].map(str::to_owned).to_vec();
    let (long, short) = ("1000000000", "1");
    let expected = [
        cost("quick-null", "1", short),
        cost("quick-null", "2", short),
        cost("slow-null", "1", long),
        cost("slow-null", "2", long),
    ];
    assert_eq!(place.rows(costs), expected, "each once, and dbdyno's own not, which no engine here has");
    let doubts = "SELECT linter, message FROM warning WHERE linter LIKE 'harness%' ORDER BY linter, message";
    let doubts = place.rows(doubts);
    assert_eq!(doubts.len(), 2, "{doubts:?}");
    assert!(
        doubts[0][0] == "harness unknown" && doubts[0][1].ends_with("names no engine that does nothing: mute at 200")
    );
    assert!(doubts[1][0] == "harness-bound" && doubts[1][1].contains("on slow at 200"), "{doubts:?}");
}
