//! The house: the rooms of a crate that each room may import, and the rooms in which each library may be used. Cargo itself refuses cycles
//! of crates.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// Every Rust file below a folder, with its code without comments.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>();
            found.push((path, code.join("\n")));
        }
    }
    found
}

/// The names that follow `crate::` in some code, including names in braces.
fn imported(code: &str) -> BTreeSet<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = BTreeSet::new();
    for (at, begin) in code.match_indices("crate::") {
        let rest = &code[at + begin.len()..];
        let Some(braced) = rest.strip_prefix('{') else {
            names.insert(word(rest));
            continue;
        };
        let mut depth = 1;
        let mut first = true;
        for (at, c) in braced.char_indices() {
            if first && depth == 1 && (c.is_alphabetic() || c == '_') {
                names.insert(word(&braced[at..]));
                first = false;
            }
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => first = true,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    names
}

/// The folders of dbdyno's own code, apart from its engines.
fn rooms() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    vec![root.join("src"), root.join("crates")]
}

/// The imports between the parts of a crate.
fn arrows(root: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let part =
        |path: &Path| path.strip_prefix(root).unwrap().iter().next().unwrap().to_str().unwrap().replace(".rs", "");
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, code) in sources(root) {
        arrows.entry(part(&path)).or_default().extend(imported(&code));
    }
    let parts: BTreeSet<String> = arrows.keys().cloned().collect();
    for (from, to) in &mut arrows {
        to.retain(|name| name != from && parts.contains(name));
    }
    arrows
}

#[test]
fn no_room_of_a_crate_imports_one_that_imports_it() {
    for of in ["src", "crates/foundation/src", "crates/comparing/src", "crates/running/src"] {
        let mut left = arrows(&Path::new(env!("CARGO_MANIFEST_DIR")).join(of));
        assert!(left.values().any(|to| !to.is_empty()), "{of}: the imports are found: {left:?}");
        // Repeatedly removes the parts that import no remaining part.
        loop {
            let free: Vec<String> = left.iter().filter(|(_, to)| to.is_empty()).map(|(from, _)| from.clone()).collect();
            if free.is_empty() {
                break;
            }
            left.retain(|from, _| !free.contains(from));
            left.values_mut().for_each(|to| to.retain(|name| !free.contains(name)));
        }
        assert!(left.is_empty(), "{of}: these are a circle, or import one: {left:?}");
    }
}

#[test]
fn libraries_are_known_in_their_room_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let all = [
        ("duckdb::", "crates/store"),
        ("clap", "src/cli"),
        ("ratatui", "src/tui"),
        ("crossterm", "src/tui"),
        ("fuser::", "crates/running/src/torture"),
        ("minijinja", "crates/reports"),
    ];
    for (library, room) in all {
        let part_of_a_name = |c: char| c.is_alphanumeric() || "_\"`-.".contains(c);
        let uses = |code: &str| code.match_indices(library).any(|(at, _)| !code[..at].ends_with(part_of_a_name));
        let sources = rooms().into_iter().flat_map(|room| sources(&room));
        let known: Vec<PathBuf> = sources.filter(|(_, code)| uses(code)).map(|(path, _)| path).collect();
        assert!(!known.is_empty(), "{library} is found");
        let outside: Vec<&PathBuf> = known.iter().filter(|path| !path.starts_with(root.join(room))).collect();
        assert_eq!(outside, Vec::<&PathBuf>::new(), "{library}");
    }
}

/// The sweep finds leftovers of a killed program by their names, so every temporary file or folder has a name in the table.
#[test]
fn names_for_a_while_are_in_one_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates");
    // Exceptions: a file inside a folder whose name is in the table, and a database in the folder of a run.
    let may = ["foundation/src/base/output.rs", "running/src/script/tryout.rs"].map(|file| root.join(file));
    let makes = |code: &str| {
        let code = code.split("#[cfg(test)]").next().unwrap_or_default();
        ["tempdir", "tempfile_in(", ".prefix(\"", "NamedTempFile"].iter().any(|word| code.contains(word))
    };
    // Files without a name disappear with their process.
    let nameless = |code: &str| code.contains("tempfile::tempfile_in(");
    let sources = rooms().into_iter().flat_map(|room| sources(&room));
    let found = sources.filter(|(_, code)| makes(code) && !nameless(code));
    // What tests leave behind is swept by the system.
    let is_test = |path: &PathBuf| path.components().any(|part| part.as_os_str() == "tests");
    let outside: Vec<PathBuf> =
        found.map(|(path, _)| path).filter(|path| !may.contains(path) && !is_test(path)).collect();
    assert_eq!(outside, Vec::<PathBuf>::new(), "see crates/foundation/src/base/leftovers.rs");
}

/// The words of a text or of a name, in lower case and without a final `s`.
fn words(text: &str) -> Vec<String> {
    let mut spaced = String::new();
    let mut before = ' ';
    for c in text.chars() {
        spaced.push_str(if c.is_uppercase() && before.is_lowercase() { " " } else { "" });
        spaced.push(if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' });
        before = c;
    }
    spaced
        .split_whitespace()
        .filter(|word| word.len() > 1 || word.parse::<u8>().is_ok())
        .map(|word| if word.len() > 3 { word.trim_end_matches('s') } else { word })
        .map(str::to_owned)
        .collect()
}

/// Whether a comment of one line adds nothing to the line below it.
fn repeats(comment: &str, line: &str) -> bool {
    const EMPTY: [&str; 9] = ["the", "an", "of", "its", "all", "this", "their", "one", "for"];
    let (said, named) = (words(comment), words(line));
    said.iter().all(|word| EMPTY.contains(&word.as_str()) || named.contains(word))
}

#[test]
fn a_comment_says_more_than_the_name_below_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = || ["src", "crates", "engines"].into_iter().flat_map(|folder| sources(&root.join(folder)));
    assert!(repeats("The engine's description.", "    pub engine_description: Description,"));
    assert!(!repeats("Nanoseconds since the start.", "    pub start: u64,"));
    for (path, _) in files() {
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (above, at) in lines.windows(3).zip(1..) {
            let [before, comment, line] = above else { unreachable!("windows of three") };
            let Some(said) = comment.strip_prefix("/// ") else { continue };
            if before.starts_with("///") || line.starts_with("///") || line.starts_with("#[") {
                continue;
            }
            assert!(!repeats(said, line), "{}:{}: `{comment}` above `{line}`", path.display(), at + 1);
        }
    }
}

/// Names that parts of the terminal's interface define for themselves, each in the same role: requests and responses in `ask.rs`, and the
/// effects and questions of a screen.
const OF_EACH_SCREEN: [&str; 4] = ["Request", "Response", "Intents", "Dialog"];

/// Returns the name of the type that a line defines, if the line begins with the definition.
fn defined_type(line: &str) -> Option<&str> {
    let item = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.strip_prefix(' ')?,
        None => line,
    };
    let (keyword, rest) = item.split_once(' ')?;
    let is_type = ["struct", "enum", "union", "trait", "type"].contains(&keyword);
    rest.split(|c: char| !c.is_alphanumeric()).next().filter(|name| is_type && !name.is_empty())
}

#[test]
fn a_type_name_means_one_thing() {
    assert_eq!(defined_type("pub(in crate::tui) struct Guard<'g> {"), Some("Guard"));
    assert_eq!(defined_type("type Answer = Vec<SqlValue>;"), Some("Answer"));
    assert_eq!(defined_type("    type Answer;"), None);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A set: alternatives for different systems are one type, in one file.
    let mut files: BTreeMap<String, BTreeSet<PathBuf>> = BTreeMap::new();
    for (path, code) in ["src", "crates", "engines"].into_iter().flat_map(|folder| sources(&root.join(folder))) {
        let path = path.strip_prefix(root).unwrap();
        // A name of a test is read only in its test.
        if path.iter().any(|part| part == "tests" || part == "tests.rs") {
            continue;
        }
        for name in code.lines().filter_map(defined_type) {
            files.entry(name.to_owned()).or_default().insert(path.to_owned());
        }
    }
    assert!(files.contains_key("Workload"), "types are found");
    let may = |name: &str, files: &BTreeSet<PathBuf>| {
        OF_EACH_SCREEN.contains(&name) && files.iter().all(|file| file.starts_with("src/tui"))
    };
    let several = files.iter().filter(|(_, files)| files.len() > 1);
    let twice: Vec<_> = several.filter(|(name, files)| !may(name, files)).collect();
    assert!(twice.is_empty(), "choose another name for all but one of each: {twice:#?}");
}

#[test]
fn lines_of_documents_are_under_120_columns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["", "docs", "docs/decisions", "examples", "engines/api"] {
        for entry in fs::read_dir(root.join(folder)).unwrap().flatten() {
            let path = entry.path();
            if path.extension().is_none_or(|ending| ending != "md") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let mut is_code = false;
            for (line, at) in text.lines().zip(1..) {
                is_code ^= line.trim_start().starts_with("```");
                // A row of a table is one line, whatever its length.
                let may = is_code || line.trim_start().starts_with(['|', '<']);
                assert!(may || line.chars().count() < 120, "{}:{at}: {}", path.display(), line);
            }
        }
    }
}

/// Libraries that do not report their version: the version that the engine reports is the only one that Cargo.toml allows.
#[test]
fn versions_that_are_written_down_are_those_that_are_compiled() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lock = fs::read_to_string(root.join("Cargo.lock")).unwrap();
    for library in ["redb", "fjall"] {
        let source = fs::read_to_string(root.join(format!("engines/{library}/src/describe.rs"))).unwrap();
        let version =
            source.split("LIBRARY_VERSION: &str = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        assert!(lock.contains(&format!("name = \"{library}\"\nversion = \"{version}\"\n")), "{library} {version}");
        let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
        assert!(manifest.contains(&format!("\"={version}\"")), "{library} {version}");
    }
}
