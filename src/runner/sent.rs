//! What a worker sent, read once for everybody.

use dbdyno_engine::protocol::Event;
use dbdyno_workload::histogram::{bytes_from_base64, from_bytes};
use hdrhistogram::Histogram;
use std::sync::Arc;

/// A histogram as it came, HdrHistogram V2 compressed, and what is in it.
#[derive(Debug, Clone, PartialEq)]
pub struct SentHistogram {
    pub bytes: Vec<u8>,
    /// ns a sample.
    pub samples: Histogram<u64>,
}

/// An event of a worker, with its histogram where it has one.
#[derive(Debug, Clone)]
pub(super) struct Sent {
    pub(super) event: Event,
    pub(super) histogram: Option<Arc<SentHistogram>>,
}

impl SentHistogram {
    /// The histogram in an event.
    ///
    /// # Errors
    /// One that cannot be read, with its test.
    pub fn of(event: &Event) -> Result<Option<Arc<Self>>, String> {
        let (test, text) = match event {
            Event::Progress { test, histogram: Some(text), .. } => (*test, text),
            Event::TestDone(done) => (done.test, &done.histogram),
            _ => return Ok(None),
        };
        let read = bytes_from_base64(text).and_then(|bytes| Ok(Self { samples: from_bytes(&bytes)?, bytes }));
        read.map(|read| Some(Arc::new(read))).map_err(|error| format!("the histogram of test {test}: {error}"))
    }
}
