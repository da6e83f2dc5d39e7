//! `dbdyno tui`: the terminal UI on any screen, with the given content.

use super::{
    args::{one_of, whole},
    completions,
    error::CliError,
    screens::{LookArgs, ScreensStart},
};
use crate::tui::{keys::ScreenId, launch::Opening};
use clap::Args;
use dbdyno_store::{Selection, literal};
use std::path::PathBuf;

/// `dbdyno tui`.
#[derive(Debug, Args)]
pub(super) struct TuiArgs {
    /// The first screen to show [default: bench].
    #[arg(long, value_name = "NAME", value_parser = one_of(ScreenId::tabs().map(|screen| (screen, screen.word(), screen.about()))))]
    screen: Option<ScreenId>,
    /// With --screen compare: side A, as in 'engine=lmdb size=10000'.
    #[arg(long, value_name = "SELECTION", add = completions::terms())]
    a: Option<String>,
    /// With --screen compare: side B, written like side A.
    #[arg(long, value_name = "SELECTION", add = completions::terms())]
    b: Option<String>,
    /// With --screen compare: the reference, written like side A. All configurations of its sessions are compared with it.
    #[arg(long, value_name = "SELECTION", add = completions::terms())]
    reference: Option<String>,
    /// With --screen results or compare: the identifier of a session or its beginning, `last` or `previous`. On Compare, sides
    /// come from this session. Without sides, all its configurations are compared with its first.
    #[arg(long, value_name = "ID", add = completions::sessions())]
    session: Option<String>,
    /// With --screen results: show only results that match this selection, written like side A.
    #[arg(long, value_name = "SELECTION", add = completions::terms())]
    filter: Option<String>,
    /// Colours: `dbdyno list themes`.
    #[arg(long, value_name = "NAME")]
    theme: Option<String>,
    /// Use only ASCII characters.
    #[arg(long)]
    ascii: bool,
    /// Pin the measuring thread to this CPU, counted from 0.
    #[arg(long, value_name = "CPU", value_parser = whole(0..=u32::MAX))]
    cpu: Option<u32>,
    /// The folder for databases while they are measured [default: dbdyno in your cache folder].
    #[arg(long, value_name = "FOLDER")]
    work_dir: Option<PathBuf>,
}

impl TuiArgs {
    /// What is shown first.
    ///
    /// # Errors
    /// A selection that cannot be read, or one that the screen does not take.
    pub(super) fn opening(&self) -> Result<Opening, CliError> {
        self.checked().map_err(CliError::Usage)
    }

    fn checked(&self) -> Result<Opening, String> {
        const COMPARE: &[ScreenId] = &[ScreenId::Compare];
        let Self { a, b, reference, session, filter, .. } = self;
        let given = [
            ("--a", a, COMPARE),
            ("--b", b, COMPARE),
            ("--reference", reference, COMPARE),
            ("--session", session, &[ScreenId::Results, ScreenId::Compare]),
            ("--filter", filter, &[ScreenId::Results]),
        ];
        for (flag, value, screens) in given {
            let Some(value) = value else { continue };
            self.fits(flag, value, screens)?;
            match flag {
                "--session" => check_session(value)?,
                flag => check_selection(flag, value)?,
            }
        }
        let within = |selection: &str| match session {
            // A label comes last, because it may contain the beginning of another term.
            Some(id) => format!("session={} {selection}", literal(id)).trim_end().to_owned(),
            None => selection.to_owned(),
        };
        Ok(match (self.screen.unwrap_or(ScreenId::Bench), a, b, reference) {
            (_, Some(a), Some(b), None) => Opening::Pair { a: within(a), b: within(b) },
            (_, Some(a), None, None) => return Err(format!("--a {a}: expected --b SELECTION with it")),
            (_, None, Some(b), None) => return Err(format!("--b {b}: expected --a SELECTION with it")),
            (_, None, None, Some(reference)) => Opening::Beside { reference: within(reference) },
            (_, _, _, Some(reference)) => {
                return Err(format!(
                    "--reference {reference}: expected without --a and --b, which are two sides already"
                ));
            }
            (ScreenId::Compare, ..) if session.is_some() => Opening::Beside { reference: within("") },
            (ScreenId::Results, ..) if session.is_some() || filter.is_some() => {
                Opening::Results { selection: within(filter.as_deref().unwrap_or_default()) }
            }
            (screen, ..) => Opening::Screen(screen),
        })
    }

    /// Whether the screen that is asked for takes a flag.
    fn fits(&self, flag: &str, value: &str, screens: &[ScreenId]) -> Result<(), String> {
        if self.screen.is_some_and(|screen| screens.contains(&screen)) {
            return Ok(());
        }
        let words: Vec<&str> = screens.iter().map(|screen| screen.word()).collect();
        let instead = self.screen.map_or_else(String::new, |screen| format!(", not {}", screen.word()));
        Err(format!("{flag} {value}: expected --screen {} with it{instead}", words.join(" or ")))
    }

    /// Returns the start with the arguments of this command, which replace those in front of it.
    pub(super) fn over(self, start: ScreensStart) -> ScreensStart {
        let LookArgs { theme, ascii } = start.look;
        ScreensStart {
            look: LookArgs { theme: self.theme.or(theme), ascii: self.ascii || ascii },
            work: start.work.or_given(self.work_dir),
            cpu: self.cpu.or(start.cpu),
            first: start.first,
        }
    }
}

fn check_selection(flag: &str, text: &str) -> Result<(), String> {
    let read = if flag == "--filter" { Selection::parse_line } else { Selection::parse_side };
    match read(text) {
        Ok(selection) if selection.is_all() => {
            Err(format!("{flag} `{text}`: expected terms, as in engine=lmdb size=10000"))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(format!("{flag} {error}")),
    }
}

fn check_session(id: &str) -> Result<(), String> {
    let is_id = !id.is_empty() && id.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    if is_id || matches!(id, "last" | "previous") {
        return Ok(());
    }
    Err(format!("--session {id}: expected the identifier of a session or its beginning, last or previous"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Command, FromArgMatches};

    fn opening(line: &str) -> Result<Opening, String> {
        let command = TuiArgs::augment_args(Command::new("tui").no_binary_name(true));
        let matches = command.try_get_matches_from(line.split('|').filter(|word| !word.is_empty()));
        let matches = matches.map_err(|error| error.to_string())?;
        TuiArgs::from_arg_matches(&matches).map_err(|error| error.to_string())?.checked()
    }

    #[test]
    fn a_screen_is_opened_with_what_it_takes() {
        let text = str::to_owned;
        assert_eq!(opening(""), Ok(Opening::Screen(ScreenId::Bench)));
        assert_eq!(opening("--screen|claims"), Ok(Opening::Screen(ScreenId::Claims)));
        assert_eq!(opening("--screen|compare"), Ok(Opening::Screen(ScreenId::Compare)));
        assert_eq!(
            opening("--screen|compare|--a|engine=x|--b|label=y[a=1]|--session|last"),
            Ok(Opening::Pair { a: text("session=last engine=x"), b: text("session=last label=y[a=1]") })
        );
        let beside = |reference: &str| Ok(Opening::Beside { reference: text(reference) });
        assert_eq!(opening("--screen|compare|--reference|engine=x"), beside("engine=x"));
        assert_eq!(opening("--screen|compare|--session|01a2"), beside("session=01a2"));
        let results = |selection: &str| Ok(Opening::Results { selection: text(selection) });
        assert_eq!(opening("--screen|results|--filter|tier>=2|--session|01a2"), results("session=01a2 tier>=2"));
        assert_eq!(opening("--screen|results|--session|previous"), results("session=previous"));
    }

    #[test]
    fn what_cannot_be_shown_is_named_with_what_was_expected() {
        let error = |line: &str, words: &str| {
            let error = opening(line).unwrap_err();
            assert!(error.contains(words), "{line}: {error}");
        };
        error("--screen|charts", "[possible values: bench, live, results, compare, tune, claims, torture]");
        error("--a|engine=x|--b|engine=y", "--a engine=x: expected --screen compare with it");
        error("--screen|live|--a|engine=x", "--a engine=x: expected --screen compare with it, not live");
        error("--screen|bench|--session|last", "expected --screen results or compare with it, not bench");
        error("--screen|compare|--filter|engine=x", "--filter engine=x: expected --screen results with it");
        error("--screen|compare|--a|lmdb fast|--b|engine=y", "--a `lmdb fast`: expected KEY=VALUE");
        error("--screen|compare|--a|engine=x", "--a engine=x: expected --b SELECTION with it");
        error(
            "--screen|compare|--a|engine=x|--b|engine=y|--reference|engine=z",
            "--reference engine=z: expected without",
        );
        error("--screen|results|--session|x y", "--session x y: expected the identifier of a session");
    }
}
