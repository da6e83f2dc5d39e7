//! Questions of the Compare screen, answered from the store.

use crate::{
    compare::{Options, Side, compare, load, offers},
    store::{Selection, Store},
    tui::screens::compare::{Answer, Compared, Question, Wanted},
};

/// The answer to a question.
pub(crate) fn answer(question: Question, store: &Store) -> Answer {
    match question {
        Question::Offers { ticket } => {
            Answer::Offers { ticket, found: offers(store).map_err(|error| error.to_string()) }
        }
        Question::Compare { ticket, wanted } => {
            Answer::Compared { ticket, found: compared(&wanted, store).map(Box::new) }
        }
    }
}

fn compared(wanted: &Wanted, store: &Store) -> Result<Compared, String> {
    let (a, mut unknown) = side(&wanted.a, store)?;
    let (b, unknown_b) = side(&wanted.b, store)?;
    unknown.extend(unknown_b);
    unknown.dedup();
    let options = Options { allowed: wanted.allowed.clone(), ..Options::default() };
    let spread = Options { pivot: Some(wanted.axes.clone()), ..options.clone() };
    Ok(Compared {
        plain: compare(&a, &b, &Options { by_size: true, ..options }),
        pivot: compare(&a, &b, &spread),
        unknown,
    })
}

/// A side, with the names in its selection that no stored run has.
fn side(text: &str, store: &Store) -> Result<(Side, Vec<String>), String> {
    let selection = Selection::parse_line(text)?;
    if !store.exists() {
        return Ok((Side { selection: text.to_owned(), ..Side::default() }, Vec::new()));
    }
    let side = load(store, text, &selection).map_err(|error| error.to_string())?;
    let unknown = match side.runs.is_empty() {
        true => store.unknown_names(&selection, &[]).map_err(|error| error.to_string())?,
        false => Vec::new(),
    };
    Ok((side, unknown))
}
