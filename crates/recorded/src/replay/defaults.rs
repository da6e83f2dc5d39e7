//! The settings that a program's library has without a PRAGMA.

use std::collections::BTreeMap;

/// Compile options of SQLite, and the pragmas whose defaults they set.
const DEFAULTS: [(&str, &str); 8] = [
    ("DEFAULT_AUTOVACUUM", "auto_vacuum"),
    ("DEFAULT_CACHE_SIZE", "cache_size"),
    ("DEFAULT_FOREIGN_KEYS", "foreign_keys"),
    ("DEFAULT_MMAP_SIZE", "mmap_size"),
    ("DEFAULT_PAGE_SIZE", "page_size"),
    ("DEFAULT_SYNCHRONOUS", "synchronous"),
    ("DEFAULT_WAL_AUTOCHECKPOINT", "wal_autocheckpoint"),
    ("DEFAULT_WAL_SYNCHRONOUS", WAL_SYNCHRONOUS),
];

/// What stands for `synchronous` in the settings while the database is in WAL mode.
const WAL_SYNCHRONOUS: &str = "synchronous in WAL mode";

/// The settings of a program: those of its library, replaced by those of its database and by those that it sets.
pub(super) fn settings(
    compile_options: &[String],
    of_database: &BTreeMap<String, String>,
    set: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let default = |option: &String| {
        let (name, value) = option.split_once('=')?;
        let (_, pragma) = DEFAULTS.iter().find(|(option, _)| *option == name)?;
        Some(((*pragma).to_owned(), value.to_owned()))
    };
    let mut all: BTreeMap<String, String> = compile_options.iter().filter_map(default).collect();
    let in_wal = all.remove(WAL_SYNCHRONOUS);
    all.extend(of_database.clone());
    all.extend(set.clone());
    if let (Some("wal"), Some(synchronous)) = (all.get("journal_mode").map(String::as_str), in_wal)
        && !set.contains_key("synchronous")
    {
        all.insert("synchronous".to_owned(), synchronous);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(all: &[(&str, &str)]) -> BTreeMap<String, String> {
        all.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_setting_is_the_last_one_that_was_made() {
        let compiled =
            ["DEFAULT_WAL_SYNCHRONOUS=1", "DEFAULT_CACHE_SIZE=-16000", "THREADSAFE=2", "DEFAULT_PAGE_SIZE=4096"];
        let compiled = compiled.map(str::to_owned);
        let wal = map(&[("journal_mode", "wal")]);
        let expected = [("cache_size", "-16000"), ("journal_mode", "wal"), ("page_size", "1024"), ("synchronous", "1")];
        assert_eq!(settings(&compiled, &map(&[("page_size", "1024")]), &wal), map(&expected));
        let set = map(&[("journal_mode", "wal"), ("synchronous", "full")]);
        assert_eq!(settings(&compiled, &BTreeMap::new(), &set)["synchronous"], "full");
        assert!(!settings(&compiled, &BTreeMap::new(), &BTreeMap::new()).contains_key("synchronous"));
    }
}
