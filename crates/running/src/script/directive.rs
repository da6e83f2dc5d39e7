//! Comments that say how statements are measured: `-- name: ...`, `-- :id = uniform 1..1000`, `-- repeat 100`.

use super::{functions::FunctionStandIn, values::ValueSource};

/// What a comment of its own line says.
#[derive(Debug, Clone, PartialEq)]
pub enum Directive {
    /// `-- measure`: the statements after it are measured.
    Measure,
    /// `-- name: TEXT`: the name of the next statement, or of the commits of the next transaction.
    Name(String),
    /// `-- weight: N`: the share of the next statement or transaction in a mix.
    Weight(u64),
    /// `-- :id = ...`, `-- ?1 = ...`: where the values of a parameter of the next statement come from.
    Value(String, ValueSource),
    /// `-- thread: NAME`, `-- thread: NAME x 3`: threads of their own do the statements up to the next such line, all at the same time.
    Thread { name: String, threads: u32 },
    /// `-- function: NAME(x) = EXPRESSION`: what replaces a function that only an application has, in the whole file and in the database.
    Function(FunctionStandIn),
    /// `-- repeat N`: what follows, up to its `-- end`, is done N times.
    Repeat(u64),
    /// `-- mix N`: one of the statements up to its `-- end` is done, N times.
    Mix(u64),
    /// `-- end`: the end of a repeat or a mix.
    End,
}

/// Signs before the name of a parameter in SQL.
pub(super) const SIGNS: [char; 4] = [':', '@', '$', '?'];

/// Returns what a comment says, without its `--`. None: it is a comment like any other.
///
/// # Errors
/// It says something that cannot be, and what was expected.
pub(super) fn directive(comment: &str) -> Option<Result<Directive, String>> {
    let text = comment.trim();
    if let Some((place, source)) = text.split_once('=').filter(|_| text.starts_with(SIGNS)) {
        let place = place.trim();
        let is_plain = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        return is_plain(&place[1..]).then(|| {
            let wrong = |why: String| format!("{place}: {why}");
            source.trim().parse().map(|source| Directive::Value(place.to_owned(), source)).map_err(wrong)
        });
    }
    if let Some((key, value)) = text.split_once(':') {
        let value = value.trim();
        return match key.trim().to_ascii_lowercase().as_str() {
            "name" if value.is_empty() => Some(Err("name: expected a text after it".to_owned())),
            "name" => Some(Ok(Directive::Name(value.to_owned()))),
            "weight" => Some(number(value, "weight").map(Directive::Weight)),
            "thread" => Some(thread(value)),
            "function" => Some(FunctionStandIn::read(value).map(Directive::Function)),
            _ => None,
        };
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    match words.as_slice() {
        [word] if word.eq_ignore_ascii_case("measure") => Some(Ok(Directive::Measure)),
        [word] if word.eq_ignore_ascii_case("end") => Some(Ok(Directive::End)),
        [word, times] if word.eq_ignore_ascii_case("repeat") => Some(number(times, "repeat").map(Directive::Repeat)),
        [word, times] if word.eq_ignore_ascii_case("mix") => Some(number(times, "mix").map(Directive::Mix)),
        // Without its mark, a file would measure what prepares.
        [word] if is_near(word, "measure") => Some(Err(format!("{word}: did you mean `measure`?"))),
        _ => None,
    }
}

/// Whether a word looks like a misspelt other one.
fn is_near(word: &str, other: &str) -> bool {
    strsim::damerau_levenshtein(&word.to_ascii_lowercase(), other) <= 2
}

fn thread(text: &str) -> Result<Directive, String> {
    let (name, threads) = match text.rsplit_once(" x ") {
        Some((name, count)) => {
            (name.trim(), count.trim().parse().ok().filter(|count| (1..=MOST_THREADS).contains(count)))
        }
        None => (text, Some(1)),
    };
    let is_plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    match threads.filter(|_| is_plain) {
        Some(threads) => Ok(Directive::Thread { name: name.to_owned(), threads }),
        None => Err(format!(
            "thread {text}: expected a word, and how many threads there are, from 1 to {MOST_THREADS}, as in writer x 2"
        )),
    }
}

/// The most threads that do the same statements.
const MOST_THREADS: u32 = 256;

fn number(text: &str, of: &str) -> Result<u64, String> {
    let number = text.replace('_', "").parse().ok().filter(|number| (1..=1_000_000_000).contains(number));
    number.ok_or_else(|| format!("{of} {text}: expected a whole number from 1 to 1000000000"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_one_only_in_its_form() {
        let said = |text: &str| directive(text).map(|found| found.unwrap());
        assert_eq!(said(" measure"), Some(Directive::Measure));
        assert_eq!(said("name: newest: ten"), Some(Directive::Name("newest: ten".to_owned())));
        assert_eq!(said("weight: 9"), Some(Directive::Weight(9)));
        assert_eq!(said("Repeat 1_000"), Some(Directive::Repeat(1000)));
        assert_eq!(said("mix 5"), Some(Directive::Mix(5)));
        assert_eq!(said("end"), Some(Directive::End));
        let threads = |name: &str, threads| Some(Directive::Thread { name: name.to_owned(), threads });
        assert_eq!((said("thread: sync"), said("Thread: reader x 3")), (threads("sync", 1), threads("reader", 3)));
        assert!(["thread: a b", "thread: a x 0", "thread: x 2x"].iter().all(|text| directive(text).unwrap().is_err()));
        for comment in ["", "the end", "repeat this", "see: below", "a = b", ": = 1", "name", "mix it up now"] {
            let found = directive(comment);
            assert!(matches!(found, None | Some(Err(_))), "{comment}: {found:?}");
        }
        for misspelt in ["measur", "Mmeasure", "measured"] {
            assert_eq!(directive(misspelt), Some(Err(format!("{misspelt}: did you mean `measure`?"))));
        }
        assert!(directive("repeat 0").is_some_and(|found| found.is_err()));
        assert!(
            directive(":id = often")
                .is_some_and(|found| found.is_err_and(|why| why.starts_with(":id: `often`: expected")))
        );
    }
}
