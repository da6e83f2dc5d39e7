//! Sessions that outlive their terminal, and terminals that watch them.

use crate::{
    support::{Place, processes_with, wait_until},
    tui::terminal::Terminal,
};
use rustix::{fs::Uid, thread::set_thread_res_uid};
use std::{
    fs,
    io::{Read, Write},
    os::unix::{fs::PermissionsExt, net::UnixStream},
    path::PathBuf,
    thread,
};

/// Asserts that no process and no work folder of the program remains.
#[track_caller]
fn nothing_is_left(place: &Place) {
    wait_until("every process has ended", || processes_with(place.path("").to_str().unwrap()).is_empty());
    assert_eq!(place.left_behind().len(), 0, "no folder is left");
}

fn listed(place: &Place) -> String {
    place.ok(&["attach", "--list"])
}

fn results(place: &Place) -> u64 {
    place.ok(&["results", "--count"]).trim().parse().unwrap()
}

/// A session that runs long enough to be watched, because its commits wait for the disk.
const LONG: [&str; 9] = ["run", "--suite", "kv", "--engine", "sqlite", "--size", "100000", "--repeat", "500"];

/// A way to lose a terminal: its description, and the function that does it.
type Loss = (&'static str, fn(&mut Terminal));

const LOSSES: [Loss; 3] = [
    ("SIGHUP", |terminal| terminal.signal("-HUP")),
    ("SIGKILL", |terminal| terminal.signal("-KILL")),
    ("a closed terminal", |terminal| {
        terminal.inner.close();
    }),
];

#[test]
fn a_session_outlives_its_terminal_and_is_stored() {
    for (what, lose) in LOSSES {
        let mut terminal = Terminal::start(100, 30);
        terminal.run_preset("nothing");
        lose(&mut terminal);
        terminal.inner.child.wait().unwrap();
        let place = &terminal.place;
        assert!(listed(place).contains(" measures "), "{what}: it goes on: {}", listed(place));
        nothing_is_left(place);
        assert_eq!(place.rows("SELECT status, planned_runs FROM session"), [["done", "60"]], "{what}");
        assert_eq!(place.value("SELECT count(*) FROM run WHERE status = 'done'"), "60", "{what}");
    }
}

#[test]
fn a_terminal_that_goes_takes_the_program_along_while_nothing_is_measured() {
    for (what, lose) in LOSSES {
        let mut terminal = Terminal::start(80, 24);
        terminal.shows("What to measure");
        // Closing the terminal may type a line end, which would start a bench on the first screen.
        terminal.press("3");
        terminal.shows("Nothing is stored yet");
        lose(&mut terminal);
        terminal.inner.child.wait().unwrap();
        nothing_is_left(&terminal.place);
        assert_eq!(listed(&terminal.place), "", "{what}");
    }
}

#[test]
fn a_session_is_returned_to_and_told_to_end_from_any_terminal() {
    let mut terminal = Terminal::start(100, 30);
    terminal.run_preset("long");
    terminal.signal("-KILL");
    terminal.inner.child.wait().unwrap();
    let mut returned = terminal.another(&["attach"], (120, 40));
    returned.shows("Race");
    returned.shows("Sequential writes");
    // A session that was detached on purpose keeps running too.
    returned.press("Z");
    returned.shows("the job keeps running without the screens");
    returned.ends_with(0);
    returned.is_given_back();
    let name = listed(&terminal.place).split(' ').next().unwrap().to_owned();
    let mut again = terminal.another(&["attach", &name], (80, 24));
    again.shows("Race");
    again.press("q");
    again.shows("Leave?");
    again.press("y");
    again.shows("session kv: cancelled");
    again.shows("details: dbdyno compare --reference session=");
    // Without this option the command would read another store.
    again.shows(" --store ");
    again.ends_with(0);
    again.is_given_back();
    nothing_is_left(&again.place);
}

#[test]
fn what_another_shell_measures_is_watched_on_the_screens_by_several_and_left_alone() {
    let place = std::rc::Rc::new(crate::tui::terminal::place());
    let mut job = place.spawn(&LONG);
    wait_until("the job measures", || listed(&place).contains(" measures "));
    let mut first = Terminal::start_in(std::rc::Rc::clone(&place), &["attach"], (100, 30));
    first.shows("0/500 runs");
    let mut second = first.another(&[], (80, 24));
    second.shows("What to measure");
    second.press("J");
    second.shows("Your jobs on this machine");
    second.shows("measures");
    second.press("\r");
    second.shows("0/500 runs");
    // The job has a terminal of its own, so leaving asks no question.
    first.press("q");
    first.ends_with(0);
    assert!(listed(&place).contains(" measures "), "{}", listed(&place));
    second.press("K");
    second.shows("Stop the session?");
    second.press("y");
    second.shows("the session was stopped");
    assert_eq!(job.wait().unwrap().code(), Some(130));
    second.press("q");
    second.shows("session kv: cancelled");
    second.ends_with(0);
    nothing_is_left(&place);
}

/// Returns the first bytes that a job sends to a client that wants to watch it.
fn watched(stream: &mut UnixStream) -> Vec<u8> {
    // A refused connection may be closed before the request is written.
    let _ = stream.write_all(b"\"watch\"\n");
    let mut said = vec![0; 16];
    let read = stream.read(&mut said).unwrap_or(0);
    said.truncate(read);
    said
}

#[test]
fn another_user_learns_nothing_of_a_job_though_the_socket_is_open_to_all() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("not checked: only an administrator can be another user");
        return;
    }
    let place = Place::new();
    let mut job = place.spawn(&LONG);
    wait_until("the job measures", || listed(&place).contains(" measures "));
    let jobs = fs::read_dir(place.path("cache/dbdyno")).unwrap().map(|entry| entry.unwrap().path());
    let folder: PathBuf = jobs.into_iter().find(|path| path.to_string_lossy().contains("-job-")).unwrap();
    let socket = folder.join("control.socket");
    assert!(!watched(&mut UnixStream::connect(&socket).unwrap()).is_empty(), "its own user is told of progress");
    // The thread reaches the folder by its descriptor, whatever the permissions of the folders above it.
    let opened = fs::File::open(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o711)).unwrap();
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o666)).unwrap();
    let said = thread::spawn(move || {
        let another = Uid::from_raw(65_534);
        fchdir_of_thread(&opened);
        // Changes the user of this thread only.
        set_thread_res_uid(another, another, another).unwrap();
        let mut stream = UnixStream::connect("control.socket").unwrap();
        let _ = stream.write_all(b"{\"tell\":\"stop\"}\n");
        watched(&mut stream)
    });
    assert_eq!(said.join().unwrap(), b"", "another user is told nothing");
    assert!(listed(&place).contains(" measures "), "and nothing that he says is done: {}", listed(&place));
    place.ok(&["attach", "--tell", "stop"]);
    assert_eq!(job.wait().unwrap().code(), Some(130));
}

/// Changes the working folder of this thread only.
fn fchdir_of_thread(folder: &fs::File) {
    // SAFETY: the call takes only flags.
    assert_eq!(unsafe { libc::unshare(libc::CLONE_FS) }, 0);
    rustix::process::fchdir(folder).unwrap();
}

#[test]
fn a_session_goes_on_while_its_terminal_is_stopped() {
    let mut terminal = Terminal::start(100, 30);
    terminal.run_preset("long");
    terminal.suspend();
    let before = results(&terminal.place);
    wait_until("more is stored", || results(&terminal.place) > before + 4);
    terminal.signal("-CONT");
    terminal.shows("Race");
    terminal.signal("-TERM");
    terminal.ends_with(130);
    nothing_is_left(&terminal.place);
}

#[test]
fn a_job_that_is_killed_is_said_to_be_and_disturbs_the_screens_no_further() {
    let mut terminal = Terminal::start(100, 30);
    terminal.run_preset("long");
    terminal.signal_job("-KILL");
    terminal.shows("it was killed or crashed");
    terminal.press_in_time("1");
    terminal.shows("What to measure");
    terminal.press("q");
    terminal.ends_with(0);
    terminal.is_given_back();
    assert!(listed(&terminal.place).contains(" was killed "), "{}", listed(&terminal.place));
}

#[test]
fn what_a_job_cannot_do_is_said_on_the_screens() {
    let mut terminal = Terminal::start(100, 30);
    terminal.shows("What to measure");
    // The file is not a store. The screens have read nothing from it before.
    fs::write(terminal.place.store(), "no store at all, and long enough to be read as one").unwrap();
    terminal.press("p");
    terminal.shows("Load a preset");
    terminal.press("tiny\r");
    terminal.shows("preset tiny");
    terminal.press_in_time("\r");
    terminal.shows("could not be run");
    terminal.press("q");
    terminal.ends_with(0);
}

#[test]
fn without_anything_to_return_to_the_last_session_is_named() {
    let terminal = Terminal::start(80, 24);
    terminal.shows("What to measure");
    let place = &terminal.place;
    let mut none = terminal.another(&["attach"], (100, 30));
    none.shows("no job is running; start one with `dbdyno`");
    none.ends_with(1);
    place.ok(&["run", "--suite", "kv", "--engine", "null", "--repeat", "1", "--quiet"]);
    let mut none = terminal.another(&["attach"], (200, 30));
    none.shows("the last session, kv of ");
    none.shows("is done: `dbdyno results session=");
    none.ends_with(1);
    let done = place.run(&["attach"]);
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("the last session, kv of "), "{}", done.stderr);
    let mut wrong = terminal.another(&["attach", "nobody"], (100, 30));
    wrong.shows("unknown job `nobody`: expected one of ");
    wrong.ends_with(2);
}
