//! Translates options to RocksDB's words for opening, and back from those that RocksDB reports.

use super::facts::DatabaseFacts;
use dbdyno_engine::{EngineError, settings::Settings};
use std::collections::BTreeMap;

/// The value of an option that keeps the library's default.
pub(super) const OWN: &str = "own";

/// The words of the option `compression`, and RocksDB's.
pub(super) const COMPRESSIONS: [(&str, &str); 7] = [
    ("none", "kNoCompression"),
    ("snappy", "kSnappyCompression"),
    ("zlib", "kZlibCompression"),
    ("bzip2", "kBZip2Compression"),
    ("lz4", "kLZ4Compression"),
    ("lz4hc", "kLZ4HCCompression"),
    ("zstd", "kZSTD"),
];

/// The words of the option `compaction`, and RocksDB's.
pub(super) const COMPACTIONS: [(&str, &str); 2] =
    [("level", "kCompactionStyleLevel"), ("universal", "kCompactionStyleUniversal")];

/// Options whose values need no translation, with RocksDB's names.
const NUMBERS: [(&str, &str); 3] = [
    ("memtable_size", "write_buffer_size"),
    ("memtables", "max_write_buffer_number"),
    ("background_threads", "max_background_jobs"),
];

/// Returns RocksDB's word for one of dbdyno's.
fn spelled<'w>(words: &[(&str, &'w str)], ours: &str) -> Option<&'w str> {
    words.iter().find(|(word, _)| *word == ours).map(|(_, theirs)| *theirs)
}

/// Returns dbdyno's word for one of RocksDB's.
pub(super) fn word<'w>(words: &[(&'w str, &str)], theirs: &str) -> Option<&'w str> {
    words.iter().find(|(_, word)| *word == theirs).map(|(ours, _)| *ours)
}

/// Returns the settings in the form that RocksDB parses. Settings of single writes are not part of it.
pub(super) fn as_text(settings: &Settings) -> Result<String, EngineError> {
    let flag = |option: &str| settings.flag(option).map(|on| if on { "true" } else { "false" });
    let mut asked: Vec<(&str, &str)> = Vec::new();
    for (ours, theirs) in NUMBERS {
        asked.push((theirs, settings.text(ours)?));
    }
    asked.extend(spelled(&COMPRESSIONS, settings.text("compression")?).map(|word| ("compression", word)));
    asked.extend(spelled(&COMPACTIONS, settings.text("compaction")?).map(|word| ("compaction_style", word)));
    asked.push(("enable_pipelined_write", flag("pipelined_write")?));
    let direct = flag("direct_io")?;
    asked.extend([("use_direct_reads", direct), ("use_direct_io_for_flush_and_compaction", direct)]);
    let separate = settings.text("separate_values")?;
    if separate != "off" {
        asked.extend([("enable_blob_files", "true"), ("min_blob_size", separate)]);
    }
    let bloom = match settings.text("bloom_bits")? {
        "0" => None,
        bits => Some(format!("bloomfilter:{bits}:false")),
    };
    let mut table =
        vec![("block_size", settings.text("block_size")?), ("cache_index_and_filter_blocks", flag("cache_index")?)];
    table.extend(bloom.as_deref().map(|policy| ("filter_policy", policy)));
    table.extend(Some(settings.text("cache_size")?).filter(|size| *size != OWN).map(|size| ("block_cache", size)));
    let table = format!("{{{}}}", joined(&table));
    asked.push(("block_based_table_factory", &table));
    Ok(joined(&asked))
}

/// Joins pairs as `name=value;name=value`.
fn joined(pairs: &[(&str, &str)]) -> String {
    pairs.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(";")
}

impl DatabaseFacts {
    /// Returns the options in force, in dbdyno's words, without those that this version does not report. If an option leaves the choice to
    /// the library, the library's choice has a separate name, `own_compression`.
    pub(super) fn options(&self, settings: &Settings) -> Result<BTreeMap<String, String>, EngineError> {
        let (of_database, of_rows, of_table) = (
            |name: &str| self.option("DBOptions", name),
            |name: &str| self.option("CFOptions", name),
            |name: &str| self.option("TableOptions/BlockBasedTable", name),
        );
        let on_off = |value: &str| if value == "true" { "on" } else { "off" };
        let compression = match settings.text("compression")? {
            OWN => "own_compression",
            _ => "compression",
        };
        let direct = of_database("use_direct_reads")
            .filter(|reads| of_database("use_direct_io_for_flush_and_compaction") == Some(reads));
        let separate = match of_rows("enable_blob_files") {
            Some("true") => of_rows("min_blob_size"),
            Some(_) => Some("off"),
            None => None,
        };
        let bloom = of_table("filter_policy").and_then(bloom_bits);
        let found = [
            ("memtable_size", of_rows("write_buffer_size")),
            ("memtables", of_rows("max_write_buffer_number")),
            ("background_threads", of_database("max_background_jobs")),
            (compression, of_rows("compression").and_then(|theirs| word(&COMPRESSIONS, theirs))),
            ("compaction", of_rows("compaction_style").and_then(|theirs| word(&COMPACTIONS, theirs))),
            ("pipelined_write", of_database("enable_pipelined_write").map(on_off)),
            ("direct_io", direct.map(on_off)),
            ("separate_values", separate),
            ("block_size", of_table("block_size")),
            ("cache_index", of_table("cache_index_and_filter_blocks").map(on_off)),
            ("bloom_bits", bloom.as_deref()),
        ];
        Ok(found.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))).collect())
    }
}

/// Returns the bits per key of a filter from RocksDB's text: `nullptr`, or `bloomfilter:10:false`; older versions report a name without
/// the number.
fn bloom_bits(policy: &str) -> Option<String> {
    if policy == "nullptr" {
        return Some("0".to_owned());
    }
    let bits: f64 = policy.strip_prefix("bloomfilter:")?.split(':').next()?.parse().ok()?;
    Some(bits.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_a_filter_are_read_as_versions_write_them() {
        let told = [
            "nullptr",
            "bloomfilter:10:false",
            "bloomfilter:10",
            "bloomfilter:9.9:false",
            "rocksdb.BuiltinBloomFilter",
        ];
        let read = told.map(|policy| bloom_bits(policy).unwrap_or_default());
        assert_eq!(read, ["0", "10", "10", "9.9", ""]);
    }
}
