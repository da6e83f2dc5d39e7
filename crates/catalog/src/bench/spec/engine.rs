//! An engine in one word: `ENGINE` or `ENGINE:OPTION=VALUE[|VALUE],...`, with `ENGINE?` for one that may be missing.

use super::{EngineChoice, SpecError, Values, escape};
use std::{fmt, str::FromStr};

impl FromStr for EngineChoice {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        let (name, optional) = match name.trim().strip_suffix('?') {
            Some(name) => (name, true),
            None => (name.trim(), false),
        };
        let mut choice = Self { name: name.to_owned(), options: Values::new(), optional };
        for option in escape::pieces(options, ',').into_iter().filter(|option| !option.trim().is_empty()) {
            let (name, values) = escape::split_once(option, '=').ok_or_else(|| {
                SpecError(format!("{text}: `{option}`: expected OPTION=VALUE, several separated by commas"))
            })?;
            choice.options.insert(name.trim().to_owned(), escape::split(values, '|'));
        }
        Ok(choice)
    }
}

impl EngineChoice {
    /// Parses engines separated by commas: `sqlite:journal_mode=wal,synchronous=off,lmdb`. A comma also separates options: a piece whose
    /// `=` comes before any `:` is an option of the engine in front of it.
    ///
    /// # Errors
    /// It names no engine, or an option has no value.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, SpecError> {
        let mut engines: Vec<String> = Vec::new();
        for piece in escape::pieces(text, ',').into_iter().filter(|piece| !piece.trim().is_empty()) {
            let is_option = piece.find(['=', ':']).is_some_and(|at| piece[at..].starts_with('='));
            match engines.last_mut() {
                Some(engine) if is_option => {
                    engine.push(',');
                    engine.push_str(piece);
                }
                _ => engines.push(piece.to_owned()),
            }
        }
        match engines.is_empty() {
            true => Err(SpecError(format!("`{text}`: expected an engine: `dbdyno list engines` lists them"))),
            false => engines.iter().map(|engine| engine.parse()).collect(),
        }
    }
}

impl fmt::Display for EngineChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        f.write_str(if self.optional { "?" } else { "" })?;
        for (at, (name, values)) in self.options.iter().enumerate() {
            write!(f, "{}{name}={}", if at == 0 { ':' } else { ',' }, written(values))?;
        }
        Ok(())
    }
}

/// Formats the values of an option as one word.
pub(super) fn written(values: &[String]) -> String {
    values.iter().map(|value| escape::escaped(value, &['|', ','])).collect::<Vec<_>>().join("|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_read_with_its_options() {
        let choice: EngineChoice = "sqlite:journal_mode=wal,synchronous=off|full".parse().unwrap();
        assert_eq!(choice.name, "sqlite");
        assert_eq!(choice.options["journal_mode"], ["wal"]);
        assert_eq!(choice.options["synchronous"], ["off", "full"]);
        assert_eq!(choice.to_string(), "sqlite:journal_mode=wal,synchronous=off|full");
        assert_eq!("lmdb".parse(), Ok(EngineChoice { name: "lmdb".to_owned(), ..EngineChoice::default() }));
        let optional: EngineChoice = "go-mattn?:journal_mode=wal".parse().unwrap();
        assert!(optional.optional && optional.name == "go-mattn");
        assert_eq!(optional.to_string(), "go-mattn?:journal_mode=wal");
        assert!("sqlite:wal".parse::<EngineChoice>().is_err());
        let list =
            |text: &str| EngineChoice::parse_list(text).unwrap().iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(list("sqlite,lmdb"), ["sqlite", "lmdb"]);
        assert_eq!(
            list("sqlite:journal_mode=wal, synchronous=off|full, go-mattn?, lmdb:sync=nosync"),
            ["sqlite:journal_mode=wal,synchronous=off|full", "go-mattn?", "lmdb:sync=nosync"]
        );
        assert_eq!(list(r"sqlite-lib:library=/opt/a\,b=1:2.so,redb"), [r"sqlite-lib:library=/opt/a\,b=1:2.so", "redb"]);
        assert_eq!(list("sqlite,"), ["sqlite"]);
        assert!(EngineChoice::parse_list("").is_err() && EngineChoice::parse_list(",").is_err());
        let library: EngineChoice = r"sqlite-lib:library=/opt/a\,b=1:2.so".parse().unwrap();
        assert_eq!(library.options["library"], ["/opt/a,b=1:2.so"]);
    }
}
