//! A user's own statements for `dbdyno tune --sql`.

use super::{Verdict, harness::Target, holds, samples, text, told};
use dbdyno::{
    engines::Registry,
    script::{self, Piece, ScriptTerms, split},
};
use std::{fs, time::Duration};

const SCRIPTS: [&str; 6] = [
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);\nINSERT INTO t VALUES (1, 'a;''b');\n-- measure\nSELECT count(*) FROM t WHERE b LIKE 'row 1%';\n\
     BEGIN IMMEDIATE;\nUPDATE t SET b = 'x' || b WHERE a < 100;\nDELETE FROM t WHERE a = 1001;\nCOMMIT;\n",
    "CREATE TEMP TRIGGER t AFTER INSERT ON a BEGIN SELECT CASE 1 WHEN 1 THEN 2 END; DELETE FROM b; END;\nSELECT 1",
    "/* SELECT; */ SELECT \"c;d\", [e;f], `g;h` FROM (VALUES (1)); -- no; no",
    "PRAGMA user_version;\nATTACH ':memory:' AS o;\nCREATE TABLE o.u(a);\nDETACH o;\nVACUUM;\nSELECT 1;",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT sum(i), hex(randomblob(10)) FROM n;",
    "CREATE VIRTUAL TABLE f USING fts5(a);\nINSERT INTO f VALUES ('x');\nSELECT * FROM f('x');\nEXPLAIN SELECT 1;\n.tables",
];

/// Checks that the pieces of a file are parts of it, each on its own line.
fn pieces(input: &[u8]) -> Verdict {
    let text = text(input);
    let by_number: Vec<&str> = text.split('\n').collect();
    let lines = by_number.len();
    let found = match split(&text) {
        Ok(found) => found,
        Err((line, message)) => {
            return holds((1..=lines).contains(&line) && !message.is_empty(), || format!("line {line}: {message}"));
        }
    };
    let mut last = 1;
    for piece in found {
        let Piece::Statement { line, text: statement } = piece else { continue };
        let begins =
            by_number.get(line - 1).is_some_and(|text| statement.lines().next().is_some_and(|s| text.contains(s)));
        holds((last..=lines).contains(&line) && begins, || {
            format!("line {line} after {last} of {lines}: {statement:?}")
        })?;
        last = line;
    }
    Ok(())
}

#[test]
fn statements() {
    Target::new("statements", 5000).fuzz(&samples(SCRIPTS), pieces);
}

#[test]
fn tune_scripts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.sql");
    let registry = Registry::built_in();
    let engine = &registry.get("sqlite").unwrap().description;
    let terms = ScriptTerms { start: None, engines: &[engine], limit: Duration::from_millis(10) };
    Target::new("tune-scripts", 400).fuzz(&samples(SCRIPTS), |input| {
        fs::write(&file, input).unwrap();
        match script::suite(&file, terms) {
            Ok(suite) => holds(dbdyno_catalog::is_script(&suite.name), || suite.name.clone()),
            Err(error) => told(&error, &file.display().to_string(), input),
        }
    });
}
