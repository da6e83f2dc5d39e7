//! The requests of a cache, in the shape of Twitter's traces (<https://github.com/twitter/cache-trace>):
//! `timestamp,key,key size,value size,client id,operation,TTL`, with times in seconds. There is no quoting, so a key may have commas.
//! With a header, the columns have any order, and it is CSV as any other.

use super::{
    ImportStop,
    csv::header,
    keys::{KeyCalls, KeyVerb, LeftOutCounts, TraceEntry, TraceOperation, read as read_lines},
    numbers::{seconds, shown, whole},
    rows::CsvRows,
    source::{TraceLines, TraceSource, first_lines},
    writing::ImportWriter,
};
use dbdyno_recording::ReaderLimits;

/// The columns, in the order that they have without a header.
const COLUMNS: [&str; 7] = ["timestamp", "key", "key size", "value size", "client id", "operation", "ttl"];
/// Those that a header must have, by their places. The others may be missing.
const NEEDED: [usize; 4] = [0, 1, 3, 5];
/// By these, a header is recognised.
const SIGNS: [&str; 3] = ["timestamp", "key", "operation"];

/// Whether a file that begins so has a cache's requests.
pub(super) fn is_cache_trace(head: &[u8]) -> bool {
    is_header(head) || first_lines(head).next().is_some_and(is_request)
}

fn is_header(head: &[u8]) -> bool {
    let names = header(head).unwrap_or_default();
    let names: Vec<String> = names.iter().map(|name| column_name(name)).collect();
    SIGNS.iter().all(|sign| names.iter().any(|name| name == sign))
}

/// Whether a line looks like a request, even if one of its columns is wrong: its error is better than one about SQL.
fn is_request(line: &[u8]) -> bool {
    let Some([timestamp, _, key_size, value_size, _, operation, ttl]) = columns(line) else { return false };
    let is_number = |text: &[u8]| {
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        std::str::from_utf8(digits).is_ok_and(|digits| seconds(digits).is_some())
    };
    let are_numbers = [key_size, value_size, ttl].into_iter().all(is_number);
    is_number(timestamp) && (are_numbers || verb(operation).is_some())
}

/// Returns the columns of a line without a header. Commas that are too many are part of the key.
fn columns(line: &[u8]) -> Option<[&[u8]; 7]> {
    let mut from_end = line.rsplitn(6, |byte| *byte == b',');
    let [ttl, operation, client, value_size, key_size] = std::array::from_fn(|_| from_end.next());
    let rest = from_end.next()?;
    let (timestamp, key) = rest.split_at_checked(rest.iter().position(|byte| *byte == b',')?)?;
    Some([timestamp, &key[1..], key_size?, value_size?, client?, operation?, ttl?])
}

/// Writes the requests of a file.
///
/// # Errors
/// The line, and what was expected there.
pub(super) fn read(source: TraceSource, to: &mut ImportWriter) -> Result<LeftOutCounts, ImportStop> {
    if is_header(&source.head) { read_rows(source, to) } else { read_lines(TraceLines::new(source.whole()), line, to) }
}

/// Returns what a line without a header says.
///
/// # Errors
/// What was expected.
pub(super) fn line(line: &[u8]) -> Result<TraceEntry<'_>, String> {
    let expected = || format!("`{}`: expected {}", shown(line), COLUMNS.join(","));
    request(columns(line).ok_or_else(expected)?.map(Some))
}

fn read_rows(source: TraceSource, to: &mut ImportWriter) -> Result<LeftOutCounts, ImportStop> {
    let (mut rows, header) = CsvRows::new(source.whole(), ReaderLimits::default().line_bytes)?;
    let places = places(&header).map_err(|reason| ImportStop::Line(1, reason))?;
    let mut calls = KeyCalls::new(to);
    while let Some((line, row)) = rows.next()? {
        let cells = places.map(|place| place.and_then(|place| row.get(place)));
        let entry = request(cells).map_err(|reason| ImportStop::Line(line, reason))?;
        calls.take(line, entry)?;
    }
    Ok(calls.left_out)
}

/// Returns the place of each column in a header.
fn places(header: &[String]) -> Result<[Option<usize>; 7], String> {
    let names: Vec<String> = header.iter().map(|name| column_name(name)).collect();
    if let Some(other) = names.iter().find(|name| !COLUMNS.contains(&name.as_str())) {
        return Err(format!("unknown column `{other}`: expected {}", COLUMNS.join(", ")));
    }
    let places = COLUMNS.map(|column| names.iter().position(|name| name == column));
    match NEEDED.into_iter().find(|needed| places[*needed].is_none()) {
        Some(missing) => Err(format!("there is no column `{}`", COLUMNS[missing])),
        None => Ok(places),
    }
}

/// Returns a column's name without the variants that traces have.
fn column_name(name: &str) -> String {
    let name = name.trim().to_ascii_lowercase().replace('_', " ");
    name.strip_prefix("anonymized ").map(str::to_owned).unwrap_or(name)
}

/// Returns the operation of a request. Columns that a header lacks are `None`.
fn request(cells: [Option<&[u8]>; 7]) -> Result<TraceEntry<'_>, String> {
    let [timestamp, key, key_size, value_size, client, operation, ttl] = cells;
    let at_ns = time(timestamp.unwrap_or_default())?;
    let key = key.filter(|key| !key.is_empty()).ok_or("key: expected one, and it is empty")?;
    let value_bytes = whole("value size", value_size.unwrap_or_default())?;
    // They are not needed, but tell a line that is complete from others.
    for (name, text) in [("key size", key_size), ("TTL", ttl)] {
        text.map_or(Ok(0), |text| whole(name, text))?;
    }
    let operation = operation.unwrap_or_default();
    let verb = verb(operation).ok_or_else(|| {
        let names: Vec<&str> = VERBS.iter().map(|(name, _)| *name).collect();
        format!("operation `{}`: expected {}", shown(operation), names.join(", "))
    })?;
    Ok(TraceEntry::Operation(TraceOperation {
        verb,
        client: client.unwrap_or_default(),
        space: b"",
        key: key.into(),
        // A get has the size of what it found, and 0 if it found nothing.
        number: (verb != KeyVerb::Delete).then_some(value_bytes),
        at_ns: Some(at_ns),
    }))
}

fn time(text: &[u8]) -> Result<u64, String> {
    let time = std::str::from_utf8(text).ok().and_then(seconds);
    time.ok_or_else(|| format!("timestamp `{}`: expected seconds, as in 12 or 12.000345", shown(text)))
}

/// The operations of the traces.
const VERBS: [(&str, KeyVerb); 11] = [
    ("get", KeyVerb::Get),
    ("gets", KeyVerb::Get),
    ("set", KeyVerb::Put),
    ("add", KeyVerb::Put),
    ("replace", KeyVerb::Put),
    ("cas", KeyVerb::Put),
    ("append", KeyVerb::Merge),
    ("prepend", KeyVerb::Merge),
    ("delete", KeyVerb::Delete),
    ("incr", KeyVerb::Merge),
    ("decr", KeyVerb::Merge),
];

fn verb(operation: &[u8]) -> Option<KeyVerb> {
    let is = |name: &str| name.as_bytes().eq_ignore_ascii_case(operation);
    VERBS.iter().find(|(name, _)| is(name)).map(|(_, verb)| *verb)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(text: &str) -> (KeyVerb, Vec<u8>, Option<u32>, Option<u64>, Vec<u8>) {
        match line(text.as_bytes()) {
            Ok(TraceEntry::Operation(one)) => {
                (one.verb, one.key.into_owned(), one.number, one.at_ns, one.client.to_owned())
            }
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_line_is_a_request() {
        let found = operation("12.5,nz:u:eeW511W3,10,84,35,get,0");
        assert_eq!(found, (KeyVerb::Get, b"nz:u:eeW511W3".to_vec(), Some(84), Some(12_500_000_000), b"35".to_vec()));
        assert_eq!(operation("0,a,b,c,3,4,1,SET,60").1, b"a,b,c", "commas are part of the key");
        assert_eq!(operation("0,a,1,0,1,delete,0").2, None);
    }

    #[test]
    fn every_operation_has_its_verb() {
        for (name, verb) in VERBS {
            assert_eq!(operation(&format!("0,a,1,7,1,{name},0")).0, verb, "{name}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, reason) in [
            ("0,a,1,7", "`0,a,1,7`: expected timestamp,key,key size,value size,client id,operation,ttl"),
            ("-1,a,1,7,1,get,0", "timestamp `-1`: expected seconds, as in 12 or 12.000345"),
            ("0,,1,7,1,get,0", "key: expected one, and it is empty"),
            ("0,a,1,-7,1,get,0", "value size `-7`: expected a whole number up to 4294967295"),
            ("0,a,1,9999999999999999999999,1,get,0", "value size `9999999999999999999999`: expected a whole number"),
            ("0,a,x,7,1,get,0", "key size `x`: expected a whole number"),
            ("0,a,1,7,1,get,", "TTL ``: expected a whole number"),
            ("0,a,1,7,1,touch,0", "operation `touch`: expected get, gets, set, add, replace, cas, append"),
        ] {
            let found = line(text.as_bytes()).unwrap_err();
            assert!(found.starts_with(reason), "{text}: {found}");
        }
        for wrong in ["-1,a,1,7,1,get,0", "0,a,1,-7,1,get,0", "0,a,1,7,1,touch,0", "0,a,x,y,1,get,z"] {
            assert!(is_cache_trace(wrong.as_bytes()), "{wrong}: recognised nevertheless");
        }
    }

    #[test]
    fn a_header_names_the_columns() {
        let of = |names: &[&str]| places(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        let found = of(&["operation", "anonymized key", "Timestamp", "value_size"]).unwrap();
        assert_eq!(found, [Some(2), Some(1), None, Some(3), None, Some(0), None]);
        assert_eq!(of(&["timestamp", "key", "operation"]), Err("there is no column `value size`".to_owned()));
        assert!(of(&["timestamp", "colour"]).unwrap_err().starts_with("unknown column `colour`"));
    }
}
