//! Importing the journals into the store.

use super::{
    super::{Batch, Store, StoreError, error::Doing, write::write_batch},
    JournalFile, REFUSED, found, has_owner, line,
    writer::remove,
};
use dbdyno_foundation::base::units::counted;
use duckdb::{Connection, Transaction, params};
use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// Bytes of a journal that are held in memory at a time.
const CHUNK: usize = 16 << 20;

/// The result of bringing the store up to date, and what users should know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// Batches that were imported from journals of processes that are gone.
    pub recovered: usize,
    /// Sessions that no process runs any more, now marked as interrupted.
    pub interrupted: usize,
    /// The file with journal lines that cannot be read, if there are any.
    pub refused: Option<PathBuf>,
    /// Journals of this process that another program truncated.
    pub cut: Vec<PathBuf>,
    /// The damaged store next to which a new store was created, because there was none.
    pub aside: Option<PathBuf>,
}

impl Settled {
    /// Returns the notices for users, one sentence each.
    pub fn notices(&self) -> Vec<String> {
        let mut all = Vec::new();
        if self.recovered > 0 {
            let left = counted(self.recovered, "line");
            all.push(format!("added {left} of results that an earlier command could not store"));
        }
        if self.interrupted > 0 {
            let sessions = counted(self.interrupted, "session");
            all.push(format!("{sessions} ended before the last run: `dbdyno resume` finishes the last one"));
        }
        if let Some(file) = &self.refused {
            all.push(format!(
                "some lines of a journal are damaged and could not be imported; they are kept in {}",
                file.display()
            ));
        }
        for journal in &self.cut {
            all.push(format!(
                "another program truncated the journal {}: results that were not in the store yet are lost",
                journal.display()
            ));
        }
        if let Some(damaged) = &self.aside {
            all.push(format!(
                "there was no store, so a new one was created; a damaged one is kept as {}",
                damaged.display()
            ));
        }
        all
    }
}

impl Store {
    /// Brings the store up to date. Imports the journals in one transaction, and marks sessions that no process runs any more as
    /// interrupted. If there is nothing to do, it only lists a folder and runs a query.
    ///
    /// # Errors
    /// A store or journal that cannot be opened, read or written.
    pub fn settle(&self) -> Result<Settled, StoreError> {
        let settled = self.settle_to_read();
        drop(self.left_open().opened.take());
        settled
    }

    /// Does the same for callers that read immediately: the file is opened once and stays open until they read.
    ///
    /// # Errors
    /// The same as those of [`Store::settle`].
    pub fn settle_to_read(&self) -> Result<Settled, StoreError> {
        // Batches that cannot be written to the journal go into the store directly.
        let unjournaled = if self.flush().is_ok() { Vec::new() } else { self.writer.lock().waiting() };
        let mut settled = Settled::default();
        if self.has_work(&unjournaled)? {
            settled = self.take_in(&unjournaled)?;
        }
        let refused = self.journal_folder().join(REFUSED);
        settled.refused = refused.exists().then_some(refused);
        settled.cut = self.writer.lock().newly_cut();
        Ok(settled)
    }

    fn has_work(&self, unjournaled: &[Batch]) -> Result<bool, StoreError> {
        let journals = self.journals()?;
        if !unjournaled.is_empty() || self.writer.lock().is_ahead() {
            return Ok(true);
        }
        if !self.exists() {
            return Ok(!journals.is_empty());
        }
        self.beginning_to_read(|connection| {
            let positions = positions(connection).doing(self.path())?;
            let is_ahead = |journal: &JournalFile| {
                let length = fs::metadata(&journal.path).map_or(0, |facts| facts.len());
                length > positions.get(&journal.id).copied().unwrap_or(0) || !has_owner(&journal.path)
            };
            Ok(journals.iter().any(is_ahead) || !abandoned(connection).doing(self.path())?.is_empty())
        })
    }

    /// Whether there is nothing to import, and nothing to report about journals.
    pub(in super::super) fn has_nothing_left(&self) -> Result<bool, StoreError> {
        Ok(self.journals()?.is_empty() && !self.journal_folder().join(REFUSED).exists())
    }

    pub(super) fn journals(&self) -> Result<Vec<JournalFile>, StoreError> {
        let folder = self.journal_folder();
        found(&folder).map_err(|error| StoreError::Journal { path: folder, message: error.to_string() })
    }

    fn take_in(&self, unjournaled: &[Batch]) -> Result<Settled, StoreError> {
        let mut settled = Settled::default();
        let mut refused = Vec::new();
        let positions = self.writing(|connection| {
            let taken = self.take_journals(connection, unjournaled, &mut settled, &mut refused);
            taken.map_err(|error| self.explained(connection, error))
        })?;
        if !unjournaled.is_empty() {
            self.writer.lock().forget(unjournaled.len());
        }
        self.keep_refused(&refused)?;
        positions.iter().try_for_each(|(journal, end)| self.clear(journal, *end))?;
        Ok(settled)
    }

    /// Imports all journals in one transaction, and returns how far each of them was read.
    fn take_journals(
        &self,
        connection: &mut Connection,
        unjournaled: &[Batch],
        settled: &mut Settled,
        refused: &mut Vec<u8>,
    ) -> Result<Vec<(JournalFile, u64)>, StoreError> {
        // Listed here, because no other process can import them now.
        let journals = self.journals()?;
        // A statement that fails ends DuckDB's transaction: every error in here is returned.
        let transaction = connection.transaction().doing(self.path())?;
        let before = positions(&transaction).doing(self.path())?;
        let mut after = Vec::new();
        for journal in journals {
            let owned = has_owner(&journal.path);
            let begin = before.get(&journal.id).copied().unwrap_or(0);
            let (end, batches) = self.take_journal(&transaction, &journal, begin, refused)?;
            settled.recovered += if owned { 0 } else { batches };
            after.push((journal, end));
        }
        unjournaled.iter().try_for_each(|batch| write_batch(&transaction, batch)).doing(self.path())?;
        settled.interrupted = mark_abandoned(&transaction).doing(self.path())?;
        transaction.commit().doing(self.path())?;
        Ok(after)
    }

    /// Imports the lines of a journal from a position on, and returns the position where they end and their number.
    fn take_journal(
        &self,
        transaction: &Transaction<'_>,
        journal: &JournalFile,
        begin: u64,
        refused: &mut Vec<u8>,
    ) -> Result<(u64, usize), StoreError> {
        let failed = |error: io::Error| StoreError::Journal { path: journal.path.clone(), message: error.to_string() };
        let mut lines = BufReader::new(File::open(&journal.path).map_err(failed)?);
        lines.seek(SeekFrom::Start(begin)).map_err(failed)?;
        let (mut end, mut count) = (begin, 0);
        let (mut chunk, mut bytes) = (Batch::default(), 0);
        let mut line = Vec::new();
        loop {
            line.clear();
            lines.read_until(b'\n', &mut line).map_err(failed)?;
            // A line without its end was still being written: it was never acknowledged.
            let Some(content) = line.strip_suffix(b"\n") else { break };
            end += line.len() as u64;
            match line::batch(content) {
                Some(batch) => {
                    chunk.extend(batch);
                    (count, bytes) = (count + 1, bytes + line.len());
                }
                None => refused.extend(&line),
            }
            if bytes > CHUNK {
                write_batch(transaction, &std::mem::take(&mut chunk)).doing(self.path())?;
                bytes = 0;
            }
        }
        write_batch(transaction, &chunk).doing(self.path())?;
        if end > begin {
            let sql = "INSERT OR REPLACE INTO journal (journal_id, position) VALUES (?, ?)";
            transaction.execute(sql, params![journal.id, end]).doing(self.path())?;
        }
        Ok((end, count))
    }

    /// Saves lines that could not be read, so that users can inspect them.
    fn keep_refused(&self, lines: &[u8]) -> Result<(), StoreError> {
        if lines.is_empty() {
            return Ok(());
        }
        let path = self.journal_folder().join(REFUSED);
        let write = || -> io::Result<()> {
            let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
            file.write_all(lines)?;
            file.sync_all()
        };
        write().map_err(|error| StoreError::Journal { path: path.clone(), message: error.to_string() })
    }

    /// Removes a journal that was imported up to `end`, unless more lines will follow.
    fn clear(&self, journal: &JournalFile, end: u64) -> Result<(), StoreError> {
        let failed = |error: io::Error| StoreError::Journal { path: journal.path.clone(), message: error.to_string() };
        let mut writer = self.writer.lock();
        if writer.took(&journal.id, end) {
            return if writer.is_over(end) { writer.finish().map_err(failed) } else { Ok(()) };
        }
        drop(writer);
        match File::open(&journal.path) {
            Ok(file) if file.try_lock().is_ok() => remove(&journal.path).map_err(failed),
            _ => Ok(()),
        }
    }
}

/// Returns how far each journal was imported, bytes.
pub(crate) fn positions(connection: &Connection) -> duckdb::Result<BTreeMap<String, u64>> {
    let mut statement = connection.prepare("SELECT journal_id::VARCHAR, position FROM journal")?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Returns unfinished sessions that no process runs any more.
pub(crate) fn abandoned(connection: &Connection) -> duckdb::Result<Vec<String>> {
    let mut statement =
        connection.prepare("SELECT session_id::VARCHAR, owner FROM session WHERE status = 'running'")?;
    let running: Vec<(String, Option<String>)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<duckdb::Result<_>>()?;
    let is_abandoned = |owner: &Option<String>| !owner.as_deref().is_some_and(|owner| has_owner(Path::new(owner)));
    Ok(running.into_iter().filter(|(_, owner)| is_abandoned(owner)).map(|(session, _)| session).collect())
}

fn mark_abandoned(transaction: &Transaction<'_>) -> duckdb::Result<usize> {
    let sessions = abandoned(transaction)?;
    for session in &sessions {
        transaction.execute("UPDATE session SET status = 'interrupted' WHERE session_id = ?", [session])?;
        let sql = "UPDATE run SET status = 'interrupted' WHERE status = 'running' AND session_id = ?";
        transaction.execute(sql, [session])?;
    }
    Ok(sessions.len())
}
