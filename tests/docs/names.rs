//! Names in tables of the documents, compared with the actual ones, and a check of an example's result.

use super::block::{Kind, blocks};
use crate::support::Place;
use serde_json::Value;
use std::{collections::BTreeSet, fs, path::Path};

fn text(document: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(document)).unwrap()
}

/// The names in the first column of the table below this header.
fn listed(document: &str, head: &str) -> BTreeSet<String> {
    let text = text(document);
    let table = text.lines().skip_while(|line| !line.starts_with(head)).skip(2);
    let cells = table.take_while(|line| line.starts_with('|')).map(|line| line.split('|').nth(1).unwrap());
    let names: BTreeSet<String> =
        cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect();
    assert!(!names.is_empty(), "{document} has no table `{head}`");
    names
}

/// The names of the files built into the program.
fn carried(folder: &str) -> BTreeSet<String> {
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap();
    files.map(|file| file.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn the_documents_list_what_the_program_has() {
    for (document, head, folder) in [
        ("docs/claims.md", "| name | what was published |", "assets/claims"),
        ("docs/suites.md", "| suite | what it is |", "suites"),
        ("docs/suites.md", "| preset | what it is |", "presets"),
    ] {
        assert_eq!(listed(document, head), carried(folder), "{document}: {head}");
    }
    let engines: Value = serde_json::from_str(&Place::new().ok(&["list", "engines", "--format", "json"])).unwrap();
    let known = listed("docs/engines.md", "| engine |");
    // The table has only two of the Go drivers. All of them have their own page.
    let unknown = |engine: &Value| {
        let name = engine["name"].as_str().unwrap();
        !known.contains(name) && !name.starts_with("go-")
    };
    let missing: Vec<&Value> = engines.as_array().unwrap().iter().filter(|engine| unknown(engine)).collect();
    assert!(missing.is_empty(), "docs/engines.md does not list {missing:?}");
}

#[test]
fn the_example_of_a_capacity_finds_the_rates() {
    let page = text("docs/capacity.md");
    let blocks = blocks(&page).map_err(|(line, what)| format!("{line}: {what}")).unwrap();
    let is_example = |text: &str| text.contains("null:") && text.contains("dbdyno capacity");
    let example = blocks.iter().find(|block| matches!(block.kind(), Kind::Script) && is_example(&block.text)).unwrap();
    let words = example.script().unwrap().replace("\\\n", " ").replace('\'', "");
    // The shell is left out, because the test's name is the only argument with a space.
    let words = words.replace("Random reads", "2");
    let arguments: Vec<&str> = words.split_whitespace().skip(1).chain(["--format", "json"]).collect();
    let answer: Value = serde_json::from_str(&Place::new().ok(&arguments)).unwrap();
    let found = answer["capacity"]["capacities"].as_array().unwrap();
    assert_eq!(found.len(), 2, "{answer}");
    for one in found {
        let rate = one["answer"]["rate"].as_f64();
        assert!(rate.is_some_and(|rate| (6_000.0..10_000.0).contains(&rate)), "{one}");
    }
}
