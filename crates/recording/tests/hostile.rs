//! Files that no recorder wrote.

#![allow(clippy::unwrap_used, reason = "functions of tests")]

mod support;

use dbdyno_recording::{CallsReader, ReaderLimits, RecordedLine, RecordingError};
use std::io::Read;
use support::{call, lines_of, open, process, read, read_within, statement, written};

fn frame(text: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(text, 3).unwrap()
}

/// A file that begins as it should and goes on with `text`.
fn after_the_beginning(text: &[u8]) -> Vec<u8> {
    let mut file = written(&[process(), open(1), statement(1, "SELECT 1")], 10);
    file.extend(frame(text));
    file
}

fn refusal(file: &[u8]) -> String {
    read(file).map(|(lines, ending)| format!("{} lines, {ending:?}", lines.len())).unwrap_err().to_string()
}

#[test]
fn another_version_is_refused_even_if_its_fields_are_unknown() {
    let file = frame(b"{\"process\":{\"version\":2,\"new\":[]}}\n");
    assert!(matches!(read(&file).unwrap_err(), RecordingError::Version { found: 2, expected: 1, .. }));
}

#[test]
fn files_that_are_no_recording_are_refused() {
    assert!(refusal(b"SQLite format 3\0 and more of it").contains("damaged or unreadable"));
    assert!(refusal(&frame(b"hello\n")).contains(":1: the first line is not"));
    assert!(refusal(&written(&[open(1)], 1)).contains(":1: the first line is not"));
}

#[test]
fn lines_that_the_format_lacks_are_refused_with_their_number() {
    for (text, reason) in [
        ("{\"call\":[1,1,1,1,1,[],0,0]}", "invalid length 8"),
        ("{\"call\":[1,1,1,1,1,[],0,0,0,0]}", "invalid length 10"),
        ("{\"call\":[2,1,1,1,1,[],0,0,0]}", "connection 2 is unknown: there are 1 so far"),
        ("{\"call\":[1,1,1,1,2,[],0,0,0]}", "statement 2 is unknown: there are 1 so far"),
        ("{\"call\":[1,1,1,1,0,[],0,0,0]}", "statement 0 is unknown"),
        ("{\"call\":[1,1,1,1,1,[18446744073709551615],0,0,0]}", "an integer of 64 bits"),
        ("{\"call\":[1,1,1,1,1,[{\"b\":\"?\"}],0,0,0]}", "Invalid"),
        ("{\"call\":[1,1,1,1,1,[{\"r\":\"one\"}],0,0,0]}", "inf, -inf or nan"),
        ("{\"call\":[1,1,1,1,1,[{\"q\":1}],0,0,0]}", "unknown field `q`"),
        ("{\"call\":[1,1,1,1,1,[{\"z\":1,\"b\":\"\"}],0,0,0]}", "invalid length 2"),
        ("{\"call\":[1,1,1,1,1,[true],0,0,0]}", "boolean"),
        ("{\"call\":[-1,1,1,1,1,[],0,0,0]}", "invalid value"),
        (
            "{\"open\":{\"connection\":3,\"path\":\"\",\"flags\":6,\"database\":null,\"at\":1}}",
            "identifier 3 follows 1",
        ),
        ("{\"close\":{\"connection\":9,\"at\":1}}", "connection 9 is unknown"),
        ("{\"surprise\":{}}", "unknown variant `surprise`"),
        ("", "EOF while parsing"),
    ] {
        let found = refusal(&after_the_beginning(format!("{text}\n").as_bytes()));
        assert!(found.starts_with("calls-1-1.jsonl.zst:4: ") && found.contains(reason), "{text}: {found}");
    }
    assert!(refusal(&written(&[process(), process()], 9)).contains(":2: there is a second process"));
    assert!(refusal(&after_the_beginning(b"{\"lost\"")).contains("the last line has no end"));
}

#[test]
fn deep_nesting_is_refused_without_a_deep_stack() {
    let text = format!("{{\"call\":[1,1,1,1,1,{}", "[".repeat(1 << 20));
    assert!(refusal(&after_the_beginning(format!("{text}\n").as_bytes())).contains(":4: "));
}

/// Endless lines of one character, which compress to nothing.
struct Bomb {
    key: &'static [u8],
}

impl Read for Bomb {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        let taken = self.key.len().min(room.len());
        room[..taken].copy_from_slice(&self.key[..taken]);
        self.key = &self.key[taken..];
        room[taken..].fill(b' ');
        Ok(room.len())
    }
}

#[test]
fn a_decompression_bomb_stops_at_the_limit_of_a_line() {
    for (key, limit) in [("{\"call\":", 4 << 20), ("{\"open\":", 1 << 16), ("", 1 << 16)] {
        let limits = ReaderLimits { call_bytes: 4 << 20, line_bytes: 1 << 16, ..ReaderLimits::default() };
        let mut bomb = Vec::new();
        zstd::stream::copy_encode(Bomb { key: key.as_bytes() }.take(1 << 28), &mut bomb, 1).unwrap();
        assert!(bomb.len() < 1 << 16, "it is a bomb: {}", bomb.len());
        let mut file = written(&[process(), open(1), statement(1, "SELECT 1")], 10);
        file.extend(bomb);
        let error = read_within(&file, limits).unwrap_err().to_string();
        assert_eq!(error, format!("calls-1-1.jsonl.zst:4: the line has more than {limit} bytes"));
    }
}

#[test]
fn many_parameters_connections_and_statements_are_refused() {
    let many = format!("{{\"call\":[1,1,1,1,1,[{}0],0,0,0]}}\n", "0,".repeat(1 << 16));
    assert!(refusal(&after_the_beginning(many.as_bytes())).contains("at most 65536 parameters"));
    let limits = ReaderLimits { connections: 1, statements: 1, ..ReaderLimits::default() };
    assert!(read_within(&written(&lines_of(call(Vec::new())), 9), limits).is_ok());
    for second in [open(2), statement(2, "")] {
        let error = read_within(&written(&lines_of(second), 9), limits).unwrap_err().to_string();
        assert!(error.contains("above the limit of 1"), "{error}");
    }
}

#[test]
fn a_large_window_is_refused() {
    let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
    encoder.window_log(27).unwrap();
    std::io::Write::write_all(&mut encoder, &vec![b' '; 1 << 24]).unwrap();
    assert!(refusal(&encoder.finish().unwrap()).contains("damaged or unreadable"));
}

#[test]
fn a_reader_ends_after_an_error() {
    let file = after_the_beginning(b"{}\n{}\n");
    let mut reader = CallsReader::new(std::path::Path::new("x"), &file[..], ReaderLimits::default()).unwrap();
    assert_eq!(reader.by_ref().filter(Result::is_ok).count(), 3);
    assert!(reader.next().is_none());
    assert_eq!(reader.ending(), None);
    assert!(matches!(read(&written(&[process()], 1)).unwrap().0[..], [RecordedLine::Process(_)]));
}
