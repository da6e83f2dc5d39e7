//! The SQL pane.

use super::{Journey, results::stored};
use dbdyno::tui::{
    Command, Message, Request, Response,
    keys::{KeyPress, ScreenId},
    screens::{ScreenRequest, sql},
};

/// The pane on a store of 32 results.
fn begin(columns: u16, rows: u16) -> Journey {
    let mut journey = Journey::begin_in(stored(), columns, rows);
    journey.keys("Q").shows("SQL · Esc leaves").shows("F5 or Ctrl-r runs the statement");
    journey
}

impl Journey {
    /// Replaces the text in the editor with a statement.
    fn write(&mut self, sql: &str) -> &mut Self {
        self.key(KeyPress::PageDown).key(KeyPress::End);
        for _ in 0..8 {
            self.key(KeyPress::Ctrl('u')).key(KeyPress::Backspace);
        }
        self.message(Message::Paste(sql.to_owned()));
        self
    }

    /// Runs a statement.
    pub(super) fn run(&mut self, sql: &str) -> &mut Self {
        self.write(sql).key(KeyPress::F(5))
    }

    /// The text that was last copied to the clipboard.
    fn copied(&self) -> &str {
        let copied = self.others.iter().rfind(|other| other.starts_with("Copy("));
        copied.unwrap().trim_start_matches("Copy(\"").trim_end_matches("\")")
    }
}

#[test]
fn the_query_of_an_explanation_is_run_changed_and_run_again() {
    for (columns, rows) in [(80, 23), (120, 40), (200, 60)] {
        let mut journey = Journey::begin_in(stored(), columns, rows);
        journey.keys("3v").keys("x").shows("Q its SQL").keys("Q").shows("SELECT wall_ns FROM results");
        assert_eq!(journey.app.screen, ScreenId::Sql);
        journey.key(KeyPress::F(5)).shows("Answer · 1 row").shows("wall_ns");
        journey.keys("i").run("SELECT count(*) AS n,\n  max(size) AS s FROM results").shows("32").shows("1000");
        journey.key(KeyPress::Ctrl('p')).shows("SELECT wall_ns").key(KeyPress::Ctrl('r')).shows("wall_ns");
        journey.key(KeyPress::Esc);
        assert_eq!(journey.app.screen, ScreenId::Results, "it leads back to where it was opened");
    }
}

#[test]
fn what_is_typed_means_no_command_and_the_pane_is_opened_from_anywhere() {
    let mut journey = Journey::begin_in(stored(), 80, 24);
    for (screen, number) in ScreenId::tabs().zip(1..) {
        journey.keys(&number.to_string()).keys("Q").keys("4q:?M").shows("4q:?M").hides("Keys of").hides("q leave");
        assert_eq!(journey.app.screen, ScreenId::Sql);
        journey.key(KeyPress::Esc);
        assert_eq!(journey.app.screen, screen);
    }
    journey.keys(":").keys("query the store").key(KeyPress::Enter);
    assert_eq!(journey.app.screen, ScreenId::Sql);
}

#[test]
fn a_mistake_is_shown_with_its_place_and_the_cursor_goes_there() {
    let mut journey = begin(80, 24);
    journey.run("SELECT engine,\n  nope FROM results").shows("nope").shows("LINE 2:   nope FROM results").shows("^");
    journey.key(KeyPress::Ctrl('k')).keys("1 AS one FROM results").key(KeyPress::F(5)).shows("Answer · 32 rows");
    journey.keys("i").run("SELECT engine\nFRM results r x").shows("syntax error").shows("LINE 2: FRM results r x");
    journey.run("SELECT engine,\n CAST(engine AS INTEGER) FROM results").shows("Conversion Error").hides("COLUMNS(*)");
    journey.run("").shows("no statement found");
}

#[test]
fn what_writes_is_refused_and_was_not_run() {
    let mut journey = begin(120, 40);
    let outside = journey.place().path("outside.csv");
    let copy = format!("COPY (SELECT 1) TO '{}'", outside.display());
    for statement in ["DELETE FROM result", "ATTACH 'x.db'", "SET threads = 1", "CREATE TABLE a (i INTEGER)", &copy] {
        journey.run(statement).shows("was not run");
    }
    journey.run("SELECT 1; DROP TABLE run").shows("was not run");
    journey.run("SELECT 1; SELECT 2").shows("none of them was run");
    journey.run(&format!("FROM read_csv('{}')", journey.place().store().display())).shows("✗").hides("Answer ·");
    assert!(!outside.exists());
    journey.run("SELECT count(*) AS n FROM result").shows("32");
}

#[test]
fn a_long_answer_is_cut_sorted_whole_and_exported_whole() {
    let mut journey = begin(120, 40);
    journey.run("SELECT i, 'row|' || i AS name FROM range(20000) t(i)").shows("cut: 1,000 of 20,000 rows");
    let first = |journey: &Journey| {
        journey.screen().lines().find(|line| line.contains("row|") && !line.contains("range")).unwrap().to_owned()
    };
    assert!(first(&journey).contains("row|0 "), "{}", first(&journey));
    let cell: String = first(&journey).chars().filter(|one| *one != ' ').collect();
    assert!(cell.contains("›0‹"), "the first cell has both marks: {cell}");
    journey.keys("s").shows("i ▼");
    assert!(first(&journey).contains("row|19999"), "the whole answer is sorted, by numbers: {}", first(&journey));
    journey.keys("y");
    assert_eq!(journey.copied(), "19999");
    journey.keys("Y").shows("the 1,000 rows shown, of 20,000");
    assert!(journey.copied().starts_with("i,name\\n19999,row|19999\\n"), "{}", &journey.copied()[..40]);
    for (name, reader) in [("out.csv", "read_csv"), ("out.json", "read_json")] {
        let path = journey.place().path(name);
        journey.keys("e").shows("Export the answer, 20,000 rows").answer(path.to_str().unwrap()).shows("written: ");
        let connection = duckdb::Connection::open_in_memory().unwrap();
        let sql = format!("SELECT count(*), sum(i)::BIGINT, max(name) FROM {reader}('{}')", path.display());
        let read: (i64, i64, String) =
            connection.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
        assert_eq!(read, (20_000, 199_990_000, "row|9999".to_owned()), "{name}");
    }
    let path = journey.place().path("out.md");
    journey.keys("e").answer("out.xlsx").shows("expected a name that ends in").answer(path.to_str().unwrap());
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(written.starts_with("| i | name |\n| --: | :-- |\n| 19999 | row\\|19999 |\n"), "{}", &written[..80]);
    assert_eq!(written.lines().count(), 20_002);
    let again = journey.place().path("out-2.md");
    journey.keys("e").answer(path.to_str().unwrap()).shows("already exists").shows("out-2.md").key(KeyPress::Enter);
    assert!(again.exists(), "a name that is free is offered");
}

#[test]
fn an_answer_is_looked_at_in_both_directions_and_escaped() {
    let mut journey = begin(80, 24);
    journey.run(
        "SELECT 'a' || chr(27) || '[2J' AS x, repeat('long ', 40) AS b, repeat('wide ', 40) AS w, NULL AS c, i
         FROM range(40) t(i)",
    );
    journey.shows("\\u{1b}[2J").shows("Answer · 40 rows").hides("39");
    journey.key(KeyPress::Right).key(KeyPress::Enter).shows(&"long ".repeat(10)).key(KeyPress::Esc);
    journey.key(KeyPress::Right).key(KeyPress::Right).shows("NULL").key(KeyPress::Right).key(KeyPress::End);
    journey.shows("39").hides("\\u{1b}[2J");
    journey.click("38").keys("y");
    assert_eq!(journey.copied(), "38");
    journey.click("SQL · i changes it").shows("SQL · Esc leaves");
}

#[test]
fn an_empty_answer_and_a_plan_have_no_cell() {
    let mut journey = begin(120, 40);
    journey.run("SELECT engine FROM results WHERE false").shows("Answer · 0 rows").shows("no row").hides("y copy");
    journey.keys("y").keys("s").keys("i").run("EXPLAIN SELECT 1").shows("explain_value").hides("s sort").keys("s");
}

/// Returns the request that a key causes, without responding to it.
fn asked(journey: &mut Journey, key: KeyPress) -> Request {
    let commands = journey.app.update(Message::Key(key));
    let request = commands.into_iter().find_map(|command| match command {
        Command::Request(request) => Some(request),
        _ => None,
    });
    request.expect("something is requested")
}

#[test]
fn a_statement_that_is_given_up_leaves_what_was_there() {
    let mut journey = begin(80, 24);
    journey.run("SELECT 7 AS seven").shows("seven").keys("i").write("SELECT 8 AS eight");
    let request = asked(&mut journey, KeyPress::F(5));
    journey.time(2_000).shows("Esc cancels").hides("Answer · 1 row");
    let Request::Screen(ScreenRequest::Sql(sql::Request::Ask { watch, .. })) = &request else {
        panic!("a statement is run: {request:?}")
    };
    let watch = watch.clone();
    journey.key(KeyPress::Esc).shows("cancelled").shows("seven").shows("Answer · 1 row");
    assert!(watch.is_given_up(), "the store is told");
    let late: Response = dbdyno::tui::respond(request, &journey.setup);
    journey.message(Message::Response(Box::new(late)));
    journey.shows("seven");
}

#[test]
fn nothing_stored_is_said() {
    let mut journey = Journey::begin(80, 24);
    journey.keys("Q").key(KeyPress::F(5)).shows("✗");
}
