//! What the time of measured threads goes to.

use crate::support::Place;

/// The sum of the parts of a result.
const PARTS: &str =
    "(part_user_ns + part_kernel_ns + part_sync_ns + part_sleep_ns + part_queue_ns + part_rest_ns)::DOUBLE";

#[test]
fn the_parts_of_a_thread_are_its_time() {
    let place = Place::new();
    let engines = "sqlite,lmdb,redb,fjall,duckdb";
    for (suite, tests, size) in [("kv", "", "1000"), ("ycsb", "C: reads", "1000"), ("lumosql", "2,8,14", "")] {
        let mut arguments = vec!["run", "--suite", suite, "--engine", engines, "--repeat", "1", "--quiet"];
        arguments.extend(
            [("--size", size), ("--test", tests)]
                .iter()
                .filter(|(_, value)| !value.is_empty())
                .flat_map(|(name, value)| [*name, *value]),
        );
        place.ok(&arguments);
    }
    let results = place.rows(&format!(
        "SELECT suite, count(*), min({PARTS} / wall_ns) > 0.95 AND max({PARTS} / wall_ns) < 1.05
         FROM results WHERE actor IS NULL GROUP BY suite ORDER BY suite"
    ));
    // Tests that only prepare are stored too.
    for row in &results {
        assert_eq!(row[2], "true", "{results:?}");
    }
    assert_eq!(results.len(), 3);
}

#[test]
fn syncs_are_waited_for_and_pauses_are_sleep() {
    let place = Place::new();
    let engines = "sqlite:synchronous=full|off";
    place.ok(&[
        "run", "--suite", "kv", "--test", "1", "--engine", engines, "--size", "1000", "--repeat", "1", "--quiet",
    ]);
    let syncs = place.rows("SELECT syncs > 0, part_sync_ns > 0 FROM results WHERE test = 1 ORDER BY syncs DESC");
    assert_eq!(syncs, [["true", "true"], ["false", "false"]]);
    let due = ["--set", "contention.writer_rate=100", "--set", "contention.readers=0", "--set", "contention.seconds=1"];
    let run = [
        "run",
        "--suite",
        "contention",
        "--engine",
        "lmdb:sync=nosync",
        "--size",
        "10000",
        "--repeat",
        "1",
        "--test",
        "2",
        "--quiet",
    ];
    place.ok(&[&run[..], &due].concat());
    let asleep =
        "SELECT part_sleep_ns > wall_ns / 2 FROM results WHERE suite = 'contention' AND test = 2 AND actor IS NULL";
    assert_eq!(place.rows(asleep), [["true"]]);
}
