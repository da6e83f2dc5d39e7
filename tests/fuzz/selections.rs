//! Selections of stored results: parsed, queried, and shown as SQL.

use super::{Verdict, harness::Target, holds, same, samples, text, told};
use crate::stored::filled;
use dbdyno::{
    compare::Axis,
    store::{ListKind, ListOrder, Selection, SelectionKey, SortKey, Store, StoreError},
};
use duckdb::{AccessMode, Config, Connection};

const LINES: [&str; 12] = [
    "engine=lmdb size=10000 tier>=2",
    "suite=kv test=Random reads, size=2,3",
    "label=sqlite[a=1,b=2] test=3|7 status!=ok",
    "size=10k|1M|2k,3k size<=10k size=1k..1M",
    "started=2026-11-14|2026-12-01T10:30 started>=2023-11-14 started!",
    "started=2026-11-01..2026-11-30 started!=2026-01-01",
    "session=last|3f run=00000000 tier=unknown|3 tier!",
    "journal_mode!=wa* rowsum! tag=first|second tag! a.b/c=1 größe=2",
    "preset=quick cpu=*EPYC* disk!=*NVMe* source! memory_limit_bytes>=1e6 cache=cold",
    r"label=a\|b|c\\d engine=x'; DROP TABLE run",
    "round=0..1.5 run_status=completed host_id=a b/c=ö",
    "owner=a=b sync=on mixed=on version=0.9.33 session=previous",
];

/// Parses a selection. Its terms must produce the same selection again.
fn selection(input: &[u8]) -> Result<Option<Selection>, String> {
    let text = text(input);
    let selection = match Selection::parse_line(&text) {
        Ok(selection) => selection,
        Err(error) => return told(&error, "expected", input).or(told(&error, "values with `|`", input)).map(|()| None),
    };
    let terms = Selection::terms(&text);
    same("of its terms", &Selection::parse(&terms).as_ref(), &Ok(&selection))?;
    same("of its terms in a line", &Selection::parse_line(&terms.join(" ")).as_ref(), &Ok(&selection))?;
    holds(selection.is_all() == terms.is_empty(), || format!("terms: {terms:?}"))?;
    Ok(Some(selection))
}

/// Parses a text as each argument that lists accept.
fn words(input: &[u8]) -> Verdict {
    let text = text(input);
    drop(Axis::parse_pair(&text));
    match SortKey::parse(&text) {
        Ok(key) => holds(!key.column.is_empty(), || "a column without a name".to_owned())?,
        Err(error) => told(&error, "expected COLUMN", input)?,
    }
    match SelectionKey::parse(&text) {
        Ok(key) => same("the word of a key", &SelectionKey::parse(key.word()).as_ref(), &Ok(&key)),
        Err(error) => told(&error, "expected one of", input),
    }
}

/// Checks that the store understood the query. Values are bound, whatever they are.
fn asked<T>(answer: Result<T, StoreError>) -> Verdict {
    answer.map(drop).map_err(|error| error.to_string())
}

/// Runs every query that takes a selection.
fn ask(store: &Store, selection: &Selection) -> Verdict {
    asked(store.count(selection))?;
    let keys: Vec<SelectionKey> = selection.names().filter_map(|name| SelectionKey::parse(name).ok()).collect();
    if !keys.is_empty() {
        asked(store.grouped(selection, &keys, &ListOrder::default()))?;
    }
    let columns: Vec<String> = keys.iter().map(|key| key.word().to_owned()).collect();
    let order = ListOrder { sort: None, limit: Some(3) };
    // A name that no run has is not a column.
    if store.unknown_names(selection, &keys).map_err(|error| error.to_string())?.is_empty() {
        asked(store.listed(selection, ListKind::Results, &columns, &order))?;
    }
    asked(store.unmatched(selection, &keys))
}

#[test]
fn selections() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    let config = Config::default().access_mode(AccessMode::ReadOnly).unwrap();
    let connection = Connection::open_with_flags(store.path(), config).unwrap();
    Target::new("selections", 400).fuzz(&samples(LINES), move |input| {
        words(input)?;
        let Some(selection) = selection(input)? else { return Ok(()) };
        // Users do not type NUL.
        if input.contains(&0) {
            return Ok(());
        }
        let sql = format!("SELECT count(*) FROM results WHERE {}", selection.shown());
        let answer = connection.query_row(&sql, [], |row| row.get::<_, i64>(0));
        answer.map(drop).map_err(|error| format!("{error} in {sql}"))
    });
}

#[test]
fn selected() {
    let folder = tempfile::tempdir().unwrap();
    let store = filled(folder.path());
    Target::new("selected", 40).fuzz(&samples(LINES), |input| match selection(input)? {
        Some(selection) => ask(&store, &selection),
        None => Ok(()),
    });
}
