//! Links between the documents, the table of contents of the site, and the length of their pages.

use super::documents;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The lines outside of fenced blocks, with their numbers from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_block = false;
    text.lines().enumerate().filter_map(move |(at, line)| {
        let is_fence = line.trim_start().starts_with("```");
        in_block ^= is_fence;
        (!is_fence && !in_block).then_some((at + 1, line))
    })
}

/// The anchor that a heading gets: lower case, spaces as hyphens, without other punctuation.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || "_- ".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|(_, line)| line.starts_with('#'));
    headings.map(|(_, line)| anchor(line.trim_start_matches('#'))).collect()
}

/// The targets of the links of a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0))
}

/// Returns why a link of a document leads nowhere, if it does.
fn wrong(document: &Path, text: &str, link: &str) -> Option<String> {
    let (file, heading) = link.split_once('#').unwrap_or((link, ""));
    if file.contains("://") {
        return None;
    }
    let path = if file.is_empty() { document.to_owned() } else { document.parent()?.join(file) };
    if !file.is_empty() && !path.exists() {
        return Some("there is no such file".to_owned());
    }
    let page = if file.is_empty() { text.to_owned() } else { fs::read_to_string(&path).unwrap_or_default() };
    let is_missing = !heading.is_empty() && file_is_page(&path) && !anchors(&page).contains(heading);
    is_missing.then(|| format!("the page has no heading `{heading}`"))
}

fn file_is_page(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "md")
}

#[test]
fn links_lead_to_files_and_headings_that_are_there() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut found = (0, Vec::new());
    for document in documents() {
        let path = root.join(&document);
        let text = fs::read_to_string(&path).unwrap();
        for (number, line) in prose(&text) {
            for link in links(line) {
                found.0 += 1;
                let wrong = wrong(&path, &text, link);
                found.1.extend(wrong.map(|why| format!("{document}:{number}: `{link}`: {why}")));
            }
        }
    }
    assert!(found.0 > 0);
    assert!(found.1.is_empty(), "{}", found.1.join("\n"));
    assert_eq!(anchor(" What `probe` answers, and *why*"), "what-probe-answers-and-why");
    let page = Path::new("docs/a.md");
    assert_eq!(wrong(page, "# One\n```\n# Two\n```\n", "#one"), None);
    assert!(wrong(page, "# One\n```\n# Two\n```\n", "#two").is_some());
}

#[test]
fn a_page_is_read_in_one_sitting() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    for document in documents().into_iter().filter(|name| name.starts_with("docs/") || name == "README.md") {
        let lines = fs::read_to_string(root.join(&document)).unwrap().lines().count();
        assert!(lines < 300, "{document} has {lines} lines: split it");
    }
}

/// The pages of a folder, below docs/.
fn pages(folder: &str) -> BTreeSet<String> {
    let found = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(folder)).unwrap();
    let names = found.map(|entry| Path::new(folder).join(entry.unwrap().file_name()));
    names.filter(|name| file_is_page(name)).map(|name| name.to_str().unwrap().to_owned()).collect()
}

#[test]
fn the_contents_of_the_site_list_every_page_once() {
    let contents = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/SUMMARY.md");
    let text = fs::read_to_string(contents).unwrap();
    let listed: Vec<&str> = prose(&text).flat_map(|(_, line)| links(line)).collect();
    let mut there: BTreeSet<String> = pages("").into_iter().chain(pages("decisions")).collect();
    there.remove("SUMMARY.md");
    let missing: Vec<_> = there.iter().filter(|page| !listed.contains(&page.as_str())).collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md does not list {missing:?}");
    let unknown: Vec<_> = listed.iter().filter(|page| !there.contains(**page)).collect();
    assert!(unknown.is_empty(), "docs/SUMMARY.md lists {unknown:?}, which are not there");
    assert_eq!(listed.len(), there.len(), "docs/SUMMARY.md lists a page twice");
}
