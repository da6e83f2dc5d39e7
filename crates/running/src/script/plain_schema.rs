//! Tables and indexes that any engine can create in its own way: columns with types and nothing else. Engines without SQL of their own
//! have no others.

use dbdyno_engine::suite::{ColumnSpec, IndexSpec, Step, TableSpec};
use dbdyno_foundation::base::sql_tokens::{is_blank, tokens, words};

/// Words that make a column more than a name and a type.
const MORE: [&str; 13] = [
    "as",
    "check",
    "collate",
    "constraint",
    "default",
    "foreign",
    "generated",
    "not",
    "null",
    "primary",
    "references",
    "unique",
    "on",
];

/// The tables and indexes that statements create.
#[derive(Debug, Default)]
pub(super) struct PlainSchema {
    pub(super) tables: Vec<TableSpec>,
    pub(super) indexes: Vec<IndexSpec>,
}

impl PlainSchema {
    /// Takes what a statement creates. Returns the step that creates it, or none if it is more than columns with types, or an index over
    /// one of them.
    pub(super) fn take(&mut self, text: &str) -> Option<Step> {
        if let Some(table) = table(text).filter(|table| self.is_new(&table.name)) {
            self.tables.push(table.clone());
            return Some(Step::CreateTable(table.name));
        }
        let index = index(text).filter(|index| self.is_new(&index.name))?;
        let of = self.tables.iter().find(|table| table.name == index.table)?;
        of.column(&index.column)?;
        self.indexes.push(index.clone());
        Some(Step::CreateIndex(index.name))
    }

    /// Whether nothing has this name: a statement may have dropped it and created it again.
    fn is_new(&self, name: &str) -> bool {
        let names = self.tables.iter().map(|table| &table.name).chain(self.indexes.iter().map(|index| &index.name));
        names.into_iter().all(|known| !known.eq_ignore_ascii_case(name))
    }
}

fn is_word(token: &str) -> bool {
    token.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn is_name(token: &str) -> bool {
    is_word(token) && token.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// Returns a statement that makes a table with `DOUBLE` in the place of `REAL` and `FLOAT`. All three are numbers of 64 bits in SQLite, and
/// elsewhere the others have 32. Other statements are returned as they are.
pub(super) fn with_doubles(text: &str) -> String {
    let is = |word: Option<&&str>, what: &[&str]| {
        word.is_some_and(|word| what.iter().any(|what| word.eq_ignore_ascii_case(what)))
    };
    let words = words(text);
    if !is(words.first(), &["create", "alter"]) || !is(words.get(1), &["table", "temp", "temporary"]) {
        return text.to_owned();
    }
    let (mut changed, mut last, mut at) = (String::with_capacity(text.len()), "", 0);
    for token in tokens(text) {
        if is_blank(token) {
            changed.push_str(token);
            continue;
        }
        at += 1;
        // A column may have such a name, and a type in parentheses has its size.
        let is_type = is(Some(&token), &["real", "float"])
            && !["(", ",", "column"].iter().any(|before| before.eq_ignore_ascii_case(last))
            && words.get(at) != Some(&"(");
        changed.push_str(if is_type { "DOUBLE" } else { token });
        last = token;
    }
    changed
}

fn table(text: &str) -> Option<TableSpec> {
    let words = words(text);
    let [create, table, name, "(", columns @ .., ")"] = words.as_slice() else { return None };
    let is_it = create.eq_ignore_ascii_case("create") && table.eq_ignore_ascii_case("table") && is_name(name);
    let columns = is_it.then(|| columns_of(columns))?;
    Some(TableSpec { name: (*name).to_owned(), columns: columns? })
}

/// Returns the columns, whose types may have commas in parentheses.
fn columns_of(words: &[&str]) -> Option<Vec<ColumnSpec>> {
    let mut depth = 0;
    let split = |word: &&str| {
        depth += i32::from(*word == "(") - i32::from(*word == ")");
        *word == "," && depth == 0
    };
    words.split(split).map(column).collect()
}

fn column(words: &[&str]) -> Option<ColumnSpec> {
    let (name, of_type) = words.split_first().filter(|(name, _)| is_name(name))?;
    let is_plain = |word: &&str| {
        let lower = word.to_ascii_lowercase();
        (is_word(word) || ["(", ")", ","].contains(word)) && !MORE.contains(&lower.as_str())
    };
    let of_type = of_type.iter().all(is_plain).then(|| of_type.join(" "))?;
    let of_type = of_type.replace(" ( ", "(").replace(" )", ")").replace(" ,", ",");
    Some(ColumnSpec { name: (*name).to_owned(), of_type })
}

fn index(text: &str) -> Option<IndexSpec> {
    let words = words(text);
    let [create, index, name, on, table, "(", column, ")"] = words.as_slice() else { return None };
    let is_it =
        [(create, "create"), (index, "index"), (on, "on")].iter().all(|(word, is)| word.eq_ignore_ascii_case(is));
    let owned = |word: &str| word.to_owned();
    (is_it && [name, table, column].iter().all(|word| is_name(word))).then(|| IndexSpec {
        name: owned(name),
        table: owned(table),
        column: owned(column),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_of_32_bits_elsewhere_becomes_one_of_64() {
        for (text, expected) in [
            (
                "CREATE TABLE t(a REAL, real float, b Float(53) DEFAULT 'REAL')",
                "CREATE TABLE t(a DOUBLE, real DOUBLE, b Float(53) DEFAULT 'REAL')",
            ),
            ("ALTER TABLE t ADD COLUMN real REAL", "ALTER TABLE t ADD COLUMN real DOUBLE"),
            ("SELECT a AS real FROM t", "SELECT a AS real FROM t"),
            ("CREATE INDEX i ON t(real)", "CREATE INDEX i ON t(real)"),
        ] {
            assert_eq!(with_doubles(text), expected);
        }
    }

    #[test]
    fn only_columns_with_types_are_plain() {
        let mut schema = PlainSchema::default();
        let made = schema.take("CREATE TABLE t(a INTEGER, b VARCHAR ( 10 ), c decimal(3,2), d)").unwrap();
        assert_eq!(made, Step::CreateTable("t".to_owned()));
        assert_eq!(schema.tables[0].create_sql(), "CREATE TABLE t(a INTEGER, b VARCHAR(10), c decimal(3, 2), d )");
        assert_eq!(schema.take("create index i on t(b)"), Some(Step::CreateIndex("i".to_owned())));
        for more in [
            "CREATE TABLE u(a INTEGER PRIMARY KEY)",
            "CREATE TABLE u(a TEXT NOT NULL)",
            "CREATE TABLE u(\"a\" TEXT)",
            "CREATE TABLE u(a TEXT) STRICT",
            "CREATE TABLE u AS SELECT 1",
            "CREATE TABLE T(a)",
            "CREATE TEMP TABLE u(a)",
            "CREATE UNIQUE INDEX j ON t(a)",
            "CREATE INDEX j ON t(a, b)",
            "CREATE INDEX j ON other(a)",
            "CREATE INDEX j ON t(a) WHERE a > 1",
        ] {
            assert_eq!(schema.take(more), None, "{more}");
        }
    }
}
