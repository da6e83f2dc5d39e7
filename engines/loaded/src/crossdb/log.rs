//! Grows the log in advance. CrossDB 0.14 grows it for committed data but not for the transaction that it is about to write, which then
//! runs past its end and overwrites the memory behind it.

use super::{
    api::Functions,
    connection::{Link, OwnedConnection},
    statement::Prepared,
};
use dbdyno_engine::EngineError;
use std::{fs, path::Path};

/// The two logs of a database; CrossDB writes one of them, until a flush swaps them.
const FILES: [&str; 2] = ["xdb0.wal", "xdb1.wal"];
/// The value of a row that fills the logs.
const FILLER: [u8; 1000] = [0; 1000];
/// Commits between two checks of a log's length.
const COMMITS: usize = 64;

/// Returns the bytes that logs need for this many bytes of keys and values: each row has a header, and an update logs two.
pub(super) fn for_data(bytes: u64) -> u64 {
    // Beyond 256 MiB CrossDB switches to the other log by itself, after the commit that reached it.
    const MOST: u64 = 1 << 29;
    bytes.saturating_mul(4).saturating_add(1 << 20).min(MOST)
}

/// Grows both logs of a database to this many bytes, by small commits in a table that is dropped afterwards. Nothing waits for the disk.
pub(super) fn grow(
    functions: Functions,
    folder: &Path,
    create: &str,
    table: &str,
    bytes: u64,
) -> Result<(), EngineError> {
    let connection = OwnedConnection(Link::open(functions)?);
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
    // Each insertion logs its value. More commits than this mean that the log does not grow.
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
            // From now on CrossDB writes the other log.
            link.execute("FLUSH DATABASE")?;
        }
        left = now;
    }
    Ok(())
}
