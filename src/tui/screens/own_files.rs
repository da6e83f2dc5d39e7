//! The user's own workload instead of a suite, for the screens that measure it: read, and tried once, in the background.

use dbdyno_catalog::{Suite, bench::Values};
use dbdyno_engine::describe::Description;
use dbdyno_recorded::{RecordingSummary, plans};
use dbdyno_reports::{
    recording::{RecordingReport, sheet},
    sheet::{Colouring, TableStyle, text},
};
use dbdyno_running::own::{FileWorkload, OwnFiles, OwnSubject, OwnTerms};
use std::{collections::BTreeMap, path::Path, sync::Arc};

/// A workload of the user's files.
#[derive(Debug, Clone)]
pub struct ReadOwn {
    pub(crate) files: OwnFiles,
    /// The copies of the files exist while this value does.
    workload: Arc<FileWorkload>,
    /// What the files have in them, as lines; empty for statements, which say it themselves.
    about: Arc<[String]>,
}

/// The width of these lines, which fits every terminal.
const WIDTH: usize = 72;
/// The most statements whose plans are asked for.
const PLANS: usize = 30;

impl ReadOwn {
    /// Reads the files, and tries what they ask for once. `engines`: those that may be measured.
    ///
    /// # Errors
    /// The reason why a file cannot be read or measured, with its position.
    pub(super) fn read(files: OwnFiles, engines: &[&Description], work_dir: &Path) -> Result<Self, String> {
        let terms = OwnTerms { engines, work_dir };
        let workload = FileWorkload::read(&files, terms).map_err(|error| error.to_string())?;
        let about = match &files.subject {
            OwnSubject::Statements { .. } => Vec::new(),
            OwnSubject::Recording { folder, .. } => about(folder, &workload)?,
        };
        Ok(Self { files: files.absolute(), workload: Arc::new(workload), about: about.into() })
    }

    /// Returns what the files have in them, as lines.
    pub(super) fn about(&self) -> Vec<String> {
        self.about.to_vec()
    }

    pub(crate) fn suite(&self) -> &Suite {
        self.workload.suite()
    }

    /// Returns these options without those that were chosen, and without an engine's defaults.
    pub(super) fn options_beside(&self, description: &Description, chosen: &Values) -> BTreeMap<String, String> {
        self.workload.options_beside(description, chosen)
    }

    /// Returns the options that the database itself has, or with which the recorded program used it, as far as an engine has them.
    pub(super) fn options(&self, description: &Description) -> BTreeMap<String, String> {
        self.workload.options(description)
    }
}

/// Describes a recording: what its replay does, and where the program's time went.
fn about(folder: &Path, workload: &FileWorkload) -> Result<Vec<String>, String> {
    let summary = RecordingSummary::read(folder).map_err(|error| error.to_string())?;
    let plans = plans(folder, &summary, PLANS).map_err(|error| error.to_string())?;
    let shown =
        text(&sheet(&RecordingReport { summary, plans }, ""), TableStyle { colour: Colouring::Off, width: WIDTH });
    let mut lines = workload.facts();
    lines.push(String::new());
    lines.extend(shown.lines().map(str::to_owned));
    Ok(lines)
}
