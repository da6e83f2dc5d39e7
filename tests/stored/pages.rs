//! Pages of results and groups, and all stored facts of one run.

use super::{copied, fill, filled, session, uuid};
use crate::support::asked;
use dbdyno::{
    metric::Metric,
    store::{
        GroupColumn, GroupRow, Order, Page, PageListing, PageRows, ResultColumn, ResultRow, Selection, SelectionKey,
        Store,
    },
};
use duckdb::Connection;
use std::{path::Path, sync::OnceLock};

const COLUMNS: [ResultColumn; 15] = [
    ResultColumn::Started,
    ResultColumn::Suite,
    ResultColumn::Size,
    ResultColumn::Test,
    ResultColumn::Engine,
    ResultColumn::Wall,
    ResultColumn::Rate,
    ResultColumn::P50,
    ResultColumn::P99,
    ResultColumn::Status,
    ResultColumn::Tier,
    ResultColumn::Round,
    ResultColumn::Version,
    ResultColumn::Host,
    ResultColumn::Tags,
];

fn execute(store: &Store, sql: &str) {
    let connection = Connection::open(store.path()).unwrap();
    connection.execute_batch(sql).unwrap();
    connection.close().unwrap();
}

/// Runs of every kind: one complete, one with a failed and a disagreeing test, one invalid, one without a test.
fn of_every_kind(folder: &Path) -> Store {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    copied(&FILE, folder, make_every_kind)
}

fn make_every_kind(store: &Store) {
    fill(store);
    for number in [3, 4] {
        store.write(&session(number, "host2", "kv")).unwrap();
    }
    execute(
        store,
        &format!(
            "UPDATE result SET failure = 'no' WHERE run_id = '{two}' AND test = 1;
             UPDATE result SET agrees = false WHERE run_id = '{two}' AND test = 2;
             UPDATE run SET status = 'invalid', tier = NULL, size = '9' WHERE run_id = '{three}';
             UPDATE run SET status = 'failed', failure = 'broke', started_at = NULL WHERE run_id = '{four}';
             DELETE FROM result WHERE run_id = '{four}';
             INSERT INTO tag VALUES ('{three}', 'third'), ('{three}', 'first|second');",
            two = uuid(2001),
            three = uuid(3001),
            four = uuid(4001)
        ),
    );
}

fn selection(line: &str) -> Selection {
    Selection::parse_line(line).unwrap()
}

fn results(page: Page) -> Vec<ResultRow> {
    match page.rows {
        PageRows::Results(rows) => rows,
        other => panic!("{other:?}"),
    }
}

fn groups(store: &Store, line: &str, key: &str) -> Vec<GroupRow> {
    let order = Order { column: GroupColumn::Value, descending: false };
    let listing = PageListing::Groups(SelectionKey::parse(key).unwrap(), order);
    match store.page(&selection(line), &listing, 0, 100).unwrap().rows {
        PageRows::Groups(rows) => rows,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_page_says_of_every_row_what_the_view_says() {
    let folder = tempfile::tempdir().unwrap();
    let store = of_every_kind(folder.path());
    let listing = PageListing::Results(Order { column: ResultColumn::Started, descending: true });
    let page = store.page(&Selection::default(), &listing, 0, 100).unwrap();
    assert_eq!((page.stored, page.results, page.without, page.length), (6, 6, 1, 7));
    let view = asked(
        &store,
        "SELECT run_id, strftime(started_at, '%Y-%m-%d %H:%M:%S'), suite, size, test, test_name, label, engine_version,
                    wall_ns, rate, p50_ns, p99_ns, coalesce(status, run_status), tier, round, host,
                    array_to_string(tags, ' ')
             FROM run_tests ORDER BY started_at DESC NULLS LAST, run_id, test",
    )
    .unwrap();
    let number = |value: &dyn std::fmt::Display| Some(value.to_string());
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let rows: Vec<Vec<Option<String>>> = results(page)
        .iter()
        .map(|row| {
            vec![
                text(&row.run_id),
                text(&row.started),
                text(&row.suite),
                text(&row.size),
                row.test.as_ref().and_then(|test| number(test)),
                text(&row.test_name),
                text(&row.label),
                text(&row.version),
                row.wall_ns.as_ref().and_then(|ns| number(ns)),
                row.rate.map(|rate| format!("{rate:?}")),
                row.p50_ns.as_ref().and_then(|ns| number(ns)),
                row.p99_ns.as_ref().and_then(|ns| number(ns)),
                text(&row.status),
                row.tier.as_ref().and_then(|tier| number(tier)),
                number(&row.round),
                text(&row.host),
                text(&row.tags),
            ]
        })
        .collect();
    let stored: Vec<Vec<Option<String>>> = view
        .into_iter()
        .map(|row| row.into_iter().map(|value| value.filter(|text| !text.is_empty())).collect())
        .collect();
    assert_eq!(rows, stored);
    let statuses: Vec<&str> = stored.iter().filter_map(|row| row[12].as_deref()).collect();
    assert_eq!(statuses, ["invalid", "invalid", "failed", "disagrees", "ok", "ok", "failed"]);
}

#[test]
fn windows_are_parts_of_one_order_whatever_the_column() {
    let folder = tempfile::tempdir().unwrap();
    let store = of_every_kind(folder.path());
    let _open_once = store.read_together();
    for column in COLUMNS {
        for descending in [false, true] {
            let listing = PageListing::Results(Order { column: column.clone(), descending });
            let read = |offset, rows| store.page(&Selection::default(), &listing, offset, rows).unwrap();
            let whole = results(read(0, 100));
            let parts: Vec<ResultRow> = [0, 2, 4].into_iter().flat_map(|offset| results(read(offset, 2))).collect();
            assert_eq!(parts, whole[..6], "{column:?} {descending}");
            let last = read(u64::MAX, 3);
            assert_eq!(last.offset, 4, "a page past the end is the last one");
            assert_eq!(results(last), whole[4..], "{column:?} {descending}");
        }
    }
    let sizes = |descending| {
        let listing = PageListing::Results(Order { column: ResultColumn::Size, descending });
        results(store.page(&Selection::default(), &listing, 0, 1).unwrap()).remove(0).size
    };
    assert_eq!((sizes(false), sizes(true)), ("9".to_owned(), "1000".to_owned()), "sizes are numbers");
}

#[test]
fn a_selection_means_the_same_on_a_page_as_in_a_count() {
    let folder = tempfile::tempdir().unwrap();
    let store = of_every_kind(folder.path());
    let listing = PageListing::Results(Order { column: ResultColumn::Wall, descending: true });
    for line in [
        "",
        "suite=kv",
        "sync=on",
        "mixed=on",
        "owner=a=b",
        "owner!",
        "tag=third",
        "tag!",
        "status=ok",
        "test=1 size>=10",
    ] {
        let page = store.page(&selection(line), &listing, 0, 100).unwrap();
        assert_eq!(page.results, store.count(&selection(line)).unwrap(), "{line}");
        assert_eq!(
            results(page).iter().filter(|row| row.test.is_some()).count() as u64,
            store.count(&selection(line)).unwrap()
        );
    }
    assert_eq!(store.page(&selection("owner=a=b"), &listing, 0, 100).unwrap().results, 2, "a key is found");
    assert_eq!(store.page(&selection("engine=none"), &listing, 50, 100).unwrap().length, 0);
}

#[test]
fn groups_count_what_is_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let store = of_every_kind(folder.path());
    let shown = |rows: Vec<GroupRow>| -> Vec<(Option<String>, u64, u64, u64)> {
        rows.into_iter().map(|row| (row.value, row.results, row.runs, row.counted)).collect()
    };
    let value = |value: &str| Some(value.to_owned());
    assert_eq!(
        shown(groups(&store, "", "tag")),
        [(value("first|second"), 6, 3, 3), (value("third"), 2, 1, 0), (None, 0, 1, 0)],
        "a run with two tags is in two groups"
    );
    assert_eq!(shown(groups(&store, "", "owner")), [(value("a=b"), 2, 1, 2), (None, 4, 3, 1)]);
    let tests = groups(&store, "suite=kv status=ok", "test");
    assert_eq!(tests[0].median_ns, Some(1_000_001.0));
    assert_eq!(tests[0].detail, "test, \"1\"", "a number says which test it is");
    assert_eq!(groups(&store, "", "session").len(), 4);
}

#[test]
fn a_run_is_read_with_all_that_belongs_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let run = store.run(&uuid(1001)).unwrap().unwrap();
    assert_eq!((run.label.as_str(), run.suite.as_str(), run.rounds), ("lmdb", "kv", 1));
    assert_eq!(run.tests.iter().map(|stored| stored.test.test).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(run.tests[0].test.figure(Metric::Written), Some(2));
    assert_eq!((run.tests[0].slots.len(), run.tests[1].slots.len()), (1, 0));
    assert_eq!(run.options.iter().map(|option| option.name.as_str()).collect::<Vec<_>>(), ["sync", "mixed"]);
    assert_eq!((run.tags, run.notes[0].value.as_str()), (vec!["first|second".to_owned()], "seen\nby hand"));
    assert_eq!(run.keys[0].value, "a=b");
    assert_eq!(
        run.warnings.iter().map(|warning| warning.name.as_str()).collect::<Vec<_>>(),
        ["harness-bound", "noisy host"]
    );
    assert!(run.environment.iter().any(|fact| fact.name == "disk_model" && fact.value == "NVMe"));
    assert_eq!(store.run(&uuid(9)).unwrap(), None);
    assert!(store.names().unwrap().contains(&"owner".to_owned()));
}

#[test]
fn what_a_deletion_would_take_is_what_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let kv = selection("suite=kv");
    let extent = store.extent(&kv).unwrap();
    assert_eq!((extent.runs, extent.results, extent.tags, extent.notes), (1, 2, 1, 1));
    assert_eq!((extent.sessions, extent.unfinished), (1, 0));
    let deleted = store.delete(&kv).unwrap();
    assert_eq!((deleted.runs, deleted.sessions), (extent.runs, extent.sessions));
    assert_eq!(store.extent(&kv).unwrap(), dbdyno::store::Extent::default());
}
