//! The real program in a real terminal: a pseudo-terminal whose output a terminal emulator reads.

use crate::support::{OpenTerminal, Place, PseudoTerminal, has_tool, pair, processes_with, wait_until};
use portable_pty::PtySize;
use rustix::fs::OFlags;
use std::{
    fs,
    num::NonZero,
    os::unix::fs::OpenOptionsExt,
    process::Command,
    rc::Rc,
    thread,
    time::{Duration, Instant},
};

/// Long enough for a loaded machine. Nothing waits this long when all is well.
const PATIENCE: Duration = Duration::from_secs(60);

/// Longer than a user looks at a screen before the next key.
const LOOK: Duration = Duration::from_millis(400);

/// A terminal that runs dbdyno.
pub(crate) struct Terminal {
    pub(crate) place: Rc<Place>,
    pub(crate) inner: PseudoTerminal,
}

fn lines(number: u16) -> NonZero<u16> {
    NonZero::new(number).unwrap()
}

fn send(signal: &str, process: u32) {
    assert!(Command::new("kill").args([signal, &process.to_string()]).status().unwrap().success());
}

/// A place with three presets: a quick one, a long one, and one of an engine that does nothing.
pub(crate) fn place() -> Place {
    let place = Place::new();
    for (name, size, repeats) in [("tiny", 1_000, 9), ("long", 20_000, 50)] {
        let preset = format!(
            "title = \"two engines\"\nsuite = \"kv\"\nsizes = [{size}]\nrepeats = {repeats}\n\
             [[engine]]\nname = \"sqlite\"\noptions = {{ synchronous = \"extra\" }}\n[[engine]]\nname = \"lmdb\"\n"
        );
        fs::write(place.path(&format!("config/presets/{name}.toml")), preset).unwrap();
    }
    let nothing = "title = \"nothing\"\nsuite = \"kv\"\nsizes = [1000]\nrepeats = 60\n[[engine]]\nname = \"null\"\n";
    fs::write(place.path("config/presets/nothing.toml"), nothing).unwrap();
    place
}

impl Terminal {
    pub(crate) fn start(columns: u16, rows: u16) -> Self {
        Self::start_in(Rc::new(place()), &[], (columns, rows))
    }

    /// Starts another terminal in the same place, with these arguments.
    pub(crate) fn another(&self, arguments: &[&str], size: (u16, u16)) -> Self {
        Self::start_in(Rc::clone(&self.place), arguments, size)
    }

    pub(crate) fn start_in(place: Rc<Place>, arguments: &[&str], size: (u16, u16)) -> Self {
        let inner = PseudoTerminal::start(&place, arguments, size, pair(size));
        Self { place, inner }
    }

    fn open(&mut self) -> &mut OpenTerminal {
        self.inner.open.as_mut().unwrap()
    }

    pub(crate) fn contents(&self) -> String {
        self.inner.screen.lock().unwrap().screen().contents()
    }

    #[track_caller]
    pub(crate) fn wait(&self, what: &str, mut seen: impl FnMut(&str) -> bool) {
        let begun = Instant::now();
        loop {
            let contents = self.contents();
            if seen(&contents) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "waited in vain for {what}:\n{contents}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    #[track_caller]
    pub(crate) fn shows(&self, text: &str) {
        self.wait(text, |contents| contents.contains(text));
    }

    pub(crate) fn press(&mut self, keys: &str) {
        let open = self.open();
        open.keys.write_all(keys.as_bytes()).unwrap();
        open.keys.flush().unwrap();
    }

    /// Presses a key that starts something, once the user has had time to see the screen after a dialog closed. A key that comes
    /// immediately counts as typed for the dialog.
    pub(crate) fn press_in_time(&mut self, keys: &str) {
        thread::sleep(LOOK);
        self.press(keys);
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.inner.screen.lock().unwrap().screen_mut().set_size(lines(rows), lines(columns));
        self.open().master.resize(PtySize { cols: columns, rows, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    /// Sends a signal to the program in the terminal.
    pub(crate) fn signal(&self, signal: &str) {
        send(signal, self.inner.child.process_id().unwrap());
    }

    /// Sends a signal to the process that measures, if it is still running.
    pub(crate) fn signal_job(&self, signal: &str) {
        let all = processes_with(self.place.path("").to_str().unwrap());
        let measures = |process: &u32| {
            fs::read(format!("/proc/{process}/cmdline"))
                .is_ok_and(|words| words.split(|byte| *byte == 0).nth(1) == Some(b"--detached"))
        };
        all.into_iter().filter(measures).for_each(|process| send(signal, process));
    }

    /// Presses Ctrl-Z, and waits until the program has stopped.
    #[track_caller]
    pub(crate) fn suspend(&mut self) {
        self.press("\u{1a}");
        let status = format!("/proc/{}/status", self.inner.child.process_id().unwrap());
        wait_until("the program is stopped", || fs::read_to_string(&status).unwrap().contains("State:\tT"));
    }

    /// Loads a preset, runs it, and waits until some of its results are stored.
    #[track_caller]
    pub(crate) fn run_preset(&mut self, preset: &str) {
        self.shows("What to measure");
        self.press("p");
        self.shows("Load a preset");
        self.press(&format!("{preset}\r"));
        self.shows(&format!("preset {preset}"));
        self.press_in_time("\r");
        let place = &self.place;
        wait_until("some results are stored", || {
            place.store().exists() && place.run(&["results", "--count"]).stdout.trim().parse().unwrap_or(0) >= 4
        });
    }

    /// Waits until the program ends, and checks its exit code.
    #[track_caller]
    pub(crate) fn ends_with(&mut self, code: u32) {
        let status = self.inner.child.wait().unwrap();
        assert!(status.signal().is_none() && status.exit_code() == code, "{status}, not {code}:\n{}", self.contents());
    }

    /// Waits until the terminal is back in its normal state: no alternate screen, mouse, hidden cursor or bracketed paste.
    #[track_caller]
    pub(crate) fn is_given_back(&self) {
        let begun = Instant::now();
        loop {
            let parser = self.inner.screen.lock().unwrap();
            let screen = parser.screen();
            let mouse = screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None;
            if !screen.alternate_screen() && !mouse && !screen.hide_cursor() && !screen.bracketed_paste() {
                return;
            }
            drop(parser);
            assert!(begun.elapsed() < PATIENCE, "the terminal was not given back");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn a_bench_is_started_watched_compared_and_exported_with_keys_alone() {
    let mut terminal = Terminal::start(100, 30);
    terminal.shows("What to measure");
    terminal.press("p");
    terminal.shows("Load a preset");
    terminal.press("tiny\r");
    terminal.shows("preset tiny");
    terminal.press_in_time("\r");
    terminal.shows("18 runs");
    terminal.shows("✓ done");
    terminal.shows("ratio to sqlite");
    terminal.shows("n9");
    terminal.press("c");
    terminal.shows("geometric mean");
    terminal.press("e");
    terminal.shows("Enter accept");
    // Replaces the proposed file name with our own.
    terminal.press("\u{15}answer.md\r");
    terminal.shows("written");
    terminal.press("q");
    terminal.ends_with(0);
    terminal.is_given_back();
    let exported = fs::read_to_string(terminal.place.path("answer.md")).unwrap();
    assert!(exported.contains("Sequential writes") && exported.contains("lmdb"), "{exported}");
    assert_eq!(terminal.place.value("SELECT count(*)::VARCHAR FROM results WHERE status = 'ok'"), "144");
}

#[test]
fn a_program_that_is_ended_or_killed_gives_the_terminal_back() {
    for (signal, code) in [("-TERM", Some(0)), ("-HUP", Some(0)), ("-KILL", None)] {
        let mut terminal = Terminal::start(80, 24);
        terminal.shows("What to measure");
        assert!(terminal.inner.screen.lock().unwrap().screen().alternate_screen());
        terminal.signal(signal);
        match code {
            Some(code) => terminal.ends_with(code),
            None => drop(terminal.inner.child.wait().unwrap()),
        }
        terminal.is_given_back();
    }
}

#[test]
fn a_resized_terminal_is_painted_anew() {
    let mut terminal = Terminal::start(80, 24);
    terminal.shows("What to measure");
    terminal.resize(60, 10);
    terminal.shows("dbdyno needs 60 x 18");
    terminal.resize(120, 40);
    terminal.shows("What to measure");
    terminal.press("q");
    terminal.ends_with(0);
}

#[test]
fn a_key_that_comes_with_a_resize_is_not_lost() {
    let mut terminal = Terminal::start(100, 30);
    terminal.shows("What to measure");
    for turn in 0..40 {
        let (key, screen) = if turn % 2 == 0 { ("3", "Nothing is stored yet") } else { ("1", "What to measure") };
        terminal.resize(if turn % 3 == 0 { 120 } else { 100 }, 30);
        terminal.press(key);
        terminal.shows(screen);
    }
    terminal.press("q");
    terminal.ends_with(0);
}

#[test]
fn a_session_ends_in_order_with_its_screens() {
    for (what, end) in [
        ("SIGTERM", (|terminal| terminal.signal("-TERM")) as fn(&mut Terminal)),
        ("SIGTERM to what measures", |terminal| {
            terminal.signal_job("-TERM");
            terminal.shows("the session was stopped");
            terminal.signal("-TERM");
        }),
        ("SIGINT, then SIGTERM", |terminal| {
            terminal.signal("-INT");
            terminal.signal("-TERM");
        }),
    ] {
        let mut terminal = Terminal::start(100, 30);
        terminal.run_preset("long");
        end(&mut terminal);
        let status = terminal.inner.child.wait().unwrap();
        // Once the job has ended, nothing is measured any more, so the program exits with 0.
        let code = if what.contains("measures") { 0 } else { 130 };
        assert_eq!(status.exit_code(), code, "{what}");
        let place = &terminal.place;
        wait_until("every process has ended", || processes_with(place.path("").to_str().unwrap()).is_empty());
        assert_eq!(
            place.rows("SELECT status, finished_at IS NOT NULL FROM session"),
            [["cancelled", "true"]],
            "{what}"
        );
        assert_eq!(place.value("SELECT count(*) FROM run WHERE status = 'running'"), "0", "{what}");
        assert_eq!(place.left_behind().len(), 0, "{what}: no folder is left");
    }
}

/// The settings of a terminal as text.
fn settings(name: &str) -> String {
    let output = Command::new("stty").args(["-F", name, "-g"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Whether a terminal is in raw mode by now.
fn is_raw(name: &str) -> bool {
    let output = Command::new("stty").args(["-F", name, "-a"]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).contains("-icanon")
}

/// Starts dbdyno in a terminal and kills it. Returns the terminal's settings before and after.
fn after_kill(changed: &[&str], until_killed: impl FnOnce(&mut Terminal, &str)) -> (String, String) {
    let place = place();
    let pair = pair((80, 24));
    let name = pair.master.tty_name().unwrap().to_str().unwrap().to_owned();
    // A terminal keeps its settings only while a process has it open.
    let _open =
        fs::OpenOptions::new().read(true).custom_flags(OFlags::NOCTTY.bits().cast_signed()).open(&name).unwrap();
    assert!(Command::new("stty").args(["-F", &name]).args(changed).status().unwrap().success());
    let before = settings(&name);
    let inner = PseudoTerminal::start(&place, &[], (80, 24), pair);
    let mut terminal = Terminal { place: Rc::new(place), inner };
    until_killed(&mut terminal, &name);
    terminal.signal("-KILL");
    terminal.inner.child.wait().unwrap();
    let place = &terminal.place;
    wait_until("the watchdog has ended", || processes_with(place.path("").to_str().unwrap()).is_empty());
    let after = settings(&name);
    (before, after)
}

#[test]
fn a_killed_program_leaves_the_terminals_settings_as_they_were() {
    if !has_tool("stty", &["--version"]) {
        return;
    }
    let unusual: [&[&str]; 3] = [&["echo"], &["-echo", "intr", "^T"], &["-ixon", "min", "3", "time", "7"]];
    for changed in unusual {
        // Immediately means as soon as the terminal is in raw mode.
        for _ in 0..3 {
            let (before, after) = after_kill(changed, |_, name| wait_until("raw mode", || is_raw(name)));
            assert_eq!(after, before, "{changed:?}, at once");
        }
        let (before, after) = after_kill(changed, |terminal, name| {
            terminal.shows("What to measure");
            assert!(is_raw(name));
        });
        assert_eq!(after, before, "{changed:?}, after the first frame");
    }
}

#[test]
fn what_was_changed_while_the_program_was_suspended_is_what_is_restored() {
    if !has_tool("stty", &["--version"]) {
        return;
    }
    let mut wanted = String::new();
    let (_, after) = after_kill(&["echo"], |terminal, name| {
        terminal.shows("What to measure");
        terminal.suspend();
        assert!(!is_raw(name), "the terminal is given back");
        assert!(Command::new("stty").args(["-F", name, "-echo", "intr", "^T"]).status().unwrap().success());
        wanted = settings(name);
        terminal.signal("-CONT");
        wait_until("raw mode", || is_raw(name));
    });
    assert_eq!(after, wanted);
}

#[test]
fn a_program_that_is_killed_while_it_is_suspended_leaves_the_shells_settings_alone() {
    if !has_tool("stty", &["--version"]) {
        return;
    }
    let mut wanted = String::new();
    let (_, after) = after_kill(&["echo"], |terminal, name| {
        terminal.shows("What to measure");
        terminal.suspend();
        assert!(!is_raw(name), "the terminal is given back");
        // A shell that reads a line does the same.
        assert!(Command::new("stty").args(["-F", name, "raw", "-echo"]).status().unwrap().success());
        wanted = settings(name);
    });
    assert_eq!(after, wanted);
}

#[test]
fn a_store_that_another_program_has_open_is_waited_for_by_name() {
    let place = Rc::new(super::results::stored());
    let held = duckdb::Connection::open(place.store()).unwrap();
    let mut terminal = Terminal::start_in(Rc::clone(&place), &["tui", "--screen", "results"], (120, 40));
    terminal.shows("waiting: ");
    terminal.shows(&format!("(process {}) has the store open", std::process::id()));
    // A bench waits for the same program, and says so.
    terminal.press("1");
    terminal.shows("Plan: ");
    terminal.press_in_time("\r");
    terminal.shows(&format!("(process {}) has the store open", std::process::id()));
    terminal.wait("no time to go", |contents| !contents.contains("to go"));
    drop(held);
    terminal.shows("▶ running");
    terminal.press("3");
    terminal.shows("configurations");
    terminal.press("q");
    terminal.shows("Leave?");
    terminal.press("y");
    terminal.inner.child.wait().unwrap();
}

#[test]
fn a_damaged_store_is_told_at_the_start() {
    let place = Rc::new(super::results::stored());
    let mut bytes = std::fs::read(place.store()).unwrap();
    let half = bytes.len() / 2;
    bytes[20_000..half].fill(0xa5);
    std::fs::write(place.store(), bytes).unwrap();
    let mut terminal = Terminal::start_in(Rc::clone(&place), &[], (120, 40));
    terminal.shows("store repair");
    terminal.press("q");
    terminal.inner.child.wait().unwrap();
}

#[test]
fn keys_of_the_user_are_in_force_and_a_wrong_file_is_refused_with_its_line() {
    let place = Rc::new(Place::new());
    let config = place.path("config");
    std::fs::create_dir_all(&config).unwrap();
    let file = config.join("keys.toml");
    std::fs::write(&file, "[everywhere]\nhelp = \"ctrl-g\"\n").unwrap();
    let mut terminal = Terminal::start_in(Rc::clone(&place), &[], (120, 40));
    terminal.shows("Ctrl-g help");
    terminal.press("\u{7}");
    terminal.shows("Keys of Bench");
    // End.
    terminal.press("\u{1b}[F");
    terminal.shows("Your own keys: keys.toml");
    terminal.press("q");
    terminal.press_in_time("q");
    terminal.inner.child.wait().unwrap();
    let listed = place.ok(&["list", "keys", "everywhere"]);
    assert!(listed.contains("everywhere.help") && listed.contains("[Ctrl-g ?] this help"), "{listed}");
    std::fs::write(&file, "[bench]\nruns = \"x\"\n").unwrap();
    let refused = place.run(&["list", "keys"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("keys.toml:2:1: unknown action `runs` of `bench`"), "{}", refused.stderr);
}
