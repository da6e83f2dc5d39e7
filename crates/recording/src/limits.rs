/// What a reader accepts at most. The defaults admit everything that a recorder writes, and keep a hostile file from
/// exhausting memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReaderLimits {
    /// Bytes of a line with a call or a statement. A recorder keeps 64 MiB of a call, which is 144 MiB as JSON at most.
    pub call_bytes: usize,
    /// Bytes of any other line.
    pub line_bytes: usize,
    /// Connections of a file.
    pub connections: u32,
    /// Statements of a file. Programs that write values into their statements have one for each execution.
    pub statements: u32,
    /// Binary logarithm of the bytes that the decompression of a frame may refer back to.
    pub window_log: u32,
}

impl Default for ReaderLimits {
    fn default() -> Self {
        Self { call_bytes: 160 << 20, line_bytes: 1 << 20, connections: 1 << 24, statements: 1 << 28, window_log: 23 }
    }
}
