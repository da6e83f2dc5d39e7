//! Everything that `doctor` knows of a machine is known, stored and shown by a session: syncs that do not reach the disk, limits of control
//! groups, preloaded libraries.

use crate::{
    sqlite_lib::changed,
    support::{Done, Place, has_tool},
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

const RUN: [&str; 9] = ["run", "--suite", "kv", "--test", "2", "--size", "1000", "--repeat", "1"];
/// The same with enough work to use up a fifth of a CPU.
const RUN_LONGER: [&str; 9] = ["run", "--suite", "kv", "--test", "2", "--size", "20000", "--repeat", "1"];
const DURABLE: &str = "sqlite:journal_mode=wal,synchronous=full";
const NOT_UPHELD: &str = "3 power-safe (asked, not upheld: syncs reach no disk)";

fn not_checked(why: &str) {
    assert!(std::env::var_os("DBDYNO_REQUIRE_TOOLS").is_none(), "{why}");
    eprintln!("not checked: {why}");
}

#[test]
fn a_session_in_memory_says_that_no_tier_is_upheld_and_comparisons_say_it_too() {
    if !Path::new("/dev/shm").exists() {
        return not_checked("there is no /dev/shm");
    }
    let place = Place::new();
    let folder = tempfile::tempdir_in("/dev/shm").unwrap();
    let work = ["--work-dir", folder.path().to_str().unwrap()];
    let table = place.ok(&[&RUN[..], &["--engine", DURABLE, "--engine", "lmdb"], &work].concat());
    assert!(table.contains(&format!("tier: {NOT_UPHELD}")), "{table}");
    let warning = "!  syncs reach no disk: databases are in memory (tmpfs); tier 3 power-safe (lmdb, sqlite) was requested, but is not upheld here";
    assert!(table.contains(warning), "{table}");
    let stored = "SELECT syncs_believed, sync_doubt FROM session";
    assert_eq!(place.rows(stored), [["false", "databases are in memory (tmpfs)"]]);
    assert_eq!(place.rows("SELECT DISTINCT tier FROM run"), [["3"]], "what was asked stays");
    let compared = place.ok(&["compare", "--a", "engine=sqlite", "--b", "engine=lmdb"]);
    assert!(compared.contains(&format!("tier {NOT_UPHELD}")) && compared.contains(warning), "{compared}");

    let tune = ["tune", "try", "--suite", "kv", "--size", "1000", "--test", "2", "--rounds", "2", "--engine", DURABLE];
    let tried = place.ok(&[&tune[..], &work, &["cache_size=-4000"]].concat());
    let risk = "measured where syncs reach no disk (databases are in memory (tmpfs)): no tier above 1 was upheld";
    assert!(tried.contains(risk), "{tried}");

    // A user who requests memory and no safe commit gets both without a warning.
    let fast = Place::new();
    let table = fast.ok(&[&RUN[..], &["--engine", "sqlite:synchronous=off"], &work].concat());
    assert!(!table.contains("!  syncs reach no disk"), "{table}");
    assert_eq!(fast.value("SELECT syncs_believed FROM session"), "false");
}

/// Runs dbdyno in its own mount namespace, after shell commands with $1 as an empty folder. dbdyno works in the folder `work` there.
/// Returns None if that is not possible here.
fn mounted(place: &Place, mount: &str, arguments: &[&str]) -> Option<Done> {
    let folder = place.path("mounts");
    fs::create_dir_all(&folder).unwrap();
    let like = place.command(arguments);
    let script = format!("cd \"$1\" && ( {mount} ) && work=\"$1/work\" && shift && exec \"$@\" --work-dir \"$work\"");
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &format!("{script} || exit 99"), "sh"]).arg(&folder).arg(like.get_program());
    command.args(arguments).envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let done = Done::of(command.output().ok()?);
    let is_done = done.code != Some(99) && !done.stderr.starts_with("unshare:");
    if !is_done {
        not_checked(&format!("no mounts of one's own here ({})", done.stderr.trim()));
    }
    is_done.then_some(done)
}

const VOLATILE: &str = "mkdir -p lower upper inner work && mount -t overlay -o \
    lowerdir=$PWD/lower,upperdir=$PWD/upper,workdir=$PWD/inner,volatile overlay work";
const ABOVE_MEMORY: &str = "mkdir -p memory && mount -t tmpfs tmpfs memory && cd memory && mkdir lower upper inner && mkdir -p ../work && \
    mount -t overlay -o lowerdir=$PWD/lower,upperdir=$PWD/upper,workdir=$PWD/inner overlay ../work";
const LOOP_IN_MEMORY: &str = "mkdir -p memory work && mount -t tmpfs tmpfs memory && truncate -s 96M memory/file && \
    mkfs.ext4 -q memory/file && mount -o loop memory/file work";

#[test]
fn layers_that_reach_no_disk_are_seen_through() {
    if !has_tool("unshare", &["--version"]) {
        return;
    }
    for (mount, doubts) in [
        (VOLATILE, &["volatile skips every sync"][..]),
        (ABOVE_MEMORY, &["databases are in memory (overlay on tmpfs)"]),
        (LOOP_IN_MEMORY, &["databases are in memory (ext4 on tmpfs)"]),
    ] {
        let place = Place::new();
        let Some(done) = mounted(&place, mount, &[&RUN[..], &["--engine", DURABLE]].concat()) else { continue };
        assert_eq!(done.code, Some(0), "{mount}: {}", done.stderr);
        for says in doubts.iter().chain(&["!  syncs reach no disk", NOT_UPHELD]) {
            assert!(done.stdout.contains(says), "{says} of {mount}: {}", done.stdout);
        }
        let place = Place::new();
        let doctor = mounted(&place, mount, &["doctor"]).unwrap();
        assert_eq!(doctor.code, Some(1), "doctor and session agree: {}", doctor.stdout);
    }
}

#[test]
fn a_disk_on_which_nothing_speaks_against_syncs_is_believed() {
    let place = Place::new();
    let table = place.ok(&[&RUN[..], &["--engine", DURABLE]].concat());
    let believed = place.rows("SELECT syncs_believed, sync_doubt FROM session");
    if believed[0][0] == "false" {
        return not_checked(&format!("syncs of the build folder reach no disk: {}", believed[0][1]));
    }
    assert_eq!(believed, [["true", ""]]);
    assert!(table.contains("tier: 3 power-safe\n"), "{table}");
    assert_eq!(place.rows("SELECT count(*) FROM session WHERE cpus_allowed > 0 AND allocator IS NOT NULL"), [["1"]]);
}

/// A control group with a fifth of a CPU. It is removed when dropped.
struct Fifth(PathBuf);

impl Fifth {
    fn new(name: &str) -> Option<Self> {
        let root = Path::new("/sys/fs/cgroup");
        let group = |parent: &str| root.join(parent).join(format!("dbdyno-quota-{name}-{}", std::process::id()));
        let write = |folder: &Path, file: &str, text: &str| fs::write(folder.join(file), text).is_ok();
        for (folder, files) in [
            (group(""), &[("cpu.max", "20000 100000")][..]),
            (group("cpu"), &[("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "20000")]),
        ] {
            if fs::create_dir(&folder).is_ok() {
                let made = Self(folder);
                if files.iter().all(|(file, text)| made.0.join(file).exists() && write(&made.0, file, text)) {
                    return Some(made);
                }
            }
        }
        None
    }
}

impl Drop for Fifth {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
fn a_quota_of_cpu_time_is_stored_shown_and_said_of_the_runs_that_it_stopped() {
    let Some(group) = Fifth::new("run") else { return not_checked("no control group can be given a quota here") };
    let place = Place::new();
    let like = place.command(&[]);
    let procs = group.0.join("cgroup.procs");
    let run = |arguments: &[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", "echo $$ > \"$1\" && shift && exec \"$@\"", "sh"]).arg(&procs).arg(like.get_program());
        command.args(arguments).envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        Done::of(command.output().unwrap())
    };
    let done = run(&[&RUN_LONGER[..], &["--engine", "sqlite"]].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let stored = "SELECT cpu_quota, count(*) FILTER (throttled_periods > 0 AND throttled_ns > 0) = count(*) \
                  FROM run JOIN session USING (session_id) GROUP BY ALL";
    assert_eq!(place.rows(stored), [["0.2", "true"]]);
    assert!(done.stdout.contains("measured with a CPU quota of 0.2"), "{}", done.stdout);
    let says = "!  throttled: the CPU quota was used up and the run had to wait: in 1 of 1 run of sqlite at";
    assert!(done.stdout.contains(says), "{}", done.stdout);
    assert!(
        run(&["doctor"]).stdout.contains("!  a control group limits CPU time to 0.2 of"),
        "doctor and session agree"
    );
    place.ok(&[&RUN_LONGER[..], &["--engine", "lmdb"]].concat());
    let compared = place.ok(&["compare", "--a", "engine=sqlite", "--b", "engine=lmdb", "--allow-tiers"]);
    assert!(compared.contains("CPU quotas differ: A 0.2, B none") && compared.contains("(--allow hosts"), "{compared}");
    assert!(compared.contains(", a CPU quota of 0.2"), "where it was measured: {compared}");
}

#[test]
fn what_is_preloaded_is_stored_and_said() {
    if !has_tool("cc", &["--version"]) {
        return;
    }
    let place = Place::new();
    let (source, library) = (place.path("other.c"), place.path("libother\u{1b}malloc.so"));
    fs::write(
        &source,
        "void *__libc_malloc(unsigned long);\nvoid *malloc(unsigned long size) { return __libc_malloc(size); }\n",
    )
    .unwrap();
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let run = |arguments: &[&str]| Done::of(place.command(arguments).env("LD_PRELOAD", &library).output().unwrap());
    let done = run(&[&RUN[..], &["--engine", "sqlite"]].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    if place.value("SELECT preloaded IS NULL FROM session") == "true" {
        return not_checked("a program without a loader preloads nothing");
    }
    assert_eq!(place.value("SELECT preloaded LIKE '%malloc.so' AND allocator LIKE '%malloc.so' FROM session"), "true");
    assert!(done.stdout.contains("malloc from libother\\u{1b}malloc.so"), "escaped: {}", done.stdout);
    assert!(done.stdout.contains("!  preloaded: "), "{}", done.stdout);
    assert!(!done.stdout.contains('\u{1b}') && !run(&["doctor"]).stdout.contains('\u{1b}'));
    place.ok(&[&RUN[..], &["--engine", "lmdb"]].concat());
    let compared = place.ok(&["compare", "--a", "engine=sqlite", "--b", "engine=lmdb", "--allow-tiers"]);
    assert!(compared.contains("allocators differ: A libother\\u{1b}malloc.so, B libc"), "{compared}");
}

/// A library that reports that it was compiled with SQLITE_DEBUG.
const DEBUG: &str = r#"
const char *sqlite3_compileoption_get(int at) {
    const char *(*real)(int) = REAL("sqlite3_compileoption_get");
    return at == 0 ? "DEBUG" : real(at - 1);
}"#;

#[test]
fn a_library_that_was_built_to_be_debugged_is_said_in_sessions_and_comparisons() {
    let place = Place::new();
    let Some(library) = changed(&place, "debug", DEBUG) else { return };
    let engine = format!("sqlite-lib:library={library}");
    let table = place.ok(&[&RUN[..], &["--engine", &engine, "--engine", "sqlite"]].concat());
    let says = "!  engine build: the library checks itself at every step (SQLITE_DEBUG): sqlite-lib";
    assert!(table.contains(says), "{table}");
    let compared = place.ok(&["compare", "--a", "engine=sqlite-lib", "--b", "engine=sqlite", "--allow-tiers"]);
    assert_eq!(compared.matches("SQLITE_DEBUG").count(), 1, "said once: {compared}");
}
