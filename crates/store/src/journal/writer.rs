//! The journal that this process writes.

use super::{
    super::{Batch, Store, StoreError, undo::sync_folder},
    ENDING, line,
};
use dbdyno_foundation::base::{identifier::identifier, leftovers::JOURNAL, scratch};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    os::unix::fs::{FileExt, MetadataExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The state of a process's journal.
#[derive(Debug)]
pub(super) struct JournalWriter {
    folder: PathBuf,
    open: Option<OpenJournal>,
    /// Journals that another program truncated while they were written. They stay locked: the lock shows that their sessions have an
    /// owner.
    cut: Vec<OpenJournal>,
    /// Number of them that were reported.
    told: usize,
    /// Lines that could not be written yet, oldest first.
    waiting: Vec<Vec<u8>>,
    /// Sessions that this process runs. While there is one, the journal is not removed.
    sessions: usize,
}

/// A journal's file, held locked.
#[derive(Debug)]
struct OpenJournal {
    id: String,
    path: PathBuf,
    file: File,
    /// Bytes that are written and synced.
    length: u64,
    /// Bytes of them that this process saw in the store. Other processes may have imported more.
    taken: u64,
}

/// The writer, shared by all users of the store in this process.
#[derive(Debug, Clone)]
pub(in super::super) struct SharedWriter(Arc<Mutex<JournalWriter>>);

impl SharedWriter {
    pub(in super::super) fn new(folder: PathBuf) -> Self {
        Self(Arc::new(Mutex::new(JournalWriter {
            folder,
            open: None,
            cut: Vec::new(),
            told: 0,
            waiting: Vec::new(),
            sessions: 0,
        })))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, JournalWriter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Marks a session of this process as under way, until it is dropped.
#[derive(Debug)]
pub struct Ownership {
    writer: SharedWriter,
    /// The journal's file. Its lock shows other processes that the session has a running process.
    pub journal: PathBuf,
}

impl Drop for Ownership {
    fn drop(&mut self) {
        self.writer.lock().sessions -= 1;
    }
}

impl Store {
    /// Begins a session: creates the journal, and holds it until the session is over.
    ///
    /// # Errors
    /// The journal cannot be created or locked.
    pub fn own(&self) -> Result<Ownership, StoreError> {
        let mut writer = self.writer.lock();
        let journal = writer.ready().map_err(|error| self.unjournaled(&error))?;
        writer.sessions += 1;
        Ok(Ownership { writer: self.writer.clone(), journal })
    }

    /// Appends a batch to the journal and syncs it. If that fails the batch stays in memory; the next `append` and [`Store::settle`] try
    /// again.
    ///
    /// # Errors
    /// The journal cannot be written; the batch is kept in memory.
    pub fn append(&self, batch: &Batch) -> Result<(), StoreError> {
        let mut writer = self.writer.lock();
        let line = line::line(batch).map_err(|error| self.unjournaled(&error.into()))?;
        writer.waiting.push(line);
        writer.flush().map_err(|error| self.unjournaled(&error))
    }

    /// Tries again to write what could not be written. Succeeds if there is nothing to write.
    ///
    /// # Errors
    /// The same as those of [`Store::append`].
    pub fn flush(&self) -> Result<(), StoreError> {
        self.writer.lock().flush().map_err(|error| self.unjournaled(&error))
    }

    /// Passes to `take` what this process has written to its current journal, then what could not be written yet, both in order.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub(in super::super) fn each_journaled(&self, mut take: impl FnMut(Batch)) -> Result<(), StoreError> {
        let mut writer = self.writer.lock();
        if let Some(open) = &mut writer.open {
            open.each_line(|line| line::batch(line).into_iter().for_each(&mut take))
                .map_err(|error| self.unjournaled(&error))?;
        }
        writer.waiting().into_iter().for_each(take);
        Ok(())
    }

    fn unjournaled(&self, error: &io::Error) -> StoreError {
        StoreError::Journal { path: self.journal_folder(), message: error.to_string() }
    }
}

impl JournalWriter {
    /// Whether the journal has lines that this process has not seen in the store.
    pub(super) fn is_ahead(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.length > open.taken)
    }

    /// Records that a journal is in the store up to `end`, in bytes, and returns true, if it is the one that this process writes.
    pub(super) fn took(&mut self, journal: &str, end: u64) -> bool {
        let own = self.open.as_mut().filter(|open| open.id == journal);
        own.map(|open| open.taken = end).is_some()
    }

    /// Whether no more lines will follow: no session is under way, and everything up to `taken`, in bytes, is in the store.
    pub(super) fn is_over(&self, taken: u64) -> bool {
        let is_taken = self.open.as_ref().is_none_or(|open| open.length == taken);
        self.sessions == 0 && self.waiting.is_empty() && is_taken
    }

    /// Leaves a journal that is shorter than what was synced to it: later lines go to a new journal.
    fn leave_cut(&mut self) {
        let is_cut = |open: &mut OpenJournal| {
            // A removed journal is not cut: `ready` writes it again.
            open.file.metadata().is_ok_and(|facts| facts.nlink() > 0 && facts.len() < open.length)
        };
        self.cut.extend(self.open.take_if(is_cut));
    }

    /// Returns the paths of journals that were truncated, each once.
    pub(super) fn newly_cut(&mut self) -> Vec<PathBuf> {
        self.leave_cut();
        let told = std::mem::replace(&mut self.told, self.cut.len());
        self.cut[told..].iter().map(|journal| journal.path.clone()).collect()
    }

    /// Returns the batches that could not be written, oldest first.
    pub(super) fn waiting(&self) -> Vec<Batch> {
        self.waiting.iter().filter_map(|line| line::batch(line.strip_suffix(b"\n")?)).collect()
    }

    /// Forgets the oldest `count` of the unwritten lines: they are in the store.
    pub(super) fn forget(&mut self, count: usize) {
        self.waiting.drain(..count.min(self.waiting.len()));
    }

    /// Ends the journal once every line of it is in the store.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        match self.open.take() {
            Some(open) => remove(&open.path),
            None => Ok(()),
        }
    }

    /// Appends the waiting lines in order. Afterwards all of them are on disk, or none of them counts.
    fn flush(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.ready()?;
        let Some(open) = &mut self.open else { return Ok(()) };
        let lines = self.waiting.concat();
        let written = open.file.write_all_at(&lines, open.length).and_then(|()| open.file.sync_data());
        if let Err(error) = written {
            // The next attempt overwrites the partial write, which is not a line until then.
            let _ = open.file.set_len(open.length);
            return Err(error);
        }
        open.length += lines.len() as u64;
        self.waiting.clear();
        Ok(())
    }

    /// Makes sure that there is a journal, and returns its path. If the file was removed, it is written again with the lines that still
    /// count. If it was moved with its folder, writing continues there: the store moved too, and may come back.
    fn ready(&mut self) -> io::Result<PathBuf> {
        self.leave_cut();
        if let Some(open) = &mut self.open {
            if open.file.metadata()?.nlink() == 0 {
                open.write_anew()?;
            }
            return Ok(open.path.clone());
        }
        let id = identifier();
        let path = self.folder.join(format!("{id}.{ENDING}"));
        let file = create(&path)?;
        self.open = Some(OpenJournal { id, path: path.clone(), file, length: 0, taken: 0 });
        Ok(path)
    }
}

impl OpenJournal {
    /// Passes each line that counts to `take`, without its end.
    fn each_line(&mut self, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut lines = BufReader::new((&self.file).take(self.length));
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line)? > 0 {
            take(line.strip_suffix(b"\n").unwrap_or(&line));
            line.clear();
        }
        Ok(())
    }

    fn write_anew(&mut self) -> io::Result<()> {
        let mut written = Vec::new();
        self.file.seek(SeekFrom::Start(0))?;
        (&self.file).take(self.length).read_to_end(&mut written)?;
        let file = create(&self.path)?;
        file.write_all_at(&written, 0)?;
        file.sync_data()?;
        self.file = file;
        Ok(())
    }
}

fn create(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    // Until the file is locked, a sweep could mistake it for one that a killed program left.
    let _gate = path.parent().and_then(scratch::gate);
    // The file gets its name once it is locked: a journal without an owner counts as finished.
    let unlocked = path.with_extension(&JOURNAL.ending()[1..]);
    let file = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(&unlocked)?;
    file.lock()?;
    file.sync_all()?;
    fs::rename(&unlocked, path)?;
    sync_folder(path)?;
    Ok(file)
}

/// Creates the folder of journals so that its name survives a power loss. Its parent must exist: if a disk is gone, a folder created in
/// its place would be hidden when the disk comes back.
fn make_folder(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    match fs::create_dir(folder) {
        Ok(()) => sync_folder(folder),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Removes a journal of which every line is in the store.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
