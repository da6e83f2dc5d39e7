//! The record of one trial, in the order of events.

use dbdyno_workload::power::{FileId, Marker, PowerRecord, SyncCall, Tape};
use std::{
    io,
    path::{Path, PathBuf},
};

/// The stage of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TrialStage {
    /// The harness creates the folders of the databases. Engines need not sync their names, so they last.
    Preparing,
    Recording,
    /// Nothing changes any more: the files stay as the last record left them.
    Over,
}

/// All changes to the files, with the commits between them.
#[derive(Debug)]
pub(super) struct TrialTape {
    tape: Tape,
    stage: TrialStage,
    /// How many commits are recorded.
    most: u64,
}

impl TrialTape {
    pub(super) fn create(path: &Path, most: u64) -> io::Result<Self> {
        Ok(Self { tape: Tape::create(path)?, stage: TrialStage::Preparing, most })
    }

    pub(super) fn is_over(&self) -> bool {
        self.stage == TrialStage::Over
    }

    pub(super) fn note(&mut self, record: &PowerRecord) {
        if !is_prepared_folder(record) {
            self.begin();
        }
        if !self.is_over() {
            self.tape.append(record);
        }
    }

    pub(super) fn new_file(&mut self, name: PathBuf) -> FileId {
        self.begin();
        self.tape.new_file(name)
    }

    pub(super) fn wrote(&mut self, file: FileId, offset: u64, bytes: &[u8], is_through: bool) {
        self.note(&PowerRecord::Write { file, offset, bytes: bytes.to_vec() });
        if is_through {
            let range = Some(offset..offset + bytes.len() as u64);
            self.note(&PowerRecord::Sync { file, call: SyncCall::WriteThrough, range });
        }
    }

    /// Records that this many commits have returned. The next one begins at once, because one thread commits. After the last one the trial
    /// is over.
    ///
    /// # Errors
    /// The record has a gap.
    pub(super) fn acknowledged(&mut self, commits: u64) -> io::Result<()> {
        self.note(&PowerRecord::Marker(Marker::Acknowledged { commits }));
        if commits < self.most {
            self.note(&PowerRecord::Marker(Marker::Issued { ordinal: commits + 1 }));
        } else {
            self.stage = TrialStage::Over;
        }
        self.tape.health()
    }

    /// Ends the trial before its last commit.
    pub(super) fn give_up(&mut self) {
        self.stage = TrialStage::Over;
    }

    fn begin(&mut self) {
        if self.stage == TrialStage::Preparing {
            self.stage = TrialStage::Recording;
            self.tape.append(&PowerRecord::Started);
            self.tape.append(&PowerRecord::Marker(Marker::Issued { ordinal: 1 }));
        }
    }
}

fn is_prepared_folder(record: &PowerRecord) -> bool {
    matches!(record, PowerRecord::Folder { name } if name.iter().count() == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_workload::power::PowerLog;

    #[test]
    fn commits_stand_between_what_happened_and_nothing_follows_the_last() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut tape = TrialTape::create(&path, 2).unwrap();
        let made = PowerRecord::Folder { name: "main".into() };
        tape.note(&made);
        let file = tape.new_file("main/data".into());
        tape.wrote(file, 7, b"one", true);
        tape.acknowledged(1).unwrap();
        let below = PowerRecord::Folder { name: "main/below".into() };
        tape.note(&below);
        tape.acknowledged(2).unwrap();
        assert!(tape.is_over());
        tape.wrote(file, 0, b"late", false);
        let issued = |ordinal| PowerRecord::Marker(Marker::Issued { ordinal });
        let acknowledged = |commits| PowerRecord::Marker(Marker::Acknowledged { commits });
        let expected = [
            made,
            PowerRecord::Started,
            issued(1),
            PowerRecord::Created { file, name: "main/data".into() },
            PowerRecord::Write { file, offset: 7, bytes: b"one".to_vec() },
            PowerRecord::Sync { file, call: SyncCall::WriteThrough, range: Some(7..10) },
            acknowledged(1),
            issued(2),
            below,
            acknowledged(2),
        ];
        assert_eq!(PowerLog::read(&path).unwrap().records(), expected);
    }
}
