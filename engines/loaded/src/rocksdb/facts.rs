//! The files that RocksDB writes about itself when it opens a database: its options, and the head of its log. No function of older
//! versions reports as much.

use super::options::COMPRESSIONS;
use dbdyno_engine::{EngineError, describe::Library};
use std::{fs, path::Path};

pub(super) struct DatabaseFacts {
    /// The text of the newest file of options: sections of `name=value`.
    options: String,
    log: String,
}

impl DatabaseFacts {
    /// Reads these files from the folder of a database.
    pub(super) fn read(folder: &Path) -> Result<Self, EngineError> {
        let doing = format!("reading RocksDB's own files in {}", folder.display());
        let numbered = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().ok()?;
            Some((name.strip_prefix("OPTIONS-")?.parse::<u64>().ok()?, entry.path()))
        };
        let entries = fs::read_dir(folder).map_err(EngineError::doing(&doing))?;
        let newest = entries.flatten().filter_map(numbered).max().map(|(_, path)| path);
        let newest = newest.ok_or_else(|| EngineError::new(format!("{doing}: there is no options file")))?;
        let text = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        Ok(Self {
            options: text(&newest).map_err(EngineError::doing(&doing))?,
            log: text(&folder.join("LOG")).map_err(EngineError::doing(&doing))?,
        })
    }

    /// Returns an option of a section: `CFOptions` for `[CFOptions "default"]`.
    pub(super) fn option(&self, section: &str, name: &str) -> Option<&str> {
        let head = |line: &str| line.trim().strip_prefix('[').is_some_and(|rest| rest.starts_with(section));
        let lines = self.options.lines().skip_while(|line| !head(line)).skip(1);
        let mut options = lines.take_while(|line| !line.trim_start().starts_with('['));
        options.find_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='))
    }

    /// Returns the rest of the log line that begins with this word after its time stamp.
    fn logged(&self, word: &str) -> Option<&str> {
        let said = |line| str::splitn(line, 3, ' ').nth(2).map(str::trim);
        self.log.lines().filter_map(said).find_map(|line| line.strip_prefix(word)).map(str::trim)
    }

    /// Returns the compressions that the library was built with, in dbdyno's words; `none` is not among them.
    pub(super) fn compressions(&self) -> Vec<&'static str> {
        let has = |theirs: &str| self.logged(&format!("{theirs} supported:")) == Some("1");
        COMPRESSIONS.iter().filter(|(_, theirs)| has(theirs)).map(|(ours, _)| *ours).collect()
    }

    /// Returns whether recovery of a log that a power loss cut off stops at the cut.
    pub(super) fn recovers_to_a_point(&self) -> bool {
        self.option("DBOptions", "wal_recovery_mode") == Some("kPointInTimeRecovery")
    }

    /// Returns the library's identity, as its log and options report it.
    pub(super) fn library(&self) -> Library {
        let asserts = self.option("DBOptions", "info_log_level").map(|level| {
            // DEBUG_LEVEL is the default only if RocksDB is compiled without NDEBUG.
            format!("assertions: {}", if level == "DEBUG_LEVEL" { "on" } else { "off" })
        });
        let told = |word: &str| self.logged(word).map(|rest| format!("{}: {rest}", word.trim_end_matches(':')));
        let build = [
            told("Compile date"),
            asserts,
            Some(format!("compression: {}", self.compressions().join(", "))),
            told("Fast CRC32 supported:"),
        ];
        let source = self.logged("Git sha").filter(|sha| !matches!(*sha, "" | "0"));
        Library {
            version: self.option("Version", "rocksdb_version").unwrap_or("unknown").to_owned(),
            build: build.into_iter().flatten().collect(),
            source: source.map(|sha| format!("git {sha}")),
        }
    }
}
