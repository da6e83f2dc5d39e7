use crate::{
    CallNumbers, RecordedLine, RecordedValueRef,
    text::{append, append_json},
};
use std::io;
use zstd::bulk::Compressor;

/// Collects lines, and makes complete zstd frames of them. It does no I/O: append each frame to the file with one
/// write.
pub struct CallsWriter {
    lines: Vec<u8>,
    frame: Vec<u8>,
    compressor: Compressor<'static>,
    calls: u64,
}

/// Room for lines that is kept from block to block. A block with a long value may have needed more.
const KEPT_BYTES: usize = 4 << 20;

impl CallsWriter {
    /// Returns a writer that compresses at zstd's `level`.
    ///
    /// # Errors
    ///
    /// Fails if zstd refuses the level.
    pub fn new(level: i32) -> io::Result<Self> {
        let mut compressor = Compressor::new(level)?;
        compressor.include_checksum(true)?;
        Ok(Self { lines: Vec::new(), frame: Vec::new(), compressor, calls: 0 })
    }

    /// Appends a line. Calls have their own function: [`CallsWriter::call`].
    pub fn line(&mut self, line: &RecordedLine) {
        if let RecordedLine::Call(call) = line {
            let numbers = CallNumbers {
                connection: call.connection,
                thread: call.thread,
                start_ns: call.start_ns,
                duration_ns: call.duration_ns,
                statement: call.statement,
                rows: call.rows,
                changes: call.changes,
                result_code: call.result_code,
            };
            return self.call(&numbers, call.parameters.iter().map(crate::RecordedValue::as_value_ref));
        }
        append_json(&mut self.lines, line);
        self.lines.push(b'\n');
    }

    /// Appends a call, with its parameters in the order of their indices.
    pub fn call<'v>(&mut self, call: &CallNumbers, parameters: impl IntoIterator<Item = RecordedValueRef<'v>>) {
        let lines = &mut self.lines;
        lines.extend_from_slice(b"{\"call\":[");
        for number in
            [call.connection.into(), call.thread.into(), call.start_ns, call.duration_ns, call.statement.into()]
        {
            append_number(lines, number);
            lines.push(b',');
        }
        lines.push(b'[');
        for (at, value) in parameters.into_iter().enumerate() {
            if at > 0 {
                lines.push(b',');
            }
            append(lines, value);
        }
        lines.extend_from_slice(b"],");
        append_number(lines, call.rows);
        lines.push(b',');
        append_number(lines, call.changes);
        lines.push(b',');
        append_json(lines, &call.result_code);
        lines.extend_from_slice(b"]}\n");
        self.calls += 1;
    }

    /// Returns the bytes of the lines of the current block, before compression.
    pub fn block_bytes(&self) -> usize {
        self.lines.len()
    }

    /// Returns the calls of the current block.
    pub fn block_calls(&self) -> u64 {
        self.calls
    }

    /// Ends the block, and returns it as a complete zstd frame. It is empty without lines.
    ///
    /// # Errors
    ///
    /// Fails if zstd does, which lacks only memory. The block is lost.
    pub fn finish_block(&mut self) -> io::Result<&[u8]> {
        self.frame.clear();
        self.calls = 0;
        if self.lines.is_empty() {
            return Ok(&self.frame);
        }
        self.frame.resize(zstd::zstd_safe::compress_bound(self.lines.len()), 0);
        let compressed = self.compressor.compress_to_buffer(&self.lines, &mut self.frame[..]);
        self.lines.clear();
        self.lines.shrink_to(KEPT_BYTES);
        let written = compressed?;
        self.frame.truncate(written);
        self.frame.shrink_to(KEPT_BYTES.max(written));
        Ok(&self.frame)
    }
}

fn append_number(line: &mut Vec<u8>, mut number: u64) {
    // The digits of the greatest number of 64 bits.
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return line.extend_from_slice(&digits[at..]);
        }
    }
}
