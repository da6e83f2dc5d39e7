//! Tips below errors in the arguments: clap names what is wrong, a tip names the command that was probably meant.

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// Adds a tip to an error that has a likely remedy.
pub(super) fn with_tip(mut error: Error) -> Error {
    if let Some(tip) = tip(&error) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

fn tip(error: &Error) -> Option<String> {
    let context = |kind| error.get(kind).map_or_else(String::new, ToString::to_string);
    // `Usage: dbdyno run [OPTIONS]`: the third word is the command, if there is one.
    let usage = context(ContextKind::Usage);
    let command = usage.split_whitespace().nth(2).filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
    match (error.kind(), command) {
        (ErrorKind::InvalidSubcommand, None) if error.get(ContextKind::SuggestedSubcommand).is_none() => {
            Some(by_name(&context(ContextKind::InvalidSubcommand)))
        }
        (ErrorKind::UnknownArgument, Some("run")) => {
            Some(context(ContextKind::InvalidArg)).filter(|name| !name.starts_with('-')).map(|name| by_name(&name))
        }
        (ErrorKind::ArgumentConflict, Some("run")) => {
            let both = context(ContextKind::InvalidArg) + &context(ContextKind::PriorArg);
            (both.contains("--preset ") && both.contains("--engine ")).then(|| {
                "a preset names its engines: use `dbdyno run --suite NAME --engine ENGINE`, or write your own preset \
                 with `dbdyno new preset NAME`"
                    .to_owned()
            })
        }
        _ => None,
    }
}

/// How a name is run that is neither a command nor an argument.
fn by_name(name: &str) -> String {
    format!("`dbdyno --preset {name}` runs a preset, `dbdyno run --suite {name}` a suite")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::Parser;

    fn shown(line: &str) -> String {
        with_tip(Cli::try_parse_from(line.split(' ')).unwrap_err()).to_string()
    }

    #[test]
    fn a_name_without_its_option_gets_a_tip() {
        for line in ["dbdyno quick", "dbdyno run quick"] {
            let text = shown(line);
            assert!(text.contains("tip: `dbdyno --preset quick` runs a preset"), "{line}: {text}");
        }
        let conflict = shown("dbdyno run --preset quick --engine lmdb");
        assert!(conflict.contains("tip: a preset names its engines"), "{conflict}");
    }

    #[test]
    fn other_errors_have_no_tip_of_ours() {
        for line in
            ["dbdyno run --quick", "dbdyno tune quick", "dbdyno results --quick", "dbdyno torturex", "dbdyno run"]
        {
            let text = shown(line);
            assert!(!text.contains("runs a preset"), "{line}: {text}");
        }
    }
}
