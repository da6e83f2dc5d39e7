//! What YCSB's `basic` database prints (`core/src/main/java/site/ycsb/BasicDB.java`): one operation in each line, without times.

use super::{
    keys::{KeyVerb, TraceEntry, TraceOperation},
    numbers::{shown, whole},
    source::first_lines,
};

/// The first characters of what YCSB prints besides operations: its properties and its measurements.
const OTHERS: &[u8] = b"*\"[";

/// Whether a file that begins so is what YCSB printed. Statements of SQL have the same first words.
pub(super) fn is_ycsb_log(head: &[u8]) -> bool {
    if head.starts_with(b"***************** properties") {
        return true;
    }
    let Some(first) = first_lines(head).find(|line| !OTHERS.contains(&line[0])) else { return false };
    let words: Vec<&[u8]> = first.split(|byte| *byte == b' ').take(5).collect();
    match words.as_slice() {
        [b"READ" | b"SCAN", ..] => true,
        [b"INSERT" | b"UPDATE", _, _, b"[", ..] => true,
        [b"DELETE", table, key] => !table.eq_ignore_ascii_case(b"FROM") && !key.ends_with(b";"),
        _ => false,
    }
}

/// Returns what a line says.
///
/// # Errors
/// What was expected.
pub(super) fn line(line: &[u8]) -> Result<TraceEntry<'_>, String> {
    if line.first().is_some_and(|first| OTHERS.contains(first)) {
        return Ok(TraceEntry::Nothing);
    }
    let expected = |what: &str| format!("`{}`: expected {what}", shown(line));
    let (word, rest) = word(line).ok_or_else(|| expected("READ, SCAN, INSERT, UPDATE or DELETE of a table"))?;
    let operation = match word {
        b"READ" => read(rest).ok_or_else(|| expected("READ TABLE KEY [ FIELDS]"))?,
        b"SCAN" => scan(rest)?.ok_or_else(|| expected("SCAN TABLE KEY COUNT [ FIELDS]"))?,
        b"INSERT" => written(KeyVerb::Put, rest).ok_or_else(|| expected("INSERT TABLE KEY [ NAME=VALUE ]"))?,
        // Of the fields that are not named, the values stay.
        b"UPDATE" => written(KeyVerb::Merge, rest).ok_or_else(|| expected("UPDATE TABLE KEY [ NAME=VALUE ]"))?,
        b"DELETE" => delete(rest).ok_or_else(|| expected("DELETE TABLE KEY"))?,
        _ => return Err(expected("READ, SCAN, INSERT, UPDATE or DELETE")),
    };
    Ok(TraceEntry::Operation(operation))
}

/// Divides a text at its first space.
fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|byte| *byte == b' ')?;
    Some((&text[..at], &text[at + 1..]))
}

fn operation<'l>(verb: KeyVerb, table: &'l [u8], key: &'l [u8], number: Option<u32>) -> Option<TraceOperation<'l>> {
    // The threads that asked are not printed.
    let operation = TraceOperation { verb, client: b"", space: table, key: key.into(), number, at_ns: None };
    (!table.is_empty() && !key.is_empty()).then_some(operation)
}

fn read(rest: &[u8]) -> Option<TraceOperation<'_>> {
    let (table, rest) = word(rest)?;
    let (key, rest) = word(rest)?;
    fields(rest)?;
    operation(KeyVerb::Get, table, key, None)
}

/// `None` if the form is wrong, and an error if only the number is.
fn scan(rest: &[u8]) -> Result<Option<TraceOperation<'_>>, String> {
    let parts = || {
        let (table, rest) = word(rest)?;
        let (key, rest) = word(rest)?;
        let (count, rest) = word(rest)?;
        fields(rest).map(|_| (table, key, count))
    };
    let Some((table, key, count)) = parts() else { return Ok(None) };
    Ok(operation(KeyVerb::Scan, table, key, Some(whole("number of keys", count)?)))
}

fn written(verb: KeyVerb, rest: &[u8]) -> Option<TraceOperation<'_>> {
    let (table, rest) = word(rest)?;
    let (key, rest) = word(rest)?;
    let bytes = value_bytes(fields(rest)?)?;
    operation(verb, table, key, Some(bytes))
}

fn delete(rest: &[u8]) -> Option<TraceOperation<'_>> {
    let (table, key) = word(rest)?;
    if key.contains(&b' ') { None } else { operation(KeyVerb::Delete, table, key, None) }
}

/// What is between `[ ` and `]` at the end.
fn fields(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"[ ")?.strip_suffix(b"]")
}

/// The bytes of the values of `field0=abc field1=de `. A value may have spaces and equals signs, so a field begins where the name of the
/// first one is, with any number. Fields without numbers count as one, with the names of all but the first.
fn value_bytes(fields: &[u8]) -> Option<u32> {
    if fields.is_empty() {
        return Some(0);
    }
    let fields = fields.strip_suffix(b" ")?;
    let name = &fields[..fields.iter().position(|byte| *byte == b'=')?];
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let prefix = &name[..name.len() - digits];
    let mut bytes = fields.len() - name.len() - 1;
    if digits > 0 {
        for (at, _) in fields.iter().enumerate().filter(|(_, byte)| **byte == b' ') {
            bytes = bytes.saturating_sub(field_head(&fields[at + 1..], prefix).map_or(0, |head| head + 1));
        }
    }
    u32::try_from(bytes).ok()
}

/// The length of `field12=`, if a text begins so.
fn field_head(text: &[u8], prefix: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(prefix)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0 && rest.get(digits) == Some(&b'=')).then_some(prefix.len() + digits + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_operation() {
        let of = |text: &str| match line(text.as_bytes()) {
            Ok(TraceEntry::Operation(one)) => {
                assert_eq!((one.space, &*one.key), (b"usertable".as_slice(), b"user1".as_slice()));
                (one.verb, one.number)
            }
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(of("READ usertable user1 [ <all fields>]"), (KeyVerb::Get, None));
        assert_eq!(of("READ usertable user1 [ field1 field2 ]"), (KeyVerb::Get, None));
        assert_eq!(of("SCAN usertable user1 10 [ <all fields>]"), (KeyVerb::Scan, Some(10)));
        assert_eq!(of("INSERT usertable user1 [ field0=abc field1=d =] field22=f ]"), (KeyVerb::Put, Some(8)));
        assert_eq!(of("INSERT usertable user1 [ ]"), (KeyVerb::Put, Some(0)));
        assert_eq!(of("UPDATE usertable user1 [ field9= ]"), (KeyVerb::Merge, Some(0)));
        assert_eq!(of("DELETE usertable user1"), (KeyVerb::Delete, None));
        for other in ["\"recordcount\"=\"1000\"", "*****", "[OVERALL], RunTime(ms), 12"] {
            assert_eq!(line(other.as_bytes()), Ok(TraceEntry::Nothing), "{other}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, reason) in [
            ("READ usertable user1 [ <all", "`READ usertable user1 [ <all`: expected READ TABLE KEY [ FIELDS]"),
            ("SCAN usertable user1 -1 [ <all fields>]", "number of keys `-1`: expected a whole number"),
            ("SCAN usertable user1 [ <all fields>]", "`SCAN usertable user1 [ <all fields>]`: expected SCAN TABLE KEY"),
            ("INSERT usertable user1 [ field0 ]", "`INSERT usertable user1 [ field0 ]`: expected INSERT TABLE KEY"),
            ("UPDATE usertable  [ field0=a ]", "`UPDATE usertable  [ field0=a ]`: expected UPDATE TABLE KEY"),
            ("DELETE usertable", "`DELETE usertable`: expected DELETE TABLE KEY"),
            ("Loading workload...", "`Loading workload...`: expected READ, SCAN, INSERT, UPDATE or DELETE"),
            ("READ", "`READ`: expected READ, SCAN, INSERT, UPDATE or DELETE of a table"),
        ] {
            let found = line(text.as_bytes()).unwrap_err();
            assert!(found.starts_with(reason), "{text}: {found}");
        }
    }

    #[test]
    fn statements_of_sql_are_none_of_it() {
        for sql in ["INSERT INTO t VALUES (1)", "UPDATE t SET a = 1", "DELETE FROM t", "DELETE FROM t;", "delete t u;"]
        {
            assert!(!is_ycsb_log(sql.as_bytes()), "{sql}");
        }
        assert!(is_ycsb_log(b"\"a\"=\"b\"\nDELETE usertable user1\n"));
        assert!(is_ycsb_log(b"UPDATE usertable user1 [ field0=a"));
    }
}
