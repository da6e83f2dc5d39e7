//! The argument that names a file: a format and a name, or a name whose ending gives the format.

use crate::tui::overlay::ListItem;
use dbdyno_reports::format::Format;
use std::path::Path;

/// Returns the file that a line names; `usual` is the default name.
///
/// # Errors
/// The name's ending belongs to another format than the typed one.
pub(super) fn file_of(line: &str, formats: &[Format], usual: &str) -> Result<String, String> {
    let (word, name) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
    let Some(format) = formats.iter().find(|format| format.name() == word) else {
        return Ok(if line.trim().is_empty() { usual } else { line.trim() }.to_owned());
    };
    let (name, ending) = (name.trim(), format.ending());
    if name.is_empty() {
        return Ok(Path::new(usual).with_extension(ending).display().to_string());
    }
    let own = Path::new(name).extension().map(|own| own.to_string_lossy().to_ascii_lowercase());
    match own.as_deref() {
        Some(own) if own == ending => Ok(name.to_owned()),
        Some(own) if formats.iter().any(|format| format.ending() == own) => {
            Err(format!("`{name}`: expected a name that ends in .{ending} for the format {word}"))
        }
        _ => Ok(format!("{name}.{ending}")),
    }
}

/// Returns each format with a file name of that format.
pub(super) fn completions(formats: &[Format], usual: &str) -> Vec<ListItem> {
    let file = |format: &Format| Path::new(usual).with_extension(format.ending()).display().to_string();
    let item = |format: &Format| ListItem::new(format!("{} {}", format.name(), file(format)), format.meaning());
    let text = formats.is_empty().then(|| ListItem::new(usual, "text"));
    text.into_iter().chain(formats.iter().map(item)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_gives_the_name_its_ending() {
        const SOME: &[Format] = &[Format::Markdown, Format::Csv];
        let file = |line: &str| file_of(line, SOME, "usual.md");
        assert_eq!(file("csv out").unwrap(), "out.csv");
        assert_eq!(file("markdown a.b/out.MD").unwrap(), "a.b/out.MD");
        assert_eq!(file("csv").unwrap(), "usual.csv");
        assert_eq!(file("").unwrap(), "usual.md");
        // A first word that is no format is part of the name, and the screen decides whether the name is valid.
        assert_eq!(file("out put.csv").unwrap(), "out put.csv");
        assert_eq!(file("csv v1.2").unwrap(), "v1.2.csv");
        let error = file("csv out.md").unwrap_err();
        assert_eq!(error, "`out.md`: expected a name that ends in .csv for the format csv");
        assert_eq!(completions(SOME, "usual.md")[1].label, "csv usual.csv");
        assert_eq!(completions(&[], "plan.txt")[0].label, "plan.txt");
    }
}
