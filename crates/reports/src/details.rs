//! All stored facts about runs, laid out for people: documents as lines, and no line too long to read.

use console::{Alignment, measure_text_width};
use dbdyno_foundation::base::{grid::Grid, units::plain};
use dbdyno_store::TextRows;
use serde_json::Value;

/// The widest line of a value, in columns; longer values continue in the next line.
const WIDTH: usize = 88;

/// Lays out all stored facts about runs: rows of run, part, name and value, with a title where a run begins.
pub fn details(answer: &TextRows) -> String {
    let mut grid = Grid::new(vec![Alignment::Left; 3]);
    let mut before: Option<(&str, &str)> = None;
    for row in answer.rows.iter() {
        let [run, part, name, value] = row.first().map(Option::unwrap_or_default);
        if before.is_none_or(|(before, _)| before != run) {
            if before.is_some() {
                grid.title("");
            }
            grid.title(format!("run {}", plain(run)));
        }
        let shown = if before == Some((run, part)) { "" } else { part };
        let mut head = [format!("  {}", plain(shown)), plain(name)];
        for line in laid_out(value) {
            let [part, name] = std::mem::take(&mut head);
            grid.row([part, name, line]);
        }
        before = Some((run, part));
    }
    grid.render()
}

/// Splits a value into lines that are not too long; a JSON document becomes its names and values. Returns at least one line.
fn laid_out(value: &str) -> Vec<String> {
    let document = match serde_json::from_str(value) {
        Ok(document @ (Value::Object(_) | Value::Array(_))) if value.len() > WIDTH => document,
        _ => return wrapped(&plain(value), 0),
    };
    let mut lines = Vec::new();
    lay_out(&document, 0, &mut lines);
    lines
}

/// Adds a part of a document as indented lines.
fn lay_out(part: &Value, indent: usize, lines: &mut Vec<String>) {
    match part {
        Value::Object(members) => {
            for (name, member) in members {
                let whole = format!("{}{}: {}", " ".repeat(indent), plain(name), compact(member));
                if measure_text_width(&whole) <= WIDTH && !compact(member).contains('\n') {
                    lines.push(plain(&whole));
                } else {
                    lines.push(format!("{}{}:", " ".repeat(indent), plain(name)));
                    lay_out(member, indent + 2, lines);
                }
            }
        }
        Value::Array(elements) if elements.iter().any(Value::is_object) => {
            for element in elements {
                let whole = format!("{}- {}", " ".repeat(indent), compact(element));
                if measure_text_width(&whole) <= WIDTH {
                    lines.push(plain(&whole));
                } else {
                    lines.push(format!("{}-", " ".repeat(indent)));
                    lay_out(element, indent + 2, lines);
                }
            }
        }
        // A stored file has line breaks of its own.
        other => {
            for line in compact(other).lines() {
                lines.extend(wrapped(&plain(line), indent));
            }
        }
    }
}

/// Returns a text as it is, anything else as JSON.
fn compact(part: &Value) -> String {
    part.as_str().map_or_else(|| part.to_string(), str::to_owned)
}

/// Splits a line into pieces that are not too long, at spaces and commas if there are any.
fn wrapped(text: &str, indent: usize) -> Vec<String> {
    let indent = " ".repeat(indent);
    let mut lines = Vec::new();
    let mut line = indent.clone();
    for word in text.split_inclusive([' ', ',']) {
        if measure_text_width(&line) + measure_text_width(word.trim_end()) > WIDTH && line.trim() != "" {
            lines.push(std::mem::replace(&mut line, indent.clone()).trim_end().to_owned());
        }
        line.push_str(word);
    }
    lines.push(line.trim_end().to_owned());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(value: &str) -> TextRows {
        let columns = ["run_id", "part", "name", "value"].map(str::to_owned).to_vec();
        TextRows::new(columns, Vec::new(), [["r", "session", "plan", value].map(Some)])
    }

    #[test]
    fn a_document_is_laid_out_and_its_texts_have_their_lines() {
        let runs: Vec<[u32; 3]> = (0..60).map(|n| [n, n % 2, n * 1_000]).collect();
        let suite = serde_json::json!({ "name": "kv", "text": "title = \"x\"\nkind = \"kv\"\u{1b}\n# a file is longer than a line of the document that it is kept in\n" });
        let options: Vec<_> = (0..20).map(|n| serde_json::json!({ "a": n })).collect();
        let plan = serde_json::json!({ "suite": suite, "rounds": 30, "runs": runs, "options": options });
        let text = details(&answer(&plan.to_string()));
        assert!(text.lines().all(|line| line.len() < WIDTH + 24), "{text}");
        for line in ["session  plan  ", "rounds: 30", "title = \"x\"", "kind = \"kv\"\\u{1b}", "- {\"a\":19}"] {
            assert!(text.contains(line), "{line} in\n{text}");
        }
        assert!(text.contains("59,1,59000"), "nothing is left out: {text}");
    }

    #[test]
    fn a_long_text_goes_on_in_the_next_line_and_a_short_one_stays() {
        let long = "word ".repeat(40);
        assert_eq!(details(&answer(&long)).lines().count(), 4);
        assert_eq!(details(&answer("[1]")), "run r\n  session  plan  [1]\n");
    }
}
