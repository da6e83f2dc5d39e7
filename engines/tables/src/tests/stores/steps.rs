//! The steps of a random script.

use dbdyno_engine::sql::SqlValue;
use proptest::prelude::*;

#[derive(Debug, Clone)]
pub(super) enum ScriptStep {
    Write(String, Vec<SqlValue>),
    /// Statements that a virtual table does not support, run with values bound, or without any.
    Refused(String, Option<Vec<SqlValue>>),
    Read {
        sql: String,
        values: Vec<SqlValue>,
        ordered: bool,
    },
    CreateIndex(usize),
    Recreate,
    Begin,
    Commit,
    Rollback,
}

/// The columns of both tables, `t` and `n`.
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
        1 => prop::sample::select(vec![-0.0, 1e300, -1e300, f64::INFINITY, f64::NEG_INFINITY, 9_007_199_254_740_992.0, 9.3e18]),
    ]
}

fn text() -> impl Strategy<Value = String> {
    let texts =
        ["", "a", "A", "ab", "b", "a\0", "a\0b", "é", "5", "05", " 7 ", "1e2", "0.5", "-3", "abc", "!", "7", "13", "~"];
    prop::sample::select(texts.to_vec()).prop_map(str::to_owned)
}

fn blob() -> impl Strategy<Value = Vec<u8>> {
    prop::sample::select(vec![vec![], vec![0], vec![0, 255], b"a".to_vec(), b"ab".to_vec(), vec![255; 3]])
}

pub(crate) fn value() -> impl Strategy<Value = SqlValue> {
    prop_oneof![
        1 => Just(SqlValue::Null),
        3 => integer().prop_map(SqlValue::Integer),
        2 => real().prop_map(SqlValue::Real),
        2 => text().prop_map(SqlValue::Text),
        1 => blob().prop_map(SqlValue::Blob),
    ]
}

/// A value for the text column, which accepts no real numbers.
fn for_text() -> impl Strategy<Value = SqlValue> {
    value().prop_map(|value| if matches!(value, SqlValue::Real(_)) { SqlValue::Null } else { value })
}

pub(crate) fn columns() -> impl Strategy<Value = [SqlValue; 4]> {
    (value(), value(), for_text(), value()).prop_map(|(a, r, c, x)| [a, r, c, x])
}

/// A pattern that SQLite may convert to a range.
fn pattern() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "LIKE '%a%'",
        "LIKE 'a%'",
        "GLOB 'a*'",
        "GLOB 'ab'",
        "LIKE 'A!%%' ESCAPE '!'",
        "NOT GLOB 'a*'",
    ])
}

/// A column of `n`.
fn other() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["n.a", "n.r", "n.c", "n.x", "n.rowid"])
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
        1 => (column(), pattern()).prop_map(|(column, pattern)| format!("{column} {pattern}")),
        1 => (column(), other(), "(NOT )?").prop_map(|(one, two, not)| format!("{one} {not}IN (SELECT {two} FROM n)")),
        1 => (column(), sign(), other()).prop_map(|(one, sign, two)| format!("{one} {sign} (SELECT max({two}) FROM n)")),
        1 => (column(), sign(), other()).prop_map(|(one, sign, two)| {
            format!("{one} {sign} (SELECT {two} FROM n ORDER BY rowid LIMIT 1)")
        }),
        1 => (column(), sign(), other()).prop_map(|(one, sign, two)| {
            format!("EXISTS (SELECT 1 FROM n WHERE {two} {sign} t.{one})")
        }),
        1 => column().prop_map(|column| format!("{column} = ?1 COLLATE NOCASE")),
        1 => column().prop_map(|column| format!("?1 <= {column}")),
        1 => Just("a = r".to_owned()),
        1 => column().prop_map(|column| format!("{column} = (SELECT max(a) FROM t WHERE a < ?1)")),
    ]
}

/// Joins both tables.
fn join() -> impl Strategy<Value = ScriptStep> {
    let column = prop::sample::select(vec!["t.a", "t.r", "t.c", "t.x", "t.rowid"]);
    let sign = || prop::sample::select(vec!["=", "<", "<=", ">", ">=", "IS"]);
    let order = prop::sample::select(vec!["t JOIN n", "n CROSS JOIN t", "t CROSS JOIN n", "n LEFT JOIN t"]);
    let second = proptest::option::of((column.clone(), sign(), other()));
    (order, column, sign(), other(), second).prop_map(|(order, one, sign, two, second)| {
        let second = second.map_or(String::new(), |(one, sign, two)| format!(" AND {one} {sign} {two}"));
        let sql = format!("SELECT t.rowid, n.rowid FROM {order} ON {one} {sign} {two}{second}");
        ScriptStep::Read { sql, values: Vec::new(), ordered: false }
    })
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

/// Reads one column in order. Whole numbers are read as real ones and zeros without a sign, because equal values may come in any order.
fn read_in_order() -> impl Strategy<Value = ScriptStep> {
    (prop::sample::select(COLUMNS.to_vec()), any::<bool>(), condition(), value(), value()).prop_map(
        |(column, down, condition, one, two)| {
            let way = if down { "DESC" } else { "ASC" };
            let shown =
                format!("CASE WHEN typeof({column}) IN ('integer', 'real') THEN {column} + 0.0 ELSE {column} END");
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
    let beside = columns()
        .prop_map(|values| ScriptStep::Write("INSERT INTO n VALUES (?1, ?2, ?3, ?4)".to_owned(), values.into()));
    let clause = || prop::sample::select(vec!["ABORT", "FAIL", "IGNORE", "REPLACE", "ROLLBACK"]);
    let conflict = (clause(), columns(), -2_i64..30, "(, \\(3, NULL, 1, 'b', ?1\\), \\(4, ?3, ?1, NULL, 2\\))?")
        .prop_map(|(clause, values, rowid, more)| {
            let sql = format!("INSERT OR {clause} INTO t(rowid, a, r, c, x) VALUES ({rowid}, ?1, ?2, ?3, ?4){more}");
            ScriptStep::Write(sql, values.into())
        });
    let merge = (clause(), -2_i64..5).prop_map(|(clause, by)| {
        let sql = format!(
            "INSERT OR {clause} INTO t(rowid, a, r, c, x) SELECT rowid + {by}, a, r, c, x FROM n ORDER BY rowid"
        );
        ScriptStep::Write(sql, Vec::new())
    });
    let move_one = (clause(), -2_i64..30, -2_i64..30).prop_map(|(clause, from, to)| {
        ScriptStep::Write(format!("UPDATE OR {clause} t SET rowid = {to}, a = a + 1 WHERE rowid = {from}"), Vec::new())
    });
    prop_oneof![
        8 => insert,
        2 => numbered,
        3 => update,
        1 => compute,
        1 => renumber,
        2 => delete,
        1 => copy,
        3 => beside,
        2 => conflict,
        1 => merge,
        1 => move_one,
    ]
}

/// Statements that are rejected.
fn refused() -> impl Strategy<Value = ScriptStep> {
    let savepoint = prop::sample::select(vec!["SAVEPOINT s", "ROLLBACK TO s", "RELEASE s", "EXPLAIN SAVEPOINT s"])
        .prop_map(|sql| ScriptStep::Refused(sql.to_owned(), None));
    let returning = (columns(), prop::sample::select(vec!["rowid", "a", "*"])).prop_map(|(values, what)| {
        ScriptStep::Refused(format!("INSERT INTO t VALUES (?1, ?2, ?3, ?4) RETURNING {what}"), Some(values.into()))
    });
    prop_oneof![savepoint, returning]
}

/// The initial indexes, rows, and then the steps.
pub(super) fn script() -> impl Strategy<Value = Vec<ScriptStep>> {
    let step = prop_oneof![
        12 => write(),
        8 => read(),
        3 => read_in_order(),
        4 => join(),
        1 => refused(),
        1 => (0..8_usize).prop_map(ScriptStep::CreateIndex),
        2 => Just(ScriptStep::Begin),
        2 => Just(ScriptStep::Commit),
        1 => Just(ScriptStep::Rollback),
        1 => Just(ScriptStep::Recreate),
    ];
    let indexes = prop::sample::subsequence((0..8).collect::<Vec<usize>>(), 0..=8)
        .prop_map(|places| places.into_iter().map(ScriptStep::CreateIndex).collect::<Vec<_>>());
    let rows = columns()
        .prop_map(|values| ScriptStep::Write("INSERT INTO t VALUES (?1, ?2, ?3, ?4)".to_owned(), values.into()));
    let rows = prop_oneof![
        3 => rows,
        1 => columns()
            .prop_map(|values| ScriptStep::Write("INSERT INTO n VALUES (?1, ?2, ?3, ?4)".to_owned(), values.into())),
    ];
    (indexes, prop::collection::vec(rows, 0..40), prop::collection::vec(step, 1..60))
        .prop_map(|(indexes, rows, steps)| [indexes, rows, steps].concat())
}
