//! The log, sized ahead: CrossDB 0.14 grows it for what was committed and not for the transaction that is to be written, which
//! goes beyond its end, over whatever lies behind it in memory.

use super::{
    api::Functions,
    connection::{Closing, Link},
    statement::Prepared,
};
use dbdyno_engine::EngineError;
use std::{fs, path::Path};

/// The two logs of a database; one is written, until a flush exchanges them.
const FILES: [&str; 2] = ["xdb0.wal", "xdb1.wal"];
/// A row that fills them, bytes of its value.
const FILLER: [u8; 1000] = [0; 1000];
/// Commits between two looks at a log's length.
const COMMITS: usize = 64;

/// Bytes that logs have to hold for so many bytes of keys and values: each row has a head of its own, and an update logs two.
pub(super) fn for_data(bytes: u64) -> u64 {
    // Beyond 256 MiB CrossDB begins the other log by itself, after the commit that reached it.
    const MOST: u64 = 1 << 29;
    bytes.saturating_mul(4).saturating_add(1 << 20).min(MOST)
}

/// Grows both logs of a database to so many bytes, by small commits in a table that is dropped again. Nothing waits for the disk.
pub(super) fn grow(
    functions: Functions,
    folder: &Path,
    create: &str,
    table: &str,
    bytes: u64,
) -> Result<(), EngineError> {
    let connection = Closing(Link::open(functions)?);
    let link = connection.0;
    link.execute(&format!("{create} SYNCMODE=NOSYNC"))?;
    link.execute(table)?;
    link.execute("CREATE TABLE filler (k INT PRIMARY KEY, v VARBINARY(1000))")?;
    let grown = fill(link, folder, bytes);
    link.execute("DROP TABLE filler")?;
    grown
}

fn fill(link: Link, folder: &Path, bytes: u64) -> Result<(), EngineError> {
    let length = |file: &str| fs::metadata(folder.join(file)).map_or(0, |file| file.len());
    let short = || FILES.into_iter().filter(|file| length(file) < bytes).count();
    let mut insert = Prepared::new(link, "INSERT INTO filler (k,v) VALUES (1,?)")?;
    let mut delete = Prepared::new(link, "DELETE FROM filler WHERE k=1")?;
    // Each insertion logs its value; a log that takes more than this to grow is not growing.
    let most = 2 * FILES.len() as u64 * (bytes / FILLER.len() as u64 + COMMITS as u64);
    let (mut left, mut commits) = (short(), 0);
    while left > 0 {
        for _ in 0..COMMITS {
            drop(insert.run(&[&FILLER])?);
            drop(delete.run(&[])?);
        }
        commits += COMMITS as u64;
        if commits > most {
            return Err(EngineError::new(format!("the logs in {} do not grow to {bytes} bytes", folder.display())));
        }
        let now = short();
        if now < left {
            // The other log is written from now on.
            link.execute("FLUSH DATABASE")?;
        }
        left = now;
    }
    Ok(())
}
