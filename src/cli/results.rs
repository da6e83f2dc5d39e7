//! `dbdyno results`.

use super::{
    args::Places,
    error::CliError,
    manage_args::ResultsArgs,
    print,
    query::{opened, write},
};
use crate::{
    base::units::plain,
    report::{format::Format, matrix::Matrix, text},
    store::{Key, Listed, Selection},
};
use dbdyno_engine::say;
use std::process::ExitCode;

pub(super) fn results(places: &Places, args: &ResultsArgs) -> Result<ExitCode, CliError> {
    let selection = Selection::parse(&args.selection.terms).map_err(CliError::Usage)?;
    let keys: Vec<Key> =
        args.group_by.iter().map(|key| Key::parse(key)).collect::<Result<_, _>>().map_err(CliError::Usage)?;
    let store = opened(places)?;
    for name in store.unknown_names(&selection, &keys)? {
        say!("note: no stored run has an option or a key `{}`", plain(&name));
    }
    if args.count {
        return print(&format!("{}\n", store.count(&selection)?));
    }
    if !keys.is_empty() {
        return write(&store.grouped(&selection, &keys)?, args.format, args.csv.cells);
    }
    if args.details {
        let details = store.details(&selection)?;
        return if args.format == Format::Table {
            print(&text::details(&details))
        } else {
            write(&details, args.format, args.csv.cells)
        };
    }
    if args.matrix || args.transpose || args.normalise {
        let mut matrix = Matrix::new(&store.test_times(&selection)?);
        if args.normalise {
            matrix = matrix.normalised();
        }
        if matrix.incomplete > 0 {
            say!("{} runs lack tests that others have, or some do not count: they have no total", matrix.incomplete);
        }
        return write(&matrix.rows(args.transpose, args.format != Format::Table), args.format, args.csv.cells);
    }
    let listed = if args.runs { Listed::Runs } else { Listed::Results };
    write(&store.listed(&selection, listed, &args.columns)?, args.format, args.csv.cells)
}
