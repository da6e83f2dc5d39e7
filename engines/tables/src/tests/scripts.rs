//! Random SQL scripts on plain SQLite and on the layer: equal answers, equal counts, equal failures.

use super::{LayeredSession, MemoryStore, TestStore, execute, query};
use crate::sqlite::SqliteStatement;
use dbdyno_engine::{
    EngineError,
    prepared::SqlStatement,
    sql::{SqlEngine, SqlSession, SqlValue},
    suite::{Begin, IndexSpec, TableSpec},
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use rusqlite::Connection;

#[derive(Debug, Clone)]
enum ScriptStep {
    Write(String, Vec<SqlValue>),
    Read { sql: String, values: Vec<SqlValue>, ordered: bool },
    CreateIndex(usize),
    Recreate,
    Begin,
    Commit,
    Rollback,
}

const COLUMNS: [&str; 4] = ["a", "r", "c", "x"];

fn integer() -> impl Strategy<Value = i64> {
    const BIG: i64 = 1 << 53;
    prop_oneof![
        6 => -3_i64..8,
        1 => prop::sample::select(vec![i64::MIN, i64::MIN + 1, i64::MAX, i64::MAX - 1, BIG, BIG + 1, -BIG - 1]),
    ]
}

fn real() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => (-12_i32..32).prop_map(|quarters| f64::from(quarters) * 0.25),
        1 => prop::sample::select(vec![1e300, -1e300, f64::INFINITY, f64::NEG_INFINITY, 9_007_199_254_740_992.0, 9.3e18]),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let texts = ["", "a", "A", "ab", "b", "a\0", "a\0b", "é", "5", "05", " 7 ", "1e2", "0.5", "-3", "abc"];
    prop::sample::select(texts.to_vec()).prop_map(str::to_owned)
}

fn blob() -> impl Strategy<Value = Vec<u8>> {
    prop::sample::select(vec![vec![], vec![0], vec![0, 255], b"a".to_vec(), vec![255; 3]])
}

fn value() -> impl Strategy<Value = SqlValue> {
    prop_oneof![
        1 => Just(SqlValue::Null),
        3 => integer().prop_map(SqlValue::Integer),
        2 => real().prop_map(SqlValue::Real),
        2 => text().prop_map(SqlValue::Text),
        1 => blob().prop_map(SqlValue::Blob),
    ]
}

/// A value for the column of text, which takes no real numbers.
fn for_text() -> impl Strategy<Value = SqlValue> {
    value().prop_map(|value| if matches!(value, SqlValue::Real(_)) { SqlValue::Null } else { value })
}

fn columns() -> impl Strategy<Value = [SqlValue; 4]> {
    (value(), value(), for_text(), value()).prop_map(|(a, r, c, x)| [a, r, c, x])
}

/// A condition on `?1` and `?2`.
fn condition() -> impl Strategy<Value = String> {
    let column = || prop::sample::select(vec!["a", "r", "c", "x", "rowid"]);
    let sign = || prop::sample::select(vec!["=", "<", "<=", ">", ">=", "IS", "<>"]);
    prop_oneof![
        1 => Just("1".to_owned()),
        4 => (column(), sign()).prop_map(|(column, sign)| format!("{column} {sign} ?1")),
        3 => (column(), sign(), sign()).prop_map(|(column, low, high)| format!("{column} {low} ?1 AND {column} {high} ?2")),
        2 => (column(), column(), sign()).prop_map(|(one, two, sign)| format!("{one} >= ?1 AND {two} {sign} ?2")),
        1 => column().prop_map(|column| format!("{column} IN (?1, ?2, 5)")),
        1 => column().prop_map(|column| format!("{column} IS NULL OR {column} = ?2")),
        1 => Just("c LIKE '%a%'".to_owned()),
        1 => column().prop_map(|column| format!("{column} = ?1 COLLATE NOCASE")),
        1 => column().prop_map(|column| format!("?1 <= {column}")),
        1 => Just("a = r".to_owned()),
        1 => column().prop_map(|column| format!("{column} = (SELECT max(a) FROM t WHERE a < ?1)")),
    ]
}

fn read() -> impl Strategy<Value = ScriptStep> {
    let what = prop_oneof![
        4 => Just(("SELECT rowid, * FROM t", "")),
        2 => Just(("SELECT rowid FROM t", "")),
        1 => Just(("SELECT count(*), min(a), max(r), min(c), max(typeof(x)) FROM t", "")),
        1 => Just(("SELECT a, count(*) FROM t", "GROUP BY a")),
        1 => Just(("SELECT DISTINCT c FROM t", "")),
    ];
    let order = (prop::sample::select(vec!["a", "r", "c", "x", "rowid"]), any::<bool>(), 0_u32..20);
    (what, condition(), value(), value(), proptest::option::of(order)).prop_map(
        |((what, group), condition, one, two, order)| {
            let base = format!("{what} WHERE {condition} {group}");
            let (sql, ordered) = match order {
                Some((column, down, limit))
                    if group.is_empty() && !what.contains("count") && !what.contains("DISTINCT") =>
                {
                    let way = if down { "DESC" } else { "ASC" };
                    (format!("{base} ORDER BY {column} {way}, rowid LIMIT {limit}"), true)
                }
                _ => (base, false),
            };
            ScriptStep::Read { sql, values: vec![one, two], ordered }
        },
    )
}

/// One column in its order, whole numbers as real ones, because equal values may come in any order.
fn read_in_order() -> impl Strategy<Value = ScriptStep> {
    (prop::sample::select(COLUMNS.to_vec()), any::<bool>(), condition(), value(), value()).prop_map(
        |(column, down, condition, one, two)| {
            let way = if down { "DESC" } else { "ASC" };
            let shown = format!("CASE typeof({column}) WHEN 'integer' THEN CAST({column} AS REAL) ELSE {column} END");
            let sql = format!("SELECT {shown} FROM t WHERE {condition} ORDER BY {column} {way}");
            ScriptStep::Read { sql, values: vec![one, two], ordered: true }
        },
    )
}

fn write() -> impl Strategy<Value = ScriptStep> {
    let insert = columns()
        .prop_map(|values| ScriptStep::Write("INSERT INTO t VALUES (?1, ?2, ?3, ?4)".to_owned(), values.into()));
    let numbered = (columns(), -2_i64..30).prop_map(|(values, rowid)| {
        ScriptStep::Write(format!("INSERT INTO t(rowid, a, r, c, x) VALUES ({rowid}, ?1, ?2, ?3, ?4)"), values.into())
    });
    let update = (prop::sample::select(COLUMNS.to_vec()), condition(), value(), value(), value(), for_text()).prop_map(
        |(column, condition, one, two, new, text)| {
            let new = if column == "c" { text } else { new };
            ScriptStep::Write(format!("UPDATE t SET {column} = ?3 WHERE {condition}"), vec![one, two, new])
        },
    );
    let compute = (condition(), value(), value()).prop_map(|(condition, one, two)| {
        ScriptStep::Write(format!("UPDATE t SET a = a + 1, x = c WHERE {condition}"), vec![one, two])
    });
    let renumber = (condition(), value(), value(), -2_i64..40).prop_map(|(condition, one, two, rowid)| {
        ScriptStep::Write(format!("UPDATE t SET rowid = {rowid}, a = 1 WHERE {condition}"), vec![one, two])
    });
    let delete = (condition(), value(), value()).prop_map(|(condition, one, two)| {
        ScriptStep::Write(format!("DELETE FROM t WHERE {condition}"), vec![one, two])
    });
    let copy = (condition(), value(), value()).prop_map(|(condition, one, two)| {
        ScriptStep::Write(
            format!("INSERT INTO t SELECT * FROM t WHERE {condition} ORDER BY rowid LIMIT 20"),
            vec![one, two],
        )
    });
    prop_oneof![8 => insert, 2 => numbered, 3 => update, 1 => compute, 1 => renumber, 2 => delete, 1 => copy]
}

/// Which indexes there are at first, rows, and then steps.
fn script() -> impl Strategy<Value = Vec<ScriptStep>> {
    let step = prop_oneof![
        12 => write(),
        8 => read(),
        3 => read_in_order(),
        1 => (0..4_usize).prop_map(ScriptStep::CreateIndex),
        2 => Just(ScriptStep::Begin),
        2 => Just(ScriptStep::Commit),
        1 => Just(ScriptStep::Rollback),
        1 => Just(ScriptStep::Recreate),
    ];
    let indexes = prop::sample::subsequence(vec![0, 1, 2, 3], 0..=4)
        .prop_map(|places| places.into_iter().map(ScriptStep::CreateIndex).collect::<Vec<_>>());
    let rows = columns()
        .prop_map(|values| ScriptStep::Write("INSERT INTO t VALUES (?1, ?2, ?3, ?4)".to_owned(), values.into()));
    (indexes, prop::collection::vec(rows, 0..40), prop::collection::vec(step, 1..60))
        .prop_map(|(indexes, rows, steps)| [indexes, rows, steps].concat())
}

/// Plain SQLite beside the layer.
struct SideBySide<'p> {
    plain: Connection,
    session: LayeredSession<'p, MemoryStore>,
    table: &'p TableSpec,
    indexes: &'p [IndexSpec],
    made: Vec<bool>,
    open: bool,
}

impl SideBySide<'_> {
    fn plainly(&self, sql: &str) {
        self.plain.execute_batch(sql).unwrap();
    }

    /// Does a step on both sides. After a failure both transactions are over: the layer keeps nothing of one.
    fn step(&mut self, step: &ScriptStep) -> Result<(), TestCaseError> {
        match step {
            ScriptStep::Begin if !self.open => {
                self.plainly("BEGIN");
                self.session.begin(Begin::Engine).unwrap();
                self.open = true;
            }
            ScriptStep::Commit if self.open => {
                self.plainly("COMMIT");
                self.session.commit().unwrap();
                self.open = false;
            }
            ScriptStep::Rollback if self.open => {
                self.plainly("ROLLBACK");
                self.session.rollback().unwrap();
                self.open = false;
            }
            // Tables and indexes are defined outside of transactions here, so that `made` need not be rolled back.
            ScriptStep::CreateIndex(place) if !self.open && !self.made[*place] => {
                self.plainly(&self.indexes[*place].create_sql());
                self.session.create_index(&self.indexes[*place]).unwrap();
                self.made[*place] = true;
            }
            ScriptStep::Recreate if !self.open => {
                self.plainly("DROP TABLE t");
                self.plainly(&self.table.create_sql());
                self.session.drop_table(self.table).unwrap();
                self.session.create_table(self.table).unwrap();
                self.made.fill(false);
            }
            ScriptStep::Begin
            | ScriptStep::Commit
            | ScriptStep::Rollback
            | ScriptStep::CreateIndex(_)
            | ScriptStep::Recreate => {}
            ScriptStep::Write(sql, values) => {
                let expected = SqlStatement::<SqliteStatement<'_>>::new(&self.plain, sql, false)
                    .and_then(|mut ready| ready.execute(values));
                let found = execute(&mut self.session, sql, values);
                self.same(sql, values, expected, found)?;
            }
            ScriptStep::Read { sql, values, ordered } => {
                let mut rows = Vec::new();
                let expected = SqlStatement::<SqliteStatement<'_>>::new(&self.plain, sql, false)
                    .and_then(|mut ready| ready.query(values, |row| rows.push(super::row(row))))
                    .map(|()| comparable(rows, *ordered));
                let found = query(&mut self.session, sql, values).map(|rows| comparable(rows, *ordered));
                self.same(sql, values, expected, found)?;
            }
        }
        Ok(())
    }

    fn same<T: PartialEq + std::fmt::Debug>(
        &mut self,
        sql: &str,
        values: &[SqlValue],
        expected: Result<T, EngineError>,
        found: Result<T, EngineError>,
    ) -> Result<(), TestCaseError> {
        match (expected, found) {
            (Ok(expected), Ok(found)) => {
                prop_assert_eq!(found, expected, "{} {:?}", sql, values);
            }
            (Err(_), Err(_)) => {
                if self.open {
                    self.plainly("ROLLBACK");
                    self.open = false;
                }
            }
            (expected, found) => prop_assert!(false, "{sql} {values:?}: {found:?}, SQLite says {expected:?}"),
        }
        Ok(())
    }
}

/// Rows as text, so that values compare by type and every bit; sorted where no order was asked for.
fn comparable(rows: Vec<Vec<SqlValue>>, ordered: bool) -> Vec<String> {
    let mut rows: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
    if !ordered {
        rows.sort();
    }
    rows
}

#[test]
fn random_scripts_give_the_answers_of_plain_sqlite() {
    let config = Config { cases: 1_500, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[13; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let runs = std::cell::Cell::new(0_u32);
    runner
        .run(&(script(), prop::sample::select(vec!["off", "xxh3"])), |(script, rowsum)| {
            runs.set(runs.get() + 1);
            let store = TestStore::new(&format!("script-{}", runs.get()), &[("rowsum", rowsum)]);
            let mut engine = store.open();
            let mut session = engine.session().unwrap();
            session.create_table(&store.tables[0]).unwrap();
            let plain = Connection::open_in_memory().unwrap();
            plain.execute_batch(&store.tables[0].create_sql()).unwrap();
            let mut pair = SideBySide {
                plain,
                session,
                table: &store.tables[0],
                indexes: &store.indexes,
                made: vec![false; store.indexes.len()],
                open: false,
            };
            script.iter().try_for_each(|step| pair.step(step))
        })
        .unwrap();
}
