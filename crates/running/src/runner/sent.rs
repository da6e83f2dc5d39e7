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
pub struct Sent {
    pub(crate) event: Event,
    pub(crate) histogram: Option<Arc<SentHistogram>>,
}

impl SentHistogram {
    /// The histogram in an event. One of a test under way is only looked at: where it cannot be read there is none.
    ///
    /// # Errors
    /// A result's that cannot be read, with its test.
    pub fn of(event: &Event) -> Result<Option<Arc<Self>>, String> {
        match event {
            Event::Progress { histogram: Some(text), .. } => Ok(Self::read(text).ok()),
            Event::TestDone(done) => Self::read(&done.histogram)
                .map(Some)
                .map_err(|error| format!("the histogram of test {}: {error}", done.test)),
            _ => Ok(None),
        }
    }

    /// A histogram in base64.
    pub fn read(text: &str) -> Result<Arc<Self>, String> {
        let bytes = bytes_from_base64(text)?;
        Ok(Arc::new(Self { samples: from_bytes(&bytes)?, bytes }))
    }
}
