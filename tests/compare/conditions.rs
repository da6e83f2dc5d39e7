//! Compares stored facts of sessions: a decisive difference keeps times apart, any other difference is named.

use super::{
    fixture::{Bench, CLEAR, doubts, spec},
    obstacles::only_allowed_by,
};
use dbdyno::{
    catalog::Difference,
    compare::{Comparison, Options},
    store::SessionRecord,
};

/// Two sessions of one host and disk. Only the second ran `y`.
fn two_sessions(change: impl Fn(&mut SessionRecord, bool)) -> Bench {
    let mut bench = Bench::default();
    let sessions = [bench.session("here"), bench.session("here")];
    for (at, session) in bench.batch.sessions.iter_mut().enumerate() {
        session.file_system = Some("ext4".to_owned());
        change(session, at == 1);
    }
    for (round, (a, b)) in (0..).zip(CLEAR) {
        bench.run(&sessions[0], round, &spec("x"), &[a * 1000]);
        bench.run(&sessions[1], round, &spec("y"), &[b * 1000]);
    }
    bench
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn compared(bench: &Bench) -> Comparison {
    bench.compared("engine=x", "engine=y", &Options::default())
}

/// Asserts that nothing prevents the comparison, and that exactly these badges are shown.
#[track_caller]
fn only_named(bench: &Bench, badges: &[&str]) {
    let found = compared(bench);
    assert!(found.lines[0].obstacles.is_empty(), "{:?}", found.lines[0].obstacles);
    let said: Vec<String> = doubts(&found).into_iter().filter(|warning| warning.contains("differ")).collect();
    assert_eq!(said, badges);
}

#[test]
fn what_times_depend_on_keeps_sessions_apart() {
    type Change = fn(&mut SessionRecord, bool);
    let limits: Change = |session, second| {
        session.cpus_allowed = Some(if second { 1 } else { 2 });
        session.cpu_quota = second.then_some(0.2);
        session.memory_max_bytes = second.then_some(512 << 20);
    };
    let cases: [(Change, &[&str]); 6] = [
        (
            |session, second| {
                session.fsync_ns = Some(3_000_000);
                session.sync_least_ns = Some(if second { 2_000 } else { 3_000_000 });
            },
            &["small synced writes to this disk took 3.00 ms in A, 2.00 µs in B"],
        ),
        (
            limits,
            &[
                "CPU quotas differ: A none, B 0.2",
                "CPUs to run on differ: A 2, B 1",
                "memory limits of control groups differ: A none, B 512 MiB",
            ],
        ),
        (
            |session, second| session.allocator = text(if second { "libjemalloc.so.2" } else { "libc.so.6" }),
            &["allocators differ: A libc.so.6, B libjemalloc.so.2"],
        ),
        (
            |session, second| {
                session.allocator = text("libc.so.6");
                session.preloaded = second.then(|| "libeatmydata.so".to_owned());
            },
            &["preloaded libraries differ: A none, B libeatmydata.so"],
        ),
        (
            |session, second| {
                session.build_profile = text(if second { "debug" } else { "release" });
                session.build_flags = text(if second { "opt-level=0" } else { "opt-level=3" });
            },
            &["builds of dbdyno differ: A release, opt-level=3, B debug, opt-level=0"],
        ),
        (
            |session, second| session.mount_options = text(if second { "rw,sync" } else { "rw,relatime" }),
            &["mount options that change times differ: A none, B sync"],
        ),
    ];
    for (change, says) in cases {
        let bench = two_sessions(change);
        for says in says {
            only_allowed_by(Difference::Hosts, &bench, says);
        }
    }
}

#[test]
fn what_is_not_known_differs_from_nothing() {
    only_named(
        &two_sessions(|session, second| {
            if second {
                session.syncs_believed = Some(true);
                session.fsync_ns = Some(2_000);
                session.cpus_allowed = Some(2);
                session.cpu_quota = Some(0.2);
                session.allocator = text("libjemalloc.so.2");
                session.preloaded = text("libjemalloc.so.2");
                session.build_profile = text("debug");
                session.mount_options = text("rw,sync");
                session.cpu_governor = text("powersave");
            }
        }),
        &[],
    );
}

#[test]
fn what_decides_nothing_is_named() {
    only_named(
        &two_sessions(|session, second| {
            session.mount_options = text(if second { "rw,discard,relatime" } else { "rw,noatime" });
            session.cpu_governor = text(if second { "powersave" } else { "performance" });
            session.clock_source = text(if second { "hpet" } else { "tsc" });
            session.build_profile = text("release");
            let version = if second { "rustc 1.90" } else { "rustc 1.91" };
            session.build_flags = Some(format!("{version}, opt-level=3"));
            // One session began on a busy disk.
            session.fsync_ns = Some(if second { 9_000_000 } else { 500_000 });
            session.sync_least_ns = Some(if second { 450_000 } else { 400_000 });
        }),
        &[
            "mount options differ: A noatime, B discard,relatime",
            "CPU governors differ: A performance, B powersave",
            "clock sources differ: A tsc, B hpet",
            "build flags of dbdyno differ: A rustc 1.91, B rustc 1.90",
        ],
    );
}

#[test]
fn pairs_of_one_session_have_the_same_facts() {
    let mut bench = Bench::default();
    for quota in [None, Some(0.5)] {
        bench.pairs(&spec("x"), &spec("y"), &CLEAR);
        let session = bench.batch.sessions.last_mut().unwrap();
        (session.cpus_allowed, session.cpu_quota) = (Some(2), quota);
        session.cpu_governor = text(if quota.is_some() { "powersave" } else { "performance" });
    }
    only_named(&bench, &[]);
    assert!(compared(&bench).lines[0].found.as_ref().unwrap().paired);
}

#[test]
fn a_tier_that_its_place_does_not_uphold_is_no_equal_of_one_that_is() {
    let bench = two_sessions(|session, second| session.syncs_believed = Some(!second));
    let found = compared(&bench);
    let messages: Vec<&str> = found.lines[0].obstacles.iter().map(|one| one.message.as_str()).collect();
    let says = "A is tier 3 power-safe, B is tier 3 power-safe (asked, not upheld: syncs reach no disk)";
    assert!(messages[0].contains(says), "{messages:?}");
    assert_eq!(messages[1], "sync targets differ: A the disk, B no disk");
    assert_eq!(found.lines[0].b.as_ref().unwrap().tier, Some(3), "what was asked stays");

    // Compared on one such place they are equal, and both sides show it.
    let mut bench = Bench::default();
    bench.pairs(&spec("x"), &spec("y"), &CLEAR);
    bench.batch.sessions[0].syncs_believed = Some(false);
    let found = compared(&bench);
    assert!(found.lines[0].obstacles.is_empty(), "{:?}", found.lines[0].obstacles);
    for side in [&found.a, &found.b] {
        let tier = side.configurations[0].configuration.tier_words();
        assert_eq!(tier, "3 power-safe (asked, not upheld: syncs reach no disk)");
    }
}

#[test]
fn builds_of_one_engine_are_told_apart_and_those_to_debug_are_doubted() {
    let mut bench = Bench::default();
    let session = bench.session("here");
    for (round, (a, b)) in (0..).zip(CLEAR) {
        for (option, build, time) in [("a", "THREADSAFE=2, DEFAULT_MEMSTATUS=0", a), ("b", "THREADSAFE=2, DEBUG", b)] {
            let mut variant = spec("x");
            variant.options = vec![("library", option)];
            variant.label = format!("x:library={option}");
            bench.run(&session, round, &variant, &[time * 1000]);
            bench.batch.runs.last_mut().unwrap().engine_build = text(build);
        }
    }
    let found = bench.compared("library=a", "library=b", &Options::default());
    assert!(found.lines[0].found.is_some(), "{:?}", found.lines[0].obstacles);
    for says in [
        "builds of x 1.0 differ: A DEFAULT_MEMSTATUS=0, B DEBUG",
        "engine build: the library checks itself at every step (SQLITE_DEBUG): x:library=b",
    ] {
        assert!(doubts(&found).iter().any(|warning| warning == says), "{says}: {:?}", doubts(&found));
    }
}
