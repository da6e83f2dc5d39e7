//! The log of a job: a line of JSON for each event.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
    time::{Duration, Instant},
};

/// The version of the log's content. A reader skips events that it does not know.
const VERSION: u32 = 1;

/// The field of a line with the time at which it was written, ms since the job began.
const AT: &str = "at_ms";

/// The time at which a line was written.
#[derive(Debug, Deserialize)]
struct LineTime {
    at_ms: u64,
}

/// Returns when a line was written, since the job began. None for lines of older versions.
pub(super) fn written(line: &[u8]) -> Option<Duration> {
    serde_json::from_slice::<LineTime>(line).ok().map(|written| Duration::from_millis(written.at_ms))
}

/// The log's events about the job itself, in addition to the events of the measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum OfJob {
    /// The first line.
    Job { version: u32 },
    /// A client sent an unknown request.
    Refused { asked: String },
    /// The last line of a job that was not killed.
    JobEnded {
        /// The reason why the job could not do its task.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failed: Option<String>,
    },
}

#[derive(Debug)]
pub(super) struct JobLog {
    file: File,
    begun: Instant,
    /// Whether a line could not be written completely. No line may follow an incomplete one.
    cut: bool,
}

impl JobLog {
    pub(super) fn create(path: PathBuf) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)?;
        let mut log = Self { file, begun: Instant::now(), cut: false };
        log.append(&OfJob::Job { version: VERSION });
        Ok(log)
    }

    pub(super) fn append(&mut self, event: &impl Serialize) {
        // Every type of event can be written as JSON.
        let Ok(mut event) = serde_json::to_value(event) else { return };
        drop_histograms(&mut event);
        if let Value::Object(fields) = &mut event {
            fields.insert(AT.to_owned(), (self.begun.elapsed().as_millis() as u64).into());
        }
        let line = format!("{event}\n");
        self.cut = self.cut || self.file.write_all(line.as_bytes()).is_err();
    }

    pub(super) fn end(&mut self, failed: Option<String>) {
        self.append(&OfJob::JobEnded { failed });
    }
}

/// Clears histograms. One takes more space than the rest of a test's result, and the store has it with that result.
fn drop_histograms(event: &mut Value) {
    match event {
        Value::Object(fields) => {
            if fields.get("histogram").is_some_and(|histogram| histogram.as_str().is_some_and(|text| !text.is_empty()))
            {
                fields.insert("histogram".to_owned(), Value::String(String::new()));
            }
            fields.values_mut().for_each(drop_histograms);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_histograms),
        _ => {}
    }
}
