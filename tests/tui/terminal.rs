//! The real program in a real terminal: a pseudo-terminal whose output a terminal emulator reads.

use crate::support::Place;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::{
    fs,
    io::{Read, Write},
    num::NonZero,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

/// Long enough for a loaded machine; nothing waits for it when all is well.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with dbdyno in it.
pub(crate) struct Terminal {
    pub(crate) place: Place,
    pub(crate) child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    screen: Arc<Mutex<vt100::Parser>>,
    master: Box<dyn MasterPty + Send>,
}

fn lines(number: u16) -> NonZero<u16> {
    NonZero::new(number).unwrap()
}

impl Terminal {
    pub(crate) fn start(columns: u16, rows: u16) -> Self {
        let place = Place::new();
        let preset = "title = \"two engines\"\nsuite = \"kv\"\nsizes = [1000]\nrepeats = 9\n\
                      [[engine]]\nname = \"sqlite\"\noptions = { synchronous = \"full\" }\n[[engine]]\nname = \"lmdb\"\n";
        fs::write(place.path("config/presets/tiny.toml"), preset).unwrap();
        let size = PtySize { cols: columns, rows, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_dbdyno"));
        for (name, path) in [
            ("DBDYNO_STORE", "results.duckdb"),
            ("DBDYNO_WORK_DIR", "work"),
            ("DBDYNO_CONFIG", "config"),
            ("DBDYNO_ENGINE_PATH", "engines"),
            ("XDG_RUNTIME_DIR", "runtime"),
        ] {
            command.env(name, place.path(path));
        }
        command.env("TERM", "xterm-256color");
        command.cwd(place.path(""));
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(lines(rows), lines(columns), 0)));
        let mut output = pair.master.try_clone_reader().unwrap();
        let seen = Arc::clone(&screen);
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = output.read(&mut buffer) {
                seen.lock().unwrap().process(&buffer[..read]);
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Self { place, child, keys, screen, master: pair.master }
    }

    pub(crate) fn contents(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    #[track_caller]
    fn wait(&self, what: &str, mut seen: impl FnMut(&str) -> bool) {
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
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    fn resize(&self, columns: u16, rows: u16) {
        self.screen.lock().unwrap().screen_mut().set_size(lines(rows), lines(columns));
        self.master.resize(PtySize { cols: columns, rows, pixel_width: 0, pixel_height: 0 }).unwrap();
    }

    pub(crate) fn signal(&self, signal: &str) {
        let process = self.child.process_id().unwrap().to_string();
        assert!(std::process::Command::new("kill").args([signal, &process]).status().unwrap().success());
    }

    /// Waits until nothing of the program is left in the terminal.
    #[track_caller]
    fn is_given_back(&self) {
        let begun = Instant::now();
        loop {
            let parser = self.screen.lock().unwrap();
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
    terminal.shows("Suite");
    terminal.press("p");
    terminal.shows("Load a preset");
    terminal.press("tiny\r");
    terminal.shows("preset tiny");
    terminal.press("\r");
    terminal.shows("18 runs");
    terminal.shows("✓ done");
    terminal.press("c");
    terminal.shows("geometric mean");
    terminal.press("e");
    terminal.shows("Enter accept");
    // What is proposed is replaced by a name of our own.
    terminal.press("\u{15}answer.md\r");
    terminal.shows("written");
    terminal.press("q");
    let status = terminal.child.wait().unwrap();
    assert_eq!(status.exit_code(), 0);
    terminal.is_given_back();
    let exported = fs::read_to_string(terminal.place.path("answer.md")).unwrap();
    assert!(exported.contains("Sequential writes") && exported.contains("lmdb"), "{exported}");
    assert_eq!(terminal.place.value("SELECT count(*)::VARCHAR FROM results WHERE status = 'ok'"), "144");
}

#[test]
fn a_program_that_is_ended_or_killed_gives_the_terminal_back() {
    for (signal, code) in [("-TERM", Some(0)), ("-HUP", Some(0)), ("-KILL", None)] {
        let mut terminal = Terminal::start(80, 24);
        terminal.shows("Suite");
        assert!(terminal.screen.lock().unwrap().screen().alternate_screen());
        terminal.signal(signal);
        let status = terminal.child.wait().unwrap();
        if let Some(code) = code {
            assert_eq!(status.exit_code(), code, "{signal}");
        }
        terminal.is_given_back();
    }
}

#[test]
fn a_resized_terminal_is_painted_anew() {
    let mut terminal = Terminal::start(80, 24);
    terminal.shows("Suite");
    terminal.resize(60, 10);
    terminal.shows("dbdyno needs 80 x 24");
    terminal.resize(120, 40);
    terminal.shows("Suite");
    terminal.press("q");
    assert_eq!(terminal.child.wait().unwrap().exit_code(), 0);
}
