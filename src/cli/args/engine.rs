//! An engine with its options, as `--engine` has it.

use crate::{catalog::EngineChoice, cli::error::CliError};
use std::collections::BTreeMap;

/// `ENGINE`, or `ENGINE:OPTION=VALUE[|VALUE],...`
pub(in crate::cli) fn engine(text: &str) -> Result<EngineChoice, CliError> {
    let (name, options) = text.split_once(':').unwrap_or((text, ""));
    let mut choice = EngineChoice { name: name.trim().to_owned(), options: BTreeMap::new() };
    for option in options.split(',').filter(|option| !option.trim().is_empty()) {
        let (name, values) = option.split_once('=').ok_or_else(|| {
            CliError::Usage(format!("--engine {text}: `{option}`: expected OPTION=VALUE, several with commas between"))
        })?;
        choice.options.insert(name.trim().to_owned(), values_of(values));
    }
    Ok(choice)
}

/// The values of a sweep: `off|normal`.
pub(in crate::cli) fn values_of(text: &str) -> Vec<String> {
    text.split('|').map(|value| value.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_read_with_its_options() {
        let choice = engine("sqlite:journal_mode=wal,synchronous=off|full").unwrap();
        assert_eq!(choice.name, "sqlite");
        assert_eq!(choice.options["journal_mode"], ["wal"]);
        assert_eq!(choice.options["synchronous"], ["off", "full"]);
        assert_eq!(engine("lmdb").unwrap().options, BTreeMap::new());
        assert!(engine("sqlite:wal").is_err());
    }
}
