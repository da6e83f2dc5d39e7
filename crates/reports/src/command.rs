//! Commands as they can be typed into a shell.

/// Joins the words into one line, quoted where the shell would split them.
pub fn shell(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    words.into_iter().map(|word| quoted(word.as_ref())).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
