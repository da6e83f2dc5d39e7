//! Pragmas that set something.

use dbdyno_foundation::base::sql_tokens::words;

/// The name and the value that a PRAGMA statement sets, in lower case; none if it only asks.
pub(super) fn setting(sql: &str) -> Option<(String, String)> {
    let words = words(sql);
    let lower = |word: &&str| word.to_ascii_lowercase();
    let mut rest = words.get(1..)?;
    if rest.get(1) == Some(&".") {
        rest = &rest[2..];
    }
    let name = rest.first().map(lower)?;
    let is_set = matches!(*rest.get(1)?, "=" | "(");
    let value: String = rest.get(2..)?.iter().take_while(|word| !matches!(**word, ")" | ";")).map(lower).collect();
    (is_set && !value.is_empty()).then(|| (name, value.trim_matches(['\'', '"']).to_owned()))
}

/// Whether a PRAGMA statement changes the file.
pub(super) fn writes(sql: &str) -> bool {
    const WRITING: [&str; 5] = ["user_version", "application_id", "incremental_vacuum", "optimize", "wal_checkpoint"];
    let name = words(sql).iter().skip(1).find(|word| WRITING.iter().any(|one| one.eq_ignore_ascii_case(word))).copied();
    match name {
        Some(name) if name.eq_ignore_ascii_case("user_version") || name.eq_ignore_ascii_case("application_id") => {
            setting(sql).is_some()
        }
        name => name.is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pragma_with_a_value_sets_it() {
        let set = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
        for (sql, expected) in [
            ("PRAGMA journal_mode = WAL;", set("journal_mode", "wal")),
            ("pragma main.synchronous(1)", set("synchronous", "1")),
            ("PRAGMA cache_size=-2000", set("cache_size", "-2000")),
            ("PRAGMA temp_store = 'memory'", set("temp_store", "memory")),
            ("PRAGMA journal_mode", None),
            ("PRAGMA", None),
        ] {
            assert_eq!(setting(sql), expected, "{sql}");
        }
        assert!(writes("PRAGMA user_version = 3") && !writes("PRAGMA user_version"));
        assert!(writes("PRAGMA optimize") && !writes("PRAGMA table_info(t)"));
    }
}
