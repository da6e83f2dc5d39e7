//! Measures the reader: `cargo test --release -p dbdyno-recording --test speed -- --ignored --nocapture`.

mod support;

use dbdyno_recording::{CallNumbers, CallsReader, CallsWriter, ReaderLimits, RecordedValueRef};
use std::{io, path::Path, time::Instant};
use support::{open, process, statement};

const CALLS: u32 = 1_000_000;

fn a_million_calls() -> io::Result<Vec<u8>> {
    let mut writer = CallsWriter::new(1)?;
    let mut file = Vec::new();
    [process(), open(1), statement(1, "INSERT INTO t VALUES (?, ?, ?)")].iter().for_each(|line| writer.line(line));
    for n in 0..CALLS {
        let text = format!("the name of row {n}");
        let call = CallNumbers {
            connection: 1,
            thread: 12_345,
            start_ns: 123_456_789_012 + u64::from(n) * 7_001,
            duration_ns: 5_000 + u64::from(n % 977),
            statement: 1,
            rows: 0,
            changes: 1,
            result_code: 0,
        };
        let parameters = [
            RecordedValueRef::Integer(n.into()),
            RecordedValueRef::Text(text.as_bytes()),
            RecordedValueRef::Real(f64::from(n) / 3.0),
        ];
        writer.call(&call, parameters);
        if writer.block_bytes() > 1 << 18 {
            file.extend_from_slice(writer.finish_block()?);
        }
    }
    file.extend_from_slice(writer.finish_block()?);
    Ok(file)
}

#[test]
#[ignore = "a measurement"]
#[allow(clippy::print_stdout, reason = "its result")]
fn a_million_calls_are_read_quickly() {
    let start = Instant::now();
    let file = a_million_calls().unwrap();
    println!("written in {:?}: {} bytes", start.elapsed(), file.len());
    for _ in 0..5 {
        let start = Instant::now();
        let mut reader = CallsReader::new(Path::new("memory"), &file[..], ReaderLimits::default()).unwrap();
        assert!(reader.by_ref().all(|line| line.is_ok()));
        assert_eq!(reader.calls(), u64::from(CALLS));
        println!("read in {:?}", start.elapsed());
    }
}
