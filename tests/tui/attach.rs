//! Sessions that outlive their terminal, and terminals that come back to them.

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

/// The folders that sockets may be in.
const FOLDERS: [&str; 2] = ["cache/dbdyno", "runtime/dbdyno"];

pub(crate) fn sockets(place: &Place) -> Vec<PathBuf> {
    let files = FOLDERS.iter().flat_map(|folder| fs::read_dir(place.path(folder)).into_iter().flatten().flatten());
    files.map(|file| file.path()).filter(|file| file.to_str().unwrap().contains("-screens-")).collect()
}

/// Nothing of the program is left.
#[track_caller]
fn nothing_is_left(place: &Place) {
    wait_until("every process has ended", || processes_with(place.path("").to_str().unwrap()).is_empty());
    assert_eq!(sockets(place), Vec::<PathBuf>::new());
    assert_eq!(place.left_behind().len(), 0, "no folder is left");
}

fn listed(place: &Place) -> String {
    place.ok(&["attach", "--list"])
}

fn results(place: &Place) -> u64 {
    place.ok(&["results", "--count"]).trim().parse().unwrap()
}

/// A way in which a terminal can be lost: in words, and how it is done.
type Loss = (&'static str, fn(&mut Terminal));

const LOSSES: [Loss; 4] = [
    ("SIGHUP", |terminal| terminal.signal("-HUP")),
    ("SIGKILL", |terminal| terminal.signal("-KILL")),
    ("a closed terminal", |terminal| {
        terminal.inner.close();
    }),
    ("SIGHUP to what measures", |terminal| terminal.signal_server("-HUP")),
];

#[test]
fn a_session_outlives_its_terminal_and_is_stored() {
    for (what, lose) in LOSSES {
        let mut terminal = Terminal::start(100, 30);
        terminal.run_preset("nothing");
        lose(&mut terminal);
        terminal.inner.child.wait().unwrap();
        let place = &terminal.place;
        wait_until("it goes on", || listed(place).contains("without a terminal  a session is running"));
        nothing_is_left(place);
        assert_eq!(place.rows("SELECT status, planned_runs FROM session"), [["done", "120"]], "{what}");
        assert_eq!(place.value("SELECT count(*) FROM run WHERE status = 'done'"), "120", "{what}");
    }
}

#[test]
fn a_terminal_that_goes_takes_the_program_along_while_nothing_is_measured() {
    for (what, lose) in LOSSES {
        let mut terminal = Terminal::start(80, 24);
        terminal.shows("Suite");
        assert!(listed(&terminal.place).contains("in a terminal       nothing is measured"), "{what}");
        lose(&mut terminal);
        terminal.inner.child.wait().unwrap();
        nothing_is_left(&terminal.place);
    }
}

#[test]
fn a_session_is_returned_to_with_its_screens() {
    let mut terminal = Terminal::start(100, 30);
    terminal.run_preset("long");
    // A stranger's words are none of ours.
    let socket = sockets(&terminal.place).into_iter().find(|file| file.extension().unwrap() == "socket").unwrap();
    let mut stranger = UnixStream::connect(socket).unwrap();
    stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    assert!(matches!(stranger.read(&mut [0; 16]), Ok(0) | Err(_)));
    terminal.press(":");
    terminal.shows("Commands");
    terminal.press("publ");
    terminal.shows("publ");
    terminal.signal("-KILL");
    terminal.inner.child.wait().unwrap();
    wait_until("the loss is noticed", || listed(&terminal.place).contains("without a terminal"));
    let mut returned = terminal.another(&["attach"], (120, 40));
    returned.shows("Commands");
    returned.shows("publ");
    assert!(listed(&returned.place).contains("in a terminal"), "{}", listed(&returned.place));
    returned.press("\u{1b}");
    returned.press_in_time("2");
    returned.shows("Race");
    // What is left on purpose goes on too.
    returned.press("Z");
    returned.shows("dbdyno goes on without its screens");
    assert_eq!(returned.inner.child.wait().unwrap().exit_code(), 0);
    returned.is_given_back();
    let name = listed(&terminal.place).split(' ').next().unwrap().to_owned();
    let mut again = terminal.another(&["attach", &name], (80, 24));
    again.shows("Race");
    again.press("q");
    again.shows("Leave?");
    again.press("y");
    again.shows("session kv: cancelled");
    again.shows("all of it: dbdyno compare --reference session=");
    // Without its place the command would look into another store.
    again.shows(" --store ");
    assert_eq!(again.inner.child.wait().unwrap().exit_code(), 0);
    again.is_given_back();
    nothing_is_left(&again.place);
}

/// What a server says to somebody who asks what goes on.
fn described(stream: &mut UnixStream) -> Vec<u8> {
    let word = b"\"Describe\"";
    let frame = [&b"w"[..], &(word.len() as u32).to_le_bytes(), word].concat();
    let mut said = Vec::new();
    // One that is refused may be gone before it has asked.
    let _ = stream.write_all(&frame);
    let _ = stream.read_to_end(&mut said);
    said
}

#[test]
fn another_user_learns_nothing_of_the_screens_though_the_socket_is_open_to_all() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("not checked: only an administrator can be another user");
        return;
    }
    let mut terminal = Terminal::start(80, 24);
    terminal.shows("Suite");
    let socket = sockets(&terminal.place).into_iter().find(|file| file.extension().unwrap() == "socket").unwrap();
    let said = described(&mut UnixStream::connect(&socket).unwrap());
    assert!(String::from_utf8_lossy(&said).contains("Described"), "{said:?}");
    // The folder is reached by its descriptor, however the folders above it are.
    let folder = fs::File::open(socket.parent().unwrap()).unwrap();
    fs::set_permissions(socket.parent().unwrap(), fs::Permissions::from_mode(0o711)).unwrap();
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o666)).unwrap();
    let name = socket.file_name().unwrap().to_owned();
    let said = thread::spawn(move || {
        let another = Uid::from_raw(65_534);
        fchdir_of_thread(&folder);
        // Of this thread alone.
        set_thread_res_uid(another, another, another).unwrap();
        described(&mut UnixStream::connect(name).unwrap())
    });
    assert_eq!(said.join().unwrap(), b"", "another user is told nothing");
    terminal.press("q");
    assert_eq!(terminal.inner.child.wait().unwrap().exit_code(), 0);
    nothing_is_left(&terminal.place);
}

/// Makes a folder the working folder of this thread alone.
fn fchdir_of_thread(folder: &fs::File) {
    // SAFETY: flags alone.
    assert_eq!(unsafe { libc::unshare(libc::CLONE_FS) }, 0);
    rustix::process::fchdir(folder).unwrap();
}

#[test]
fn a_second_terminal_takes_the_screens_over() {
    let mut first = Terminal::start(100, 30);
    first.shows("Suite");
    let mut second = first.another(&["attach"], (80, 24));
    second.shows("Suite");
    first.shows("another terminal has the screens now");
    assert_eq!(first.inner.child.wait().unwrap().exit_code(), 0);
    first.is_given_back();
    second.press("3");
    second.shows("Nothing is stored yet");
    second.press("q");
    assert_eq!(second.inner.child.wait().unwrap().exit_code(), 0);
    nothing_is_left(&second.place);
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
    assert_eq!(terminal.inner.child.wait().unwrap().exit_code(), 130);
    nothing_is_left(&terminal.place);
}

#[test]
fn a_killed_program_gives_the_terminal_back_and_says_so() {
    let mut terminal = Terminal::start(100, 30);
    terminal.shows("Suite");
    terminal.signal_server("-KILL");
    terminal.shows("dbdyno was killed or crashed");
    assert_eq!(terminal.inner.child.wait().unwrap().exit_code(), 1);
    terminal.is_given_back();
    // What it left is removed by those who look.
    assert_eq!(listed(&terminal.place), "");
    nothing_is_left(&terminal.place);
}

/// Whoever left screens wants them back, whatever another shell measures meanwhile.
#[test]
fn screens_come_before_what_another_shell_measures() {
    let terminal = Terminal::start(80, 24);
    terminal.shows("Suite");
    let long = ["run", "--suite", "kv", "--engine", "sqlite", "--size", "100000", "--repeat", "500"];
    let mut job = terminal.place.spawn(&long);
    wait_until("the job measures", || terminal.place.ok(&["attach", "--list"]).contains(" measures "));
    let mut again = terminal.another(&["attach"], (80, 24));
    again.shows("Suite");
    again.press("q");
    terminal.place.ok(&["attach", "--tell", "stop"]);
    job.wait().unwrap();
}

#[test]
fn without_anything_to_return_to_the_last_session_is_named() {
    let mut terminal = Terminal::start(80, 24);
    terminal.shows("Suite");
    terminal.press("q");
    terminal.inner.child.wait().unwrap();
    let place = &terminal.place;
    let mut none = terminal.another(&["attach"], (100, 30));
    none.shows("no dbdyno with screens is there to return to; `dbdyno` starts one");
    assert_eq!(none.inner.child.wait().unwrap().exit_code(), 1);
    place.ok(&["run", "--suite", "kv", "--engine", "null", "--repeat", "1", "--quiet"]);
    let mut none = terminal.another(&["attach"], (200, 30));
    none.shows("the last session, kv of ");
    none.shows("is done: `dbdyno results session=");
    assert_eq!(none.inner.child.wait().unwrap().exit_code(), 1);
    let done = place.run(&["attach"]);
    assert_eq!(done.code, Some(1));
    assert!(done.stderr.contains("the last session, kv of "), "{}", done.stderr);
    let mut wrong = terminal.another(&["attach", "nobody"], (100, 30));
    wrong.shows("`nobody` is no dbdyno with screens, and no job: expected one of ");
    assert_eq!(wrong.inner.child.wait().unwrap().exit_code(), 2);
}
