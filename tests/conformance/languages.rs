//! The worker protocol for people and programs in other languages, compared with its schemas: the page, and the engine in Python. The
//! engine in Go has its own test (`engines/go/protocol`).

use super::{PYDICT, WORKER};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

type Names = BTreeSet<String>;

fn read(path: &str) -> String {
    fs::read_to_string(format!("{}/{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn schema(message: &str) -> Value {
    serde_json::from_str(&read(&format!("assets/schemas/{message}.schema.json"))).unwrap()
}

/// The alternatives of a schema, or the schema itself if it has none.
fn choices(of: &Value) -> Vec<&Value> {
    let choices = ["oneOf", "anyOf"].iter().find_map(|key| of[*key].as_array());
    choices.map_or_else(|| vec![of], |choices| choices.iter().collect())
}

/// The names of all fields that an object of a schema may have.
fn fields(of: &Value) -> Names {
    choices(of)
        .into_iter()
        .filter_map(|choice| choice["properties"].as_object())
        .flat_map(|all| all.keys().cloned())
        .collect()
}

fn definition(message: &str, name: &str) -> Names {
    fields(&schema(message)["$defs"][name])
}

/// The fields of each event, except the one that names the event.
fn events() -> BTreeMap<String, Names> {
    let schema = schema("event");
    let event = |choice: &&Value| {
        let mut fields = fields(choice);
        fields.remove("event");
        (choice["properties"]["event"]["const"].as_str().unwrap().to_owned(), fields)
    };
    choices(&schema).iter().map(event).collect()
}

/// The section of the page from one heading to the next of its level.
fn section<'p>(page: &'p str, heading: &str) -> &'p str {
    let from = page.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("the page has `{heading}`"));
    let (own, rank) = (&page[from + 1 + heading.len()..], heading.split(' ').next().unwrap());
    own.find(&format!("\n{rank} ")).map_or(own, |end| &own[..end])
}

/// The texts between backticks.
fn quoted(text: &str) -> Names {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The rows of a section's tables whose header begins like this: the names in the first cell, and the second cell.
fn rows<'p>(section: &'p str, header: &str) -> Vec<(Names, &'p str)> {
    let table = section.lines().skip_while(|line| !line.starts_with(&format!("| {header} |"))).skip(2);
    let rows = table.take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let (_, cells) = row.split_at(1);
        let (first, rest) = cells.split_once('|').unwrap();
        (quoted(first), rest)
    })
    .collect()
}

/// The names in the first cells of a table.
fn first_cells(section: &str, header: &str) -> Names {
    rows(section, header).into_iter().flat_map(|(names, _)| names).collect()
}

#[test]
fn the_pages_tables_have_the_fields_of_the_schemas() {
    let page = read("docs/worker-protocol.md");
    let (description, job) = (section(&page, "## The description"), section(&page, "## The job"));
    assert_eq!(first_cells(description, "field"), fields(&schema("description")), "of the description");
    let option = first_cells(description, "option field");
    let mut known = definition("description", "OptionSpec");
    // The page describes these together with the types that have them.
    ["choices", "min", "max", "words"]
        .iter()
        .for_each(|name| assert!(known.remove(*name) && description.contains(*name)));
    assert_eq!(option, known, "of an option");
    assert_eq!(first_cells(job, "field"), fields(&schema("job")), "of a job");
    assert_eq!(
        first_cells(section(&page, "## What `probe` answers"), "field"),
        fields(&schema("probe")),
        "of what probe answers"
    );
}

#[test]
fn the_pages_table_of_events_has_their_fields() {
    let page = read("docs/worker-protocol.md");
    let events = events();
    let mut told = Names::new();
    for (names, cell) in rows(section(&page, "## The events"), "event") {
        for name in names {
            let known = events.get(&name).unwrap_or_else(|| panic!("there is no event `{name}`"));
            let mut said = quoted(cell);
            if name == "test_started" {
                // The event's description includes its actors.
                said = &said - &definition("event", "ActorHead").difference(known).cloned().collect();
            }
            assert_eq!(&said, known, "fields of `{name}`");
            told.insert(name);
        }
    }
    assert_eq!(told, events.into_keys().collect());
}

/// Parts of messages have no tables. Each of their fields is named, in prose or in an example.
#[test]
fn the_page_names_every_field_of_every_part() {
    let protocol = read("docs/worker-protocol.md") + &read("docs/write-an-engine.md");
    let suites = read("docs/write-a-suite.md") + &read("docs/write-a-sql-suite.md");
    for message in ["job", "event", "description", "probe"] {
        let schema = schema(message);
        for (name, part) in schema["$defs"].as_object().unwrap() {
            for field in fields(part) {
                let forms = [
                    format!("`{field}`"),
                    format!("\"{field}\""),
                    format!("`{field} = "),
                    format!("{field} = "),
                    format!("{{{field}"),
                ];
                let named = forms.iter().any(|form| protocol.contains(form) || suites.contains(form));
                assert!(named, "field `{field}` of {name} ({message}) is on neither page");
            }
        }
    }
}

/// The names that a program reads from an object, as `job["seed"]`.
fn asked(program: &str, object: &str) -> Names {
    // A field that may be absent is read with `get`.
    let forms = [format!("{object}[\""), format!("{object}.get(\"")];
    let reads = forms.iter().flat_map(|form| program.split(form.as_str()).skip(1));
    reads.filter_map(|rest| rest.split_once('"').map(|(name, _)| name.to_owned())).collect()
}

/// The names that a program uses in events, as `say(event="done", test=1)`.
fn said(program: &str) -> BTreeMap<String, Names> {
    let mut events: BTreeMap<String, Names> = BTreeMap::new();
    for call in program.split("say(event=\"").skip(1) {
        let (event, rest) = call.split_once('"').unwrap();
        let (mut depth, mut names, mut word) = (0, Names::new(), String::new());
        for letter in rest.chars() {
            match letter {
                '(' | '[' | '{' => depth += 1,
                ')' if depth == 0 => break,
                ')' | ']' | '}' => depth -= 1,
                '=' if depth == 0 => {
                    names.insert(word.clone());
                }
                _ => {}
            }
            if letter.is_ascii_alphanumeric() || letter == '_' { word.push(letter) } else { word.clear() }
        }
        events.entry(event.to_owned()).or_default().extend(names);
    }
    events
}

fn names(words: &[&str]) -> Names {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn the_engine_in_python_reads_the_fields_that_jobs_have() {
    let job = asked(WORKER, "job");
    // The engine ignores messages, pinning and caches, and has no pages to size.
    let unread = names(&["run_id", "size", "cpu", "cache"]);
    assert_eq!(job.union(&unread).cloned().collect::<Names>(), fields(&schema("job")));
    assert!(job.is_disjoint(&unread));
    let alone = choices(&schema("job")["$defs"]["KvTest"])
        .into_iter()
        .map(fields)
        .find(|fields| fields.contains("clock_every"))
        .unwrap();
    let test = asked(WORKER, "test");
    let sql = names(&["sql"]);
    assert_eq!(test.union(&sql).cloned().collect::<Names>(), alone, "of a test of one thread");
    let work = asked(WORKER, "work");
    assert!(work.is_subset(&definition("job", "Work")), "{work:?}");
    let option = asked(WORKER, "option");
    assert!(option.is_subset(&definition("description", "OptionSpec")), "{option:?}");
}

#[test]
fn the_engine_in_python_says_the_fields_that_events_have() {
    let counters = names(&["floor_rss_bytes"]);
    let events = events();
    // Fields in a map that is passed as a whole, and fields that an engine may leave out.
    let of_test = names(&["test", "operations", "total"]);
    for (event, said) in said(WORKER) {
        let known = events.get(&event).unwrap_or_else(|| panic!("there is no event `{event}`"));
        let said: Names = said.difference(&counters).cloned().collect();
        assert!(said.is_subset(known), "`{event}` with {said:?}: expected of {known:?}");
        let required = choices(&schema("event"))
            .into_iter()
            .find(|choice| choice["properties"]["event"]["const"] == event.as_str())
            .map(|choice| {
                choice["required"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|name| name.as_str().unwrap().to_owned())
                    .collect::<Names>()
            })
            .unwrap();
        let lacking: Names = required.into_iter().filter(|name| name != "event" && !said.contains(name)).collect();
        assert!(
            lacking.is_empty() || event == "progress" && lacking.is_subset(&of_test),
            "`{event}` lacks {lacking:?}"
        );
    }
    let known = fields(&schema("description"));
    let given: Names = PYDICT
        .lines()
        .filter_map(|line| line.strip_prefix("    \"")?.split_once("\":").map(|(name, _)| name.to_owned()))
        .collect();
    assert!(given.contains("tiers") && given.is_subset(&known), "{given:?}");
}
