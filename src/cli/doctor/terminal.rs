//! The terminal: which parts of the terminal UI it can show.

use super::finding::DoctorFinding;
use crate::tui::app::Room;
use std::{env, io::IsTerminal};

/// The properties of the terminal, from the environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Terminal {
    /// Whether stdout is one.
    is_terminal: bool,
    /// Columns and lines, if there is a terminal.
    size: Option<(u16, u16)>,
    term: Option<String>,
    colorterm: Option<String>,
    no_color: bool,
    /// The locale of characters: `LC_ALL`, `LC_CTYPE` or `LANG`, the first that says something.
    locale: Option<String>,
    tmux: bool,
    screen: bool,
    ssh: bool,
}

impl Terminal {
    pub(super) fn read() -> Self {
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let size = console::Term::stdout().size_checked();
        Self {
            is_terminal: std::io::stdout().is_terminal(),
            size: size.map(|(lines, columns)| (columns, lines)),
            term: variable("TERM"),
            colorterm: variable("COLORTERM"),
            no_color: variable("NO_COLOR").is_some(),
            locale: ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(variable),
            tmux: variable("TMUX").is_some(),
            screen: variable("STY").is_some(),
            ssh: variable("SSH_CONNECTION").is_some() || variable("SSH_TTY").is_some(),
        }
    }

    /// Whether it moves the cursor: without, there are lines only.
    fn is_addressable(&self) -> bool {
        self.term.as_deref().is_some_and(|term| term != "dumb")
    }
}

pub(super) fn findings(terminal: &Terminal) -> Vec<DoctorFinding> {
    let mut findings = vec![kind(terminal), colours(terminal), characters(terminal)];
    if terminal.is_terminal {
        findings.push(size(terminal.size));
    }
    findings
}

fn kind(terminal: &Terminal) -> DoctorFinding {
    let term = terminal.term.as_deref().unwrap_or("not set");
    let within: String = [(terminal.tmux, ", in tmux"), (terminal.screen, ", in screen"), (terminal.ssh, ", over SSH")]
        .into_iter()
        .filter_map(|(is, words)| is.then_some(words))
        .collect();
    match (terminal.is_terminal, terminal.is_addressable()) {
        (false, _) => DoctorFinding::note(format!(
            "stdout is not a terminal (TERM {term}{within}): commands write text without colours, and the terminal UI needs a terminal"
        )),
        (true, false) => DoctorFinding::advised(
            format!("stdout is a terminal, and TERM is {term}{within}"),
            "the terminal UI cannot be shown: set TERM to the type of your terminal, or use commands",
        ),
        (true, true) => DoctorFinding::fit(format!("stdout is a terminal (TERM {term}{within})")),
    }
}

fn colours(terminal: &Terminal) -> DoctorFinding {
    let term = terminal.term.as_deref().unwrap_or_default();
    let sixteen = "dbdyno uses the theme `sixteen`; if the terminal has more, set COLORTERM=truecolor";
    match terminal.colorterm.as_deref() {
        _ if terminal.no_color => DoctorFinding::note("no colours: NO_COLOR is set"),
        _ if !terminal.is_addressable() => DoctorFinding::note("no colours: TERM is dumb or not set"),
        Some("truecolor" | "24bit") => DoctorFinding::fit("16 million colours (COLORTERM)"),
        _ if term.contains("256color") || term.contains("direct") => {
            DoctorFinding::advised("256 colours, according to TERM", sixteen)
        }
        _ => DoctorFinding::advised("16 colours, according to TERM and COLORTERM", sixteen),
    }
}

fn characters(terminal: &Terminal) -> DoctorFinding {
    let locale = terminal.locale.as_deref().unwrap_or("not set");
    let bare = locale.to_ascii_lowercase().replace('-', "");
    if bare.contains("utf8") {
        return DoctorFinding::fit(format!("the locale {locale} supports Unicode"));
    }
    DoctorFinding::advised(
        format!("the locale is {locale}, which may not support Unicode"),
        "if lines and signs look broken, give --ascii to the terminal UI or set LANG=C.UTF-8",
    )
}

fn size(size: Option<(u16, u16)>) -> DoctorFinding {
    let Some(size) = size else { return DoctorFinding::note("the terminal does not report its size") };
    let text = format!("{} columns and {} lines", size.0, size.1);
    let needs = |what: &str, (columns, lines): (u16, u16)| {
        format!("the terminal UI needs {columns} columns and {lines} lines to show {what}")
    };
    match Room::of(size) {
        Room::Whole => DoctorFinding::fit(text),
        Room::Compact => DoctorFinding::advised(text, needs("each screen in full", Room::WHOLE)),
        Room::TooSmall => DoctorFinding::advised(text, needs("anything", Room::LEAST)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usual() -> Terminal {
        Terminal {
            is_terminal: true,
            size: Some((120, 40)),
            term: Some("xterm-256color".to_owned()),
            colorterm: Some("truecolor".to_owned()),
            locale: Some("en_GB.UTF-8".to_owned()),
            ..Terminal::default()
        }
    }

    fn said(terminal: &Terminal) -> String {
        findings(terminal).iter().map(DoctorFinding::line).collect()
    }

    #[test]
    fn a_usual_terminal_is_fit() {
        let found = findings(&usual());
        assert!(found.len() == 4 && found.iter().all(|finding| matches!(finding, DoctorFinding::Fit(_))), "{found:?}");
        let nested = said(&Terminal { tmux: true, ssh: true, ..usual() });
        assert!(nested.contains("TERM xterm-256color, in tmux, over SSH"), "{nested}");
    }

    #[test]
    fn what_it_lacks_is_told_and_makes_no_figure_wrong() {
        let poor = [
            (Terminal { colorterm: None, ..usual() }, "256 colours"),
            (Terminal { colorterm: None, term: Some("xterm".to_owned()), ..usual() }, "16 colours"),
            (Terminal { no_color: true, ..usual() }, "NO_COLOR is set"),
            (Terminal { term: Some("dumb".to_owned()), ..usual() }, "cannot be shown"),
            (Terminal { term: None, ..usual() }, "TERM is not set"),
            (Terminal { locale: Some("C".to_owned()), ..usual() }, "give --ascii"),
            (Terminal { locale: None, ..usual() }, "the locale is not set"),
            (Terminal { size: Some((60, 40)), ..usual() }, "60 columns and 40 lines: the terminal UI needs 80"),
            (Terminal { size: Some((59, 40)), ..usual() }, "59 columns and 40 lines: the terminal UI needs 60"),
            (Terminal { size: None, ..usual() }, "does not report its size"),
            (Terminal { is_terminal: false, ..usual() }, "stdout is not a terminal"),
        ];
        for (terminal, words) in poor {
            assert!(said(&terminal).contains(words), "{words}: {}", said(&terminal));
            assert!(!findings(&terminal).iter().any(DoctorFinding::is_unfit));
        }
        let odd = said(&Terminal { term: Some("a\u{1b}[2J".to_owned()), ..usual() });
        assert!(odd.contains("a\\u{1b}[2J"), "{odd}");
    }
}
