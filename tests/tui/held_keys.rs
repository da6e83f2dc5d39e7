//! Keys that are held down switch screens faster than the store can be read.

use crate::tui::terminal::{self, Terminal};
use std::{fs, fs::File, rc::Rc};

/// More threads than the program has while one read of each screen is running.
const MOST_THREADS: usize = 40;

/// The number of threads of the program with the screens.
fn threads(terminal: &Terminal) -> usize {
    let process = terminal.inner.child.process_id().unwrap();
    fs::read_dir(format!("/proc/{process}/task")).unwrap().count()
}

#[test]
fn screens_that_are_switched_hundreds_of_times_wait_with_one_read_each() {
    let place = terminal::place();
    place.ok(&["run", "--suite", "kv", "--engine", "null", "--size", "1000", "--repeat", "1", "--quiet"]);
    let mut terminal = Terminal::start_in(Rc::new(place), &[], (100, 30));
    terminal.shows("What to measure");
    let lock = File::open(format!("{}.lock", terminal.place.store().display())).unwrap();
    lock.lock().unwrap();
    terminal.press("3");
    terminal.wait("another screen", |contents| !contents.contains("What to measure"));
    let (mut most, mut pressed) = (0, 0);
    for _ in 0..100 {
        terminal.press("23457");
        pressed += 5;
        most = most.max(threads(&terminal));
    }
    terminal.press("1");
    terminal.shows("What to measure");
    most = most.max(threads(&terminal));
    assert!(most < MOST_THREADS, "{most} threads after {pressed} keys");
    // The last request is answered as soon as the store can be read.
    drop(lock);
    terminal.press("3");
    terminal.shows("null");
}
