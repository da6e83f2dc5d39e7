//! Lists, groups, matrices, tags, notes, keys, and deletion.

use super::{dbdyno, filled, sql, uuid};
use dbdyno::{
    metric::Metric,
    store::{Batch, Selection, SessionOrder, Store, StoreError},
};
use std::{ops::ControlFlow, time::Duration};

#[test]
fn a_store_that_is_read_together_stays_open_until_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let all = Selection::parse(&[]).unwrap();
    // Every call creates tables of the same names for its reading.
    let sessions = || {
        let mut found = 0;
        let read = store.sessions::<StoreError>(&all, &[Metric::Wall], SessionOrder::OldestFirst, |_| {
            found += 1;
            Ok(ControlFlow::Continue(()))
        });
        read.map(|()| found)
    };
    let other = Store::new(store.path()).with_patience(Duration::ZERO);
    let together = (store.read_together(), store.read_together());
    assert_eq!((sessions().unwrap(), sessions().unwrap()), (2, 2));
    drop(together.0);
    assert!(other.write(&Batch::default()).is_err_and(|error| error.is_locked()), "it was open between two readings");
    drop(together.1);
    other.write(&Batch::default()).unwrap();
    assert_eq!(sessions().unwrap(), 2);
    other.write(&Batch::default()).unwrap();
}

#[test]
fn lists_have_the_columns_that_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let csv = |arguments: &[&str]| dbdyno(store.path(), &[arguments, &["--format", "csv"]].concat()).good();
    assert_eq!(
        csv(&["results", "--columns", "engine,sync,owner,wall_ns,tags", "suite=kv", "test=1"]),
        "engine,sync,owner,wall_ns,tags\nlmdb,on,a=b,1000001,\"[\"\"first|second\"\"]\"\n"
    );
    assert_eq!(csv(&["results", "--count", r"tag=first\|second"]), "4\n");
    assert_eq!(csv(&["results", "--count", "tag=first|second"]), "0\n");
    assert_eq!(csv(&["results", "--count", "owner!"]), "2\n", "one run has no owner");
    assert_eq!(csv(&["results", "--count", "cpu=*epyc*", "disk=NV*", "test=1"]), "2\n");
    assert_eq!(csv(&["results", "--count", "suite=kv", "suite!=kv"]), "0\n", "terms are not alternatives");
    let prefix = &uuid(1001)[..34];
    assert_eq!(csv(&["results", "--count", &format!("run={}", uuid(1001))]), "2\n");
    assert_eq!(csv(&["results", "--count", &format!("run={prefix}")]), "2\n");
    assert_eq!(
        csv(&["results", "--group-by", "engine,test"]),
        "engine,test,results,runs,sessions,ok,median_wall_ms,least_wall_ms,most_wall_ms\n\
         lmdb,1,2,2,2,2,,,\nlmdb,2,2,2,2,2,,,\n",
        "no figure stands for the times of two suites"
    );
    assert_eq!(
        csv(&["results", "--group-by", "engine,test", "suite=kv"]),
        "engine,test,results,runs,sessions,ok,median_wall_ms,least_wall_ms,most_wall_ms\n\
         lmdb,1,1,1,1,1,1.0,1.0,1.0\nlmdb,2,1,1,1,1,2.0,2.0,2.0\n"
    );
    let said = dbdyno(store.path(), &["results", "--columns", "engin"]).refused(2);
    assert!(said.contains("unknown column `engin`"), "{said}");
    let answer = dbdyno(store.path(), &["results", "--count", "jornal_mode=wal"]);
    assert!(answer.err.contains("no stored run has an option or a key `jornal_mode`"), "{}", answer.err);
}

#[test]
fn a_matrix_has_tests_against_runs() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let csv = |arguments: &[&str]| dbdyno(store.path(), &[arguments, &["--format", "csv"]].concat()).good();
    let (one, two) =
        ("lmdb · 1000 · 00000000-0000-4000-8000-0000000003", "lmdb · 1000 · 00000000-0000-4000-8000-0000000007");
    assert_eq!(
        csv(&["results", "--matrix"]),
        format!("test,{one},{two}\n\"1 test, \"\"1\"\"\",1000001,1000002\n\"2 test, \"\"2\"\"\",2000001,2000002\n")
    );
    let transposed = csv(&["results", "--transpose", "test=1"]);
    assert_eq!(transposed, format!("run,\"1 test, \"\"1\"\"\"\n{one},1000001\n{two},1000002\n"));
    let shares = csv(&["results", "--normalise", "suite=kv"]);
    assert!(shares.contains(&format!(",{}\n", 1_000_001.0 / 3_000_002.0)), "{shares}");
}

#[test]
fn details_tell_all_and_obey_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    dbdyno(store.path(), &["note", "suite=kv", "--text", "\u{1b}[2Jgone"]).good();
    let details = dbdyno(store.path(), &["results", "--details", "suite=kv"]).good();
    for part in
        [&uuid(1001), "tier_reason", "ext4", "sync", "owner", "first|second", "seen\\nby hand", "1.0 ms", "fast"]
    {
        assert!(details.contains(part), "{part}: {details}");
    }
    assert!(details.contains("\\u{1b}[2Jgone") && !details.contains('\u{1b}'), "{details}");
}

#[test]
fn tags_and_keys_come_and_go() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let run = |arguments: &[&str]| dbdyno(store.path(), arguments);
    assert_eq!(run(&["tag", "test=1", "--add", "x'; DROP TABLE run", "--remove", "first|second"]).good(), "2 runs\n");
    assert_eq!(sql(store.path(), "SELECT DISTINCT tags[1] FROM runs"), ["x'; DROP TABLE run"]);
    assert_eq!(run(&["key", "suite=kv", "--set", "owner=b", "--set", "room=1"]).good(), "1 run\n");
    assert_eq!(run(&["results", "--count", "owner=b", "room=1"]).good(), "2\n");
    assert_eq!(run(&["key", "--all", "--remove", "owner"]).good(), "2 runs\n");
    assert_eq!(sql(store.path(), "SELECT count(*) FROM run_key WHERE key = 'owner'"), ["0"]);
    assert!(run(&["tag", "engine=none", "--add", "x"]).refused(2).contains("no run matches"));
    for unselectable in
        ["engine=x", "size=1", "session=x", "tag=x", "started=now", "two words=x", "a!=x", "a|b=x", "=x", " =x"]
    {
        let refused = run(&["key", "--all", "--set", unselectable]).refused(2);
        assert!(refused.contains(unselectable.split('=').next().unwrap().trim()), "{refused}");
        assert!(refused.contains("letters, digits and _ - . : / +"), "{refused}");
    }
    assert_eq!(run(&["key", "suite=kv", "--set", "größe/a.b:c=x"]).good(), "1 run\n");
    assert_eq!(run(&["results", "--count", "größe/a.b:c=x"]).good(), "2\n");
    for wrong in
        [&["tag", "--add", "x"][..], &["tag", "suite=kv"], &["tag", "suite=kv", "--add", " "], &["note", "--all"]]
    {
        run(wrong).refused(2);
    }
}

#[test]
fn deletion_takes_all_that_belongs_to_a_run_and_asks_first() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let run = |arguments: &[&str]| dbdyno(store.path(), arguments);
    let said = run(&["delete", "suite=kv"]).refused(2);
    assert!(said.contains("1 run ") && said.contains("--yes"), "{said}");
    assert_eq!(sql(store.path(), "SELECT count(*) FROM run"), ["2"]);
    assert_eq!(run(&["delete", "suite=kv", "--yes"]).good(), "deleted 1 run and 1 session without any runs left\n");
    for table in ["session", "host", "run", "tag", "timeline", "harness_cost"] {
        assert_eq!(sql(store.path(), &format!("SELECT count(*) FROM {table}")), ["1"], "{table}");
    }
    for table in ["result", "run_option", "warning"] {
        assert_eq!(sql(store.path(), &format!("SELECT count(*) FROM {table}")), ["2"], "{table}");
    }
    assert_eq!(sql(store.path(), "SELECT count(*) FROM note"), ["0"]);
    run(&["delete", "--yes"]).refused(2);
    run(&["delete", "--all", "--yes"]).good();
    assert_eq!(sql(store.path(), "SELECT count(*) FROM session"), ["0"]);
}
