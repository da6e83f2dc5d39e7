use super::*;
use crate::{Catalog, TestPick, engines::Registry};
use dbdyno_engine::{protocol::SuiteJob, settings::Settings, size::Size, suite::KvLoad};

fn workload(line: &str) -> Workload {
    line.parse().unwrap_or_else(|error| panic!("{line}: {error}"))
}

/// Lines that together have every field.
const LINES: [&str; 9] = [
    "read=90,update=10,value=200,rows=1M,threads=4,commit=100",
    "read=1",
    "rows=1k,key=uuid7,key-size=16,value=100-400,compressible=50%,insert=100",
    "bytes=1MiB,key=ascending,prefix=user:,read=50,scan=5,modify=20,scan-rows=1-50,popular=zipf:1.2",
    "read=95,update=5,misses=20%,popular=hot:10/90,readers=3,writers=1,value=lognormal:200:4000",
    "read=80,insert=20,popular=latest,threads=2,rate=1000,seconds=2",
    "rows=2k,delete=10,update=90,value=100*9/4000-8000,operations=500,tier=3",
    "read=1,memory=64MiB,data=2x,key=uuid4",
    "update=100%,key=random,key-size=24,prefix=a-,commit=10,tier=1",
];

#[test]
fn every_field_is_read_and_printed() {
    for field in FIELDS.iter().filter(|field| field.name != "bytes") {
        assert!(
            LINES.iter().any(|line| line.split(',').any(|part| part.split('=').next() == Some(field.name))),
            "{}",
            field.name
        );
    }
    for line in LINES {
        let one = workload(line);
        assert_eq!(workload(&one.to_string()), one, "{line} is printed as {one}");
    }
    assert_eq!(
        workload("update=10, read=90 ,rows=100k,value=100").to_string(),
        "read=90,update=10",
        "defaults are not printed"
    );
    assert_eq!(workload("read=1").name(), workload("read=1,threads=1").name());
    assert_ne!(workload("read=1").name(), workload("read=2,update=1").name());
}

#[test]
fn fields_that_exclude_each_other_are_refused_together_and_no_others() {
    // What a field needs beside it, unless one of the others is there.
    let needs: [(&str, &str, &[&str]); 4] = [
        ("readers", "writers=1", &["writers"]),
        ("writers", "readers=1", &["readers"]),
        ("scan-rows", "scan=1", &["scan"]),
        ("seconds", "threads=2", &["threads", "readers", "writers", "rate"]),
    ];
    for (at, field) in FIELDS.iter().enumerate() {
        for other in &FIELDS[at + 1..] {
            let excludes = field.excludes.contains(&other.name);
            assert_eq!(excludes, other.excludes.contains(&field.name), "{} and {}", field.name, other.name);
            let pair = |field: &Field| format!("{}={}", field.name, field.values[field.values.len() - 1]);
            let mut parts = vec![pair(field), pair(other)];
            let has = |parts: &[String], name: &str| parts.iter().any(|part| part.split('=').next() == Some(name));
            for (name, needed, others) in needs {
                if has(&parts, name) && !others.iter().any(|other| has(&parts, other)) {
                    parts.push(needed.to_owned());
                }
            }
            let shares = ["read", "update"].into_iter().filter(|share| !has(&parts, share));
            let shares: Vec<String> = shares.map(|share| format!("{share}=1")).collect();
            let line = [parts, shares].concat().join(",");
            assert_eq!(line.parse::<Workload>().is_err(), excludes, "{line}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused_with_what_was_expected() {
    for (line, part) in [
        ("", "expected a share of at least one kind of operation"),
        ("red=90", "unknown field `red`: did you mean `read`?"),
        ("read=90,writes=10", "unknown field `writes`: expected insert, update, delete or modify"),
        ("read", "`read`: expected a value after ="),
        ("read=1,read=2", "read: given twice"),
        ("read=x", "read=x: expected a share"),
        ("read=1,key=uuid5", "key=uuid5: did you mean `uuid4`"),
        ("read=1,key=uuid4,key-size=20", "key-size=20: expected 36 bytes, or 16"),
        ("read=1,key-size=7", "expected 8 bytes or more"),
        ("read=1,prefix=user:,key-size=12", "after the prefix of 5"),
        ("read=1,value=0", "value=0: expected bytes (200)"),
        ("read=1,value=lognormal:10:5", "lognormal:MEDIAN:P99"),
        ("read=1,popular=zipf:9", "popular=zipf:9: expected an exponent above 0"),
        ("read=1,popular=often", "popular=often: expected uniform"),
        ("read=1,rows=10,bytes=1MiB", "rows and bytes say the same thing"),
        ("read=1,threads=2,readers=1", "threads and readers and writers say the same thing"),
        ("read=1,readers=1,writers=1", "writers: nothing is left for them to write"),
        ("read=1,update=1,readers=1", "expected both readers and writers"),
        ("read=1,commit=10", "nothing is written, so nothing is committed"),
        ("update=1,commit=10,rate=5", "commit and rate"),
        ("update=1,misses=5%", "misses: expected a share of reads too"),
        ("read=1,scan-rows=5", "scan-rows: expected a share of scans too"),
        ("read=1,threads=2,operations=5", "expected seconds"),
        ("read=1,seconds=5", "expected operations"),
        ("read=1,tier=4", "tier=4: expected 0, 1, 2 or 3"),
        ("read=1,prefix=\"", "prefix=\": expected text without"),
        ("read=1,data=0", "data=0"),
    ] {
        let error = line.parse::<Workload>().unwrap_err();
        assert!(error.contains(part), "{line}: {error}");
    }
}

/// The job of a workload's suite, and its second test.
fn job(line: &str) -> dbdyno_engine::suite::KvSuite {
    let workload = workload(line);
    let text = workload.suite("mine", &Registry::built_in());
    let suite =
        Catalog::suite_of("mine", "mine.toml", text.clone()).unwrap_or_else(|error| panic!("{line}: {error}\n{text}"));
    match suite.resolve(
        Size::one(workload.rows.min(1_000)),
        &Settings::unchecked(std::collections::BTreeMap::new()),
        &TestPick::default(),
    ) {
        SuiteJob::Kv(suite) => suite,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_workload_is_a_valid_suite() {
    for line in LINES {
        let suite = job(line);
        assert_eq!(suite.tests.len(), 2, "{line}");
        let is_alone = !line.contains("threads=") && !line.contains("readers=") && !line.contains("rate=");
        assert_eq!(matches!(suite.tests[1].load, KvLoad::Alone(_)), is_alone, "{line}");
    }
}

#[test]
fn shares_are_those_of_the_line_and_misses_are_of_the_reads() {
    let suite = job("read=90,update=10,misses=20%");
    let works = suite.tests[1].works();
    let weights: Vec<(&str, u64)> = works[0].work.iter().map(|work| (work.operation.name(), work.weight)).collect();
    assert_eq!(weights, [("get", 7_200), ("miss", 1_800), ("put", 1_000)]);
    let apart = job("read=95,update=5,readers=3,writers=1,rate=1000");
    let KvLoad::Actors(load) = &apart.tests[1].load else { panic!("{apart:?}") };
    let rates: Vec<(u32, u64)> = load.actors.iter().map(|actor| (actor.threads, actor.arrival.unwrap().rate)).collect();
    assert_eq!(rates, [(3, 950), (1, 50)]);
}

#[test]
fn rows_of_a_number_of_bytes_have_about_so_many() {
    let workload = workload("read=1,bytes=10MiB,value=200");
    assert_eq!(workload.rows, (10 << 20) / 216);
}

#[test]
fn a_tier_is_reached_by_the_fewest_options() {
    let text = workload("update=1,tier=3").suite("mine", &Registry::built_in());
    let suite = Catalog::suite_of("mine", "mine.toml", text).unwrap();
    for engine in &Registry::built_in().engines {
        let suited = crate::bench::suited(engine, &suite).unwrap();
        let settings = Settings::resolve(&suited.description, &std::collections::BTreeMap::new()).unwrap();
        let reachable = tier::options(&engine.description, Tier::PowerSafe).is_some();
        assert_eq!(suited.description.tier(&settings).0 == Tier::PowerSafe, reachable, "{}", engine.description.name);
    }
    let options = |name: &str, tier| {
        let registry = Registry::built_in();
        let engine = registry
            .engines
            .iter()
            .find(|engine| engine.description.name == name)
            .map(|engine| engine.description.clone());
        engine.map(|engine| tier::options(&engine, tier))
    };
    if let Some(of_lmdb) = options("lmdb", Tier::PowerSafe) {
        assert_eq!(of_lmdb, Some(std::collections::BTreeMap::new()), "LMDB's default waits for the disk");
    }
}

#[test]
fn a_workload_is_said_in_words() {
    assert_eq!(
        workload("read=90,update=10,value=200,rows=1M,threads=4,commit=100").sentence(),
        "1,000,000 rows: random keys of 16 bytes and values of 200 bytes. 4 threads for 5 seconds: 90 % reads, 10 % updates; all rows \
         are equally popular. A commit follows every 100 operations."
    );
    assert_eq!(
        workload("read=2,scan=1,rows=1k,popular=hot:20/80,misses=5%,value=100*9/4000-8000*1,compressible=30")
            .sentence(),
        "1,000 rows: random keys of 16 bytes and values of 100 (9 of 10) or 4000 to 8000 (1 of 10) bytes, 30 % of which can be \
         compressed away. One thread does 200,000 operations: 66.7 % reads, 33.3 % scans; 20 % of the rows get 80 % of the operations; a \
         scan reads 100 rows; 5 % of the reads find no row."
    );
}
