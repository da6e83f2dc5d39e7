//! Writing and reading back gives equal lines, for all values and block lengths.

mod support;

use dbdyno_recording::{FileEnding, RecordedLine, RecordedValue, RecordingError};
use proptest::{collection::vec, prelude::*};
use support::{call, lines_of, open, process, read, statement, written};

fn value() -> impl Strategy<Value = RecordedValue> {
    prop_oneof![
        Just(RecordedValue::Null),
        any::<i64>().prop_map(RecordedValue::Integer),
        any::<f64>().prop_filter("NaN is not equal to itself", |real| !real.is_nan()).prop_map(RecordedValue::Real),
        Just(RecordedValue::Real(f64::INFINITY)),
        Just(RecordedValue::Real(f64::NEG_INFINITY)),
        Just(RecordedValue::Real(1.0)),
        any::<String>().prop_map(RecordedValue::Text),
        vec(any::<u8>(), 0..40).prop_map(RecordedValue::Blob),
        vec(any::<u8>(), 1..40).prop_map(|mut bytes| {
            bytes[0] = 0xff;
            RecordedValue::Bytes(bytes)
        }),
        any::<u64>().prop_map(RecordedValue::ZeroBlob),
        any::<String>().prop_map(RecordedValue::Literal),
        (any::<bool>(), any::<u64>(), any::<u64>()).prop_map(|(is_text, bytes, hash)| RecordedValue::Cut {
            is_text,
            bytes,
            hash
        }),
    ]
}

fn any_call() -> impl Strategy<Value = RecordedLine> {
    let numbers = (any::<u32>(), any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>(), any::<i32>());
    (vec(value(), 0..6), numbers).prop_map(|(parameters, (thread, start_ns, duration_ns, rows, changes, code))| {
        let mut line = call(parameters);
        if let RecordedLine::Call(call) = &mut line {
            (call.thread, call.start_ns, call.duration_ns) = (thread, start_ns, duration_ns);
            (call.rows, call.changes, call.result_code) = (rows, changes, code);
        }
        line
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(calls in vec(any_call(), 1..20), block in 1..8_usize, sql in any::<String>()) {
        let mut lines = vec![process(), open(1), statement(1, &sql)];
        lines.extend(calls);
        let (found, ending) = read(&written(&lines, block)).unwrap();
        prop_assert_eq!(&found, &lines);
        prop_assert_eq!(ending, Some(FileEnding::NoEnd { calls: lines.len() as u64 - 3 }));
    }

    #[test]
    fn a_cut_file_gives_a_prefix(calls in vec(any_call(), 1..20), block in 1..8_usize, share in 0.0..1.0) {
        let mut lines = vec![process(), open(1), statement(1, "SELECT 1")];
        lines.extend(calls);
        let whole = written(&lines, block);
        let cut = (whole.len() as f64 * share) as usize;
        let (found, ending) = read(&whole[..cut]).unwrap();
        prop_assert!(lines.starts_with(&found));
        let calls = found.iter().filter(|line| matches!(line, RecordedLine::Call(_))).count() as u64;
        let possible = [FileEnding::CutOff { calls }, FileEnding::NoEnd { calls }];
        prop_assert!(possible.contains(&ending.unwrap()));
    }

    #[test]
    fn a_changed_byte_is_noticed(calls in vec(any_call(), 1..8), at in any::<usize>(), bit in 0..8) {
        let mut lines = vec![process(), open(1), statement(1, "SELECT 1")];
        lines.extend(calls);
        let mut file = written(&lines, 4);
        let at = at % file.len();
        file[at] ^= 1_u8 << bit;
        // Damage of the frame's header can look like a longer frame, which is cut off.
        match read(&file) {
            Ok((found, Some(FileEnding::CutOff { .. }))) => prop_assert!(found.len() <= lines.len()),
            Ok((found, _)) => prop_assert_eq!(found, lines),
            Err(_) => {}
        }
    }
}

#[test]
fn a_nan_is_read_as_one() {
    let lines = lines_of(call(vec![RecordedValue::Real(f64::NAN)]));
    let (found, _) = read(&written(&lines, 100)).unwrap();
    let Some(RecordedLine::Call(call)) = found.last() else { panic!("{found:?}") };
    assert!(matches!(call.parameters[..], [RecordedValue::Real(real)] if real.is_nan()), "{call:?}");
}

#[test]
fn long_texts_of_control_characters_stay_below_the_limit_of_a_line() {
    let text = "\0".repeat(3 << 20);
    let lines = lines_of(call(vec![RecordedValue::Text(text)]));
    let file = written(&lines, 100);
    assert_eq!(read(&file).unwrap().0, lines);
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut zstd::Decoder::new(&file[..]).unwrap(), &mut plain).unwrap();
    assert!(plain.len() < 5 << 20, "{}", plain.len());
}

#[test]
fn a_line_has_no_spaces_and_a_call_is_an_array() {
    let parameters = vec![
        RecordedValue::Integer(-5),
        RecordedValue::Real(1.0),
        RecordedValue::Text("a".to_owned()),
        RecordedValue::Blob(vec![1, 2]),
    ];
    let file = written(&lines_of(call(parameters)), 100);
    let mut plain = String::new();
    std::io::Read::read_to_string(&mut zstd::Decoder::new(&file[..]).unwrap(), &mut plain).unwrap();
    assert!(plain.ends_with("{\"call\":[1,7,1000,50,1,[-5,1.0,\"a\",{\"b\":\"AQI=\"}],1,0,0]}\n"), "{plain}");
}

#[test]
fn errors_name_the_file_and_the_line() {
    let mut lines = lines_of(call(Vec::new()));
    lines.push(statement(5, "SELECT 5"));
    let error = read(&written(&lines, 2)).unwrap_err();
    assert!(matches!(error, RecordingError::Line { line: 5, .. }), "{error}");
    assert_eq!(error.to_string(), "calls-1-1.jsonl.zst:5: identifier 5 follows 1");
}
