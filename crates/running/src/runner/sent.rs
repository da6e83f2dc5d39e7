//! The events that a worker sent, with histograms decoded once for all readers.

use dbdyno_engine::protocol::Event;
use dbdyno_workload::histogram::{bytes_from_base64, from_bytes};
use hdrhistogram::Histogram;
use std::sync::Arc;

/// A histogram as received, HdrHistogram V2 compressed, and its decoded content.
#[derive(Debug, Clone, PartialEq)]
pub struct SentHistogram {
    pub bytes: Vec<u8>,
    /// Samples in ns.
    pub samples: Arc<Histogram<u64>>,
}

/// An event of a worker, with its histogram if it has one.
#[derive(Debug, Clone)]
pub struct Sent {
    pub(crate) event: Event,
    pub(crate) histogram: Option<Arc<SentHistogram>>,
}

impl SentHistogram {
    /// Returns the histogram in an event. In progress events it is only informative, so an unreadable one is treated as missing.
    ///
    /// # Errors
    /// The histogram of a result cannot be read. The message names its test.
    pub fn of(event: &Event) -> Result<Option<Arc<Self>>, String> {
        match event {
            Event::Progress { histogram: Some(text), .. } => Ok(Self::read(text).ok()),
            Event::TestDone(done) => Self::read(&done.histogram)
                .map(Some)
                .map_err(|error| format!("the histogram of test {}: {error}", done.test)),
            _ => Ok(None),
        }
    }

    /// Decodes a histogram from base64.
    pub fn read(text: &str) -> Result<Arc<Self>, String> {
        let bytes = bytes_from_base64(text)?;
        Ok(Arc::new(Self { samples: Arc::new(from_bytes(&bytes)?), bytes }))
    }
}
